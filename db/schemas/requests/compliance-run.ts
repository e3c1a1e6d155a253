import { z } from 'zod';
import { optional } from '../fields.ts';
import { Selection } from '../network/selection.ts';
import { ObjectId } from '../primitives.ts';

const NodeOfTree = z.strictObject({
  treeId: z.string().describe('Golden tree to check against'),
  version: z.string().meta({ description: 'Version of that tree', examples: ['initial'] }),
  nodePath: z.string().meta({
    description: 'Node whose rules apply, with those of the nodes above it',
    examples: ['base/access'],
  }),
});
/** A node of a tree version. */
export type NodeOfTree = z.infer<typeof NodeOfTree>;
const deviceName = z.string().min(1).max(255);

/** Request of a run over devices. */
export const RunRequest = z.strictObject({
  options: z
    .strictObject({
      ...NodeOfTree.shape,
      devices: optional(z.array(deviceName).max(1_000_000)).describe(
        'Devices to check; absent: the devices of the node and of its device groups',
      ),
      selection: optional(Selection).describe('Devices by their properties, besides or instead of `devices`'),
      variables: optional(z.record(z.string(), z.unknown())).describe(
        'Values for the templates of this run, which override those of tree and nodes',
      ),
      children: optional(z.boolean()).describe('True: the nodes below are checked as well'),
    })
    .describe('What to check'),
});
export type RunOptions = z.infer<typeof RunRequest>['options'];

/** Request of a run over backups. */
export const BackupRunRequest = z.strictObject({
  treeInfo: NodeOfTree.describe('Rules to check against'),
  backupIds: z.array(ObjectId).min(1).max(100_000).describe('Backups to check'),
});

/** Request to check one configuration text. */
export const ConfigurationRequest = z.strictObject({
  options: z
    .strictObject({
      ...NodeOfTree.shape,
      deviceName: deviceName.meta({ description: 'Device that the report names', examples: ['edge-1'] }),
      configuration: z.string().meta({
        description: 'Configuration text in the syntax of the device',
        examples: ['hostname edge-1\nntp server 192.0.2.9\n'],
      }),
      template: optional(z.string(), 'ntp server 192.0.2.9\n').describe(
        'Checked in place of the stored template of the node; nothing is stored',
      ),
      platform: optional(z.string().min(1).max(255), 'arista-eos').describe(
        'Config parser whose rules the template is, in place of those of the platform of the tree; ignored without a template',
      ),
    })
    .describe('The rules and the text to check'),
});
export type ConfigurationCheck = z.infer<typeof ConfigurationRequest>['options'];

/** The response of a request whose run continues afterwards. */
export const Started = z
  .object({
    status: z.literal(202).describe('The run continues; the response itself has the HTTP status 200'),
    message: z.string().meta({
      description: 'What was started',
      examples: ['compliance batch 65f0c1d2e3a4b5c6d7e8f901 started'],
    }),
    batchId: ObjectId.describe('Id of the batch, for reading its reports'),
  })
  .meta({ id: 'ComplianceRunStarted', description: 'A compliance run that was started.' });
