import { randomUUID } from 'node:crypto';
import { and, eq, inArray } from 'drizzle-orm';
import { jobFans, jobs } from '#db/tables/workflow/jobs.ts';
import { usesOf } from '#server/domains/assets/index.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import type { TokenRoles } from '#server/kernel/principal.ts';
import type { TaskOutcome } from '../../tasks/outcome.ts';
import { timeLimitOf } from '../../tasks/time-limit.ts';
import { type CallerOf, reasonAgainst } from '../control/account-rights.service.ts';
import { NOBODY, startedBy } from '../control/acting.ts';
import type { Attempt } from '../reducer/document.ts';
import { commandOf, fanOf, JOBS, spawnOf } from '../reducer/job-events.ts';
import { childVariables } from '../reducer/references.ts';
import { failed } from '../reducer/transition-context.ts';
import { findDefinition } from '../store/definitions.service.ts';
import { type Large, TooMuchRead } from '../store/large-values.ts';
import { insertJobs, type NewJob } from '../store/new-job.service.ts';
import { findJob, type Loaded, withLarge } from '../store/store.service.ts';
import { resultOf } from './child-results.service.ts';
import { listOfChildren } from './children.ts';
import { addProgress, LEAST_CHANGE, lockFanOut, shareOf } from './fan-outs.service.ts';
import { reasonAgainstBelow } from './job-trees.service.ts';

/** Child jobs that one transaction creates. */
const AT_ONCE = 50;

/** Runs the transformation that creates the variables of an element, if the task names one. */
export type Transform = (
  rights: { actingAccount: string; confirmedBy: readonly string[]; tokenRoles: TokenRoles | undefined },
  id: string,
  incoming: Record<string, unknown>,
) => Promise<TaskOutcome>;

type ChildJobDependencies = SystemContext<'now' | 'durable' | 'vault'> & {
  transform: Transform;
  callerOf: CallerOf;
};

/** Result of a task that waits for child jobs: an outcome, or a child job that the caller starts at once. */
export type ChildJobResult = { outcome?: TaskOutcome; start?: string };

/**
 * Creates the child jobs of a task, in the transaction that starts the task: a single one, the first of a sequence, or all
 * of them in batches.
 */
export async function beginChildren(
  parts: ChildJobDependencies,
  parent: Loaded,
  attempt: Attempt,
): Promise<ChildJobResult> {
  const incoming = parent.document.state.tasks[attempt.task]?.incoming ?? {};
  const found = await opened(parts, parent, [incoming.data_array]);
  if (found instanceof TooMuchRead) return { outcome: failed(found.message) };
  const { large } = found;
  const childList = listOfChildren({ ...incoming, data_array: large.open(incoming.data_array) });
  if (typeof childList === 'string') return { outcome: failed(childList) };
  const { total, loops, oneByOne } = childList;
  if (total === 0) return { outcome: { finish: 'success', outgoing: { job_details: { loop: [] } } } };
  const reason = await reasonAgainstBelow(parts.db, parent.document.head, oneByOne ? 1 : total);
  if (reason !== null) return { outcome: failed(reason) };
  const fan = fanOf(attempt);
  await parts.db.insert(jobFans).values({ id: fan, jobId: parent.id, ...attempt, total, loops, oneByOne });
  if (total === 1 || oneByOne) {
    const made = await makeChild(parts, parent, attempt.task, fan, 0);
    if (made.outcome) await parts.db.delete(jobFans).where(eq(jobFans.id, fan));
    return made;
  }
  const pieces = Array.from({ length: Math.ceil(total / AT_ONCE) }, (_, at) =>
    spawnOf(fan, at * AT_ONCE, Math.min(total, (at + 1) * AT_ONCE)),
  );
  await parts.platform.durable.enqueue(parts.db, JOBS, pieces);
  return {};
}

/** Creates one child job of a task, which the caller starts: enqueueing each start would take most of its time. */
async function makeChild(
  parts: ChildJobDependencies,
  parent: Loaded,
  task: string,
  fan: string,
  at: number,
): Promise<ChildJobResult> {
  const children = await childrenOf(parts, parent, task, fan, at, at + 1);
  if (typeof children === 'string') return { outcome: failed(children) };
  const [made] = await insertJobs(parts, children, false);
  return made ? { start: made.head._id } : {};
}

/**
 * Prepares some of the child jobs of a task.
 *
 * @returns the reason as text when they cannot be created
 */
async function childrenOf(
  parts: ChildJobDependencies,
  parent: Loaded,
  task: string,
  fan: string,
  from: number,
  to: number,
): Promise<NewJob[] | string> {
  const { head, state } = parent.document;
  const own = state.tasks[task];
  const { incoming = {}, passes = 1 } = own ?? {};
  const name = String(incoming.workflow);
  const starter = startedBy(head, own);
  if (!starter) return NOBODY;
  const found = await findDefinition(parts.db, { name });
  if (!found) return `Workflow ${name} does not exist`;
  // Uses the name that was looked up: the value itself may not be text.
  const uses = usesOf('childJob', { ...incoming, workflow: name });
  const reason = await reasonAgainst(parts, parent, uses, task, elementTask(incoming));
  if (reason !== null) return reason;
  if (found.errors.length > 0) return draftMessage(name, found.errors);
  const values = await opened(parts, parent, [incoming.data_array], incoming.variables);
  if (values instanceof TooMuchRead) return values.message;
  const { large, variables } = values;
  const loops = isLooping(incoming);
  const elements = loops ? (large.open(incoming.data_array) as unknown[]).slice(from, to) : [undefined];
  const seconds = timeLimitOf(incoming);
  const children: NewJob[] = [];
  for (const [at, element] of elements.entries()) {
    const given = await variablesOf(parts, starter, incoming, variables, element, loops);
    if (typeof given === 'string') return given;
    children.push({
      workflow: found.workflow,
      planId: found.planId,
      projectId: found.projectId,
      variables: given,
      description: null,
      groups: head.groups ?? [],
      ...starter,
      isPaused: head.status === 'paused',
      ancestors: head.ancestors ?? [],
      parent: { job: parent.id, task, iteration: passes - 1, element: loops ? from + at : null },
      fan: { id: fan, element: from + at },
      limit: seconds === undefined ? undefined : { seconds },
      sealed: parent.sealed,
    });
  }
  return children;
}

/** Returns the task whose rights are needed to create the variables of an element. */
const elementTask = ({ transformation }: Record<string, unknown>) =>
  typeof transformation === 'string' && transformation !== ''
    ? { app: 'WorkFlowEngine', name: 'transformation' }
    : undefined;

const isLooping = ({ loopType }: Record<string, unknown>) =>
  loopType === 'sequential' || loopType === 'parallel';

/** Returns the message for a workflow that cannot start, with its first error. */
export const draftMessage = (name: string, errors: readonly { message?: string | undefined }[]): string =>
  `Workflow ${name} has errors and cannot start: ${errors[0]?.message ?? ''}`;

/** Returns the variables of one child job, or the reason as text when they cannot be computed. */
async function variablesOf(
  { transform }: ChildJobDependencies,
  rights: Parameters<Transform>[0],
  { transformation }: Record<string, unknown>,
  base: Record<string, unknown>,
  element: unknown,
  loops: boolean,
): Promise<Record<string, unknown> | string> {
  if (typeof transformation === 'string' && transformation !== '') {
    const outcome = await transform(rights, transformation, { ...base, currentValue: element ?? null });
    if (outcome.finish === 'success') return { ...base, ...outcome.outgoing };
    return outcome.error?.message ?? `Transformation ${transformation} finished with ${outcome.finish}`;
  }
  if (!loops) return base;
  return isObject(element) ? { ...base, ...element } : { ...base, currentValue: element };
}

/** Returns the parent's values that the children need, fetching separately stored ones. */
async function opened(
  parts: SystemContext<'now' | 'durable' | 'vault'>,
  parent: Loaded,
  values: readonly unknown[],
  written?: unknown,
): Promise<{ large: Large; variables: Record<string, unknown> } | TooMuchRead> {
  return withLarge(parts, parent.id, (large) => {
    try {
      for (const value of values) large.open(value);
      return { large, variables: childVariables(parent.document, large, written) };
    } catch (error) {
      if (error instanceof TooMuchRead) return error;
      throw error;
    }
  });
}

/** Creates a batch of the child jobs that a task requested; none when it no longer waits for them. */
export async function spawnChildren(
  parts: ChildJobDependencies,
  fanId: string,
  from: number,
  to: number,
): Promise<{ job: string; attempt: Attempt; outcome: TaskOutcome } | null> {
  const fan = await lockFanOut(parts.db, fanId);
  const parent = fan && (await findJob(parts, fan.job_id));
  if (!fan || !parent) return null;
  const children = await childrenOf(parts, parent, fan.task, fanId, from, to);
  if (typeof children !== 'string') {
    await insertJobs(parts, children);
    return null;
  }
  const { task, iteration, attempt } = fan;
  return { job: fan.job_id, attempt: { task, iteration, attempt }, outcome: failed(children) };
}

/** The result of a child job for the task that waits; `sealed`: its values come from a job whose values are sealed. */
export type ChildJobOutcome = {
  job: string;
  attempt: Attempt;
  sealed?: boolean;
  share?: number;
} & ChildJobResult;

/** Counts a finished child job for the waiting task. @returns null, new progress, the next child, or an outcome */
export async function childEnded(
  parts: ChildJobDependencies,
  child: Pick<Loaded, 'fanId' | 'document'>,
): Promise<ChildJobOutcome | null> {
  if (child.fanId === null) return null;
  const { told: reported = 0 } = child.document.state;
  const fan = await addProgress(parts.db, child.fanId, { ended: 1, change: -reported, least: 0 });
  if (!fan) return null;
  const { task, iteration, attempt, total, done } = fan;
  const notice = { job: fan.job_id, attempt: { task, iteration, attempt } };
  if (done < total) {
    const share = shareOf(fan, 1 - reported);
    if (!fan.one_by_one) return share ? { ...notice, ...share } : null;
    const parent = await findJob(parts, fan.job_id);
    return parent ? { ...notice, ...share, ...(await makeChild(parts, parent, task, fan.id, done)) } : null;
  }
  return { ...notice, ...(await resultOf(parts, fan)) };
}

/** Handles progress of a child job for the task that waits for it. @returns null when the change is too small to report */
export async function childMoved(
  parts: SystemContext<'now' | 'durable' | 'vault'>,
  { fanId, document: { head, state } }: Pick<Loaded, 'fanId' | 'document'>,
): Promise<ChildJobOutcome | null> {
  if (fanId === null) return null;
  const change = head.metrics.progress - (state.told ?? 0);
  const fan = await addProgress(parts.db, fanId, { ended: 0, change, least: LEAST_CHANGE });
  if (!fan) return null;
  const { task, iteration, attempt } = fan;
  return {
    job: fan.job_id,
    attempt: { task, iteration, attempt },
    share: (fan.done + fan.share) / fan.total,
  };
}

const IS_ACTIVE = inArray(jobs.status, ['running', 'paused', 'error']);

/** Cancels the child jobs of an attempt that no longer waits for them, and prevents further ones. */
export async function cancelChildren(
  { db, platform }: SystemContext<'now' | 'durable' | 'vault'>,
  attempt: Attempt,
  seed: string,
): Promise<void> {
  const fan = fanOf(attempt);
  // Waits for transactions that create some right now: they see the missing row, or their jobs are visible here.
  await db.delete(jobFans).where(eq(jobFans.id, fan));
  const isOwn = and(eq(jobs.fanId, fan), IS_ACTIVE);
  const children = await db.select({ id: jobs.id }).from(jobs).where(isOwn);
  await platform.durable.enqueue(
    db,
    JOBS,
    children.map(({ id }) => ({ ...commandOf(id, 'cancel', seed), priority: 1 })),
  );
}

/** Returns the active child jobs of a job, to pause or resume them. */
async function activeChildren(
  db: SystemContext<'now' | 'durable' | 'vault'>['db'],
  jobId: string,
): Promise<string[]> {
  const isChild = and(eq(jobs.parentJob, jobId), IS_ACTIVE);
  const found = await db.select({ id: jobs.id }).from(jobs).where(isChild);
  return found.map(({ id }) => id);
}

/** Pauses or resumes the child jobs of a job as well; a cancel reaches them through the tasks that wait for them. */
export async function cascade(
  { db, platform }: SystemContext<'now' | 'durable' | 'vault'>,
  jobId: string,
  command: 'pause' | 'resume' | 'cancel',
): Promise<void> {
  if (command === 'cancel') return;
  const seed = randomUUID();
  const children = await activeChildren(db, jobId);
  await platform.durable.enqueue(
    db,
    JOBS,
    children.map((id) => ({ ...commandOf(id, command, seed), priority: 1 })),
  );
}
