import { z } from 'zod';
import { number, text, texts } from '../fields.ts';
import { Gbac, GbacUpdate, Name, ObjectId, Timestamp } from '../primitives.ts';

/** A device as reported by an inventory of the gateway or by an orchestrator (contract/lifecycle#4.1). */
export const Device = z
  .looseObject({
    name: z.string().meta({ description: 'Name of the device, unique', examples: ['edge-1'] }),
    host: text('Management address', '192.0.2.11'),
    ipaddress: text('The same address under its other name', '192.0.2.11'),
    port: number('Port that it is reached at', 22),
    ostype: text('Config parser that reads its configurations; empty when none is known', 'cisco-ios'),
    'device-type': text('How it is spoken with', 'network_cli'),
    deviceType: text('The same as ostype', 'cisco-ios'),
    actions: texts('What can be asked of it', ['getConfig', 'setConfig', 'runCommand', 'isAlive']),
    origins: texts('All that report it', ['gateway']),
    origin: text('Who is asked of those', 'gateway'),
    chosenAdapter: text('The same as origin', 'gateway'),
    status: text('Whether it answers; UNKNOWN until somebody asked', 'UNKNOWN'),
  })
  .meta({ id: 'Device', description: 'A device of the network.' });
export type Device = z.infer<typeof Device>;

/** A named group of devices (contract/lifecycle#4.2). */
export const DeviceGroup = z
  .looseObject({
    id: ObjectId.describe('Id of the group'),
    _id: ObjectId.optional().describe('Id of the group; the same value as id'),
    name: z.string().meta({ description: 'Name of the group, unique', examples: ['Edge'] }),
    description: text('What the group is for'),
    devices: z.array(z.string()).meta({ description: 'Names of its devices', examples: [['edge-1']] }),
    gbac: Gbac.optional().describe('Groups of accounts that may see and change it'),
    created: Timestamp.optional().describe('When it was stored'),
    createdBy: z.string().nullable().optional().describe('Who stored it: id of the account'),
    updated: Timestamp.optional().describe('When it was last changed'),
    lastUpdatedBy: z.string().nullable().optional().describe('Who changed it last: id of the account'),
  })
  .meta({ id: 'DeviceGroup', description: 'Devices under one name.' });
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
      .meta({ description: 'Names of its devices; they replace all old ones', examples: [['edge-1']] }),
    description: z.string().nullish().describe('What the group is for'),
    gbac: GbacUpdate.nullish().describe('New access list'),
  })
  .meta({ id: 'GroupUpdate', description: 'Changes to a device group; members not given stay as they are.' });
export type GroupUpdate = z.infer<typeof GroupUpdate>;

/** A text template whose result is sent to a device (contract/lifecycle#4.11). */
export const DeviceTemplate = z
  .looseObject({
    id: ObjectId.describe('Id of the template'),
    _id: ObjectId.optional().describe('Id of the template; the same value as id'),
    name: z.string().meta({ description: 'Name of the template, unique', examples: ['NTP'] }),
    template: z.string().meta({
      description: 'Source: Jinja, the safe subset',
      examples: ['ntp server {{ ntp }}\n'],
    }),
    variables: z.record(z.string(), z.unknown()).optional().describe('Values for it, by name'),
    deviceOSTypes: texts('Kinds of device that it is for; none: any', ['cisco-ios']),
    gbac: Gbac.optional().describe('Groups that may see and change it'),
    created: Timestamp.optional().describe('When it was stored'),
    createdBy: z.string().nullable().optional().describe('Who stored it: id of the account'),
    updated: Timestamp.optional().describe('When it was last changed'),
    updatedBy: z.string().nullable().optional().describe('Who changed it last: id of the account'),
  })
  .meta({ id: 'DeviceTemplate', description: 'A text that is filled in and sent to devices.' });
export type DeviceTemplate = z.infer<typeof DeviceTemplate>;

/** A device template in an import; unknown fields are kept. */
export const ImportedTemplate = DeviceTemplate.partial()
  .extend({ name: Name, template: z.string().describe('Text of the template, with its Jinja expressions') })
  .meta({ id: 'ImportedTemplate', description: 'A device template to import.' });
export type ImportedTemplate = z.infer<typeof ImportedTemplate>;
