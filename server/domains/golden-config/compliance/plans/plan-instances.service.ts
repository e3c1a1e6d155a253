import { eq, sql } from 'drizzle-orm';
import { unreadableIds } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { find, replace } from '#db/collection.ts';
import { list } from '#db/list/list.ts';
import { defineResource } from '#db/list/resource.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { PlanInstance } from '#db/schemas/golden-config/compliance-plan.ts';
import { compliancePlans, planInstances } from '#db/tables/golden-config/plans.ts';
import { complianceBatches } from '#db/tables/golden-config/reports.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { accessOf, readSearchAt } from '#server/kernel/documents/documents.service.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { type Counts, keyOfNode, withProgress } from './plan-progress.ts';

const resource = defineResource({
  name: 'compliance plan instances',
  schema: PlanInstance,
  source: planInstances,
  columns: {
    planId: planInstances.planId,
    jobStatus: planInstances.jobStatus,
    started: planInstances.started,
  },
  defaultSort: [{ field: 'started', order: -1 }],
  marks: sql`d.job_status = 'running'`,
});

/** The request of a search for instances. */
export type InstanceSearch = Record<string, unknown> & {
  instanceId?: string | undefined;
  planId?: string | undefined;
  /** Name of the plan when it was run; tasks of workflows search by it. */
  planName?: string | undefined;
  jobStatus?: string | undefined;
};

type PlanInstancePage = { totalCount: number; plans: PlanInstance[] };

/**
 * Returns a page of plan runs, newest first: those whose plan the caller may see, or could see when it was deleted. The
 * page is returned twice: one client reads `plans`, the others `groups` (contract/lifecycle#4.9).
 *
 * @throws ServiceError BAD_REQUEST with every issue of the search
 */
export async function searchInstances(
  { db, principal }: ReadContext,
  { instanceId, planId, planName, jobStatus, ...options }: InstanceSearch,
): Promise<JsonText<PlanInstancePage & { groups: PlanInstancePage[] }>> {
  const filter = {
    ...(instanceId && { _id: instanceId }),
    ...(planId && { planId }),
    ...(planName && { name: planName }),
    ...(jobStatus && { jobStatus }),
  };
  const query = readSearchAt(resource, { ...options, filter, exactMatch: true }, {}, (path) => [
    'searchParams',
    ...path,
  ]);
  const closed = unreadableIds(compliancePlans, principal);
  const access = accessOf(closed && sql`plan_id <> all(${closed})`);
  const { texts, marked, total } = await list(db, resource, query, access);
  const shown = await Promise.all(
    texts.map(async (text, at) => {
      if (!marked[at]) return text;
      const instance = JSON.parse(text) as PlanInstance;
      return instance.jobStatus === 'running' ? JSON.stringify(await nowOf(db, instance)) : text;
    }),
  );
  const page = `"totalCount":${total},"plans":[${shown.join(',')}]`;
  return json(`{${page},"groups":[{${page}}]}`);
}

/** Marks the instance of a batch as finished, in the transaction that ends the batch. */
export async function finishInstance(db: Database, batchId: string): Promise<void> {
  const stored = await find(db, planInstances, eq(planInstances.batchId, batchId), true);
  if (stored) await replace(db, planInstances, stored, await nowOf(db, stored.doc));
}

/** Returns an instance with the current progress of its batch. */
async function nowOf(db: Database, instance: PlanInstance): Promise<PlanInstance> {
  const { batchId, nodes } = instance;
  const { status, started, finished } = complianceBatches;
  const isOwn = eq(complianceBatches.id, batchId);
  const [batch] = await db.select({ status, started, finished }).from(complianceBatches).where(isOwn);
  if (!batch) return instance;
  const found = await rows<{
    treeId: string;
    version: string;
    nodePath: string;
    done: string;
    errors: string;
  }>(
    db,
    sql`select tree_id as "treeId", version, node_path as "nodePath", count(*)::text as done,
          count(*) filter (where status = 'error')::text as errors
        from compliance_report where batch_id = ${batchId} and ts = ${batch.started.toISOString()}::timestamptz
          and tree_id = any(${textArray([...new Set(nodes.map(({ treeId }) => treeId))])})
        group by tree_id, version, node_path`,
  );
  const counts = new Map(
    found.map((one): [string, Counts] => [
      keyOfNode(one),
      { done: Number(one.done), errors: Number(one.errors) },
    ]),
  );
  const ended = batch.finished?.toISOString() ?? null;
  return withProgress(instance, { jobStatus: batch.status, finished: ended, counts });
}
