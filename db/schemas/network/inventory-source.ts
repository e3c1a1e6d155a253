import { z } from 'zod';
import { Name, ObjectId, Timestamp } from '../primitives.ts';
import { Schedule } from '../schedule.ts';

const path = z.string().min(1).max(255);

/** Which field of a record of the source fills which field of a host. */
const Mapping = z
  .strictObject({
    name: path.optional().describe('Path of the name'),
    host: path.optional().describe('Path of the address'),
    port: path.optional().describe('Path of the port'),
    device_type: path.optional().describe('Path of the platform or device type'),
    site: path.optional().describe('Path of the site'),
    tags: path.optional().describe('Path of the list of tags'),
    custom: z.record(z.string().min(1).max(100), path).optional().describe('Custom fields and their paths'),
    platforms: z
      .record(z.string().min(1).max(255), z.string().min(1).max(100))
      .optional()
      .describe('Device type for each platform of the source, by its slug or name'),
    defaults: z
      .strictObject({
        device_type: z
          .string()
          .max(100)
          .optional()
          .describe('Driver of hosts whose platform the source does not name'),
        port: z.int().min(1).max(65535).optional().describe('Port of the management interface'),
        credential: z.string().max(255).optional().describe('Name of the credential'),
      })
      .optional()
      .describe('Values for hosts that have none in the source'),
    items: path.optional().describe('Path of the list of records in a JSON document; absent: the document'),
    next: path.optional().describe('Path of the URL of the next page in a JSON document'),
  })
  .meta({
    description:
      'Paths of values in a record of the source, with dots, or names of columns; absent: those of the type',
    examples: [{ device_type: 'platform.slug', platforms: { 'cisco-ios-xe': 'cisco_xe' } }],
  });

const filter = z.union([z.string().max(1000), z.number(), z.boolean()]);

const fields = {
  type: z.enum(['netbox', 'nautobot', 'ansible', 'csv', 'json']).describe('What the source is'),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .nullish()
    .meta({ description: 'Address of the source', examples: ['https://netbox.example.net'] }),
  token: z
    .string()
    .max(20_000)
    .nullish()
    .meta({ description: 'Token to sign in with; shown as ********', examples: ['********'] }),
  content: z
    .string()
    .max(8 * 1024 * 1024)
    .nullish()
    .describe('Text of an Ansible inventory, a CSV file or a JSON document, instead of an address'),
  filters: z
    .record(z.string().min(1).max(100), z.union([filter, z.array(filter).max(100)]))
    .nullish()
    .meta({
      description: 'Filters of the request, as the source names them',
      examples: [{ status: 'active' }],
    }),
  mapping: Mapping.nullish(),
  schedule: Schedule.nullish().meta({
    description: 'When runs start by themselves; absent: never',
    examples: [{ everyMinutes: 60 }],
  }),
  deletes: z
    .enum(['keep', 'mark', 'remove'])
    .optional()
    .describe('What happens to hosts that the source no longer has; absent: keep'),
  maxGonePercent: z
    .int()
    .min(0)
    .max(100)
    .nullish()
    .meta({
      description:
        'Share of its devices, in percent, that a run may remove without confirmation; fewer than 10 devices always; absent: 20',
      examples: [20],
    }),
  ca: z.string().max(100_000).nullish().describe('Trusted certificates of the source, as PEM text'),
};

/** A source to store. */
export const NewInventorySource = z
  .strictObject({
    name: Name.meta({ description: 'Name of the source, unique', examples: ['netbox'] }),
    ...fields,
  })
  .meta({
    id: 'NewInventorySource',
    description: 'A system from which the inventory is filled.',
    examples: [{ name: 'lab', type: 'ansible', content: 'edge-1 ansible_host=192.0.2.11\n' }],
  });
export type NewInventorySource = z.infer<typeof NewInventorySource>;

/** Changes to a source; fields that are not given are kept. */
export const InventorySourcePatch = z.strictObject({ ...fields, type: fields.type.optional() }).meta({
  id: 'InventorySourcePatch',
  description: 'Changes to a source; fields that are not given are kept.',
  examples: [{ deletes: 'mark', schedule: { everyMinutes: 60 } }],
});
export type InventorySourcePatch = z.infer<typeof InventorySourcePatch>;

/** A problem of one record of a source. */
export const SourceIssue = z.strictObject({
  name: z.string().describe('Name of the device, or its key in the source'),
  field: z.string().describe('Field with the problem'),
  message: z.string().describe('The problem'),
});
export type SourceIssue = z.infer<typeof SourceIssue>;

/** Why a source could not be read. */
const Failure = z.strictObject({
  code: z.string().describe('Kind of the error'),
  message: z.string().describe('The error'),
  time: Timestamp.describe('When it happened'),
});

/** A source as stored and shown. */
export const InventorySource = z
  .looseObject({
    ...NewInventorySource.shape,
    _id: ObjectId.describe('Id of the source'),
    deletes: z
      .enum(['keep', 'mark', 'remove'])
      .describe('What happens to hosts that the source no longer has'),
    created: Timestamp.describe('When it was stored'),
    lastUpdated: Timestamp.describe('When it was last changed'),
    nextRunAt: z
      .number()
      .nullish()
      .describe('When the schedule starts the next run, in milliseconds since 1970; null: never'),
    lastRun: z.string().nullish().describe('Id of its newest run'),
    lastSync: Timestamp.nullish().describe('When it was last read successfully'),
    lastError: Failure.nullish().describe('Why its newest run failed; null when it did not'),
  })
  .meta({ id: 'InventorySource', description: 'A system from which the inventory is filled.' });
export type InventorySource = z.infer<typeof InventorySource>;

const count = (description: string) => z.int().min(0).describe(description);

/** A run of a source. */
export const InventoryRun = z
  .strictObject({
    _id: z.string().describe('Id of the run'),
    source: z.string().describe('Name of the source'),
    status: z.enum(['running', 'complete', 'error']).describe('State of the run'),
    progress: z
      .strictObject({ done: count('Devices done'), total: count('Devices that the source has') })
      .describe('Progress of the run'),
    new: count('Devices that were added'),
    changed: count('Devices that were changed'),
    gone: count('Devices that the source no longer has'),
    unchanged: count('Devices that were left as they are'),
    issues: z.array(SourceIssue).describe('Problems of single devices, at most 1,000'),
    error: Failure.nullish().describe('Why the run failed'),
    started: Timestamp.describe('When it started'),
    finished: Timestamp.nullish().describe('When it ended'),
  })
  .meta({ id: 'InventoryRun', description: 'A run that reads a source.' });
export type InventoryRun = z.infer<typeof InventoryRun>;
