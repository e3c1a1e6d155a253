import { and, eq } from 'drizzle-orm';
import { insert } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { PlanInstance, PlanNode } from '#db/schemas/golden-config/compliance-plan.ts';
import { planInstances } from '#db/tables/golden-config/plans.ts';
import { selectDevices } from '#server/domains/network/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { findDocument } from '#server/kernel/documents/documents.service.ts';
import { conflict, unprocessable } from '#server/kernel/errors.ts';
import { devicesOfGroups } from '../../devices/group-members.service.ts';
import { parserSourcesFor } from '../../parsers/readers.service.ts';
import { startBatch } from '../runs/batch-work.service.ts';
import { type Placement, targetsOf } from '../runs/run-targets.ts';
import { devicesOn } from '../runs/runs.service.ts';
import { finishInstance } from './plan-instances.service.ts';
import { type FoundNode, nodesById } from './plan-nodes.service.ts';

/** The response to starting a plan. */
export type PlanStarted = { message: string; planId: string; instanceId: string };

/**
 * Runs a plan: stores one batch over all its nodes and the instance that shows its progress before responding
 * (contract/lifecycle#4.9).
 *
 * @throws ServiceError NOT_FOUND, CONFLICT while it runs, UNPROCESSABLE_CONTENT naming a missing node
 */
export async function runPlan(ctx: ReadContext<'now' | 'durable'>, planId: string): Promise<PlanStarted> {
  const { db, platform } = ctx;
  const { doc: plan } = await findDocument(ctx, 'plan', planId, true);
  const isRunning = and(eq(planInstances.planId, planId), eq(planInstances.jobStatus, 'running'));
  const [running] = await db.select({ id: planInstances.id }).from(planInstances).where(isRunning);
  if (running) throw conflict(`Compliance plan ${plan.name} is running: instance ${running.id}`);
  const nodes = await placedNodes(ctx, plan.nodes);
  const placements = nodes.map(
    ({ node, found, devices }): Placement => ({
      place: { treeId: node.treeId, version: node.version, nodePath: found.path, variables: node.variables },
      devices,
    }),
  );
  const targets = targetsOf(placements);
  const places = placements.map(({ place }) => place);
  const { batchId, started } = await startBatch({ ...ctx, platform }, places, targets, plan.throttle);
  const id = newId(started.getTime());
  const instance: PlanInstance = {
    id,
    _id: id,
    planId,
    name: plan.name,
    description: plan.description ?? '',
    jobStatus: 'running',
    batchId,
    started: started.toISOString(),
    finished: null,
    nodes: nodes.map(({ node: { treeId, version, nodeId }, found, devices }) => ({
      treeId,
      version,
      nodeId,
      nodePath: found.path,
      status: devices.length > 0 ? 'running' : 'completed',
      devices: devices.length,
      processedDevices: 0,
    })),
  };
  await insert(db, planInstances, id, instance);
  // A batch without devices has already ended.
  if (targets.length === 0) await finishInstance(db, batchId);
  return { message: 'Successfully started compliance plan.', planId, instanceId: id };
}

type PlacedNode = { node: PlanNode; found: FoundNode; devices: string[] };

/**
 * Returns the nodes of a plan at their current paths, with their devices: those that the plan names, else the node's own.
 */
async function placedNodes(
  ctx: ReadContext<'now' | 'durable'>,
  nodes: readonly PlanNode[],
): Promise<PlacedNode[]> {
  const found = await nodesById(ctx, nodes);
  const there = nodes.map((node, at) => {
    const one = found[at];
    if (one) return { node, found: one };
    throw unprocessable(`Version ${node.version} of tree ${node.treeId} has no node ${node.nodeId}`);
  });
  const parsers = await parserSourcesFor(
    ctx.db,
    there.map((one) => one.found.deviceType),
  );
  for (const { found: one } of there) {
    if (!parsers.has(one.deviceType)) {
      throw unprocessable(`No parser is named ${one.deviceType}: node ${one.path} cannot be checked`);
    }
  }
  const assigned = await devicesOn(
    ctx,
    there.map((one) => one.found.node),
  );
  const members = await devicesOfGroups(
    ctx,
    there.flatMap(({ node }) => node.deviceGroups),
  );
  const selected = await Promise.all(
    nodes.map(({ selection }, at) =>
      selection ? selectDevices(ctx, selection, ['nodes', at, 'selection']) : [],
    ),
  );
  return there.map(({ node, found: one }, at) => {
    const named = [
      ...node.devices,
      ...node.deviceGroups.flatMap((id) => members.get(id) ?? []),
      ...(selected[at] ?? []),
    ];
    const isNamed = node.devices.length > 0 || node.deviceGroups.length > 0 || node.selection !== undefined;
    return { node, found: one, devices: [...new Set(isNamed ? named : assigned[at])] };
  });
}
