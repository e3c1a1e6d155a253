import { sql } from 'drizzle-orm';
import { bigint, bigserial, customType, index, jsonb, pgTable, smallint, text } from 'drizzle-orm/pg-core';

/**
 * How many documents a table has, by what decides who sees them: rows that triggers append, which add up (decision 0060).
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
  },
  (t) => [index('document_counts_table').on(t.tableName)],
);

const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' });

/**
 * What of the columns of documents was written lately, so that what was counted once is brought up to date instead of
 * counted anew (decision 0060): a row for what a document was and one for what it became.
 */
export const documentEdits = pgTable(
  'document_edits',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    tableName: text('table_name').notNull(),
    /** The transaction that wrote. */
    by: transactionId().notNull().default(sql`pg_current_xact_id()`),
    /** 1 for what there is now, −1 for what is no more; null stands for more than was worth telling. */
    sign: smallint(),
    /** The columns of the document, without the document. */
    columns: jsonb(),
  },
  (t) => [index('document_edits_table').on(t.tableName, t.by)],
);

/** One row: the last transaction of which edits may have been forgotten. */
export const forgottenEdits = pgTable('forgotten_edits', { upto: transactionId().notNull() });
