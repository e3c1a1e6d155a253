import { index, pgTable, timestamp } from 'drizzle-orm/pg-core';
import { document, textOf } from '../../columns.ts';
import type { RetentionRun, RetentionSettings } from '../../schemas/operations/retention.ts';

/** How long documents are kept (docs/retention.md): one row, once an admin has set it; `account` is that admin. */
export const retentionSettings = pgTable('retention_settings', {
  ...document<{ settings: RetentionSettings; account: string; accountId: string }>(),
});

/** Runs that archive and delete what is too old. */
export const retentionRuns = pgTable(
  'retention_runs',
  {
    ...document<RetentionRun>(),
    status: textOf('status'),
    started: textOf('started'),
    /** When its progress was last published (run_events_once_a_second). */
    published: timestamp({ withTimezone: true }),
  },
  (t) => [index('retention_runs_started').on(t.started.desc().nullsLast(), t.id)],
);
