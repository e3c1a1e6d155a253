import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { document, moment, orderedText, requiredTextOf } from '../../columns.ts';
import type { Campaign, CampaignDevice } from '../../schemas/golden-config/campaign.ts';
import type {
  BackupRunRequest,
  BackupSchedule,
  StoredBackupPolicy,
} from '../../schemas/golden-config/fleet-backup.ts';

/** Backups of many devices (docs/fleet-backups.md). */
export const backupRuns = pgTable(
  'backup_runs',
  {
    id: orderedText().primaryKey(),
    status: text().$type<'running' | 'complete' | 'canceled' | 'error'>().notNull().default('running'),
    /** The account for which it runs, and the names of its roles that count; null: all. */
    account: orderedText().notNull(),
    roles: jsonb().$type<string[]>(),
    scheduleId: orderedText('schedule_id'),
    request: jsonb().$type<BackupRunRequest>().notNull(),
    /** Number of the current piece of durable work: one for each pass over the waiting devices. */
    pass: integer().notNull().default(0),
    nextAttempt: moment('next_attempt'),
    started: moment('started').notNull(),
    finished: moment('finished'),
    /** When its progress was last published (0058_run_events). */
    published: moment('published'),
  },
  (t) => [
    index('backup_runs_started').on(t.started.desc(), t.id),
    index('backup_runs_running').on(t.scheduleId).where(sql`status = 'running'`),
  ],
);

/** The devices of a backup run: the record of its progress. */
export const backupRunDevices = pgTable(
  'backup_run_devices',
  {
    runId: orderedText('run_id')
      .notNull()
      .references(() => backupRuns.id, { onDelete: 'cascade' }),
    device: orderedText().notNull(),
    status: text().$type<'waiting' | 'stored' | 'unchanged' | 'failed'>().notNull().default('waiting'),
    attempts: integer().notNull().default(0),
    notBefore: moment('not_before'),
    backupId: orderedText('backup_id'),
    reason: text(),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.device] }),
    index('backup_run_devices_status').on(t.runId, t.status, t.device),
  ],
);

/** Schedules of backup runs. */
export const backupSchedules = pgTable(
  'backup_schedules',
  {
    ...document<BackupSchedule>(),
    name: requiredTextOf('name'),
    /** Next start, in milliseconds since 1970; null while it is disabled. */
    nextRunAt: bigint('next_run_at', { mode: 'number' }).generatedAlwaysAs(
      sql`(doc ->> 'nextRunAt')::double precision::bigint`,
    ),
  },
  (t) => [uniqueIndex('backup_schedules_name').on(t.name), index('backup_schedules_due').on(t.nextRunAt)],
);

/** Which backups are kept: one row, once an admin has set it. */
export const backupPolicies = pgTable('backup_policies', { ...document<StoredBackupPolicy>() });

/** Remediations of many devices in waves (docs/campaigns.md); the tree decides who may read them. */
export const campaigns = pgTable(
  'campaigns',
  {
    ...document<Campaign>(),
    treeId: requiredTextOf('treeId', 'tree_id'),
    created: requiredTextOf('created'),
    /** When its progress was last published (0058_run_events). */
    published: moment('published'),
  },
  (t) => [index('campaigns_created').on(t.created.desc(), t.id)],
);

/** The devices of a campaign: the record of its progress. */
export const campaignDevices = pgTable(
  'campaign_devices',
  {
    campaignId: orderedText('campaign_id')
      .notNull()
      .references(() => campaigns.id, { onDelete: 'cascade' }),
    device: orderedText().notNull(),
    status: text().$type<CampaignDevice['status']>().notNull().default('waiting'),
    reportId: orderedText('report_id').notNull(),
    remediationId: orderedText('remediation_id'),
    configSha256: text('config_sha256'),
    wave: integer(),
    reason: text().notNull().default(''),
  },
  (t) => [
    primaryKey({ columns: [t.campaignId, t.device] }),
    index('campaign_devices_status').on(t.campaignId, t.status, t.device),
  ],
);
