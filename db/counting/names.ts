import { getTableName, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { type Database, rows } from '../client.ts';
import { DOCUMENT_KINDS, kindsWhere } from '../document-kinds/kinds.ts';

const tablesWhere = (condition: Parameters<typeof kindsWhere>[0]) =>
  kindsWhere(condition).map((name) => getTableName(DOCUMENT_KINDS[name].table));

/** Tables of many documents, whose names are searched by their parts. */
const NAMED = tablesWhere(({ counted }) => counted && !counted.onlyAdded);

/** Whether the bigrams of a column are indexed: those of these names are (migration name_bigrams). */
export const hasBigrams = (column: AnyPgColumn): boolean =>
  column.name === 'name' && NAMED.includes(getTableName(column.table));

/** Those whose descriptions are searched as well (contract/lifecycle#12a). */
const DESCRIBED = tablesWhere(({ counted }) => counted?.described);

/** As a list asks for it (db/list/row-expressions.ts), so that the index serves. */
const DESCRIPTION = sql`lower((doc #>> '{description}'::text[]) collate "C")`;

/** Refused to this role, not part of this server, or not offered by whoever runs it. */
const REFUSED = new Set(['42501', '58P01', '0A000']);

/**
 * Index names by their trigrams, so that a part of a name is found without reading all names (decision 0060). Such an
 * index needs the extension pg_trgm, which a database of somebody else's may refuse us: then lists work without it. It
 * is asked for at every start, and the indexes are made once it is there. One process at a time may run this.
 *
 * @returns what an operator should know when names could not be indexed
 */
export async function indexNames(db: Database): Promise<string | undefined> {
  const refusal = await addExtension(db);
  if (refusal !== undefined) {
    return `Names are not indexed by their parts, so lists filtered by a part of a name are slow when they are long: ${refusal}`;
  }
  // It may have been installed in a schema of its own.
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

/** @returns why there is no extension */
async function addExtension(db: Database): Promise<string | undefined> {
  try {
    await rows(db, sql`create extension if not exists pg_trgm`);
    return undefined;
  } catch (error) {
    // Drizzle wraps what the database says.
    const refusal = error instanceof Error ? error.cause : undefined;
    if (!(refusal instanceof Error) || !REFUSED.has(String(Reflect.get(refusal, 'code')))) throw error;
    return refusal.message;
  }
}
