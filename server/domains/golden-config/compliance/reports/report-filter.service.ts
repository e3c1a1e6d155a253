import { type SQL, sql } from 'drizzle-orm';
import { type DocumentReader, unreadableIds } from '#db/access.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { goldenTrees } from '#db/tables/documents.ts';

/** Which reports; every member given must hold. */
export type ReportFilter = {
  treeId?: string | undefined;
  version?: string | undefined;
  /** This node and those below. */
  nodePath?: string | undefined;
  devices?: readonly string[] | undefined;
  backupIds?: readonly string[] | undefined;
};

/** Which of them; without an order the newest first. */
export type ReportPage = { start: number; limit: number; order?: SQL };

/** The order of a page: total, and one that an index has. */
export const orderOf = ({ order = sql`ts desc, id desc` }: ReportPage): SQL => order;

const TRUE = sql`true`;

/** Whether the caller may read the tree of the row at hand: reports are as open as their tree is, or was when deleted. */
export function ofReadableTrees(reader: DocumentReader): SQL {
  const closed = unreadableIds(goldenTrees, reader);
  return closed ? sql`tree_id <> all(${closed})` : TRUE;
}

/** Whether the caller may read a tree of the batch at hand. */
export function readableBatch(reader: DocumentReader): SQL {
  const closed = unreadableIds(goldenTrees, reader);
  return closed ? sql`(tree_ids = '{}' or not tree_ids <@ ${closed})` : TRUE;
}

/**
 * Whether the row at hand lies at a node or below it; a leading or trailing slash means nothing, and no path means every
 * node. Bytes are compared, no pattern: in the order of bytes nothing but what lies below stands between `/` and `0`.
 */
export function atOrBelow(nodePath: string | undefined): SQL {
  const path = trimmed(nodePath);
  if (path === '') return TRUE;
  // in this form the planner can tell how many rows it means
  return sql`(node_path = ${path} or (node_path >= ${`${path}/`} and node_path < ${`${path}0`}))`;
}

/** A path without the slashes around it. */
export const trimmed = (nodePath: string | undefined): string => (nodePath ?? '').replace(/^\/+|\/+$/g, '');

const is = (column: SQL, value: string | undefined): SQL =>
  value === undefined ? TRUE : sql`${column} = ${value}`;

/** What a row of compliance_report must meet. */
export const reportsWhere = (
  { treeId, version, nodePath, devices, backupIds }: ReportFilter,
  reader: DocumentReader,
) =>
  sql`${is(sql`tree_id`, treeId)} and ${is(sql`version`, version)} and ${atOrBelow(nodePath)}
    and ${devices ? sql`device = any(${textArray(devices)})` : TRUE}
    and ${backupIds ? sql`backup_id = any(${textArray(backupIds)})` : TRUE} and ${ofReadableTrees(reader)}`;

/**
 * A page of the reports that a filter names, as a subquery. What has an index of its own is walked
 * key by key (devices, backups, versions of a tree), each only as far as the page needs.
 *
 * @param more what the rows must meet besides
 */
export function pageOfReports(
  filter: ReportFilter,
  reader: DocumentReader,
  asked: ReportPage,
  more: SQL = TRUE,
): SQL {
  const { start, limit } = asked;
  const order = orderOf(asked);
  const { devices, backupIds, treeId, version, ...rest } = filter;
  const page = sql`order by ${order} limit ${String(limit)}::bigint offset ${String(start)}::bigint`;
  const walk = (keys: SQL, column: SQL, others: ReportFilter) => sql`(
    select found.* from ${keys} as keys (key) cross join lateral (
      select * from compliance_report where ${column} = keys.key and ${reportsWhere(others, reader)} and ${more}
      order by ${order} limit ${String(start + limit)}::bigint) as found
    ${page})`;
  if (devices) {
    const keys = sql`unnest(${textArray([...new Set(devices)])})`;
    return walk(keys, sql`device`, { ...rest, treeId, version, backupIds });
  }
  if (backupIds) {
    const keys = sql`unnest(${textArray([...new Set(backupIds)])})`;
    return walk(keys, sql`backup_id`, { ...rest, treeId, version });
  }
  if (treeId !== undefined && version === undefined) {
    return walk(versionsOf(treeId), sql`version`, { ...rest, treeId });
  }
  return sql`(select * from compliance_report where ${reportsWhere(filter, reader)} and ${more} ${page})`;
}

/** Versions of a tree that have reports, also those that are gone: one look into the index a version. */
const versionsOf = (treeId: string): SQL => sql`(
  with recursive walked as (
    (select version from compliance_report where tree_id = ${treeId} order by version limit 1)
    union all
    select (select version from compliance_report r where tree_id = ${treeId} and r.version > walked.version
      order by r.version limit 1) from walked where walked.version is not null)
  select version from walked where version is not null)`;

/**
 * The newest complete report of each device on a tree, at a node or below it: rows of compliance_latest.
 *
 * @param version absent: whichever version it was checked against last
 */
export const newestOfDevices = ({
  treeId,
  version,
  nodePath,
}: ReportFilter & { treeId: string }): SQL => sql`(
  select distinct on (device) * from compliance_latest
  where tree_id = ${treeId} and ${is(sql`version`, version)} and ${atOrBelow(nodePath)}
  order by device, ts desc, report_id desc)`;
