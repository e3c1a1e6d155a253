import { bigint, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';

/**
 * How many documents a table has, by what decides who sees them: rows that triggers append, which add up (decision 0060);
 * and that documents were changed, as a row of 0.
 * Nobody updates a row, so that no writer waits for another.
 */
export const documentCounts = pgTable(
  'document_counts',
  {
    tableName: text('table_name').notNull(),
    /** The project, the groups or the readers of these documents, as text; null where they have none. */
    scope: text(),
    /** Of what kind they are, where lists ask for that: the type of workflows; null too where they have none. */
    kind: text(),
    n: bigint({ mode: 'number' }).notNull(),
    /** Of this row alone: the marks of all rows together tell one state of a table from every other. */
    mark: uuid().notNull().defaultRandom(),
  },
  (t) => [index('document_counts_table').on(t.tableName)],
);
