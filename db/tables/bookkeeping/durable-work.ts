import { integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

/**
 * What durable work has done so far: a row each step, written in the transaction that the step is. Whoever takes the work
 * over is answered from here. They go when the work is pruned (server/durable/prune.ts).
 */
export const workRecords = pgTable(
  'work_records',
  {
    workId: text('work_id').notNull(),
    step: integer().notNull(),
    /** JSON: what the step came to. */
    output: text().notNull(),
  },
  (table) => [primaryKey({ name: 'work_records_pkey', columns: [table.workId, table.step] })],
);

/**
 * Processes that were lost while they did a piece of work, a row each: work that was under way in three of them without
 * a step between is put aside (server/durable/losses.ts). They go when the work is pruned.
 */
export const workLosses = pgTable(
  'work_losses',
  {
    workId: text('work_id').notNull(),
    /** The process that was lost, as the engine knew it. */
    executor: text().notNull(),
    /** Steps that the record of the work held then. */
    steps: integer().notNull(),
  },
  (table) => [primaryKey({ name: 'work_losses_pkey', columns: [table.workId, table.executor] })],
);
