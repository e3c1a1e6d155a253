import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { find, findText, insert, remove, replace, type Stored } from '#db/collection.ts';
import { list } from '#db/list/list.ts';
import { defineResource } from '#db/list/resource.ts';
import { textArray } from '#db/list/row-expressions.ts';
import {
  CompliancePlan,
  type ImportedPlan,
  type PlanNodeRequest,
  type PlanOptions,
} from '#db/schemas/golden-config/compliance-plan.ts';
import { goldenTrees } from '#db/tables/documents.ts';
import { deviceGroups } from '#db/tables/gateway.ts';
import { compliancePlans } from '#db/tables/plans.ts';
import {
  assertConsistent,
  assertKnownGbac,
  assertKnownOrKept,
  assertMayWrite,
  type GroupWarning,
  unknownInGbac,
  withoutUnknownGroups,
} from '#server/domains/identity/index.ts';
import {
  accessOf,
  allOf,
  makerOf,
  type Reading,
  readSearchAt,
  unlessTaken,
  type Writing,
} from '#server/kernel/documents/documents.service.ts';
import { landAll } from '#server/kernel/documents/import-placement.service.ts';
import { compilePattern } from '#server/kernel/documents/list-filter.ts';
import { against, assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { conflict, type Issue, notFound } from '#server/kernel/errors.ts';
import { json } from '#server/kernel/json-text.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { assertNone, issuesIn } from '#server/kernel/validation/document-issues.ts';
import { importedPlan, membersOf, newPlan, repeatedNodes, wholeNode } from './plan-documents.ts';
import { nodesById } from './plan-nodes.service.ts';

const KIND = 'Compliance plan';

const resource = defineResource({
  name: 'compliance plans',
  schema: CompliancePlan,
  source: compliancePlans,
  columns: { name: compliancePlans.name },
  defaultSort: [{ field: 'name', order: 1 }],
});

/** The condition for one plan, as far as the caller may see it. */
const visiblePlan = (principal: Caller, planId: string) =>
  allOf(sql`${compliancePlans.id} = ${planId}`, mayRead(compliancePlans, principal));

/** A plan, passed on as text (contract/lifecycle#4.9). @throws ServiceError NOT_FOUND */
export async function getPlan({ db, principal }: Reading, planId: string): Promise<CompliancePlan> {
  const text = await findText(db, compliancePlans, visiblePlan(principal, planId));
  if (text === undefined) throw notFound(KIND, planId);
  return json(text);
}

/** Search for plans by a part of their names, or an expression; by name (contract/lifecycle#4.9). */
export async function searchPlans(
  { db, principal }: Reading,
  { name, options }: { name?: string | undefined; options?: object | undefined },
): Promise<{ totalCount: number; plans: CompliancePlan[] }> {
  const query = readSearchAt(
    resource,
    { ...options, filter: { name } },
    { pattern: compilePattern },
    (path) => (path[0] === 'filter' ? path.slice(1) : ['options', ...path]),
  );
  const { texts, total } = await list(db, resource, query, accessOf(mayRead(compliancePlans, principal)));
  return json(`{"totalCount":${total},"plans":[${texts.join(',')}]}`);
}

/**
 * A new plan (contract/lifecycle#4.9).
 *
 * @throws ServiceError BAD_REQUEST naming each node that is not there, CONFLICT when the name is taken
 */
export async function createPlan(ctx: Writing, name: string, options: PlanOptions): Promise<CompliancePlan> {
  await assertNodes(ctx, options.nodes ?? [], ['options', 'nodes']);
  assertConsistent(options.gbac ?? undefined, ['options', 'gbac']);
  await assertKnownGbac(ctx.db, options.gbac, ['options', 'gbac']);
  const plan = newPlan(name, options, makerOf(ctx));
  return unlessTaken('compliance_plans_name', taken(name), () =>
    insert(ctx.db, compliancePlans, plan.id, plan),
  );
}

/**
 * Change a plan; `nodes` replaces them all (contract/lifecycle#4.9). @throws ServiceError as `createPlan`, NOT_FOUND,
 * FORBIDDEN
 */
export async function updatePlan(
  ctx: Writing,
  planId: string,
  { name, ...options }: PlanOptions & { name?: string | undefined },
): Promise<CompliancePlan> {
  await assertNodes(ctx, options.nodes ?? [], ['options', 'nodes']);
  assertConsistent(options.gbac ?? undefined, ['options', 'gbac']);
  const unknown = await unknownInGbac(ctx.db, options.gbac, ['options', 'gbac']);
  const change = { ...(name !== undefined && { name }), ...membersOf(options) };
  const stored = await lockPlan(ctx, planId, change);
  assertKnownOrKept(unknown, options.gbac, stored.doc.gbac);
  return writePlan(ctx, stored, change);
}

/**
 * Put nodes on a plan; one that it has already gets the new devices and variables (contract/lifecycle#4.9).
 *
 * @throws ServiceError BAD_REQUEST, NOT_FOUND, FORBIDDEN
 */
export async function addPlanNodes(
  ctx: Writing,
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
  return writePlan(ctx, stored, { nodes: [...kept, ...given.values()] });
}

/** Take nodes off a plan; those that it has not count for nothing (contract/lifecycle#4.9). */
export async function removePlanNodes(
  ctx: Writing,
  planId: string,
  nodeIds: readonly string[],
): Promise<CompliancePlan> {
  const stored = await lockPlan(ctx, planId);
  return writePlan(ctx, stored, {
    nodes: stored.doc.nodes.filter(({ nodeId }) => !nodeIds.includes(nodeId)),
  });
}

/**
 * Delete plans; their instances and reports stay, ids that are not there count for nothing (contract/lifecycle#4.9).
 *
 * @throws ServiceError FORBIDDEN when one may not be written: none is deleted then
 */
export async function deletePlans(ctx: Writing, planIds: readonly string[]): Promise<number> {
  const { db, principal, request } = ctx;
  const found = await rows<{ id: string; doc: string }>(
    db,
    sql`select id, doc::text as doc from ${compliancePlans}
        where ${allOf(sql`id = any(${textArray(planIds)})`, mayRead(compliancePlans, principal))}
        order by id for update`,
  );
  for (const { doc } of found) {
    const plan = JSON.parse(doc) as CompliancePlan;
    assertMayWrite(plan.gbac, principal, `${KIND} ${plan.name}`);
    assertUnchanged(request.ifMatch, plan.lastUpdated, `${KIND} ${plan.name}`);
  }
  const gone = await remove(
    db,
    compliancePlans,
    found.map(({ id }) => id),
  );
  return gone.length;
}

/**
 * Import plans, all or none: a taken name gets a number, a taken id is made anew. Nodes that are not here stay on the
 * plan: its runs tell of them (contract/lifecycle#4.9, #0.7).
 *
 * @returns how many there were, and groups of access lists that do not exist
 * @throws ServiceError BAD_REQUEST with everything that is wrong
 */
export async function importPlans(
  ctx: Writing,
  plans: readonly ImportedPlan[],
): Promise<{ count: number; warnings: GroupWarning[] }> {
  assertNone(
    plans.flatMap(({ gbac, nodes = [] }, at) => [
      ...issuesIn(() => assertConsistent(gbac, ['plans', at, 'gbac'])),
      ...repeatedNodes(nodes, ['plans', at, 'nodes']),
    ]),
  );
  const landing = { table: compliancePlans, names: 'compliance_plans_name', kind: 'A plan' };
  const maker = makerOf(ctx);
  const { documents, warnings } = await withoutUnknownGroups(ctx.db, plans);
  const places = await landAll(ctx.db, landing, documents, (plan, place) => importedPlan(plan, place, maker));
  return { count: places.length, warnings };
}

/** Refuse nodes that are not there, or stand there twice; the trees of the others stay until the transaction ends. */
async function assertNodes(ctx: Writing, nodes: readonly PlanNodeRequest[], path: string[]): Promise<void> {
  const trees = [...new Set(nodes.map(({ treeId }) => treeId))];
  await rows(
    ctx.db,
    sql`select from ${goldenTrees} where id = any(${textArray(trees)}) order by id for key share`,
  );
  const found = await nodesById(ctx, nodes);
  const unknown = nodes.flatMap(({ nodeId, version, treeId }, at): Issue[] => {
    if (found[at]) return [];
    const message = `version ${version.slice(0, 100)} of tree ${treeId} has no node ${nodeId}`;
    return [{ path: [...path, at, 'nodeId'], message, code: 'unknown_node' }];
  });
  assertNone([...repeatedNodes(nodes, path), ...unknown, ...(await unknownGroups(ctx, nodes, path))]);
}

/** Device groups that are not there, or not for the caller to see; the others stay until the transaction ends. */
async function unknownGroups(
  { db, principal }: Reading,
  nodes: readonly PlanNodeRequest[],
  path: string[],
): Promise<Issue[]> {
  const asked = [...new Set(nodes.flatMap(({ deviceGroups: ids }) => ids ?? []))];
  const found = await rows<{ id: string }>(
    db,
    sql`select id from ${deviceGroups}
        where ${allOf(sql`id = any(${textArray(asked)})`, mayRead(deviceGroups, principal))} order by id for key share`,
  );
  const known = new Set(found.map(({ id }) => id));
  return nodes.flatMap(({ deviceGroups: ids }, at) =>
    (ids ?? []).flatMap((id, n): Issue[] => {
      if (known.has(id)) return [];
      const message = `no device group has the id ${id.slice(0, 100)}`;
      return [{ path: [...path, at, 'deviceGroups', n], message, code: 'unknown_group' }];
    }),
  );
}

/** A plan that is locked for a change or a run. @throws ServiceError NOT_FOUND */
export async function holdPlan({ db, principal }: Reading, planId: string): Promise<Stored<CompliancePlan>> {
  const stored = await find(db, compliancePlans, visiblePlan(principal, planId), true);
  if (!stored) throw notFound(KIND, planId);
  return stored;
}

async function lockPlan(
  ctx: Writing,
  planId: string,
  change: Partial<CompliancePlan> = {},
): Promise<Stored<CompliancePlan>> {
  const stored = await holdPlan(ctx, planId);
  assertMayWrite(stored.doc.gbac, ctx.principal, `${KIND} ${stored.doc.name}`);
  const what = `${KIND} ${stored.doc.name}`;
  assertUnchanged(ctx.request.ifMatch, stored.doc.lastUpdated, what, against(stored.doc, change));
  return stored;
}

async function writePlan(
  ctx: Writing,
  stored: Stored<CompliancePlan>,
  change: Partial<CompliancePlan>,
): Promise<CompliancePlan> {
  const plan: CompliancePlan = {
    ...stored.doc,
    ...change,
    lastUpdated: grownStamp(ctx.platform.now(), stored.doc.lastUpdated),
    lastUpdatedBy: ctx.principal.id,
  };
  const written = await unlessTaken('compliance_plans_name', taken(plan.name), () =>
    replace(ctx.db, compliancePlans, stored, plan),
  );
  if (!written) throw conflict(`${KIND} ${stored.doc.name} was changed meanwhile`);
  return plan;
}

const taken = (name: string) => `A compliance plan with the name ${name} already exists`;
