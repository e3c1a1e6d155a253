import { z } from 'zod';
import { DeviceGroup, GroupUpdate, ImportedGroup } from '#db/schemas/network/device.ts';
import { Selection } from '#db/schemas/network/selection.ts';
import { Done, Name, ObjectId } from '#db/schemas/primitives.ts';
import { GroupSearch } from '#db/schemas/requests/configuration-search.ts';
import { imported } from '#db/schemas/requests/null-fields.ts';
import {
  addGroupDevices,
  createGroup,
  deleteGroups,
  deleteGroupsNamed,
  getGroup,
  importGroups,
  listGroups,
  removeGroupDevices,
  searchGroups,
  updateGroup,
} from '#server/domains/golden-config/index.ts';
import { messageWithWarnings } from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import { Deleted, done, ImportedNames, optional, removed } from './requests.ts';

const PATH = '/configuration_manager/deviceGroups';
/** The path that other clients use (contract/lifecycle#0.2.1). */
const ALSO = '/configuration_manager/devicegroups';

const OneGroup = z.strictObject({ id: z.string().describe('Id of the group, or its name') });
const Devices = OneGroup.extend({
  devices: z.array(z.string().min(1).max(255)).describe('Names of devices'),
});

const Warnings = z.array(z.string()).describe('Names without a device; they are kept nevertheless');
const Written = Done.extend({
  id: ObjectId.describe('Id of the group'),
  warnings: Warnings.optional(),
});

const warned = (warnings: string[]) => warnings.length > 0 && { warnings };

export const deviceGroups = {
  listDeviceGroups: allow(...CONFIG_READ)
    .meta(rest('GET', PATH, 'All device groups', { aliases: [ALSO] }))
    .input(z.strictObject({}))
    .output(answer(z.array(DeviceGroup)))
    .query(({ ctx }) => listGroups(ctx)),

  getDeviceGroup: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/:id`, 'One device group, by id or name', { aliases: [`${ALSO}/:id`] }))
    .input(OneGroup)
    .output(answer(DeviceGroup))
    .query(({ ctx, input }) => getGroup(ctx, input.id)),

  getDeviceGroupByName: allow(...CONFIG_READ)
    .meta(
      rest('GET', '/configuration_manager/name/devicegroups', 'One device group, by its name', {
        aliases: ['/configuration_manager/name/deviceGroups'],
      }),
    )
    .input(z.strictObject({ groupName: z.string().describe('Name of the group') }))
    .output(answer(DeviceGroup))
    .query(({ ctx, input }) => getGroup(ctx, input.groupName)),

  searchDeviceGroups: allow(...CONFIG_READ)
    .meta(
      rest('POST', `${PATH}/search`, 'Search for device groups', {
        aliases: [`${PATH}/query`, `${ALSO}/search`, `${ALSO}/query`],
      }),
    )
    .input(GroupSearch)
    .output(answer(z.object({ list: z.array(DeviceGroup), total: z.int() })))
    .query(({ ctx, input }) => searchGroups(ctx, input)),

  listGroupsOfDevice: allow(...CONFIG_READ)
    .meta(rest('GET', '/configuration_manager/groups/device/:deviceName', 'The groups of a device'))
    .input(z.strictObject({ deviceName: z.string().describe('Name of the device') }))
    .output(answer(z.array(DeviceGroup)))
    .query(({ ctx, input }) => listGroups(ctx, input.deviceName)),

  createDeviceGroup: allow(...CONFIG_WRITE)
    .meta(
      rest('POST', '/configuration_manager/devicegroup', 'Create a device group', {
        aliases: ['/configuration_manager/deviceGroup'],
      }),
    )
    .input(
      z
        .strictObject({
          groupName: Name.meta({ description: 'Name of the group, unique', examples: ['Edge'] }),
          groupDescription: optional(z.string()).describe('Purpose of the group'),
          deviceNames: z
            .union([z.string(), z.array(z.string())])
            .optional()
            .meta({
              description: 'Names of its devices, separated by commas; a list is accepted as well',
              examples: ['edge-1, edge-2'],
            }),
          selection: optional(Selection).describe(
            'Devices by their properties instead: the group has what it matches at each use',
          ),
        })
        .refine(({ deviceNames, selection }) => deviceNames !== undefined || selection !== undefined, {
          path: ['deviceNames'],
          message: 'is required, unless a selection is sent',
        })
        .meta({ examples: [{ groupName: 'Edge', deviceNames: 'edge-1, edge-2' }] }),
    )
    .output(answer(Written.extend({ name: z.string().describe('Name of the group') })))
    .mutation(
      write(async ({ ctx, input: { groupName, groupDescription, deviceNames, selection } }) => {
        const { group, warnings } = await createGroup(ctx, {
          name: groupName,
          description: groupDescription ?? '',
          devices: deviceNames ?? [],
          selection,
        });
        return {
          id: group.id,
          name: group.name,
          status: 'success' as const,
          message: `Device group ${group.name} created`,
          ...warned(warnings),
        };
      }),
    ),

  updateDeviceGroup: allow(...CONFIG_WRITE)
    .meta(
      rest('PUT', `${PATH}/:id`, 'Change a device group', {
        aliases: [`${ALSO}/:id`],
        bare: 'details',
        description:
          'Accepts `{"details":{…}}` or its fields at the top level. `devices` replaces the whole list; the endpoints below `/devices` add and remove.',
      }),
    )
    .input(
      OneGroup.extend({ details: GroupUpdate }).meta({
        examples: [
          { details: { devices: ['edge-1', 'edge-2'], description: 'Devices at the edge' } },
        ] as never,
      }),
    )
    .output(answer(Written))
    .mutation(
      write(async ({ ctx, input }) => {
        const { group, warnings } = await updateGroup(ctx, input.id, input.details);
        return { ...done(`Updated device group ${group.name}`), id: group.id, ...warned(warnings) };
      }),
    ),

  addGroupDevices: allow(...CONFIG_WRITE)
    .meta(rest('POST', `${PATH}/:id/devices`, 'Add devices to a group', { aliases: [`${ALSO}/:id/devices`] }))
    .input(Devices)
    .output(answer(Done.extend({ warnings: Warnings.optional() })))
    .mutation(
      write(async ({ ctx, input }) => {
        const { group, warnings } = await addGroupDevices(ctx, input.id, input.devices);
        return { ...done(`Updated the devices of group ${group.name}`), ...warned(warnings) };
      }),
    ),

  removeGroupDevices: allow(...CONFIG_WRITE)
    .meta(
      rest('DELETE', `${PATH}/:id/devices`, 'Remove devices from a group', {
        aliases: [`${ALSO}/:id/devices`],
      }),
    )
    .input(Devices)
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input }) => {
        const { name } = await removeGroupDevices(ctx, input.id, input.devices);
        return done(`Updated the devices of group ${name}`);
      }),
    ),

  deleteDeviceGroups: allow(...CONFIG_WRITE)
    .meta(
      rest('DELETE', PATH, 'Delete device groups', {
        aliases: [ALSO],
        description: 'A group that is assigned to a node of a tree is kept, and listed in `conflicts`.',
      }),
    )
    .input(z.strictObject({ groupIds: z.array(ObjectId).describe('Ids of the groups') }))
    .output(answer(Deleted))
    .mutation(write(async ({ ctx, input }) => removed(await deleteGroups(ctx, input.groupIds)))),

  deleteDeviceGroupsByName: allow(...CONFIG_WRITE)
    .meta(
      rest('DELETE', '/configuration_manager/name/deviceGroups', 'Delete device groups by their names', {
        aliases: ['/configuration_manager/name/devicegroups'],
        description: 'A group that is assigned to a node of a tree is kept, and listed in `conflicts`.',
      }),
    )
    .input(z.strictObject({ groupNames: z.array(z.string()).describe('Names of the groups') }))
    .output(answer(Deleted))
    .mutation(write(async ({ ctx, input }) => removed(await deleteGroupsNamed(ctx, input.groupNames)))),

  importDeviceGroups: allow(...CONFIG_WRITE)
    .meta(
      rest('POST', '/configuration_manager/import/groups', 'Import device groups, all or none', {
        bodyLimit: 'import',
      }),
    )
    .input(
      z.strictObject({
        groups: z.array(imported(ImportedGroup)).describe('Groups to import'),
        options: optional(z.strictObject({})).describe('No options exist'),
      }),
    )
    .output(answer(ImportedNames))
    .mutation(
      write(async ({ ctx, input }) => {
        const { data, warnings } = await importGroups(ctx, input.groups);
        const message = `Imported ${data.length} device ${data.length === 1 ? 'group' : 'groups'}`;
        return { ...done(messageWithWarnings(message, warnings)), data };
      }),
    ),
};
