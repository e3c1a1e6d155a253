import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { SQL } from 'drizzle-orm';
import type { WorkItem } from '#server/durable/port.ts';
import type { SystemContext, Uses } from '#server/kernel/contexts.ts';
import { type CallerOf, formsOf, reasonAgainst, usableCopies } from '../control/account-rights.service.ts';
import type { Attempt, Head, Iteration, JobDocument, Todo } from '../reducer/document.ts';
import {
  type Event,
  type EventData,
  effectWorkOf,
  expireOf,
  expiryOf,
  handleOf,
  type Moment,
  moreOf,
  reportWorkOf,
  startOf,
  wakeOf,
  workOf,
} from '../reducer/job-events.ts';
import { applyEvent, type ReducerInput } from '../reducer/reducer.ts';
import { failed, type TaskExecutionOf } from '../reducer/transition-context.ts';
import { enqueueJobWork, type JobWorkRequests } from '../store/job-work.service.ts';
import { LargeMissing, largeFrom } from '../store/large-values.ts';
import { holdsNamedSecrets } from '../store/named-secrets.ts';
import {
  applyWithLarge,
  findJob,
  isSealedAfter,
  type Loaded,
  saveJob,
  savingIfUnchanged,
} from '../store/store.service.ts';
import {
  beginChildren,
  type ChildJobOutcome,
  cancelChildren,
  childEnded,
  childMoved,
  spawnChildren,
  type Transform,
} from './children.service.ts';
import { startErrorHandler } from './error-handler.service.ts';

/** Dependencies for advancing jobs: parts of the platform, and how tasks, transformations and callers are found. `db` is the transaction. */
export type JobEngine = SystemContext<'now' | 'durable' | 'vault'> &
  JobWorkRequests & {
    executionOf: TaskExecutionOf;
    transform: Transform;
    callerOf: CallerOf;
    /** Tasks that may start in one step; absent: the reducer's own limit. With 0, the event `more` starts them. */
    room?: number | undefined;
    /** Whether all further work is enqueued, because this work item has taken long. */
    handsOver?: boolean;
    /** Called with a job that has work for a worker process, as it was just written. */
    carry?: (job: Loaded) => void;
    /** Called with the head of a job that went into error. */
    failed?: (head: Head) => void;
  };

/** A task that a worker process has to run now. */
export type NextEffect = { job: string; attempt: Attempt };

/** The next step of a work item: a task, or the start of a child job. */
export type NextWork = NextEffect | { start: string };

/** Name of this process, which tasks record as the place where they ran. */
export const SERVER = `${hostname()}:${process.pid}`;

const momentOf = ({ platform }: Uses<'now'>): Moment => ({
  at: platform.now().getTime(),
  seed: randomUUID(),
  server: SERVER,
});

/**
 * Applies an event to a job, and does in the same transaction everything that follows from it: enqueues further work,
 * creates child jobs, cancels what is no longer needed, and reports to the job that waits for this one.
 *
 * @returns the first work for a worker process: the caller does it; the rest is enqueued
 */
export async function advance(parts: JobEngine, jobId: string, event: EventData): Promise<NextWork | null> {
  const loaded = await findJob(parts, jobId, { lock: true });
  if (!loaded) return null;
  return enqueueAllButFirst(parts, await applyToLocked(parts, loaded, event));
}

/** A job after an event, the SQL that writes it, and the task that a worker process has to run next. */
export type QuietAdvance = { job: Loaded; saving: SQL; next: NextEffect | null };

/**
 * Applies an event to a job in memory, when only the job has to be written: no work to enqueue, no other job to report to.
 * This is the case for most tasks that follow each other, and reads nothing from the database.
 *
 * @returns undefined when more is needed
 */
export function advanceWithoutEvents(
  parts: Pick<JobEngine, 'platform' | 'executionOf'>,
  job: Loaded,
  event: EventData,
  usable: ReadonlySet<string>,
): QuietAdvance | undefined {
  const input = { plan: job.plan, executionOf: parts.executionOf, usable, large: largeFrom(new Map()) };
  const settled = unlessLargeMissing(() =>
    applyEvent(input, job.document, { ...momentOf(parts), ...event } as Event),
  );
  if (!settled?.changed) return undefined;
  const isQuiet = (todo: Todo) =>
    todo.type === 'effect' ||
    (todo.type === 'person' && formsOf({ ...job, document: settled.document }, todo.task).length === 0) ||
    (todo.type === 'end' && job.fanId === null && job.document.state.limit === undefined);
  const effects = settled.todo.filter(({ type }) => type === 'effect');
  if (effects.length > 1 || !settled.todo.every(isQuiet)) return undefined;
  const sealed = isSealedAfter(job, settled);
  const saved = savingIfUnchanged(parts.platform.vault, { ...job, sealed }, settled);
  if (!saved) return undefined;
  const [effect] = effects;
  return {
    job: { ...job, sealed, document: settled.document, rev: job.rev + 1, apart: saved.apart },
    saving: saved.saving,
    next: effect?.type === 'effect' ? { job: job.id, attempt: attemptIn(effect) } : null,
  };
}

function unlessLargeMissing<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof LargeMissing) return undefined;
    throw error;
  }
}

/** Enqueues all of these except the first, which the caller does; the first too when the caller hands its work over. */
async function enqueueAllButFirst(parts: JobEngine, all: readonly NextWork[]): Promise<NextWork | null> {
  const { handsOver } = parts;
  const items = (handsOver ? all : all.slice(1)).map((one) =>
    'start' in one ? startOf(one.start) : effectWorkOf(one.job, one.attempt),
  );
  // Jobs that have not begun come first: others would wait for a job that takes long.
  const work = handsOver ? items.map((item) => ({ ...item, priority: 1 })) : items;
  await enqueueJobWork(parts, work);
  return handsOver ? null : (all[0] ?? null);
}

/** Reports to the job that waits for this one that it has finished. */
export async function reportToParent(parts: JobEngine, jobId: string): Promise<NextWork | null> {
  const child = await findJob(parts, jobId, { lock: true });
  return child ? enqueueAllButFirst(parts, await notifyParent(parts, child)) : null;
}

/** Runs the workflow that handles the errors of a job. */
export async function runErrorHandler(parts: JobEngine, jobId: string, workflow: string): Promise<void> {
  const found = await findJob(parts, jobId, { lock: true });
  if (!found) return;
  // Searches jobs stored before secrets were recognized by name: the event that may follow touches none of their values.
  const job = { ...found, sealed: found.sealed || holdsNamedSecrets(found.document) };
  const fault = await startErrorHandler(parts, job, workflow);
  if (fault) await applyToLocked(parts, job, { type: 'fault', fault });
}

/** Creates some of the child jobs that a task requested. */
export async function spawn(
  parts: JobEngine,
  fan: string,
  from: number,
  to: number,
): Promise<NextWork | null> {
  const fault = await spawnChildren(parts, fan, from, to);
  if (!fault) return null;
  const { job, attempt, outcome } = fault;
  return advance(parts, job, { type: 'finish', ...attempt, outcome });
}

/** Applies an event to a locked job, without enqueueing the work for a worker process. */
async function applyToLocked(parts: JobEngine, before: Loaded, event: EventData): Promise<NextWork[]> {
  const { executionOf, room } = parts;
  const usable = await usableCopies(parts, before);
  const input = { executionOf, usable, ...(room !== undefined && { room }) };
  const applied = await applyAll(parts, input, before, event, (...todo) => carryOut(parts, ...todo));
  if (!applied) return [];
  const { job, nexts, isOver, childOutcome } = applied;
  if (hasFailed(before.document, job.document)) parts.failed?.(job.document.head);
  if (nexts.length > 0) parts.carry?.({ ...job, rev: job.rev + 1 });
  if (childOutcome) nexts.push(...(await applyChildOutcome(parts, childOutcome)));
  if (isOver) nexts.push(...(await notifyParent(parts, job)));
  return nexts;
}

/** A locked job as events left it and as it is stored, and what has to be done now. */
type Applied = {
  job: Loaded;
  nexts: NextWork[];
  isOver: boolean;
  /** The result for the task that waits for this job. */
  childOutcome: ChildJobOutcome | null;
};

/**
 * Applies an event to a locked job, and the events that follow from it, then stores the job.
 *
 * @param carryOut does or enqueues what has to be done because of an event
 * @returns null when nothing changed
 */
async function applyAll(
  ctx: SystemContext<'now' | 'durable' | 'vault'> & JobWorkRequests,
  input: Omit<ReducerInput, 'plan' | 'large'>,
  before: Loaded,
  first: EventData,
  carryOut: (job: Loaded, todo: Todo, seed: string) => Promise<AdvanceResult>,
): Promise<Applied | null> {
  const applied: Applied = { job: before, nexts: [], isOver: false, childOutcome: null };
  const iterations = new Map<string, Iteration>();
  const fetched = new Map<string, unknown>();
  const items: WorkItem[] = [];
  const open: EventData[] = [first];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const moment = momentOf(ctx);
    const { job } = applied;
    const event = { ...moment, ...next } as Event;
    const settled = await applyWithLarge(ctx, { ...input, plan: job.plan }, job, event);
    if (!settled.changed) continue;
    applied.job = { ...job, document: settled.document, sealed: settled.sealed };
    for (const [id, value] of settled.fetched) fetched.set(id, value);
    for (const one of settled.iterations) iterations.set(one.iteration, one);
    for (const todo of settled.todo) {
      const done = await carryOut(applied.job, todo, moment.seed);
      if (done.item) items.push(done.item);
      if (done.next) applied.nexts.push(done.next);
      if (done.event) open.push(done.event);
      applied.isOver ||= todo.type === 'end';
    }
    if (next.type !== 'share') continue;
    // The job made progress, which may have to be reported to the task that waits for it.
    applied.childOutcome = await childMoved(ctx, applied.job);
    if (applied.childOutcome) open.push({ type: 'reported' });
  }
  const { job } = applied;
  if (job === before) return null;
  const changed = { document: job.document, iterations: [...iterations.values()] };
  applied.job = { ...job, apart: await saveJob(ctx, job, changed, fetched) };
  await enqueueJobWork(ctx, items);
  return applied;
}

/** Returns whether an event put the job into error. */
export const hasFailed = (before: JobDocument, after: JobDocument): boolean =>
  before.head.status !== 'error' && after.head.status === 'error';

/** Result of a todo: work to enqueue, a task to run now, or an event that follows. */
type AdvanceResult = { item?: WorkItem; next?: NextWork; event?: EventData };

async function carryOut(parts: JobEngine, job: Loaded, todo: Todo, seed: string): Promise<AdvanceResult> {
  switch (todo.type) {
    case 'effect':
      return { next: { job: job.id, attempt: attemptIn(todo) } };
    case 'children': {
      const attempt = attemptIn(todo);
      const { outcome, start } = await beginChildren(parts, job, attempt);
      return {
        ...(outcome && { event: { type: 'finish', ...attempt, outcome } }),
        ...(start !== undefined && { next: { start } }),
      };
    }
    case 'handler': {
      const fault = await startErrorHandler(parts, job, todo.workflow);
      return fault ? { event: { type: 'fault', fault } } : {};
    }
    case 'person':
      return checkForm(parts, job, attemptIn(todo));
    default:
      return requestWork(parts, job, todo, seed);
  }
}

/** Carries out a todo within a request, where no task starts: ready tasks are left to the workers. */
async function leaveToWorkers(
  ctx: SystemContext<'now' | 'durable' | 'vault'>,
  job: Loaded,
  todo: Todo,
  seed: string,
): Promise<AdvanceResult> {
  if (todo.type === 'handler') return { item: handleOf(job.id, todo.workflow, seed) };
  const done = await requestWork(ctx, job, todo, seed);
  return todo.type === 'end' && job.fanId !== null ? { item: reportWorkOf(job.id) } : done;
}

/** Enqueues or cancels the work of a todo, in a worker and in a request alike. */
async function requestWork(
  ctx: SystemContext<'now' | 'durable' | 'vault'>,
  job: Loaded,
  todo: Todo,
  seed: string,
): Promise<AdvanceResult> {
  switch (todo.type) {
    case 'wait':
      return { item: wakeOf(job.id, attemptIn(todo), todo.until) };
    case 'more':
      return { item: moreOf(job.id, seed) };
    case 'limit':
      return { item: expireOf(job.id, todo.until) };
    case 'stop':
      await cancelAttempt(ctx, todo, seed);
      return {};
    case 'end':
      await cancelTimeLimit(ctx, job);
      return {};
    default:
      return {};
  }
}

/** Ends a manual task in error when the account of its job may not use the form that it shows. */
async function checkForm(parts: JobEngine, job: Loaded, attempt: Attempt): Promise<AdvanceResult> {
  const reason = await reasonAgainst(parts, job, formsOf(job, attempt.task), attempt.task);
  return reason === null ? {} : { event: { type: 'finish', ...attempt, outcome: failed(reason) } };
}

/** Cancels the expiry of a finished job's time limit, unless the limit has already expired. */
async function cancelTimeLimit(
  { db, platform }: SystemContext<'now' | 'durable' | 'vault'>,
  { id, document }: Pick<Loaded, 'id' | 'document'>,
) {
  const { until = 0 } = document.state.limit ?? {};
  if (until > platform.now().getTime()) await platform.durable.cancel(db, [expiryOf(id, until)]);
}

/** Cancels the work that was requested for an outdated attempt. */
async function cancelAttempt(
  ctx: SystemContext<'now' | 'durable' | 'vault'>,
  stop: Extract<Todo, { type: 'stop' }>,
  seed: string,
): Promise<void> {
  await ctx.platform.durable.cancel(ctx.db, workOf(attemptIn(stop)));
  if (stop.waits === 'children') await cancelChildren(ctx, attemptIn(stop), seed);
}

const attemptIn = ({ task, iteration, attempt }: Attempt): Attempt => ({ task, iteration, attempt });

/** Continues the job that waits for this one, and in turn the job that waits for that. */
async function notifyParent(parts: JobEngine, child: Loaded): Promise<NextWork[]> {
  const nextWork = await childEnded(parts, child);
  return nextWork ? applyChildOutcome(parts, nextWork) : [];
}

async function applyChildOutcome(
  parts: JobEngine,
  { job, attempt, outcome, start, share, sealed }: ChildJobOutcome,
): Promise<NextWork[]> {
  const nexts: NextWork[] = start === undefined ? [] : [{ start }];
  const event: EventData | undefined = outcome
    ? { type: 'finish', ...attempt, outcome }
    : share !== undefined
      ? { type: 'share', ...attempt, share }
      : undefined;
  const parent = event && (await findJob(parts, job, { lock: true }));
  if (!parent) return nexts;
  return [
    ...nexts,
    ...(await applyToLocked(parts, { ...parent, sealed: parent.sealed || sealed === true }, event)),
  ];
}

/** Applies an event to a locked job within a request. @returns the new state of the job; null: nothing changed */
export async function applyInRequest(
  ctx: SystemContext<'now' | 'durable' | 'vault'>,
  loaded: Loaded,
  event: EventData,
): Promise<JobDocument | null> {
  const input = { executionOf: () => undefined, room: 0 };
  const applied = await applyAll(ctx, input, loaded, event, (...todo) => leaveToWorkers(ctx, ...todo));
  return applied?.job.document ?? null;
}
