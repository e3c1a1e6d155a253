import { START } from '../../definitions/graph.ts';
import { headBy } from '../control/acting.ts';
import type { Large } from '../store/large-values.ts';
import { begin, timeOver } from './begin.ts';
import { decided } from './decide.ts';
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
import { expired, limited } from './time-limit.ts';
import {
  cancelTask,
  edit,
  recordIteration,
  reset,
  stateOf,
  type TaskExecutionOf,
  type TransitionContext,
} from './transition-context.ts';

/** Tasks that begin in one step: what is more goes on in the next, so that no transaction grows without end. */
export const MOST_BEGUN = 200;

export type ReducerResult = {
  document: JobDocument;
  /** Whether anything changed at all. */
  changed: boolean;
  todo: Todo[];
  passes: Iteration[];
};

/** What the interpreter may ask while it works: nothing of it changes. */
export type Knowledge = {
  plan: Plan;
  howOf: TaskExecutionOf;
  large: Large;
  /** Ids of the job's copies of transformations that its account may run; absent: none runs within the step. */
  usable?: ReadonlySet<string>;
  /** Tasks that may begin in this step; absent `MOST_BEGUN`. With 0 the event `more` begins what is ready. */
  room?: number;
};

/**
 * Applies an event to a job, which changes in no other way: what the event makes of it, and what has to be done because of
 * it (contract/engines#work-items, #transitions). It knows no clock and no database; the same document and event always
 * give the same. Every task that needs nothing but values is done within: a chain of them is one step.
 *
 * An event that is of the past, or was applied before, changes nothing.
 *
 * @throws LargeMissing when a value is needed that was not fetched: fetch it and ask again
 */
export function applyEvent(
  { plan, howOf, large, usable = new Set(), room = MOST_BEGUN }: Knowledge,
  document: JobDocument,
  event: Event,
): ReducerResult {
  const { state } = document;
  const head = headBy(document.head, plan, event);
  const walk: TransitionContext = {
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
    howOf,
    large,
    usable,
    moment: event,
    todo: [],
    passes: new Map(),
    left: room,
    made: 0,
    own: new Set(),
  };
  const isNote = event.type === 'fault' || event.type === 'told';
  if (!(isActive(head) || isNote) || !happens(walk, event)) {
    return { document, changed: false, todo: [], passes: [] };
  }
  if (!isNote) goOn(walk);
  const { doc, todo, passes } = walk;
  doc.head.metrics.progress = progressOf(plan, doc);
  doc.head.last_updated = new Date(event.at).toISOString();
  return { document: doc, changed: true, todo: current(todo), passes: [...passes.values()] };
}

/** Begin what is ready, for as long as the job runs and this step has room. */
function goOn(walk: TransitionContext): void {
  const { head, state } = walk.doc;
  while (state.ready.length > 0 && (head.status === 'running' || head.status === 'error')) {
    if (walk.left === 0) {
      walk.todo.push({ type: 'more' });
      return;
    }
    const id = walk.doc.state.ready.shift();
    if (id === undefined) return;
    walk.left -= 1;
    begin(walk, id);
  }
}

/** What was asked for and called off within the same step is neither begun nor stopped. */
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

/** Whether the event is about the job as it stands, and what it does first. */
function happens(walk: TransitionContext, event: Event): boolean {
  const { head, state } = walk.doc;
  switch (event.type) {
    case 'start':
      if (state.tasks[START] || state.ready.length > 0) return false;
      for (const id of walk.plan.apart) edit(walk, id).status = 'skipped';
      state.ready.push(START);
      limited(walk);
      return true;
    case 'more':
      return state.ready.length > 0;
    case 'finish':
      return isAt(walk, event) && finished(walk, event);
    case 'share':
      return isAt(walk, event) && shared(walk, event);
    case 'wake':
      return isAt(walk, event) && woken(walk, event);
    case 'pause':
      if (head.status !== 'running') return false;
      head.status = 'paused';
      return true;
    case 'resume':
      if (head.status !== 'paused') return false;
      head.status = 'running';
      stoppedMeanwhile(walk);
      return true;
    case 'cancel':
      endJob(walk, 'canceled');
      return true;
    case 'expire':
      return expired(walk, event.until);
    case 'retry':
      return retried(walk, event);
    case 'revert':
      if (!isOf(walk, event) || !mayRevert(walk.plan, event.task, event.to)) return false;
      revertTo(walk, event.task, event.to);
      return true;
    case 'continue':
      return continued(walk, event.task);
    case 'own':
      return owned(walk, event);
    case 'putAside':
      return putAside(walk, event);
    case 'fault':
      noteFault(walk, event.fault);
      return true;
    case 'told':
      if (state.told === head.metrics.progress) return false;
      state.told = head.metrics.progress;
      return true;
  }
}

/** Whether a task is in this very attempt, and running. */
const isAt = (walk: TransitionContext, attempt: Attempt): boolean =>
  isOf(walk, attempt) && stateOf(walk, attempt.task).status === 'running';

function isOf(walk: TransitionContext, { task, iteration, attempt }: Attempt): boolean {
  const state = stateOf(walk, task);
  return state.start !== undefined && iterationOf(state) === iteration && state.attempt === attempt;
}

function finished(
  walk: TransitionContext,
  { task, outcome, by }: Extract<Event, { type: 'finish' }>,
): boolean {
  const { waits } = stateOf(walk, task);
  if (waits !== 'effect' && waits !== 'children' && waits !== 'person') return false;
  if (by) {
    const own = edit(walk, task);
    own.user = by.id;
    // One that nobody has claimed is claimed by that.
    own.owner ??= by.id;
  }
  finish(walk, task, outcome);
  return true;
}

function shared(walk: TransitionContext, { task, share }: Extract<Event, { type: 'share' }>): boolean {
  if (stateOf(walk, task).waits !== 'children') return false;
  edit(walk, task).share = share;
  return true;
}

function woken(walk: TransitionContext, { task }: Attempt): boolean {
  const { waits } = stateOf(walk, task);
  if (waits === 'retry') {
    if (walk.doc.state.ready.includes(task)) return false;
    walk.doc.state.ready.push(task);
    return true;
  }
  const definition = walk.plan.tasks[task];
  const kind = definition && walk.howOf(definition)?.kind;
  if (waits !== 'time' || (kind !== 'delay' && kind !== 'stub' && kind !== 'reattempt')) return false;
  finish(walk, task, timeOver(walk, task, kind));
  return true;
}

function retried(walk: TransitionContext, event: Extract<Event, { type: 'retry' }>): boolean {
  if (!isOf(walk, event) || stateOf(walk, event.task).status !== 'error') return false;
  const task = edit(walk, event.task);
  task.status = 'running';
  task.waits = 'retry';
  task.attempt += 1;
  task.retries = 0;
  task.given = event.given;
  walk.doc.state.ready.push(event.task);
  reviveJob(walk);
  return true;
}

/** Whether a job can go back from one task to another: the other one comes before it. */
export const mayRevert = (plan: Plan, from: string, to: string): boolean =>
  to !== START && plan.tasks[to] !== undefined && tasksToUndo(plan, from, to).has(from);

/**
 * Whether a job can go on at a task: one that has not begun, or that stopped in error; within a loop, only while that is
 * under way.
 */
export function mayContinue(plan: Plan, { state }: Pick<JobDocument, 'state'>, task: string): boolean {
  if (task === START || !plan.tasks[task]) return false;
  const { status = 'incomplete' } = state.tasks[task] ?? {};
  if (status !== 'incomplete' && status !== 'skipped' && status !== 'error') return false;
  if (state.ready.includes(task)) return false;
  return (plan.within.get(task) ?? []).every((loop) => state.tasks[loop]?.status === 'running');
}

/** Go on at a task: those before it count as done (contract/lifecycle#6.3). */
function continued(walk: TransitionContext, id: string): boolean {
  const { plan, doc } = walk;
  if (!mayContinue(plan, doc, id)) return false;
  const around = new Set(plan.within.get(id) ?? []);
  for (const earlier of before(plan, id)) {
    if (around.has(earlier) || stateOf(walk, earlier).status === 'complete') continue;
    cancelTask(walk, earlier);
    const { ready } = doc.state;
    doc.state.ready = ready.filter((one) => one !== earlier);
    const task = edit(walk, earlier);
    task.status = 'complete';
    task.toward = id;
    delete task.waits;
    delete task.until;
    recordIteration(walk, earlier);
  }
  // What was passed over on the way here was meant never to run.
  for (const later of reachableFrom(plan, [id])) {
    if (stateOf(walk, later).status === 'skipped') edit(walk, later).status = 'incomplete';
  }
  reset(walk, id);
  doc.state.ready.push(id);
  reviveJob(walk);
  for (const earlier of before(plan, id)) if (!around.has(earlier)) decided(walk, earlier);
  return true;
}

function owned(walk: TransitionContext, event: Extract<Event, { type: 'own' }>): boolean {
  const { waits, owner = null } = stateOf(walk, event.task);
  if (!isAt(walk, event) || waits !== 'person' || owner === event.owner) return false;
  edit(walk, event.task).owner = event.owner;
  recordIteration(walk, event.task);
  return true;
}

/**
 * Share of the tasks that are decided, 0 to 1; of one that waits for child jobs, as much of it as they have done. A job that is
 * complete has all.
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
