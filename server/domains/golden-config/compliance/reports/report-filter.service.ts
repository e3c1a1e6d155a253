import { type SQL, sql } from 'drizzle-orm';
import { type DocumentReader, mayRead, unreadableIds } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { groupMembers } from '#db/device-origins.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { goldenTrees } from '#db/tables/golden-config/configurations.ts';
import { deviceGroups } from '#db/tables/network/gateway.ts';
import { maySeeMember } from '#server/domains/network/index.ts';
import { withoutOuterSlashes } from '#server/kernel/text/without-final.ts';

/** A selection of reports; all given fields must match. */
export type ReportFilter = {
  treeId?: string | undefined;
  version?: string | undefined;
  /** This node and those below. */
  nodePath?: string | undefined;
  devices?: readonly string[] | undefined;
  backupIds?: readonly string[] | undefined;
};

/** A page of the selected reports; newest first by default. */
export type ReportPage = { start: number; limit: number; order?: SQL };

/** Returns the order of a page, which must be total and have an index. */
export const orderOf = ({ order = sql`ts desc, id desc` }: ReportPage): SQL => order;

const TRUE = sql`true`;

/** Returns the condition that the caller may read the current row's tree; a deleted tree keeps its last access list. */
export function ofReadableTrees(reader: DocumentReader): SQL {
  const closed = unreadableIds(goldenTrees, reader);
  return closed ? sql`tree_id <> all(${closed})` : TRUE;
}

/** Returns the condition that the caller may read a tree of the current batch. */
export function readableBatch(reader: DocumentReader): SQL {
  const closed = unreadableIds(goldenTrees, reader);
  return closed ? sql`(tree_ids = '{}' or not tree_ids <@ ${closed})` : TRUE;
}

/**
 * Returns the condition that the current row is at a node or below it; leading and trailing slashes are ignored, and no
 * path means every node. Compares bytes, not patterns: in byte order only paths below the node sort between `/` and `0`.
 */
export function atOrBelow(nodePath: string | undefined): SQL {
  const path = trimmed(nodePath);
  if (path === '') return TRUE;
  // in this form the planner can estimate the number of rows
  return sql`(node_path = ${path} or (node_path >= ${`${path}/`} and node_path < ${`${path}0`}))`;
}

/** A part of the devices of a tree: members of a device group, names that contain a text. */
export type DeviceFilter = { deviceGroupId?: string | undefined; deviceName?: string | undefined };

/**
 * Returns the condition that the device of the current row matches. The members of a group with a selection are those that
 * it matches now; a group that the caller may not see has none.
 */
export function matchingDevices(principal: DocumentReader, { deviceGroupId, deviceName }: DeviceFilter): SQL {
  const members = sql`device in (select ${groupMembers.name} from ${deviceGroups}
    cross join lateral device_group_members(${deviceGroups.doc}) as device_group_members
    where ${deviceGroups.id} = ${deviceGroupId} and ${mayRead(deviceGroups, principal) ?? TRUE} and ${maySeeMember(principal)})`;
  return sql`(${deviceGroupId === undefined ? TRUE : members}
    and ${deviceName ? sql`position(lower(${deviceName}) in lower(device)) > 0` : TRUE})`;
}

/** Returns a path without leading and trailing slashes. */
export const trimmed = (nodePath: string | undefined): string => withoutOuterSlashes(nodePath ?? '');

const is = (column: SQL, value: string | undefined): SQL =>
  value === undefined ? TRUE : sql`${column} = ${value}`;

/** Returns the condition for rows of compliance_report. */
export const reportsWhere = (
  { treeId, version, nodePath, devices, backupIds }: ReportFilter,
  reader: DocumentReader,
) =>
  sql`${is(sql`tree_id`, treeId)} and ${is(sql`version`, version)} and ${atOrBelow(nodePath)}
    and ${devices ? sql`device = any(${textArray(devices)})` : TRUE}
    and ${backupIds ? sql`backup_id = any(${textArray(backupIds)})` : TRUE} and ${ofReadableTrees(reader)}`;

/**
 * Returns a page of the selected reports as a subquery. Fields with an index of their own (devices, backups, versions of a
 * tree) are scanned key by key, each only as far as the page needs.
 *
 * @param more additional condition for the rows
 */
export function pageOfReports(
  filter: ReportFilter,
  reader: DocumentReader,
  pageRequest: ReportPage,
  more: SQL = TRUE,
): SQL {
  const { start, limit } = pageRequest;
  const order = orderOf(pageRequest);
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

/** Returns the versions of a tree that have reports, including deleted ones: one index look-up per version. */
const versionsOf = (treeId: string): SQL => sql`(
  with recursive walked as (
    (select version from compliance_report where tree_id = ${treeId} order by version limit 1)
    union all
    select (select version from compliance_report r where tree_id = ${treeId} and r.version > walked.version
      order by r.version limit 1) from walked where walked.version is not null)
  select version from walked where version is not null)`;

/**
 * Returns the newest complete report of each device on a tree, at a node or below it: rows of compliance_latest.
 *
 * @param version absent: whichever version the device was checked against last
 * @param status notApplicable: the reports of devices whose platform the node has no rules for
 */
export const newestOfDevices = (
  { treeId, version, nodePath }: ReportFilter & { treeId: string },
  status: 'complete' | 'notApplicable' = 'complete',
): SQL => sql`(
  select distinct on (device) * from compliance_latest
  where tree_id = ${treeId} and ${is(sql`version`, version)} and ${atOrBelow(nodePath)} and status = ${status}
  order by device, ts desc, report_id desc)`;

/** Returns the newest reports of devices that have issues on a tree, by the name of the device, at most `most`. */
export const devicesWithIssues = (
  db: Database,
  treeId: string,
  devices: readonly string[],
  most: number,
): Promise<{ device: string; report: string }[]> =>
  rows(
    db,
    sql`select device, report_id as report from ${newestOfDevices({ treeId })} as newest
        where device = any(${textArray(devices)}) and errors + warnings + infos > 0 order by device limit ${most}`,
    false,
  );
