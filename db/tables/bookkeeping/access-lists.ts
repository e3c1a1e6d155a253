import { jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { orderedText } from '../../columns.ts';

/**
 * Access lists of deleted documents whose access was restricted: data that outlives a document (reports of a tree, jobs of
 * a project) stays readable only for those who could read the document. Database triggers write it (decision 0058).
 */
export const deletedAccessLists = pgTable(
  'deleted_access_lists',
  {
    /** Name of the table that held the document. */
    kind: text().notNull(),
    id: orderedText().notNull(),
    /** Group ids; for a project the entries of its access list (`account:<id>`, `group:<id>`). Never empty. */
    readGroups: jsonb('read_groups').$type<string[]>().notNull(),
    deletedAt: timestamp('deleted_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.id] })],
);
