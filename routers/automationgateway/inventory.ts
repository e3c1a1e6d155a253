import { z } from 'zod';
import {
  DeletedDevice,
  DeviceType,
  Fingerprint,
  GatewayHost,
  HostKind,
  HostPatch,
  NewHost,
} from '#db/schemas/network/gateway-host.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import { imported } from '#db/schemas/requests/null-fields.ts';
import {
  createHost,
  deleteDevices,
  deleteHost,
  exportHosts,
  getHost,
  importHosts,
  listDeviceTypes,
  listHosts,
  patchHost,
  replaceHost,
  setHostKey,
} from '#server/domains/network/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ } from '#server/kernel/roles.ts';
import { Ok, Page } from '../authorization/answers.ts';
import { Created, SECRETS, Updated } from './answers.ts';

const PATH = '/automationgateway/inventory/:kind';

const Inventory = z.strictObject({ kind: HostKind });
const OneHost = Inventory.extend({ name: z.string().describe('Name of the host') });

/** Maximum number of hosts per import (contract/lifecycle#12). */
const MOST = 10_000;
/** Maximum number of devices that one call deletes (contract/lifecycle#delete-devices). */
const MOST_DELETED = 1000;

const Imported = Ok.extend({
  data: z
    .array(
      z.object({
        success: z.boolean().describe('Whether the host is stored'),
        name: z.string().describe('Name of the host'),
        message: z.string().describe('What was done, or the error'),
        row: z.int().optional().describe('Index of a rejected host in the request, counted from 0'),
        issues: z
          .array(z.object({ field: z.string(), message: z.string() }))
          .optional()
          .describe('Its issues, by field'),
      }),
    )
    .describe('Result for each host, in order'),
});

export const inventory = {
  listHosts: allow(...CONFIG_READ)
    .meta(rest('GET', PATH, 'List the hosts of an inventory', { description: SECRETS }))
    .input(Inventory.extend({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(Page(GatewayHost)))
    .query(({ ctx, input }) => listHosts(ctx, input.kind, input.queryOptions)),

  getHost: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/:name`, 'One host', { description: SECRETS }))
    .input(OneHost)
    .output(answer(GatewayHost))
    .query(({ ctx, input }) => getHost(ctx, input.kind, input.name)),

  createHost: allow(...ADMIN)
    .meta(rest('POST', PATH, 'Create a host', { description: SECRETS }))
    .input(Inventory.extend({ host: NewHost }))
    .output(answer(Created(GatewayHost)))
    .mutation(write(({ ctx, input }) => createHost(ctx, input.kind, input.host))),

  replaceHost: allow(...ADMIN)
    .meta(
      rest('PUT', `${PATH}/:name`, 'Create or replace the host of this name', {
        description: `${SECRETS} When host or port changes, the secrets must be sent again.`,
      }),
    )
    .input(OneHost.extend({ host: NewHost }))
    .output(answer(Updated(GatewayHost)))
    .mutation(write(({ ctx, input }) => replaceHost(ctx, input.kind, input.name, input.host))),

  updateHost: allow(...ADMIN)
    .meta(
      rest('PATCH', `${PATH}/:name`, 'Change fields of a host', {
        description: `${SECRETS} When host or port changes, the secrets must be sent again.`,
      }),
    )
    .input(OneHost.extend({ updates: HostPatch }))
    .output(answer(Updated(GatewayHost)))
    .mutation(write(({ ctx, input }) => patchHost(ctx, input.kind, input.name, input.updates))),

  deleteHost: allow(...ADMIN)
    .meta(rest('DELETE', `${PATH}/:name`, 'Delete a host whose device is not assigned to a node'))
    .input(
      OneHost.extend({
        force: z.boolean().optional().describe('True: also when its device is assigned to a node of a tree'),
      }),
    )
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => deleteHost(ctx, input.kind, input.name, input.force ?? false))),

  deleteDevices: allow(...ADMIN)
    .meta(
      rest('DELETE', '/automationgateway/inventory', 'Delete devices independently of each other', {
        description:
          'From the inventories cli and grpc. A device that is assigned to a node of a tree, or that only an orchestrator reports, stays and does not prevent the deletion of the others.',
      }),
    )
    .input(
      z.strictObject({
        names: z
          .array(z.string().max(255))
          .min(1)
          .max(MOST_DELETED)
          .meta({ description: 'Names of the devices, at most 1,000', examples: [['edge-1', 'edge-2']] }),
        force: z.boolean().optional().describe('True: also devices that are assigned to nodes of trees'),
      }),
    )
    .output(answer(Ok.extend({ data: z.array(DeletedDevice).describe('Outcome of each name, in order') })))
    .mutation(
      write(async ({ ctx, input }) => {
        const data = await deleteDevices(ctx, input.names, input.force ?? false);
        const deleted = data.filter(({ success }) => success).length;
        return { status: 'OK' as const, message: `Deleted ${deleted} of ${data.length} devices`, data };
      }),
    ),

  importHosts: allow(...ADMIN)
    .meta(
      rest('POST', `${PATH}/import`, 'Import hosts independently of each other', {
        bodyLimit: 'import',
        description: `${SECRETS} An invalid host does not prevent the import of the others.`,
      }),
    )
    .input(
      Inventory.extend({
        hosts: z
          .array(z.union([imported(NewHost), z.unknown()]))
          .max(MOST)
          .describe('Hosts to store, at most 10,000; an export can be imported unchanged'),
        options: z
          .strictObject({
            overwrite: z
              .boolean()
              .optional()
              .describe('True: an existing host of that name is replaced completely'),
            dryRun: z
              .boolean()
              .optional()
              .describe('True: nothing is stored; the response describes what would be done'),
          })
          .nullish()
          .describe('How to handle names that are taken'),
      }),
    )
    .output(answer(Imported))
    .mutation(
      write(async ({ ctx, input }) => {
        const data = await importHosts(ctx, input.kind, input.hosts, input.options ?? {});
        const stored = data.filter(({ success }) => success).length;
        const done = input.options?.dryRun ? 'Would import' : 'Imported';
        return { status: 'OK' as const, message: `${done} ${stored} of ${data.length} hosts`, data };
      }),
    ),

  exportHosts: allow(...ADMIN)
    .meta(rest('GET', `${PATH}/export`, 'Export an inventory, without its secrets'))
    .input(Inventory)
    .output(
      answer(z.object({ hosts: z.array(GatewayHost).describe('Every host, by name; secrets as masks') })),
    )
    .query(({ ctx, input }) => exportHosts(ctx, input.kind)),

  setHostKey: allow(...ADMIN)
    .meta(
      rest('PUT', '/automationgateway/inventory/cli/:name/hostKey', 'Set the expected key of a host', {
        description: 'Required after a device was replaced: a changed key is rejected until it is set here.',
      }),
    )
    .input(z.strictObject({ name: z.string().describe('Name of the host'), fingerprint: Fingerprint }))
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => setHostKey(ctx, input.name, input.fingerprint))),

  listDeviceTypes: allow(...CONFIG_READ)
    .meta(rest('GET', '/automationgateway/cli/device_types', 'List the device types of hosts'))
    .input(z.strictObject({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(Page(DeviceType)))
    .query(({ ctx, input }) => listDeviceTypes(ctx, input.queryOptions)),
};
