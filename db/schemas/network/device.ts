import { z } from 'zod';
import { number, text, texts } from '../fields.ts';
import { Gbac, GbacUpdate, Name, ObjectId, Timestamp } from '../primitives.ts';
import { Selection } from './selection.ts';

/** A device as reported by an inventory of the gateway or by an orchestrator (contract/lifecycle#4.1). */
export const Device = z
  .looseObject({
    name: z.string().meta({ description: 'Name of the device, unique', examples: ['edge-1'] }),
    host: text('Management address', '192.0.2.11'),
    ipaddress: text('The same address under its other name', '192.0.2.11'),
    port: number('Management port', 22),
    ostype: text('Config parser for its configurations; empty when unknown', 'cisco-ios'),
    'device-type': text('Connection type', 'network_cli'),
    deviceType: text('The same as ostype', 'cisco-ios'),
    device_type: text('Driver of a host that is reached over SSH', 'cisco_ios'),
    tags: texts('Labels of the host', ['core']),
    actions: texts('Supported actions', ['getConfig', 'setConfig', 'runCommand', 'isAlive']),
    origins: texts('All origins that report it', ['gateway']),
    origin: text('Origin that is used', 'gateway'),
    chosenAdapter: text('The same as origin', 'gateway'),
    status: text('Whether it responds; UNKNOWN before the first test', 'UNKNOWN'),
  })
  .meta({ id: 'Device', description: 'A device of the network.' });
export type Device = z.infer<typeof Device>;

/** Columns that lists show beside a device: its last backup, and the grade of its newest complete report. */
export const DeviceState = z
  .strictObject({
    name: z.string().meta({ description: 'Name of the device', examples: ['edge-1'] }),
    lastBackup: z
      .strictObject({
        id: ObjectId.describe('Id of the backup'),
        date: Timestamp.describe('When a backup last read the configuration, changed or not'),
      })
      .nullable()
      .describe('The newest backup that the caller may read; null: there is none'),
    lastReport: z
      .strictObject({
        id: ObjectId.describe('Id of the report'),
        date: Timestamp.describe('When the device was checked'),
        treeId: ObjectId.describe('Id of the golden tree'),
        version: z.string().describe('Version of the tree'),
        nodePath: z.string().meta({ description: 'Node of the tree', examples: ['base/access'] }),
        grade: z.enum(['pass', 'review', 'fail']).describe('Grade under the default benchmarks'),
        score: z.number().describe('Score under the default weights, from 0 to 100'),
      })
      .nullable()
      .describe('The newest complete report on a tree that the caller may read; null: there is none'),
  })
  .meta({ id: 'DeviceState', description: 'Last backup and grade of a device.' });
export type DeviceState = z.infer<typeof DeviceState>;

/** A named group of devices (contract/lifecycle#4.2). */
export const DeviceGroup = z
  .looseObject({
    id: ObjectId.describe('Id of the group'),
    _id: ObjectId.optional().describe('Id of the group; the same value as id'),
    name: z.string().meta({ description: 'Name of the group, unique', examples: ['Edge'] }),
    description: text('Purpose of the group'),
    devices: z.array(z.string()).meta({
      description: 'Names of its devices; with a selection, those that it matches now',
      examples: [['edge-1']],
    }),
    selection: Selection.nullish().describe('Devices by their properties; the group then lists none itself'),
    gbac: Gbac.optional().describe('Groups of accounts that may see and change it'),
    created: Timestamp.optional().describe('When it was stored'),
    createdBy: z.string().nullable().optional().describe('Id of the account that stored it'),
    updated: Timestamp.optional().describe('When it was last changed'),
    lastUpdatedBy: z.string().nullable().optional().describe('Id of the account that last changed it'),
  })
  .meta({ id: 'DeviceGroup', description: 'A named group of devices.' });
export type DeviceGroup = z.infer<typeof DeviceGroup>;

/** A device group in an import; unknown fields are kept. */
export const ImportedGroup = DeviceGroup.partial()
  .extend({
    name: Name,
    devices: z
      .array(z.string().min(1).max(255))
      .optional()
      .meta({ description: 'Names of the devices in it', examples: [['edge-1']] }),
  })
  .meta({ id: 'ImportedGroup', description: 'A device group to import.' });
export type ImportedGroup = z.infer<typeof ImportedGroup>;

/** Changes to a device group; omitted fields stay. */
export const GroupUpdate = z
  .strictObject({
    name: Name.nullish().describe('New name'),
    devices: z
      .array(z.string().max(255))
      .nullish()
      .meta({ description: 'Names of its devices; they replace all previous ones', examples: [['edge-1']] }),
    selection: Selection.nullish().describe(
      'Devices by their properties, which replace the list; null: the group keeps the devices of the moment as its list',
    ),
    description: z.string().nullish().describe('Purpose of the group'),
    gbac: GbacUpdate.nullish().describe('New access list'),
  })
  .meta({
    id: 'GroupUpdate',
    description: 'Changes to a device group; fields that are not given are kept.',
    examples: [{ devices: ['edge-1', 'edge-2'], description: 'Devices at the edge' }],
  });
export type GroupUpdate = z.infer<typeof GroupUpdate>;

/** A text template whose result is sent to a device (contract/lifecycle#4.11). */
export const DeviceTemplate = z
  .looseObject({
    id: ObjectId.describe('Id of the template'),
    _id: ObjectId.optional().describe('Id of the template; the same value as id'),
    name: z.string().meta({ description: 'Name of the template, unique', examples: ['NTP'] }),
    template: z.string().meta({
      description: 'Source in Jinja (safe subset)',
      examples: ['ntp server {{ ntp }}\n'],
    }),
    variables: z.record(z.string(), z.unknown()).optional().describe('Values of its variables, by name'),
    deviceOSTypes: texts('Device types that it is for; none: any', ['cisco-ios']),
    gbac: Gbac.optional().describe('Groups that may see and change it'),
    created: Timestamp.optional().describe('When it was stored'),
    createdBy: z.string().nullable().optional().describe('Id of the account that stored it'),
    updated: Timestamp.optional().describe('When it was last changed'),
    updatedBy: z.string().nullable().optional().describe('Id of the account that last changed it'),
  })
  .meta({ id: 'DeviceTemplate', description: 'A template whose rendered text is sent to devices.' });
export type DeviceTemplate = z.infer<typeof DeviceTemplate>;

/** A device template in an import; unknown fields are kept. */
export const ImportedTemplate = DeviceTemplate.partial()
  .extend({ name: Name, template: z.string().describe('Text of the template, with its Jinja expressions') })
  .meta({ id: 'ImportedTemplate', description: 'A device template to import.' });
export type ImportedTemplate = z.infer<typeof ImportedTemplate>;
