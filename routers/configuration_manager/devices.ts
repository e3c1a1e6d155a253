import { z } from 'zod';
import { Device, DeviceState } from '#db/schemas/network/device.ts';
import { TextLookup } from '#db/schemas/requests/config-spec.ts';
import { DeviceSearch } from '#db/schemas/requests/configuration-search.ts';
import {
  diffWithLive,
  getDevice,
  listDeviceStates,
  searchDevices,
} from '#server/domains/golden-config/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest } from '#server/kernel/procedures.ts';
import { CONFIG_READ } from '#server/kernel/roles.ts';
import { optional } from './requests.ts';

/** The response of a search for devices. */
export const DevicePage = z.object({
  entity: z.literal('device'),
  total: z.int().describe('Number of matching devices in total'),
  totalByAdapter: z
    .record(z.string(), z.int())
    .describe('Number of matching devices by the origin that answers for them'),
  unique_device_count: z.int().describe('The same as total: a name is one device'),
  return_count: z
    .int()
    .describe('The same as total, not the length of this page: clients page until they have as many'),
  start_index: z.int().describe('Number of devices skipped'),
  list: z.array(Device),
});

export const devices = {
  searchDevices: allow(...CONFIG_READ)
    .meta(rest('POST', '/configuration_manager/devices', 'Search for devices'))
    .input(z.strictObject({ options: optional(DeviceSearch).describe('Filter, page and order') }))
    .output(answer(DevicePage))
    .query(({ ctx, input }) => searchDevices(ctx, input.options ?? {})),

  getDevice: allow(...CONFIG_READ)
    .meta(rest('GET', '/configuration_manager/devices/:name', 'One device'))
    .input(z.strictObject({ name: z.string().describe('Name of the device') }))
    .output(answer(Device))
    .query(({ ctx, input }) => getDevice(ctx, input.name)),

  listDeviceStates: allow(...CONFIG_READ)
    .meta(rest('POST', '/configuration_manager/devices/states', 'Last backup and grade of devices'))
    .input(
      z.strictObject({
        devices: z
          .array(z.string().max(255))
          .max(1000)
          .meta({ description: 'Names of devices, at most 1,000', examples: [['edge-1', 'edge-2']] }),
      }),
    )
    .output(answer(z.array(DeviceState)))
    .query(({ ctx, input }) => listDeviceStates(ctx, input.devices)),

  lookupDiff: allow(...CONFIG_READ)
    .meta(
      rest(
        'PUT',
        '/configuration_manager/lookup_diff',
        'Compare two stored texts, or one with the current configuration of a device',
      ),
    )
    .input(TextLookup)
    .output(
      answer(
        z.array(z.tuple([z.union([z.literal(-1), z.literal(0), z.literal(1)]), z.string()])).meta({
          description: 'Parts of the text in order: -1 removed, 0 the same in both, 1 added',
          examples: [
            [
              [0, 'hostname '],
              [-1, 'edge-1'],
              [1, 'edge-2'],
            ],
          ],
        }),
      ),
    )
    .query(({ ctx, input }) => diffWithLive(ctx, input)),
};
