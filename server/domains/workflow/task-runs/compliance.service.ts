import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import type { PlanInstance } from '#db/schemas/golden-config/compliance-plan.ts';
import type { BatchStatus } from '#db/schemas/golden-config/compliance-report.ts';
import { sql } from '#db/statement.ts';
import {
  cancelBatch,
  getBatchReports,
  getBatchStatus,
  gradeOfTotals,
  type PartialFields,
  runPlan,
  type ScoreOptions,
  searchInstances,
  startRun,
  type Thresholds,
} from '#server/domains/golden-config/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import type { EffectRun, TaskEnvironment, TaskOutcome } from '../tasks/outcome.ts';
import { broken, succeeded } from './finish.ts';
import { callerFor } from './task-contexts.service.ts';
import { list, named, number, object, optional, type TaskInput, TaskInputError, text } from './task-input.ts';

/** How long a repeated attempt of a task can find the batch that it started, in milliseconds. */
const FOUND_MS = 7 * 86_400_000;
/** Minimum and maximum pause between two checks of a batch, in milliseconds. */
const PAUSES = { least: 100, most: 2000 };

/**
 * Starts one batch per attempt of a task: an attempt that is repeated after its process was lost continues with the batch
 * that it had started.
 *
 * @param start starts the batch in the transaction and returns its id
 */
async function startedOnce(
  world: TaskEnvironment,
  start: (tx: Database) => Promise<string>,
): Promise<string> {
  const oldest = newId(world.now().getTime() - FOUND_MS).slice(0, 8);
  const [known] = await rows<{ id: string }>(
    world.db,
    sql`select id from compliance_batch where id >= ${oldest} and request ->> 'task' = ${world.key} limit 1`,
  );
  if (known) return known.id;
  return world.db.transaction(async (tx) => {
    const batchId = await start(tx);
    await rows(
      tx,
      sql`update compliance_batch set request = request || ${JSON.stringify({ task: world.key })}::text::jsonb
          where id = ${batchId}`,
    );
    return batchId;
  });
}

/** Waits until a batch has ended; when the job is canceled meanwhile, the batch is stopped. */
async function ended(world: TaskEnvironment, ctx: ReadContext, batchId: string): Promise<BatchStatus> {
  for (let pause = PAUSES.least; ; pause = Math.min(pause * 2, PAUSES.most)) {
    const status = (await getBatchStatus(ctx, batchId)).parse();
    if (status.status !== 'running') return status;
    try {
      await sleep(pause, undefined, { signal: world.signal });
    } catch (aborted) {
      await stopped(world, ctx, batchId);
      throw aborted;
    }
  }
}

async function stopped(
  { db, platform }: TaskEnvironment,
  { principal }: ReadContext,
  batchId: string,
): Promise<void> {
  try {
    await db.transaction((tx) =>
      cancelBatch({ db: tx, principal, platform, request: { ifMatch: null } }, batchId),
    );
  } catch (error) {
    // It may have ended by itself.
    if (!(error instanceof ServiceError)) throw error;
  }
}

/** Returns the outcome of a batch; one that did not complete is an error, with its partial results. */
const outcomeOf = ({ status, batchId }: BatchStatus, outgoing: TaskOutcome['outgoing']): TaskOutcome =>
  status === 'complete'
    ? succeeded(outgoing)
    : { ...broken(`Compliance batch ${batchId} ended with ${status}`, { batchId, status }), outgoing };

const runCompliancePlan: EffectRun = async (incoming, world) => {
  const planId = named(incoming, 'planId');
  const ctx: ReadContext = { db: world.db, principal: await callerFor(world) };
  const batchId = await startedOnce(world, async (tx) => {
    const { instanceId } = await runPlan({ ...ctx, db: tx, platform: world.platform }, planId);
    const instance = await instanceOf({ ...ctx, db: tx }, { instanceId });
    return String(instance.batchId);
  });
  const status = await ended(world, ctx, batchId);
  const instance = await instanceOf(ctx, { planId, batchId });
  return outcomeOf(status, {
    result: { ...instance, ...status },
    response: { planId, instanceId: instance._id ?? null },
  });
};

/** Returns the run of a plan, by its id or by its batch among the newest runs. */
async function instanceOf(
  ctx: ReadContext,
  { batchId, ...search }: { instanceId?: string; planId?: string; batchId?: string },
): Promise<Partial<PlanInstance>> {
  const found = await searchInstances(ctx, { ...search, limit: 100 });
  const { plans } = found.parse();
  return plans.find((one) => batchId === undefined || one.batchId === batchId) ?? {};
}

const runCompliance: EffectRun = async (incoming, world) => {
  const devices = optional<unknown[] | undefined>(list, incoming, 'devices', undefined)?.map((device, at) => {
    if (typeof device !== 'string') throw new TaskInputError(`devices.${at}`, 'must be the name of a device');
    return device;
  });
  const where = {
    treeId: named(incoming, 'treeId'),
    version: optional(text, incoming, 'version', 'initial'),
    nodePath: optional(text, incoming, 'nodePath', 'base'),
  };
  const ctx: ReadContext = { db: world.db, principal: await callerFor(world) };
  const batchId = await startedOnce(world, async (tx) => {
    const started = await startRun({ ...ctx, db: tx, platform: world.platform }, { ...where, devices });
    return started.batchId;
  });
  const status = await ended(world, ctx, batchId);
  const reports = await getBatchReports({ ...ctx, answer: { headers: {} } }, batchId, {});
  return outcomeOf(status, { reports: reports.parse() });
};

/** Returns numbers of an object within `grading`, by name; names that are not listed are ignored. */
const numbersOf = (grading: TaskInput, name: string, known: readonly string[]): Record<string, number> => {
  const given = optional(object, grading, name, {});
  return Object.fromEntries(
    known.flatMap((field) => {
      const path = `grading.${name}.${field}`;
      const value = optional<number | undefined>(number, { [path]: given[field] }, path, undefined);
      return value === undefined ? [] : [[field, value]];
    }),
  );
};

/**
 * Checks the devices of all nodes of a tree. A device that could not be checked has no score: it is listed in
 * `erroredDevices` instead of `reports`.
 */
const runComplianceForTree: EffectRun = async (incoming, world) => {
  const where = {
    treeId: named(incoming, 'treeId'),
    version: optional(text, incoming, 'version', 'initial'),
    nodePath: 'base',
    children: true,
    variables: optional(object, incoming, 'variables', {}),
  };
  const grading = optional(object, incoming, 'grading', {});
  const weights: PartialFields<ScoreOptions> = numbersOf(grading, 'weights', ['error', 'warning', 'info']);
  const benchmarks: PartialFields<Thresholds> = numbersOf(grading, 'benchmarks', ['pass', 'review']);
  const ctx: ReadContext = { db: world.db, principal: await callerFor(world) };
  const batchId = await startedOnce(
    world,
    async (tx) => (await startRun({ ...ctx, db: tx, platform: world.platform }, where)).batchId,
  );
  const status = await ended(world, ctx, batchId);
  const found = (await getBatchReports({ ...ctx, answer: { headers: {} } }, batchId, {})).parse();
  const reports = found
    .filter((report) => report.status === 'complete')
    .map((report) => ({
      ...report,
      reportId: report.id,
      ...gradeOfTotals(world, report.totals, { weights, benchmarks }),
    }));
  const erroredDevices = found.flatMap(({ status: state, deviceName, error = '', id }) =>
    state === 'error' ? [{ deviceName, reason: error, reportId: id }] : [],
  );
  return outcomeOf(status, { runComplianceBatchResult: { ...status, reports, erroredDevices } });
};

/** The runs of these tasks, by application and name. */
export const COMPLIANCE_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'ConfigurationManager.runCompliance': runCompliance,
  'ConfigurationManager.runCompliancePlan': runCompliancePlan,
  'ConfigurationManager.runComplianceForTree': runComplianceForTree,
};
