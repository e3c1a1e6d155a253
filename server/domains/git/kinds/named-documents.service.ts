import { type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { rows } from '#db/client.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import type { LocalDocument } from './kind.ts';
import { fileNameOf } from './paths.ts';
import { textOf } from './portable.ts';

/**
 * Returns the condition for documents of a name.
 *
 * @param name absent: documents of any name
 */
export const named = (name: string | undefined) => (name === undefined ? sql`true` : sql`name = ${name}`);

/** Returns the file of a document with a name, as JSON. */
export const jsonFile = (folder: string, name: string): string => `${folder}/${fileNameOf(name)}.json`;

/** Returns the main file of a document that has one file only, as JSON; null for any other file. */
export const jsonFileOf = (path: string): string | null => (path.endsWith('.json') ? path : null);

/** How documents with one file of JSON each are found and read. */
type JsonDocuments = {
  folder: string;
  table: PgTable;
  /** Field with the account that changed a document last; absent: `lastUpdatedBy`. */
  authorField?: string;
  /** Which documents the account may read; undefined: all. */
  where: SQL | undefined;
  /** Returns a document by its id, without what belongs to one platform only. */
  read: (id: string) => Promise<unknown>;
};

/**
 * Returns the documents of a table that has a column for their name, by name: one file of JSON for each.
 *
 * @param name only those of this name; absent: all
 */
export async function jsonDocuments(
  { db }: Pick<WriteContext, 'db'>,
  { folder, table, authorField = 'lastUpdatedBy', where, read }: JsonDocuments,
  name: string | undefined,
): Promise<LocalDocument[]> {
  const found = await rows<{ id: string; name: string; author: string | null }>(
    db,
    sql`select id, name, doc ->> ${authorField}::text as author from ${table}
        where ${allOf(named(name), where)} order by name`,
  );
  return found.map(({ id, name, author }) => {
    const path = jsonFile(folder, name);
    return { path, name, author, read: async () => new Map([[path, textOf(await read(id))]]) };
  });
}
