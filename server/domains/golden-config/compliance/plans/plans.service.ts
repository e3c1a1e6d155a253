import { mayRead } from '#db/access.ts';
import type { Stored } from '#db/collection.ts';
import { isOneOf } from '#db/expressions.ts';
import { list } from '#db/list/list.ts';
import { defineResource } from '#db/list/resource.ts';
import {
  CompliancePlan,
  type ImportedPlan,
  type PlanNodeRequest,
  type PlanOptions,
} from '#db/schemas/golden-config/compliance-plan.ts';
import { goldenTrees } from '#db/tables/golden-config/configurations.ts';
import { compliancePlans } from '#db/tables/golden-config/plans.ts';
import {
  assertConsistent,
  assertKnownGbac,
  assertMayChange,
  deleteDocuments,
  type GroupWarning,
  importDocuments,
  insertDocument,
  updateDocument,
  writeDocument,
} from '#server/domains/identity/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import {
  accessOf,
  besideOptions,
  findDocument,
  makerOf,
  readDocument,
  readSearchAt,
} from '#server/kernel/documents/documents.service.ts';
import { compilePattern } from '#server/kernel/documents/list-filter.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { assertNone, issuesIn } from '#server/kernel/validation/document-issues.ts';
import { lockVisibleDeviceGroups } from '../../devices/device-groups.service.ts';
import { assertMayWriteRules, givenVariables } from '../../rules/rule-writers.ts';
import { importedPlan, newPlan, planFieldsOf, repeatedNodes, wholeNode } from './plan-documents.ts';
import { nodesById } from './plan-nodes.service.ts';

const resource = defineResource({
  name: 'compliance plans',
  schema: CompliancePlan,
  source: compliancePlans,
  columns: { name: compliancePlans.name },
  defaultSort: [{ field: 'name', order: 1 }],
});

/** Returns a plan as JSON text (contract/lifecycle#4.9). @throws ServiceError NOT_FOUND */
export const getPlan = async (ctx: ReadContext, planId: string): Promise<JsonText<CompliancePlan>> =>
  json(await readDocument(ctx, 'plan', planId));

/**
 * Searches for plans by a substring of the name, or a regular expression; sorted by name (contract/lifecycle#4.9).
 *
 * @param name substring of the name, or an RE2 expression; undefined: every plan
 * @param options start, limit and sort, as `readList` reads them
 * @returns a page of the plans that the caller may read, and the number of all that match
 * @throws ServiceError BAD_REQUEST with every issue of the search
 */
export async function searchPlans(
  { db, principal }: ReadContext,
  { name, options }: { name?: string | undefined; options?: object | undefined },
): Promise<JsonText<{ totalCount: number; plans: CompliancePlan[] }>> {
  const query = readSearchAt(
    resource,
    { ...options, filter: { name } },
    { pattern: compilePattern },
    besideOptions,
  );
  const { body, total } = await list(db, resource, query, accessOf(mayRead(compliancePlans, principal)));
  return json(`{"totalCount":${total},"plans":[`, body, ']}');
}

/**
 * Creates a plan (contract/lifecycle#4.9).
 *
 * @throws ServiceError BAD_REQUEST naming each node that does not exist, CONFLICT when the name is taken, FORBIDDEN as
 *   `assertMayWriteRules`
 */
export async function createPlan(
  ctx: WriteContext,
  name: string,
  options: PlanOptions,
): Promise<CompliancePlan> {
  await assertNodes(ctx, options.nodes ?? [], ['options', 'nodes']);
  assertConsistent(options.gbac ?? undefined, ['options', 'gbac']);
  await assertKnownGbac(ctx.db, options.gbac, ['options', 'gbac']);
  return insertDocument(ctx, 'plan', newPlan(name, options, makerOf(ctx)));
}

/**
 * Updates a plan; `nodes` replaces the whole list (contract/lifecycle#4.9).
 *
 * @throws ServiceError as `createPlan`, NOT_FOUND, FORBIDDEN
 */
export async function updatePlan(
  ctx: WriteContext,
  planId: string,
  { name, ...options }: PlanOptions & { name?: string | undefined },
): Promise<CompliancePlan> {
  await assertNodes(ctx, options.nodes ?? [], ['options', 'nodes']);
  const change = { ...(name !== undefined && { name }), ...planFieldsOf(options) };
  return updateDocument(ctx, 'plan', planId, change, { gbac: options.gbac, path: ['options', 'gbac'] });
}

/**
 * Adds nodes to a plan; a node that it already has gets the new devices and variables (contract/lifecycle#4.9).
 *
 * @throws ServiceError BAD_REQUEST, NOT_FOUND, FORBIDDEN
 */
export async function addPlanNodes(
  ctx: WriteContext,
  planId: string,
  nodes: readonly PlanNodeRequest[],
): Promise<CompliancePlan> {
  await assertNodes(ctx, nodes, ['nodes']);
  const stored = await lockPlan(ctx, planId);
  const given = new Map(nodes.map((node) => [node.nodeId, wholeNode(node)]));
  const kept = stored.doc.nodes.map((node) => {
    const fresh = given.get(node.nodeId);
    given.delete(node.nodeId);
    return fresh ?? node;
  });
  return writeDocument(ctx, 'plan', stored, { nodes: [...kept, ...given.values()] });
}

/**
 * Removes nodes from a plan; ignores those that it does not have (contract/lifecycle#4.9).
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT when the plan was changed in the meantime
 */
export async function removePlanNodes(
  ctx: WriteContext,
  planId: string,
  nodeIds: readonly string[],
): Promise<CompliancePlan> {
  const stored = await lockPlan(ctx, planId);
  const gone = new Set(nodeIds);
  return writeDocument(ctx, 'plan', stored, {
    nodes: stored.doc.nodes.filter(({ nodeId }) => !gone.has(nodeId)),
  });
}

/**
 * Deletes plans; keeps their instances and reports, and ignores unknown ids (contract/lifecycle#4.9).
 *
 * @returns the number of deleted plans
 * @throws ServiceError FORBIDDEN when the caller may not write one of them; none is deleted then
 */
export const deletePlans = (ctx: WriteContext, planIds: readonly string[]): Promise<number> =>
  deleteDocuments(ctx, 'plan', planIds);

/**
 * Imports plans, all or none: a taken name gets a number, a taken id is replaced by a new one. Missing nodes remain on the
 * plan: running it reports them (contract/lifecycle#4.9, #0.7).
 *
 * @returns the number of plans, and the groups of access lists that do not exist
 * @throws ServiceError BAD_REQUEST with all issues, FORBIDDEN as `assertMayWriteRules`
 */
export async function importPlans(
  ctx: WriteContext,
  plans: readonly ImportedPlan[],
): Promise<{ count: number; warnings: GroupWarning[] }> {
  for (const { variables } of plans.flatMap(({ nodes = [] }) => nodes)) {
    assertMayWriteRules(ctx.principal, givenVariables(variables));
  }
  assertNone(
    plans.flatMap(({ gbac, nodes = [] }, at) => [
      ...issuesIn(() => assertConsistent(gbac, ['plans', at, 'gbac'])),
      ...repeatedNodes(nodes, ['plans', at, 'nodes']),
    ]),
  );
  const maker = makerOf(ctx);
  const { data, warnings } = await importDocuments(ctx, 'plan', plans, (plan, place) =>
    importedPlan(plan, place, maker),
  );
  return { count: data.length, warnings };
}

/** Rejects nodes that do not exist or are repeated, and variables that the caller may not write; locks the trees of the others until the transaction ends. */
async function assertNodes(
  ctx: WriteContext,
  nodes: readonly PlanNodeRequest[],
  path: string[],
): Promise<void> {
  for (const { variables } of nodes) assertMayWriteRules(ctx.principal, givenVariables(variables));
  const trees = [...new Set(nodes.map(({ treeId }) => treeId))];
  const { id } = goldenTrees;
  await ctx.db.select({ id }).from(goldenTrees).where(isOneOf(id, trees)).orderBy(id).for('key share');
  const found = await nodesById(ctx, nodes);
  const unknown = nodes.flatMap(({ nodeId, version, treeId }, at): Issue[] => {
    if (found[at]) return [];
    const message = `version ${version.slice(0, 100)} of tree ${treeId} has no node ${nodeId}`;
    return [{ path: [...path, at, 'nodeId'], message, code: 'unknown_node' }];
  });
  assertNone([...repeatedNodes(nodes, path), ...unknown, ...(await unknownGroups(ctx, nodes, path))]);
}

/**
 * Returns device groups that do not exist or are not visible to the caller; locks the others until the transaction ends.
 */
async function unknownGroups(
  ctx: ReadContext,
  nodes: readonly PlanNodeRequest[],
  path: string[],
): Promise<Issue[]> {
  const groupIds = [...new Set(nodes.flatMap(({ deviceGroups: ids }) => ids ?? []))];
  const known = await lockVisibleDeviceGroups(ctx, groupIds);
  return nodes.flatMap(({ deviceGroups: ids }, at) =>
    (ids ?? []).flatMap((id, n): Issue[] => {
      if (known.has(id)) return [];
      const message = `no device group has the id ${id.slice(0, 100)}`;
      return [{ path: [...path, at, 'deviceGroups', n], message, code: 'unknown_group' }];
    }),
  );
}

async function lockPlan(ctx: WriteContext, planId: string): Promise<Stored<CompliancePlan>> {
  const stored = await findDocument(ctx, 'plan', planId, true);
  assertMayChange(ctx, 'plan', stored, {});
  return stored;
}
