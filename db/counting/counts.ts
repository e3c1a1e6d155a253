import { getTableName, type SQL } from 'drizzle-orm';
import type { AnyPgColumn, PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { scopeOf } from '../access.ts';
import { DOCUMENT_KINDS, kindsWhere } from '../document-kinds/kinds.ts';
import { scopeColumnOf } from '../document-kinds/readable.ts';
import { sql } from '../statement.ts';
import { documentCounts } from '../tables/bookkeeping/counts.ts';

/** What documents are counted by: the column that decides who sees one, null where all see all; and the one of its kind. */
type CountedColumns = { scope: PgColumn | null; kind?: PgColumn };

/** Tables whose documents are counted as they are written (`count_documents` in db/migrations). */
export const COUNTED: ReadonlyMap<PgTable, CountedColumns> = new Map<PgTable, CountedColumns>(
  kindsWhere(({ counted }) => counted).map((name) => {
    const kind = DOCUMENT_KINDS[name];
    const { by } = kind.counted ?? {};
    return [kind.table, { scope: scopeColumnOf(kind) ?? null, ...(by && { kind: by }) }];
  }),
);

/**
 * How many documents of a table a caller sees, as a scalar query that reads the counts instead of the documents: exact
 * in whatever snapshot it runs (decision 0060).
 *
 * @param access a condition of db/access.ts; it is asked of each scope instead of each document
 * @param filter what else they must meet, access included, as a whole `where`; and the columns that it asks of
 * @returns undefined for a table that is not counted, or a condition that asks more than who may see and the kind
 */
export function countedTotal(
  table: PgTable,
  access: SQL | undefined,
  filter: { where: SQL; columns: readonly (AnyPgColumn | undefined)[] } = {
    where: access ? sql`where ${access}` : sql``,
    columns: [],
  },
): SQL | undefined {
  const counted = COUNTED.get(table);
  if (!counted) return undefined;
  const { scope, kind } = counted;
  if (access && (scope === null || scopeOf(access) !== scope)) return undefined;
  if (filter.columns.some((column) => column === undefined || column !== kind)) return undefined;
  const known = [sql`n`];
  if (scope) known.push(named(sql`scope`, scope));
  if (kind) known.push(named(sql`kind`, kind));
  const name = getTableName(table);
  // Under the table's own names, so that conditions find their columns here.
  return sql`(select coalesce(sum(n), 0)::text from (
      select ${sql.join(known, sql`, `)} from ${documentCounts} where ${documentCounts.tableName} = ${name}
    ) as ${sql.identifier(name)} ${filter.where})`;
}

const named = (counted: SQL, column: PgColumn): SQL =>
  sql`${counted}::${sql.raw(column.getSQLType())} as ${sql.identifier(column.name)}`;
