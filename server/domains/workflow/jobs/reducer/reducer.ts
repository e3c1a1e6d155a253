import { START } from '../../definitions/graph.ts';
import { headBy } from '../control/acting.ts';
import type { Large } from '../store/large-values.ts';
import { begin, timeOver } from './begin.ts';
import { decideTasksAfter } from './decide.ts';
import {
  type Attempt,
  type Iteration,
  isActive,
  iterationOf,
  type JobDocument,
  type Todo,
} from './document.ts';
import { finish } from './finish.ts';
import type { Event } from './job-events.ts';
import { before, type Plan, reachableFrom } from './plan.ts';
import { putAside } from './put-aside.ts';
import { revertTo, tasksToUndo } from './revert.ts';
import { endJob, noteFault, reviveJob, stoppedMeanwhile } from './status.ts';
import { applyTimeLimit, startTimeLimit } from './time-limit.ts';
import {
  cancelTask,
  edit,
  recordIteration,
  reset,
  stateOf,
  type TaskExecutionOf,
  type TransitionContext,
} from './transition-context.ts';

/** Number of tasks that start in one step: the next step starts the rest, so that no transaction grows without limit. */
export const MOST_BEGUN = 200;

export type ReducerResult = {
  document: JobDocument;
  /** Whether anything changed at all. */
  changed: boolean;
  todo: Todo[];
  iterations: Iteration[];
};

/** Facts that the reducer may query while it works; it changes none of them. */
export type ReducerInput = {
  plan: Plan;
  executionOf: TaskExecutionOf;
  large: Large;
  /** Ids of the job's copies of transformations that its account may run; absent: none runs within the step. */
  usable?: ReadonlySet<string>;
  /** Number of tasks that may start in this step; absent: `MOST_BEGUN`. With 0, the event `more` starts the ready tasks. */
  room?: number;
};

/**
 * Applies an event to a job, and returns the new document and what has to be done because of it
 * (contract/engines#work-items, #transitions). A job changes in no other way. The function uses no clock and no database:
 * the same document and event always produce the same result. Every task that needs only values runs within it: a chain of
 * them is one step.
 *
 * An event that is outdated, or was applied before, changes nothing.
 *
 * @throws LargeMissing when a value is needed that was not fetched: fetch it and call again
 */
export function applyEvent(
  { plan, executionOf, large, usable = new Set(), room = MOST_BEGUN }: ReducerInput,
  document: JobDocument,
  event: Event,
): ReducerResult {
  const { state } = document;
  const head = headBy(document.head, plan, event);
  const ctx: TransitionContext = {
    plan,
    doc: {
      head: {
        ...head,
        variables: { ...head.variables },
        error: [...head.error],
        metrics: { ...head.metrics },
      },
      state: { ...state, tasks: { ...state.tasks }, ready: [...state.ready] },
    },
    executionOf,
    large,
    usable,
    moment: event,
    todo: [],
    iterations: new Map(),
    left: room,
    made: 0,
    own: new Set(),
  };
  const isNote = event.type === 'fault' || event.type === 'reported';
  if (!(isActive(head) || isNote) || !transition(ctx, event)) {
    return { document, changed: false, todo: [], iterations: [] };
  }
  if (!isNote) startReadyTasks(ctx);
  const { doc, todo, iterations } = ctx;
  doc.head.metrics.progress = progressOf(plan, doc);
  doc.head.last_updated = new Date(event.at).toISOString();
  return { document: doc, changed: true, todo: current(todo), iterations: [...iterations.values()] };
}

/** Starts the ready tasks, as long as the job runs and this step has room. */
function startReadyTasks(ctx: TransitionContext): void {
  const { head, state } = ctx.doc;
  while (state.ready.length > 0 && (head.status === 'running' || head.status === 'error')) {
    if (ctx.left === 0) {
      ctx.todo.push({ type: 'more' });
      return;
    }
    const id = ctx.doc.state.ready.shift();
    if (id === undefined) return;
    ctx.left -= 1;
    begin(ctx, id);
  }
}

/** Drops requests that were canceled within the same step, and their cancellations. */
function current(todo: readonly Todo[]): Todo[] {
  const keyOf = ({ task, iteration, attempt }: Attempt) => `${task} ${iteration} ${attempt}`;
  const stops = new Set(todo.flatMap((one) => (one.type === 'stop' ? [keyOf(one)] : [])));
  const begun = new Set<string>();
  for (const one of todo) if ('task' in one && one.type !== 'stop') begun.add(keyOf(one));
  return todo.filter((one) => {
    if (!('task' in one)) return true;
    return one.type === 'stop' ? !begun.has(keyOf(one)) : !stops.has(keyOf(one));
  });
}

/** Applies the direct effect of an event. @returns false when the event does not apply to the job's current state */
function transition(ctx: TransitionContext, event: Event): boolean {
  const { head, state } = ctx.doc;
  switch (event.type) {
    case 'start':
      if (state.tasks[START] || state.ready.length > 0) return false;
      for (const id of ctx.plan.onlyByRevert) edit(ctx, id).status = 'skipped';
      state.ready.push(START);
      startTimeLimit(ctx);
      return true;
    case 'more':
      return state.ready.length > 0;
    case 'finish':
      return isAt(ctx, event) && finished(ctx, event);
    case 'share':
      return isAt(ctx, event) && shared(ctx, event);
    case 'wake':
      return isAt(ctx, event) && woken(ctx, event);
    case 'pause':
      if (head.status !== 'running') return false;
      head.status = 'paused';
      return true;
    case 'resume':
      if (head.status !== 'paused') return false;
      head.status = 'running';
      stoppedMeanwhile(ctx);
      return true;
    case 'cancel':
      endJob(ctx, 'canceled');
      return true;
    case 'expire':
      return applyTimeLimit(ctx, event.until);
    case 'retry':
      return retried(ctx, event);
    case 'revert':
      if (!isOf(ctx, event) || !mayRevert(ctx.plan, event.task, event.to)) return false;
      revertTo(ctx, event.task, event.to);
      return true;
    case 'continue':
      return continued(ctx, event.task);
    case 'own':
      return owned(ctx, event);
    case 'putAside':
      return putAside(ctx, event);
    case 'fault':
      noteFault(ctx, event.fault);
      return true;
    case 'reported':
      if (state.told === head.metrics.progress) return false;
      state.told = head.metrics.progress;
      return true;
  }
}

/** Returns whether a task is running in exactly this attempt. */
const isAt = (ctx: TransitionContext, attempt: Attempt): boolean =>
  isOf(ctx, attempt) && stateOf(ctx, attempt.task).status === 'running';

function isOf(ctx: TransitionContext, { task, iteration, attempt }: Attempt): boolean {
  const state = stateOf(ctx, task);
  return state.start !== undefined && iterationOf(state) === iteration && state.attempt === attempt;
}

function finished(
  ctx: TransitionContext,
  { task, outcome, by }: Extract<Event, { type: 'finish' }>,
): boolean {
  const { waits } = stateOf(ctx, task);
  if (waits !== 'effect' && waits !== 'children' && waits !== 'person') return false;
  if (by) {
    const own = edit(ctx, task);
    own.user = by.id;
    // Finishing an unclaimed task claims it.
    own.owner ??= by.id;
  }
  finish(ctx, task, outcome);
  return true;
}

function shared(ctx: TransitionContext, { task, share }: Extract<Event, { type: 'share' }>): boolean {
  if (stateOf(ctx, task).waits !== 'children') return false;
  edit(ctx, task).share = share;
  return true;
}

function woken(ctx: TransitionContext, { task }: Attempt): boolean {
  const { waits } = stateOf(ctx, task);
  if (waits === 'retry') {
    if (ctx.doc.state.ready.includes(task)) return false;
    ctx.doc.state.ready.push(task);
    return true;
  }
  const definition = ctx.plan.tasks[task];
  const kind = definition && ctx.executionOf(definition)?.kind;
  if (waits !== 'time' || (kind !== 'delay' && kind !== 'stub' && kind !== 'reattempt')) return false;
  finish(ctx, task, timeOver(ctx, task, kind));
  return true;
}

function retried(ctx: TransitionContext, event: Extract<Event, { type: 'retry' }>): boolean {
  if (!isOf(ctx, event) || stateOf(ctx, event.task).status !== 'error') return false;
  const task = edit(ctx, event.task);
  task.status = 'running';
  task.waits = 'retry';
  task.attempt += 1;
  task.retries = 0;
  task.given = event.given;
  ctx.doc.state.ready.push(event.task);
  reviveJob(ctx);
  return true;
}

/** Returns whether a job can go back from one task to another: the other one must come before it. */
export const mayRevert = (plan: Plan, from: string, to: string): boolean =>
  to !== START && plan.tasks[to] !== undefined && tasksToUndo(plan, from, to).has(from);

/**
 * Returns whether a job can continue at a task: one that has not started, or that stopped in error; within a loop, only
 * while the loop is running.
 */
export function mayContinue(plan: Plan, { state }: Pick<JobDocument, 'state'>, task: string): boolean {
  if (task === START || !plan.tasks[task]) return false;
  const { status = 'incomplete' } = state.tasks[task] ?? {};
  if (status !== 'incomplete' && status !== 'skipped' && status !== 'error') return false;
  if (state.ready.includes(task)) return false;
  return (plan.within.get(task) ?? []).every((loop) => state.tasks[loop]?.status === 'running');
}

/** Continues at a task: the tasks before it count as finished (contract/lifecycle#6.3). */
function continued(ctx: TransitionContext, id: string): boolean {
  const { plan, doc } = ctx;
  if (!mayContinue(plan, doc, id)) return false;
  const around = new Set(plan.within.get(id) ?? []);
  for (const earlier of before(plan, id)) {
    if (around.has(earlier) || stateOf(ctx, earlier).status === 'complete') continue;
    cancelTask(ctx, earlier);
    const { ready } = doc.state;
    doc.state.ready = ready.filter((one) => one !== earlier);
    const task = edit(ctx, earlier);
    task.status = 'complete';
    task.toward = id;
    delete task.waits;
    delete task.until;
    recordIteration(ctx, earlier);
  }
  // Tasks skipped on the way here may run after all.
  for (const later of reachableFrom(plan, [id])) {
    if (stateOf(ctx, later).status === 'skipped') edit(ctx, later).status = 'incomplete';
  }
  reset(ctx, id);
  doc.state.ready.push(id);
  reviveJob(ctx);
  for (const earlier of before(plan, id)) if (!around.has(earlier)) decideTasksAfter(ctx, earlier);
  return true;
}

function owned(ctx: TransitionContext, event: Extract<Event, { type: 'own' }>): boolean {
  const { waits, owner = null } = stateOf(ctx, event.task);
  if (!isAt(ctx, event) || waits !== 'person' || owner === event.owner) return false;
  edit(ctx, event.task).owner = event.owner;
  recordIteration(ctx, event.task);
  return true;
}

/**
 * Returns the share of decided tasks, 0 to 1; a task that waits for child jobs counts with their progress. A complete job
 * always has 1.
 */
function progressOf({ tasks }: Plan, { head, state }: JobDocument): number {
  if (head.status === 'complete') return 1;
  const ids = Object.keys(tasks);
  const done = ids.reduce((sum, id) => {
    const { status, share = 0 } = state.tasks[id] ?? {};
    if (status === 'complete' || status === 'skipped') return sum + 1;
    return status === 'running' ? sum + share : sum;
  }, 0);
  return ids.length === 0 ? 0 : Math.round((done / ids.length) * 1000) / 1000;
}
