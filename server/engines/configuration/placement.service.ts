import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { goldenTrees, treeVersions } from '#db/tables.ts';
import type { Reading } from './documents.service.ts';
import { getTree } from './trees.service.ts';
import { missing } from './versions.service.ts';

/** Where a device is checked, and what put it there: itself, or a device group by its id. */
export type PlacedDevice = { device: string; nodePath: string; via: string };

/** A node that a device sits on. */
export type DevicePlace = { treeId: string; name: string; version: string; nodePath: string };

/** Every node of some versions with its path; the names of a path are joined by slashes. */
const nodesOf = (which: ReturnType<typeof sql>) => sql`
  with recursive nodes as (
    select version.id as version_id, version.doc -> 'root' as node, version.doc -> 'root' ->> 'name' as path
      from ${treeVersions} as version where ${which}
    union all
    select nodes.version_id, child, nodes.path || '/' || (child ->> 'name')
      from nodes cross join lateral jsonb_array_elements(coalesce(nodes.node -> 'children', '[]')) as child
  )`;

/**
 * The devices of a tree, each with its node; of all its versions unless one is named (lifecycle §4.5).
 *
 * @throws ServiceError NOT_FOUND
 */
export async function devicesOfTree(
  ctx: Reading,
  { treeId, version }: { treeId: string; version?: string | undefined },
): Promise<PlacedDevice[]> {
  await getTree(ctx, treeId);
  const which = version === undefined ? sql`` : sql` and version.version = ${version}`;
  if (version !== undefined) {
    const [found] = await rows(
      ctx.db,
      sql`select from ${treeVersions} where tree_id = ${treeId} and version = ${version}`,
    );
    if (!found) throw await missing(ctx, treeId, version);
  }
  return rows<PlacedDevice>(
    ctx.db,
    sql`${nodesOf(sql`version.tree_id = ${treeId}${which}`)}
        select distinct device, path as "nodePath", 'device' as via
          from nodes cross join lateral
            jsonb_array_elements_text(coalesce(node -> 'attributes' -> 'devices', '[]')) as device
          order by device, path`,
  );
}

/** The nodes that a device sits on, in trees that the caller may see (lifecycle §4.5). */
export async function treesOfDevice({ db, principal }: Reading, deviceName: string): Promise<DevicePlace[]> {
  const visible = mayRead(goldenTrees, principal) ?? sql`true`;
  const holds = sql`version.doc::text like ${`%${JSON.stringify(deviceName).replace(/[\\%_]/g, '\\$&')}%`}`;
  return rows<DevicePlace>(
    db,
    sql`${nodesOf(holds)}
        select version.tree_id as "treeId", ${goldenTrees.doc} ->> 'name' as name, version.version as version,
            nodes.path as "nodePath"
          from nodes join ${treeVersions} as version on version.id = nodes.version_id
          join ${goldenTrees} on ${goldenTrees.id} = version.tree_id
          where ${visible} and nodes.node -> 'attributes' -> 'devices' ? ${deviceName}
          order by name, version, "nodePath"`,
  );
}
