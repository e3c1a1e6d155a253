import { integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

/**
 * Progress of durable work: one row per step, written in the transaction of the step. A process that takes over the work
 * reads the results of finished steps from here. Rows are deleted when the work is pruned (server/durable/prune.ts).
 */
export const workRecords = pgTable(
  'work_records',
  {
    workId: text('work_id').notNull(),
    step: integer().notNull(),
    /** Result of the step, as JSON. */
    output: text().notNull(),
  },
  (table) => [primaryKey({ name: 'work_records_pkey', columns: [table.workId, table.step] })],
);

/**
 * Processes that were lost while they ran a work item, one row each: work under way in three of them without a completed
 * step in between is set aside (server/durable/losses.ts). Rows are deleted when the work is pruned.
 */
export const workLosses = pgTable(
  'work_losses',
  {
    workId: text('work_id').notNull(),
    /** The lost process, by its id in the engine. */
    executor: text().notNull(),
    /** Number of recorded steps of the work at that time. */
    steps: integer().notNull(),
  },
  (table) => [primaryKey({ name: 'work_losses_pkey', columns: [table.workId, table.executor] })],
);
