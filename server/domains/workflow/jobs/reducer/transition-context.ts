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
 * How a task is done: by a function of values, by a process that may touch the world, by a person, or by the engine
 * itself, which alone knows the graph, the clock and the other jobs.
 */
export type TaskExecution =
  | { kind: 'pure'; run: PureRun }
  | { kind: 'effect' }
  | { kind: 'person' }
  | { kind: 'start' | 'end' | 'forEach' | 'childJob' | 'delay' | 'stub' | 'reattempt' };

/** undefined: nothing here can do this task. */
export type TaskExecutionOf = (task: Task) => TaskExecution | undefined;

/** One event on its way through a job: the document as it becomes, and what has to be done besides. */
export type TransitionContext = {
  plan: Plan;
  doc: JobDocument;
  howOf: TaskExecutionOf;
  large: Large;
  usable: ReadonlySet<string>;
  moment: Moment;
  todo: Todo[];
  passes: Map<string, Iteration>;
  /** Tasks that may still begin in this step. */
  left: number;
  /** Characters that the row of the job may still grow by, at least; undefined: not counted yet. */
  free?: number;
  /** Ids made of the event's seed. */
  made: number;
  /** Entries of `state.tasks` that are this walk's own copies. */
  own: Set<string>;
};

const UNTOUCHED: Readonly<TaskState> = { status: 'incomplete', iterations: [], passes: 0, attempt: 0 };

/** Where a task stands. */
export const stateOf = ({ doc }: Pick<TransitionContext, 'doc'>, id: string): Readonly<TaskState> =>
  doc.state.tasks[id] ?? UNTOUCHED;

/** The same, to be changed: the document that came in stays as it was. */
export function edit({ doc, own }: TransitionContext, id: string): TaskState {
  const known = doc.state.tasks[id];
  if (known && own.has(id)) return known;
  const copy = { ...(known ?? UNTOUCHED), iterations: [...(known?.iterations ?? [])] };
  doc.state.tasks[id] = copy;
  own.add(id);
  return copy;
}

/** The attempt that a task is at. */
export function attemptOf(walk: TransitionContext, task: string): Attempt {
  const state = stateOf(walk, task);
  return { task, iteration: iterationOf(state) ?? '', attempt: state.attempt };
}

/** The pass is as the task stands now; its values are kept with it only once they are of the past. */
export function recordIteration(walk: TransitionContext, task: string, past = false): void {
  const state = stateOf(walk, task);
  const iteration = iterationOf(state);
  if (iteration !== undefined) walk.passes.set(iteration, { iteration, task, state: { ...state }, past });
}

/** Begin another pass through a task. */
export function newIteration(walk: TransitionContext, state: TaskState): void {
  const { seed } = walk.moment;
  state.iterations = [...state.iterations, idOf(seed, walk.made)].slice(-MOST_ITERATIONS);
  walk.made += 1;
  state.passes += 1;
  state.attempt = 1;
}

/** Nothing of a task counts any more; what it gave is kept with its pass. */
export function reset(walk: TransitionContext, id: string): void {
  const { state } = walk.doc;
  const known = state.tasks[id];
  if (known && (known.status !== 'incomplete' || known.start !== undefined)) {
    cancelTask(walk, id);
    if (known.status === 'running') edit(walk, id).status = 'canceled';
    if (known.start !== undefined) recordIteration(walk, id, true);
    const { iterations, passes } = known;
    edit(walk, id);
    state.tasks[id] = { status: 'incomplete', iterations: [...iterations], passes, attempt: 0 };
  }
  state.ready = state.ready.filter((one) => one !== id);
}

/** What was asked for on behalf of a running task is not needed any more. */
export function cancelTask(walk: TransitionContext, id: string): void {
  const { status, waits } = stateOf(walk, id);
  if (status === 'running' && waits) walk.todo.push({ type: 'stop', waits, ...attemptOf(walk, id) });
}

/** Set a member whatever it is called. */
export function put(members: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
}

/** An outcome that is an error. */
export const failed = (message: string): TaskOutcome => ({
  finish: 'error',
  outgoing: {},
  error: { message },
});

/** Tasks behind a task, by ways onward and into its loop. */
export const followers = ({ plan }: TransitionContext, id: string): string[] =>
  edgesOf(plan.out, id).map(({ to }) => to);
