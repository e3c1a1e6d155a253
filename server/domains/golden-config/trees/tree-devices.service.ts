import { and, eq, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { treeVersions } from '#db/tables/golden-config/configurations.ts';
import { deviceGroups } from '#db/tables/network/gateway.ts';
import { devicesOf, maySeeMember, nodesOf } from '#server/domains/network/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { getTree } from './trees.service.ts';
import { versionMissing } from './versions.service.ts';

/** A device with the node that checks it, and its origin: the node itself, or a device group by its id. */
export type PlacedDevice = { device: string; nodePath: string; via: string };

/**
 * Returns the devices of a tree with their nodes, of all versions unless one is named (contract/lifecycle#4.5). A device
 * with several origins is listed once for each.
 *
 * @param version name of a version of the tree; undefined: all versions
 * @throws ServiceError NOT_FOUND
 */
export async function devicesOfTree(
  ctx: ReadContext,
  { treeId, version }: { treeId: string; version?: string | undefined },
): Promise<PlacedDevice[]> {
  await getTree(ctx, treeId);
  const which = version === undefined ? sql`` : sql` and version.version = ${version}`;
  if (version !== undefined) {
    const isVersion = and(eq(treeVersions.treeId, treeId), eq(treeVersions.version, version));
    if ((await ctx.db.$count(treeVersions, isVersion)) === 0)
      throw await versionMissing(ctx, treeId, version);
  }
  const visible = mayRead(deviceGroups, ctx.principal);
  return rows<PlacedDevice>(
    ctx.db,
    sql`${nodesOf(sql`version.tree_id = ${treeId}${which}`)}, ${devicesOf(visible, maySeeMember(ctx.principal))}
        select distinct device, path as "nodePath", via from placed order by device, path, via`,
  );
}
