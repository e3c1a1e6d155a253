import type { Task } from '#db/schemas/workflow/task.ts';
import type { PureRun, TaskOutcome } from '../../tasks/outcome.ts';
import type { Large } from '../store/large-values.ts';
import {
  type Attempt,
  type Iteration,
  idOf,
  iterationOf,
  type JobDocument,
  MOST_ITERATIONS,
  type TaskState,
  type Todo,
} from './document.ts';
import type { Moment } from './job-events.ts';
import { edgesOf, type Plan } from './plan.ts';

/**
 * How a task is executed: by a function of values, by a worker process with side effects, by a user, or by the engine
 * itself, which alone knows the graph, the clock and the other jobs.
 */
export type TaskExecution =
  | { kind: 'pure'; run: PureRun }
  | { kind: 'effect' }
  | { kind: 'person' }
  | { kind: 'start' | 'end' | 'forEach' | 'childJob' | 'delay' | 'stub' | 'reattempt' };

/** Returns how a task is executed; undefined: no implementation exists. */
export type TaskExecutionOf = (task: Task) => TaskExecution | undefined;

/** One event being applied to a job: the new document, and what else has to be done. */
export type TransitionContext = {
  plan: Plan;
  doc: JobDocument;
  executionOf: TaskExecutionOf;
  large: Large;
  usable: ReadonlySet<string>;
  moment: Moment;
  todo: Todo[];
  iterations: Map<string, Iteration>;
  /** Tasks that may still start in this step. */
  left: number;
  /** Minimum number of characters by which the job's row may still grow; undefined: not counted yet. */
  free?: number;
  /** Number of ids made of the event's seed so far. */
  made: number;
  /** Entries of `state.tasks` that this context has already copied. */
  own: Set<string>;
};

const UNTOUCHED: Readonly<TaskState> = { status: 'incomplete', iterations: [], passes: 0, attempt: 0 };

/** Returns the state of a task. */
export const stateOf = ({ doc }: Pick<TransitionContext, 'doc'>, id: string): Readonly<TaskState> =>
  doc.state.tasks[id] ?? UNTOUCHED;

/** Returns the state of a task for changing: a copy, so that the input document stays unchanged. */
export function edit({ doc, own }: TransitionContext, id: string): TaskState {
  const known = doc.state.tasks[id];
  if (known && own.has(id)) return known;
  const copy = { ...(known ?? UNTOUCHED), iterations: [...(known?.iterations ?? [])] };
  doc.state.tasks[id] = copy;
  own.add(id);
  return copy;
}

/** Returns the current attempt of a task. */
export function attemptOf(ctx: TransitionContext, task: string): Attempt {
  const state = stateOf(ctx, task);
  return { task, iteration: iterationOf(state) ?? '', attempt: state.attempt };
}

/** Records a task's current state for its iteration; values are stored with it only once it is past. */
export function recordIteration(ctx: TransitionContext, task: string, past = false): void {
  const state = stateOf(ctx, task);
  const iteration = iterationOf(state);
  if (iteration !== undefined) ctx.iterations.set(iteration, { iteration, task, state: { ...state }, past });
}

/** Adds another iteration to a task. */
export function newIteration(ctx: TransitionContext, state: TaskState): void {
  const { seed } = ctx.moment;
  state.iterations = [...state.iterations, idOf(seed, ctx.made)].slice(-MOST_ITERATIONS);
  ctx.made += 1;
  state.passes += 1;
  state.attempt = 1;
}

/** Resets a task to incomplete; its results stay stored with its iteration. */
export function reset(ctx: TransitionContext, id: string): void {
  const { state } = ctx.doc;
  const known = state.tasks[id];
  if (known && (known.status !== 'incomplete' || known.start !== undefined)) {
    cancelTask(ctx, id);
    if (known.status === 'running') edit(ctx, id).status = 'canceled';
    if (known.start !== undefined) recordIteration(ctx, id, true);
    const { iterations, passes } = known;
    edit(ctx, id);
    state.tasks[id] = { status: 'incomplete', iterations: [...iterations], passes, attempt: 0 };
  }
  state.ready = state.ready.filter((one) => one !== id);
}

/** Requests a stop of the work that a running task waits for. */
export function cancelTask(ctx: TransitionContext, id: string): void {
  const { status, waits } = stateOf(ctx, id);
  if (status === 'running' && waits) ctx.todo.push({ type: 'stop', waits, ...attemptOf(ctx, id) });
}

/** Sets a property of any name, `__proto__` included. */
export function put(members: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Returns an error outcome. */
export const failed = (message: string): TaskOutcome => ({
  finish: 'error',
  outgoing: {},
  error: { message },
});

/** Returns the tasks directly after a task, by transitions other than reverts. */
export const followers = ({ plan }: TransitionContext, id: string): string[] =>
  edgesOf(plan.out, id).map(({ to }) => to);
