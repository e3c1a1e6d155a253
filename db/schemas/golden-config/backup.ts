import { z } from 'zod';
import { number, optional, text } from '../fields.ts';
import { Gbac, GbacUpdate, ObjectId, Timestamp } from '../primitives.ts';

/** A device configuration to store (contract/resources#2.8 import item, contract/endpoints#4.9). */
export const BackupItem = z
  .looseObject({
    id: ObjectId.optional().describe('Id of the backup; absent: a new one is created'),
    _id: ObjectId.optional().describe('The same id under its other name; either one is accepted'),
    name: z
      .string()
      .min(1)
      .meta({ description: 'Device of the configuration', examples: ['edge-1'] }),
    provider: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .meta({
        description: 'Adapter or adapters that read the configuration from the device',
        examples: ['gateway'],
      }),
    type: text('Format of the configuration text: native is the syntax of the device', 'native'),
    date: Timestamp.optional().describe('When the configuration was read from the device'),
    lastSeen: Timestamp.optional().describe(
      'When a backup last found the device with this configuration; set by the server, and kept on import',
    ),
    rawConfig: z.string().meta({
      description: 'Configuration text, exactly as the device returned it',
      examples: ['hostname edge-1\nntp server 192.0.2.9\n'],
    }),
    description: text('Reason for the backup', 'before the upgrade'),
    notes: text('Free remarks'),
    gbac: Gbac.optional().describe('Groups that may see and change the backup'),
  })
  .meta({ id: 'BackupItem', description: 'A device configuration to import.' });
export type BackupItem = z.infer<typeof BackupItem>;

/** A stored backup (contract/resources#2.8, contract/lifecycle#4.3). */
export const Backup = BackupItem.extend({
  id: ObjectId.describe('Id of the backup'),
  _id: ObjectId.optional().describe('Id of the backup; the same value as id'),
  sha256: text('SHA-256 of rawConfig, hexadecimal; equal texts are stored once'),
  size: number('Length of rawConfig in bytes of UTF-8', 4096),
  lastUpdated: Timestamp.optional().describe('When the backup was stored, or its remarks or groups changed'),
}).meta({ id: 'Backup', description: 'A stored device configuration.' });
export type Backup = z.infer<typeof Backup>;

/** A backup as lists show it: without the configuration text (contract/lifecycle#4.3). */
export const ListedBackup = Backup.omit({ rawConfig: true }).meta({
  id: 'ListedBackup',
  description: 'A stored device configuration without its text.',
});
export type ListedBackup = z.infer<typeof ListedBackup>;

/** The fields of a backup that can be changed (contract/lifecycle#4.3); omitted ones stay. */
export const BackupUpdate = z
  .strictObject({
    description: optional(z.string()).describe('Reason for the backup'),
    notes: optional(z.string()).describe('Free remarks'),
    gbac: optional(GbacUpdate).describe('New access list'),
  })
  .meta({ id: 'BackupUpdate', description: 'Changes to a backup; the configuration itself never changes.' });
export type BackupUpdate = z.infer<typeof BackupUpdate>;
