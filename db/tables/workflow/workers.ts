import { bigint, boolean, index, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { orderedText } from '../../columns.ts';

/**
 * The workers of the installation, which an admin can deactivate (contract/lifecycle#2); the migration inserts both rows.
 */
export const workerSwitches = pgTable('worker_switches', {
  name: text().$type<'job' | 'task'>().primaryKey(),
  active: boolean().notNull(),
  /** When an admin last set it, in milliseconds since 1970; null: never. */
  changedAt: bigint('changed_at', { mode: 'number' }),
});

/** Work items of jobs that wait until their worker is activated again. */
export const heldWork = pgTable(
  'held_work',
  {
    id: orderedText().primaryKey(),
    worker: text()
      .$type<'job' | 'task'>()
      .notNull()
      .references(() => workerSwitches.name),
    /** Input of the work item (server/domains/workflow/jobs/reducer/job-events.ts). */
    input: jsonb().notNull(),
  },
  (t) => [index('held_work_by_worker').on(t.worker)],
);
