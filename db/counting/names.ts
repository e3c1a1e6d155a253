import { getTableName, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { type Database, rows } from '../client.ts';
import { DOCUMENT_KINDS, kindsWhere } from '../document-kinds/kinds.ts';

const tablesWhere = (condition: Parameters<typeof kindsWhere>[0]) =>
  kindsWhere(condition).map((name) => getTableName(DOCUMENT_KINDS[name].table));

/** Tables of many documents, whose names are searched by substring. */
const NAMED = tablesWhere(({ counted }) => counted && !counted.onlyTotals);

/** Returns whether the bigrams of a column are indexed: the `name` columns of these tables are (migration name_bigrams). */
export const hasBigrams = (column: AnyPgColumn): boolean =>
  column.name === 'name' && NAMED.includes(getTableName(column.table));

/** Tables whose descriptions are searched as well (contract/lifecycle#12a). */
const DESCRIBED = tablesWhere(({ counted }) => counted?.described);

/** The same expression as in list queries (db/list/row-expressions.ts), so that the index serves them. */
const DESCRIPTION = sql`lower((doc #>> '{description}'::text[]) collate "C")`;

/** Denied to this role, not installed on this server, or not offered by its operator. */
const REFUSED = new Set(['42501', '58P01', '0A000']);

/**
 * Indexes names by their trigrams, so that a substring is found without reading all names (decision 0060). Such an index
 * needs the extension pg_trgm, which an external database may not allow: then lists work without it. Every start tries
 * again, and creates the indexes once the extension exists. Only one process at a time may run this.
 *
 * @returns a warning for the operator when names could not be indexed
 */
export async function indexNames(db: Database): Promise<string | undefined> {
  const rejection = await addExtension(db);
  if (rejection !== undefined) {
    return `Names have no trigram index, so that filtering long lists by a part of a name is slow: ${rejection}`;
  }
  // The extension may be installed in a schema of its own.
  const [extension] = await rows<{ schema: string }>(
    db,
    sql`select nspname as schema from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
        where extname = 'pg_trgm'`,
  );
  const operators = sql`${sql.identifier(extension?.schema ?? 'public')}.gin_trgm_ops`;
  const wanted = [
    ...NAMED.map((table) => ({ table, index: `${table}_name_parts`, parts: sql`lower(name)` })),
    ...DESCRIBED.map((table) => ({ table, index: `${table}_description_parts`, parts: DESCRIPTION })),
  ];
  for (const { table, index, parts } of wanted) {
    const [found] = await rows<{ wanted: boolean }>(
      db,
      sql`select to_regclass(${table}) is not null and to_regclass(${index}) is null as wanted`,
    );
    if (!found?.wanted) continue;
    await rows(
      db,
      sql`create index if not exists ${sql.identifier(index)} on ${sql.identifier(table)} using gin ((${parts}) ${operators})`,
    );
  }
  return undefined;
}

/** @returns why the extension cannot be created; undefined when it exists */
async function addExtension(db: Database): Promise<string | undefined> {
  try {
    await rows(db, sql`create extension if not exists pg_trgm`);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error) || !REFUSED.has(String(Reflect.get(error, 'code')))) throw error;
    return error.message;
  }
}
