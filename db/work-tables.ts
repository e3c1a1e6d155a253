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
