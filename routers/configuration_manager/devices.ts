import { z } from 'zod';
import { Device, DeviceState } from '#db/schemas/network/device.ts';
import {
  diffWithLive,
  getDevice,
  listDeviceStates,
  searchDevices,
} from '#server/domains/golden-config/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest } from '#server/kernel/procedures.ts';
import { CONFIG_READ } from '#server/kernel/roles.ts';
import { optional, paging, Sort } from './requests.ts';

/** A count, which some clients send as digits (contract/lifecycle#4.1). */
const Count = z.union([z.int().min(0), z.string().regex(/^\d{1,9}$/, 'must be a number')]);
const Names = z.array(z.string()).max(100);

/** The request of a search for devices. */
export const DeviceSearch = z.strictObject({
  start: optional(Count).describe('Number of devices to skip; absent: 0'),
  skip: optional(Count).describe('The same as start'),
  limit: optional(Count, 25).describe('Maximum number of devices to return, 1 to 1000; absent: 25'),
  filter: optional(
    z.strictObject({
      name: optional(z.string(), 'edge').describe('Text in the name'),
      address: optional(z.string()).describe('Text in the management address'),
      port: optional(z.union([z.string(), z.number()]), 22).describe('Digits in the port'),
      ostype: optional(z.string()).describe('Text in the name of its config parser'),
    }),
  ).describe('Which devices to return; empty texts do not filter'),
  sort: optional(z.union([z.string(), Sort, z.array(Sort)]), 'name').describe(
    'Order of the list; absent: by name',
  ),
  order: paging.order.describe('descending: every field of `sort`; as a number, the direction of one field'),
  exactMatch: optional(z.boolean()).describe('True: the filters must equal the whole value'),
  adapterType: optional(Names).describe('Kinds of adapter, one of which reports the device'),
  adapterId: optional(Names).describe('Adapters, one of which reports the device'),
  origins: optional(z.union([z.boolean(), Names])).describe(
    'Origins, one of which reports the device; true and false have no effect: all origins are always returned',
  ),
});

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

const TEXT_KINDS = ['backups', 'nodes'] as const;
const TEXT_KIND = 'backups: the configuration of a backup; nodes: the rendered template of a node’s spec';

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
    .input(
      z.strictObject({
        id: z.string().describe('Id of the first: a backup’s, or that of a node’s spec'),
        nextId: z.string().describe('Id of the second, or the name of a device'),
        collection: z.enum(TEXT_KINDS).describe(TEXT_KIND),
        nextCollection: z
          .enum([...TEXT_KINDS, 'devices'])
          .describe(`${TEXT_KIND}; devices: the current configuration of a device`),
        options: optional(
          z.strictObject({
            type: optional(z.enum(['line', 'word', 'char'])).describe('Unit of comparison; absent: word'),
          }),
        ).describe('How to compare'),
      }),
    )
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
