import { z } from 'zod';
import { count } from '../fields.ts';
import { Selection } from '../network/selection.ts';
import { Name, ObjectId, Timestamp } from '../primitives.ts';
import { Schedule, TimeWindow, TimeZone } from '../schedule.ts';

/** How a selection of devices is backed up. */
export const BackupOrder = {
  selection: Selection.describe('Devices to back up'),
  concurrency: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .meta({
      description: 'Devices that are read at the same time, 1 to 100; absent: 20',
      examples: [20],
    }),
  onlyChanged: z
    .boolean()
    .optional()
    .describe(
      'True or absent: a configuration that is the same as that of the newest backup only updates its lastSeen; false: it is stored again',
    ),
  retries: z
    .int()
    .min(0)
    .max(5)
    .optional()
    .meta({
      description: 'Further attempts for a device that could not be reached; absent: 1',
      examples: [1],
    }),
  retryAfterSeconds: z
    .int()
    .min(1)
    .max(3600)
    .optional()
    .meta({
      description: 'Seconds between two attempts; absent: 30',
      examples: [30],
    }),
  windows: z
    .array(TimeWindow)
    .max(20)
    .optional()
    .describe('Maintenance windows: devices are read only within them; absent or empty: at any time'),
  timeZone: TimeZone.optional(),
  description: z.string().max(1000).optional().describe('Description of the backups that are stored'),
};

export const BackupRunRequest = z
  .strictObject(BackupOrder)
  .meta({ id: 'BackupRunRequest', description: 'A backup of a selection of devices.' });
export type BackupRunRequest = z.infer<typeof BackupRunRequest>;

/** Progress and result of a backup run. */
export const BackupRun = z
  .strictObject({
    runId: ObjectId.describe('Id of the run'),
    status: z.enum(['running', 'complete', 'canceled', 'error']).describe('Status of the run'),
    scheduleId: ObjectId.nullable().describe('Schedule that started it; null: a user'),
    account: z.string().describe('Id of the account for which it runs'),
    progress: z.number().min(0).max(100).describe('Devices that are done, in percent'),
    total: count('devices'),
    stored: count('backups with a configuration that was new'),
    unchanged: count('devices that still have the configuration of their newest backup'),
    waiting: count('devices that are still to be read'),
    failedCount: count('devices that could not be backed up'),
    failed: z
      .array(
        z.strictObject({
          device: z.string().describe('Name of the device'),
          reason: z.string().describe('Why it could not be backed up'),
          attempts: count('attempts'),
        }),
      )
      .describe('Devices that could not be backed up and that the caller may see: the first 1000, by name'),
    started: Timestamp.describe('Start of the run'),
    finished: Timestamp.nullable().describe('End of the run; null while it is running'),
    nextAttempt: Timestamp.nullable().describe(
      'When a waiting run continues: with a retry, or in the next maintenance window',
    ),
  })
  .meta({ id: 'BackupRun', description: 'Progress and result of a backup run.' });
export type BackupRun = z.infer<typeof BackupRun>;

/** The fields of a backup schedule that a request sets. */
export const NewBackupSchedule = z
  .strictObject({
    name: Name.describe('Name of the schedule, unique'),
    enabled: z.boolean().optional().describe('False: the schedule starts nothing; absent: true'),
    schedule: Schedule.describe('When it starts'),
    ...BackupOrder,
  })
  .meta({ id: 'NewBackupSchedule', description: 'A backup schedule to store.' });
export type NewBackupSchedule = z.infer<typeof NewBackupSchedule>;

/** A stored backup schedule. */
export const BackupSchedule = NewBackupSchedule.extend({
  id: ObjectId.describe('Id of the schedule'),
  _id: ObjectId.describe('Id of the schedule'),
  enabled: z.boolean().describe('False: the schedule starts nothing'),
  runAs: z.string().describe('Id of the account for which it runs: who last wrote it'),
  nextRunAt: z.number().nullable().describe('Next start, in milliseconds since 1970; null: none'),
  lastRunId: ObjectId.nullable().describe('The last run; null: none'),
  lastResult: z.string().describe('Why the last start did not begin a run; empty: it did'),
  created: Timestamp.describe('When it was stored'),
  createdBy: z.string().describe('Id of the account that stored it'),
  lastUpdated: Timestamp.describe('When it last changed'),
  lastUpdatedBy: z.string().describe('Id of the account that last changed it'),
}).meta({ id: 'BackupSchedule', description: 'A schedule that backs up a selection of devices.' });
export type BackupSchedule = z.infer<typeof BackupSchedule>;

/** Which backups are kept. */
export const BackupPolicy = z
  .strictObject({
    keep: z
      .strictObject({
        count: z
          .int()
          .min(1)
          .max(10_000)
          .optional()
          .meta({
            description: 'The newest backups of each device',
            examples: [30],
          }),
        days: z
          .int()
          .min(1)
          .max(36_500)
          .optional()
          .meta({
            description: 'Backups that are at most this many days old, or were last seen then',
            examples: [365],
          }),
      })
      .describe('Backups to keep: those that either rule names; without a rule: all'),
    keepTagged: z.boolean().optional().describe('True or absent: backups with a tag are kept'),
  })
  .meta({
    id: 'BackupPolicy',
    description: 'Which backups are kept. The newest backup of a device always is.',
    examples: [{ keep: { count: 30, days: 365 }, keepTagged: true }],
  });
export type BackupPolicy = z.infer<typeof BackupPolicy>;

/** The policy as it is stored: with the account for which old backups are removed. */
export type StoredBackupPolicy = BackupPolicy & { runAs: string };

/** What to find in the stored configurations. */
export const BackupFind = z.strictObject({
  text: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .meta({
      description: 'Text in a line; exactly one of `text` and `regex`',
      examples: ['ntp server 192.0.2.9'],
    }),
  regex: z.string().min(1).max(500).optional().meta({ description: 'RE2 expression that matches in a line' }),
  ignoreCase: z.boolean().optional().describe('True: upper and lower case are the same; absent: false'),
  platforms: z
    .array(z.string().min(1).max(255))
    .min(1)
    .max(100)
    .optional()
    .describe('Only devices with one of these config parsers; absent: all'),
  latestOnly: z
    .boolean()
    .optional()
    .describe('False: all backups; true or absent: the newest of each device'),
});

/** A page of what is found in the stored configurations. */
export const BackupFindRequest = BackupFind.extend({
  start: z.int().min(0).max(50_000).optional().describe('Number of lines to skip; absent: 0'),
  limit: z.int().min(1).max(1000).optional().describe('Maximum number of lines; absent: 100'),
});
export type BackupFindRequest = z.infer<typeof BackupFindRequest>;
