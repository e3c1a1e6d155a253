import { getTableName, type SQL } from 'drizzle-orm';
import type { AnyPgColumn, PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { scopeOf } from '../access.ts';
import { DOCUMENT_KINDS, kindsWhere } from '../document-kinds/kinds.ts';
import { scopeColumnOf } from '../document-kinds/readable.ts';
import { sql } from '../statement.ts';
import { documentCounts } from '../tables/bookkeeping/counts.ts';

/** The columns by which documents are counted: the one that decides who may read, null where all may; and the kind's. */
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
 * Returns, as a scalar query, how many documents of a table a caller may read. It reads the counts instead of the
 * documents, and is exact in any snapshot (decision 0060).
 *
 * @param access a condition of db/access.ts; it is evaluated per scope instead of per document
 * @param filter the whole `where` clause, including access, and the columns that it uses
 * @returns undefined for a table that is not counted, or a condition on more than access and the kind
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
  // The table's own names let conditions find their columns here.
  return sql`(select coalesce(sum(n), 0)::text from (
      select ${sql.join(known, sql`, `)} from ${documentCounts} where ${documentCounts.tableName} = ${name}
    ) as ${sql.identifier(name)} ${filter.where})`;
}

const named = (counted: SQL, column: PgColumn): SQL =>
  sql`${counted}::${sql.raw(column.getSQLType())} as ${sql.identifier(column.name)}`;
