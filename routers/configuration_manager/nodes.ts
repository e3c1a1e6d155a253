import { z } from 'zod';
import { Node, NodeDetail } from '#db/schemas/golden-config/golden-tree.ts';
import { Done, Name, ObjectId } from '#db/schemas/primitives.ts';
import { NodeConfig } from '#db/schemas/requests/config-spec.ts';
import {
  addNodeDeviceGroups,
  addNodeDevices,
  createNode,
  deleteNode,
  devicesOfTree,
  getNode,
  removeNodeDeviceGroups,
  removeNodeDevices,
  setNodeConfig,
  updateNode,
} from '#server/domains/golden-config/index.ts';
import { treesOfDevice } from '#server/domains/network/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import { done, optional } from './requests.ts';
import { Warned } from './warned.ts';

const Version = z.strictObject({
  treeId: z.string().describe('Id of the tree'),
  version: z.string().describe('Name of the version'),
});
const NodeRequest = Version.extend({
  nodePath: z.string().describe('Names from the root to the node, joined by slashes'),
});
const DevicesRequest = NodeRequest.extend({
  devices: z.array(z.string().min(1).max(255)).describe('Names of devices'),
});
const DeviceGroupsRequest = NodeRequest.extend({
  deviceGroups: z.array(ObjectId).describe('Ids of device groups'),
});

const PATH = '/configuration_manager/configs/:treeId/:version/:nodePath+';

export const nodes = {
  getNode: allow(...CONFIG_READ)
    .meta(rest('GET', PATH, 'One node of a tree with its rules'))
    .input(NodeRequest)
    .output(answer(NodeDetail))
    .query(({ ctx, input }) => getNode(ctx, input)),

  createNode: allow(...CONFIG_WRITE)
    .meta(
      rest(
        'POST',
        '/configuration_manager/configs/:treeId/:version/:parentNodePath+',
        'Create a node below another one',
      ),
    )
    .input(
      Version.extend({
        parentNodePath: z.string().describe('Path of the parent node'),
        name: Name.describe('Name of the node, unique among its siblings'),
      }),
    )
    .output(answer(Node))
    .mutation(write(({ ctx, input }) => createNode(ctx, input))),

  updateNode: allow(...CONFIG_WRITE)
    .meta(rest('PUT', PATH, 'Rename a node, or set the workflow that remediates its devices'))
    .input(
      NodeRequest.extend({
        name: optional(Name).describe('New name of the node'),
        attributes: optional(
          z.strictObject({
            remediationWorkflow: z
              .string()
              .nullable()
              .optional()
              .describe('Workflow offered for remediating devices of this node; null for none'),
          }),
        ).describe('Attributes to change'),
      }),
    )
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input: { name, attributes, ...place } }) => {
        await updateNode(ctx, place, { name, attributes });
        return done(`Updated node ${place.nodePath}`);
      }),
    ),

  deleteNode: allow(...CONFIG_WRITE)
    .meta(rest('DELETE', PATH, 'Delete a node and all nodes below it'))
    .input(NodeRequest)
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input }) => {
        await deleteNode(ctx, input);
        return done(`Deleted node ${input.nodePath}`);
      }),
    ),

  addNodeDevices: allow(...CONFIG_WRITE)
    .meta(rest('POST', `${PATH}/devices`, 'Assign devices to a node'))
    .input(DevicesRequest)
    .output(
      answer(
        Done.extend({
          warnings: z
            .array(z.string())
            .optional()
            .describe('Devices that are not in an inventory, or have another platform than the tree'),
        }),
      ),
    )
    .mutation(
      write(async ({ ctx, input: { devices, ...place } }) => {
        const warnings = await addNodeDevices(ctx, place, devices);
        const result = done(`Updated the devices of node ${place.nodePath}`);
        return warnings.length > 0 ? { ...result, warnings } : result;
      }),
    ),

  removeNodeDevices: allow(...CONFIG_WRITE)
    .meta(rest('DELETE', `${PATH}/devices`, 'Remove devices from a node'))
    .input(DevicesRequest)
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input: { devices, ...place } }) => {
        await removeNodeDevices(ctx, place, devices);
        return done(`Updated the devices of node ${place.nodePath}`);
      }),
    ),

  addNodeDeviceGroups: allow(...CONFIG_WRITE)
    .meta(rest('POST', '/configuration_manager/configs/devices/groups', 'Assign device groups to a node'))
    .input(DeviceGroupsRequest)
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input: { deviceGroups, ...place } }) => {
        await addNodeDeviceGroups(ctx, place, deviceGroups);
        return done(`Updated the device groups of node ${place.nodePath}`);
      }),
    ),

  removeNodeDeviceGroups: allow(...CONFIG_WRITE)
    .meta(rest('DELETE', '/configuration_manager/configs/devices/groups', 'Remove device groups from a node'))
    .input(DeviceGroupsRequest)
    .output(answer(Done))
    .mutation(
      write(async ({ ctx, input: { deviceGroups, ...place } }) => {
        await removeNodeDeviceGroups(ctx, place, deviceGroups);
        return done(`Updated the device groups of node ${place.nodePath}`);
      }),
    ),

  setNodeConfig: allow(...CONFIG_WRITE)
    .meta(rest('PUT', '/configuration_manager/node/config', 'Set the template of a node'))
    .input(NodeConfig)
    .output(answer(Warned))
    .mutation(
      write(async ({ ctx, input }) => ({
        status: 'success' as const,
        message: 'Node Config updated',
        warnings: await setNodeConfig(ctx, input),
      })),
    ),

  listTreeDevices: allow(...CONFIG_READ)
    .meta(rest('POST', '/configuration_manager/devices/tree', 'The devices of a tree and their nodes'))
    .input(
      z.strictObject({
        treeId: z.string().describe('Id of the tree'),
        version: optional(z.string()).describe('Name of the version; absent: all of them'),
      }),
    )
    .output(
      answer(
        z.array(
          z.object({
            device: z.string().describe('Name of the device'),
            nodePath: z.string().describe('Node against which it is checked'),
            via: z.string().describe('device, or the id of the device group through which it is assigned'),
          }),
        ),
      ),
    )
    .query(({ ctx, input }) => devicesOfTree(ctx, input)),

  listDeviceTrees: allow(...CONFIG_READ)
    .meta(
      rest(
        'POST',
        '/configuration_manager/devices/device/trees',
        'The trees that a device is checked against',
      ),
    )
    .input(z.strictObject({ deviceName: z.string().describe('Name of the device') }))
    .output(
      answer(
        z.array(
          z.object({
            treeId: z.string().describe('Id of the tree'),
            name: z.string().describe('Name of the tree'),
            version: z.string().describe('Name of the version'),
            nodePath: z.string().describe('Node to which the device is assigned'),
          }),
        ),
      ),
    )
    .query(({ ctx, input }) => treesOfDevice(ctx, input.deviceName)),
};
