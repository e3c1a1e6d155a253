import type { Database } from '#db/client.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import { type Asset, bareName, projectOf, resolve } from '#server/domains/assets/index.ts';
import {
  planRelinks,
  type Relinked,
  similarNames,
  type WorkflowUse,
  withRelinks,
  workflowsIn,
  workflowUses,
} from '#server/domains/workflow/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';

/**
 * Returns the components with each reference to a missing workflow replaced by the only workflow of the set, or of its
 * project, that may be the missing one (contract/lifecycle#relink).
 *
 * @param from id of the exported project; null: none
 * @param targetId id of the existing project that the file is imported into; null: none
 */
export async function relinkComponents<One extends { type: ComponentType; document: Asset }>(
  ctx: ReadContext,
  components: readonly One[],
  from: string | null,
  targetId: string | null,
): Promise<{ components: readonly One[]; relinked: Relinked[] }> {
  const stored = targetId === null ? undefined : (await workflowsIn(ctx, [targetId])).get(targetId);
  const missing = await missingUses(ctx.db, workflowUses(components, from), targetId === null ? from : null);
  if (missing.length === 0) return { components, relinked: [] };
  const names = [
    ...components.flatMap(({ type, document }) => (type === 'workflow' ? [bareName(document.name)] : [])),
    ...(stored?.keys() ?? []),
  ];
  const plan = planRelinks(missing, similarNames(names), from);
  if (plan.size === 0) return { components, relinked: [] };
  const counts = new Map<string, number>();
  const followed = components.map((one) => ({
    ...one,
    document: withRelinks(one.type, one.document, plan, counts),
  }));
  const relinked = [...plan].map(([old, name]) => ({
    from: bareName(old),
    to: bareName(name),
    uses: counts.get(old) ?? 0,
  }));
  return { components: followed, relinked };
}

/**
 * Returns the references whose workflow does not exist.
 *
 * @param foreign project whose names cannot exist here, although another project may have its id; null: none
 */
async function missingUses(
  db: Database,
  uses: readonly WorkflowUse[],
  foreign: string | null,
): Promise<WorkflowUse[]> {
  const targets = await resolve(
    db,
    uses.map(({ name }) => ({ kind: 'workflow', by: 'name', value: name, path: [] })),
  );
  return uses.filter(({ name }, at) => !targets[at] || (foreign !== null && projectOf(name) === foreign));
}
