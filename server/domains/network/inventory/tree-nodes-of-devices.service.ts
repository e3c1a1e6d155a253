import { and, type SQL, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { goldenTrees, treeVersions } from '#db/tables/golden-config/configurations.ts';
import { deviceGroups } from '#db/tables/network/gateway.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { maySeeMember } from '../selection/visible-members.service.ts';

/** A tree node that has a device. */
export type DevicePlace = { treeId: string; name: string; version: string; nodePath: string };

/** Returns every node of the selected versions with its path, whose names are joined by slashes. */
export const nodesOf = (which: SQL) => sql`
  with recursive nodes as (
    select version.id as version_id, version.doc -> 'root' as node, version.doc -> 'root' ->> 'name' as path
      from ${treeVersions} as version where ${which}
    union all
    select nodes.version_id, child, nodes.path || '/' || (child ->> 'name')
      from nodes cross join lateral jsonb_array_elements(coalesce(nodes.node -> 'children', '[]')) as child
  )`;

/** The device groups of these nodes, as `held.id`. */
const groupsOfNodes = sql`nodes cross join lateral
  jsonb_to_recordset(coalesce(node -> 'attributes' -> 'deviceGroups', '[]')) as held(id text)`;

/** Returns the devices of these nodes: their own, and those of the groups that `visible` matches, as far as `member` does. */
export const devicesOf = (visible: SQL | undefined, member: SQL = sql`true`) => sql`
  placed as (
    select version_id, path, device, 'device' as via from nodes cross join lateral
      jsonb_array_elements_text(coalesce(node -> 'attributes' -> 'devices', '[]')) as device
    union
    select version_id, path, device_group_members.name, held.id from ${groupsOfNodes}
      join ${deviceGroups} on ${deviceGroups.id} = held.id and ${visible ?? sql`true`}
      cross join lateral device_group_members(${deviceGroups.doc}) as device_group_members
      where ${member}
  )`;

/** Matches versions whose text has one of these as a JSON string, so that most versions need not be read node by node. */
const mentions = (texts: readonly string[]) => {
  const patterns = texts.map((text) => `%${JSON.stringify(text).replace(/[\\%_]/g, '\\$&')}%`);
  return sql`version.doc::text like any(${textArray(patterns)})`;
};

/**
 * Returns the nodes of visible trees that have a device, directly or by a group (contract/lifecycle#4.5).
 *
 * @returns one entry for each node
 */
export async function treesOfDevice(ctx: ReadContext, deviceName: string): Promise<DevicePlace[]> {
  const { db, principal } = ctx;
  const visible = mayRead(deviceGroups, principal);
  const groups = await groupsWith(db, [deviceName], visible);
  return rows<DevicePlace>(
    db,
    sql`${nodesOf(mentions([deviceName, ...groups]))}, ${devicesOf(visible, maySeeMember(principal))}
        select distinct version.tree_id as "treeId", ${goldenTrees.doc} ->> 'name' as name,
            version.version as version, placed.path as "nodePath"
          from placed join ${treeVersions} as version on version.id = placed.version_id
          join ${goldenTrees} on ${goldenTrees.id} = version.tree_id
          where ${mayRead(goldenTrees, principal) ?? sql`true`} and placed.device = ${deviceName}
          order by name, version, "nodePath"`,
  );
}

/**
 * Returns readable labels of the nodes that have one of these devices, directly or by a group, for any caller.
 *
 * @param devices names of devices
 */
export async function nodesWithDevices(
  { db }: Pick<ReadContext, 'db'>,
  devices: readonly string[],
): Promise<string[]> {
  const groups = await groupsWith(db, devices, undefined);
  const found = await rows<{ node: string }>(
    db,
    sql`${nodesOf(mentions([...devices, ...groups]))}, ${devicesOf(undefined)}
        select distinct ${LABEL} as node from placed as place ${WITH_TREE}
          where place.device = any(${textArray(devices)}) order by node`,
  );
  return found.map(({ node }) => node);
}

/** A node that has a device group, with a readable label; null when the caller may not see its tree. */
export type GroupUser = { id: string; node: string | null };

/** Returns the nodes that have device groups (contract/lifecycle#4.2). */
export async function nodesWithGroups(ctx: ReadContext, groupIds: readonly string[]): Promise<GroupUser[]> {
  if (groupIds.length === 0) return [];
  return rows<GroupUser>(
    ctx.db,
    sql`${nodesOf(mentions(groupIds))}, place as (select version_id, path, held.id from ${groupsOfNodes})
        select distinct place.id, case when ${mayRead(goldenTrees, ctx.principal) ?? sql`true`} then ${LABEL} end as node
          from place ${WITH_TREE} where place.id = any(${textArray(groupIds)}) order by 1, 2`,
  );
}

const WITH_TREE = sql`join ${treeVersions} as version on version.id = place.version_id
  join ${goldenTrees} on ${goldenTrees.id} = version.tree_id`;
const LABEL = sql`'tree ' || (${goldenTrees.doc} ->> 'name') || ', version ' || version.version
  || ', node ' || place.path`;

/** Returns the ids of the groups that one of these devices belongs to. */
async function groupsWith(
  db: Database,
  devices: readonly string[],
  visible: SQL | undefined,
): Promise<string[]> {
  const { id, doc } = deviceGroups;
  const holds = sql`(${doc} -> 'devices' ?| ${textArray(devices)} or (${doc} ? 'selection' and exists (
    select from device_group_members(${doc}) as member where member.name = any(${textArray(devices)}))))`;
  const found = await db.select({ id }).from(deviceGroups).where(and(holds, visible));
  return found.map((group) => group.id);
}
