import { type SQL, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { specs } from '#db/tables/golden-config/configurations.ts';
import { compliancePlans } from '#db/tables/golden-config/plans.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { allOf, grownStampIn } from '#server/kernel/documents/documents.service.ts';
import { conflict } from '#server/kernel/errors.ts';

/** The targets that a plan can reference: a tree, a version of it, nodes by their specs, or a device group. */
export type PlanUse =
  | { treeId: string; version?: string | undefined }
  | { nodeIds: readonly string[] }
  | { groupId: string };

/**
 * Returns the plans that use something: those that the caller may see by name, as `plan Nightly`, the others as a number.
 *
 * The caller must have locked the thing in question, so that concurrent writers of plans wait (contract/lifecycle#4.5).
 */
export async function plansUsing({ db, principal }: ReadContext, use: PlanUse): Promise<string[]> {
  const mayName = mayRead(compliancePlans, principal) ?? sql`true`;
  const found = await db
    .select({ name: sql<string | null>`case when ${mayName} then ${compliancePlans.name} end` })
    .from(compliancePlans)
    .where(usesOf(use))
    .orderBy(compliancePlans.name)
    .limit(100);
  const named = found.flatMap(({ name }) => (name === null ? [] : [`plan ${name}`]));
  const others = found.length - named.length;
  return others === 0 ? named : [...named, others === 1 ? 'another plan' : `${others} other plans`];
}

/**
 * Rejects the removal of something that plans use.
 *
 * @param what its name in the message
 * @throws ServiceError CONFLICT naming the plans
 */
export async function assertNoPlan(ctx: ReadContext, use: PlanUse, what: string): Promise<void> {
  const plans = await plansUsing(ctx, use);
  if (plans.length > 0) throw conflict(`${what} is used by ${plans.slice(0, 10).join(', ')}`);
}

function usesOf(use: PlanUse): SQL {
  if ('nodeIds' in use) {
    return sql`exists (select from jsonb_array_elements(doc -> 'nodes') as node
      where node ->> 'nodeId' = any(${textArray(use.nodeIds)}))`;
  }
  const node = 'groupId' in use ? { deviceGroups: [use.groupId] } : use;
  return sql`doc -> 'nodes' @> ${JSON.stringify([node])}::text::jsonb`;
}

/** Updates the plans that reference a renamed version. */
export async function renameInPlans(
  db: Database,
  { treeId, from, to }: { treeId: string; from: string; to: string },
  now: Date,
): Promise<void> {
  await db.execute(sql`
    update ${compliancePlans} set rev = rev + 1, updated_at = now(), doc = doc || jsonb_build_object(
      'lastUpdated', ${grownStampIn(now)}, 'nodes', (
        select jsonb_agg(case when node ->> 'treeId' = ${treeId} and node ->> 'version' = ${from}
          then node || jsonb_build_object('version', ${to}::text) else node end order by n)
        from jsonb_array_elements(doc -> 'nodes') with ordinality as each (node, n)))
    where ${usesOf({ treeId, version: from })}`);
}

/**
 * Rejects overwriting trees when a plan would lose a node.
 *
 * @throws ServiceError CONFLICT naming the plan
 */
export async function assertPlansWhole(
  { db, principal }: ReadContext,
  treeIds: readonly string[],
): Promise<void> {
  if (treeIds.length === 0) return;
  const trees = textArray(treeIds);
  const [lost] = await rows<{ name: string | null; node: string }>(
    db,
    sql`select case when ${mayRead(compliancePlans, principal) ?? sql`true`} then name end as name,
          node ->> 'nodeId' as node
        from ${compliancePlans} cross join lateral jsonb_array_elements(doc -> 'nodes') as node
        where ${allOf(
          sql`node ->> 'treeId' = any(${trees})`,
          sql`not exists (select from ${specs} where ${specs.id} = node ->> 'nodeId')`,
        )} limit 1`,
  );
  if (!lost) return;
  const plan = lost.name === null ? 'another plan' : `plan ${lost.name}`;
  throw conflict(`Node ${lost.node}, which the import does not contain, is used by ${plan}`);
}
