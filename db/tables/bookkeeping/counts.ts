import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  customType,
  index,
  jsonb,
  pgTable,
  smallint,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

/**
 * Number of documents of a table, by the values that decide who may read them: triggers append rows, whose sum is the
 * count (decision 0060). Rows are never updated, so that no writer waits for another.
 */
export const documentCounts = pgTable(
  'document_counts',
  {
    tableName: text('table_name').notNull(),
    /** The project, the groups or the readers of these documents, as text; null where they have none. */
    scope: text(),
    /** The documents' kind, where lists filter by it: the type of workflows; null where they have none. */
    kind: text(),
    n: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [index('document_counts_table').on(t.tableName)],
);

const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' });

/**
 * Recent edits of the columns of documents, used to update earlier counts instead of counting anew (decision 0060): one row
 * for a document's previous version and one for its new one.
 */
export const documentEdits = pgTable(
  'document_edits',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    tableName: text('table_name').notNull(),
    /** The transaction that made the edit. */
    by: transactionId().notNull().default(sql`pg_current_xact_id()`),
    /** 1 for a new version, −1 for a removed one; null means more edits than were worth logging. */
    sign: smallint(),
    /** The columns of the document, without the document. */
    columns: jsonb(),
  },
  (t) => [index('document_edits_table').on(t.tableName, t.by)],
);

/** One row: the last transaction whose edits may have been deleted. */
export const forgottenEdits = pgTable('forgotten_edits', { upto: transactionId().notNull() });

/** Totals of filters with many matches, so that a new process does not count them again (decision 0060). */
export const listTotals = pgTable('list_totals', {
  /** SHA-256 of the count statement and its values, hexadecimal. */
  key: text().primaryKey(),
  /** The snapshot of the count, `pg_current_snapshot()` as text. */
  seen: text().notNull(),
  total: text().notNull(),
  stored: timestamp({ withTimezone: true }).notNull(),
});
