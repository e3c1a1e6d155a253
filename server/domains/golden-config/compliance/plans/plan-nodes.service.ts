import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { goldenTrees, treeVersions } from '#db/tables/golden-config/configurations.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { type LocatedNode, walk } from '../../trees/tree-nodes.ts';

/** A plan's reference to a node: its version, and the id of its spec. */
type PlanNodeReference = { treeId: string; version: string; nodeId: string };

/** A node with its path, and the device type of its tree. */
export type FoundNode = LocatedNode & { deviceType: string };

/** Returns the nodes that a plan references, in their order; undefined for those that are missing or not visible. */
export async function nodesById(
  { db, principal }: ReadContext,
  nodes: readonly PlanNodeReference[],
): Promise<(FoundNode | undefined)[]> {
  const found = await rows<{ doc: string }>(
    db,
    sql`select version.doc::text as doc from ${treeVersions} as version
        join ${goldenTrees} on ${goldenTrees.id} = version.tree_id and ${mayRead(goldenTrees, principal) ?? sql`true`}
        where (version.tree_id, version.version) in (select tree, name from unnest(
          ${textArray(nodes.map(({ treeId }) => treeId))}, ${textArray(nodes.map(({ version }) => version))})
            as asked (tree, name))`,
  );
  const byId = new Map<string, FoundNode>();
  for (const { doc } of found) {
    const version = JSON.parse(doc) as TreeVersion;
    for (const placed of walk(version.root)) {
      const nodeId = placed.node.attributes?.configId;
      if (nodeId === undefined) continue;
      const key = keyOf({ treeId: version.treeId, version: version.version, nodeId });
      byId.set(key, { ...placed, deviceType: version.deviceType });
    }
  }
  return nodes.map((node) => byId.get(keyOf(node)));
}

const keyOf = ({ treeId, version, nodeId }: PlanNodeReference) => JSON.stringify([treeId, version, nodeId]);
