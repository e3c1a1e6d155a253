import { getTableName, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { scopeOf } from '../access.ts';
import { DOCUMENT_KINDS, kindsWhere } from '../document-kinds/kinds.ts';
import { sql } from '../statement.ts';
import { projects } from '../tables/assets/assets.ts';
import { documentEdits, forgottenEdits } from '../tables/bookkeeping/counts.ts';
import { COUNTED } from './counts.ts';

/** Tables whose edits are logged (`log_document_edits` in db/migrations). */
export const LOGGED: ReadonlySet<PgTable> = new Set(
  kindsWhere(({ counted }) => counted && !counted.onlyTotals).map((name) => DOCUMENT_KINDS[name].table),
);

/** With more edits than this no change is computed: a new count is as fast. */
const MOST_EDITS = 5000;

/**
 * The snapshot of a statement, as text, as a scalar query. Null within a transaction that has written: its own writes
 * are visible to it but are not part of the snapshot.
 */
export const SEEN: SQL = sql`(case when pg_current_xact_id_if_assigned() is null then pg_current_snapshot()::text end)`;

/**
 * Returns, as a scalar query, by how much the number of documents that meet a condition has changed since an earlier
 * statement: it sums the edits that are visible now and were not visible in that statement's snapshot. The query yields
 * null where this is unknown: too much was written since, or the caller's rights changed with a project.
 *
 * @param seen the earlier statement's `SEEN`
 * @param access a condition of db/access.ts, or undefined for callers who may read all
 * @param where a condition on columns only, including access
 * @returns undefined for a table whose edits are not logged, or where other tables may affect the result
 */
export function changeSince(
  seen: string,
  table: PgTable,
  access: SQL | undefined,
  where: SQL,
): SQL | undefined {
  if (!LOGGED.has(table)) return undefined;
  const scope = COUNTED.get(table)?.scope ?? null;
  if (access && (scope === null || scopeOf(access) !== scope)) return undefined;
  const name = getTableName(table);
  const from = sql`${seen}::pg_snapshot`;
  const { tableName, by, sign, columns } = documentEdits;
  const isNew = sql`${by} >= pg_snapshot_xmin(${from}) and not pg_visible_in_snapshot(${by}, ${from})`;
  const others = access && table !== projects ? sql`or ${readersChanged(isNew)}` : sql``;
  // The table's own name lets conditions find their columns here.
  return sql`(with edited as materialized (
      select ${sign}, ${columns} from ${documentEdits} where ${tableName} = ${name} and ${isNew} limit ${MOST_EDITS + 1}::int
    )
    select case when pg_current_xact_id_if_assigned() is not null or ${isOlderThan(from)}
        or (select upto from ${forgottenEdits}) >= pg_snapshot_xmin(${from})
        or (select count(*) > ${MOST_EDITS}::int or bool_or(sign is null) from edited) ${others}
      then null
      else (select coalesce(sum(sign), 0)::bigint from (
        select edited.sign, known.* from edited, jsonb_populate_record(null::${table}, edited.columns) as known
      ) as ${sql.identifier(name)} ${where})
    end)`;
}

/** True when this statement sees less than `seen`: its transaction took its snapshot earlier. */
const isOlderThan = (
  seen: SQL,
): SQL => sql`(pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax(${seen})
  or exists (select from pg_snapshot_xip(pg_current_snapshot()) as running (xid) where pg_visible_in_snapshot(xid, ${seen})))`;

/** True when the readers of some project have changed. */
function readersChanged(isNew: SQL): SQL {
  const { tableName, sign, columns } = documentEdits;
  return sql`exists (select from ${documentEdits} where ${tableName} = ${getTableName(projects)} and ${isNew}
    group by ${columns} -> 'id', ${columns} -> 'readers' having sum(${sign}) <> 0 or bool_or(${sign} is null))`;
}
