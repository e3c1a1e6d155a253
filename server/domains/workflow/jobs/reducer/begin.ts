import type { Task } from '#db/schemas/workflow/task.ts';
import { jsonLength } from '#server/kernel/json/json-length.ts';
import { type TaskOutcome, TooMuchAtOnce } from '../../tasks/outcome.ts';
import { copyOf, ROOM_OF_ONE, withinTime } from '../execution/transform.ts';
import { MOST_OF_TASK, membersLength, NO_ROOM, reserve, TOO_LARGE } from '../store/capacity.ts';
import { LargeMissing, TooMuchRead } from '../store/large-values.ts';
import { consider } from './decide.ts';
import { iterationOf } from './document.ts';
import { finish } from './finish.ts';
import { beginLoop } from './loop.ts';
import { loopsAround } from './plan.ts';
import { resolved, viewOf } from './references.ts';
import {
  attemptOf,
  edit,
  failed,
  newIteration,
  recordIteration,
  stateOf,
  type TaskExecution,
  type TransitionContext,
} from './transition-context.ts';

/** Number of iterations of one task beyond which the job is considered an endless loop. */
const MOST_PASSES = 100_000;

/** Starts another iteration of a task, within the current iteration of the innermost loop around it. */
export function beginIteration(walk: TransitionContext, id: string): void {
  const task = edit(walk, id);
  newIteration(walk, task);
  const parent = innermost(walk, id);
  if (parent) task.parent = parent;
}

/** Starts a task that is ready, and finishes it at once when it has nothing to wait for. */
export function begin(walk: TransitionContext, id: string): void {
  const definition = walk.plan.tasks[id];
  if (!definition) return;
  const task = edit(walk, id);
  if (task.waits !== 'retry') beginIteration(walk, id);
  delete task.waits;
  delete task.until;
  delete task.share;
  delete task.stubbed;
  task.status = 'running';
  task.start = walk.moment.at;
  task.server = walk.moment.server;
  const confirmedBy = definition.actor ? walk.doc.state.tasks[definition.actor]?.user : undefined;
  if (confirmedBy) task.confirmedBy = confirmedBy;
  else delete task.confirmedBy;
  const how = walk.howOf(definition);
  if (task.passes > MOST_PASSES) {
    finish(walk, id, failed(`ran more than ${MOST_PASSES} times`));
    return;
  }
  const unconfirmed = confirmedBy ? null : missingActor(walk, definition);
  if (unconfirmed !== null) {
    finish(walk, id, failed(`needs task ${unconfirmed} to be finished by a user first`));
    return;
  }
  const refused = takeIncoming(walk, id, definition);
  const outcome =
    refused ?? (how ? atOnce(walk, id, how) : failed(`this server cannot run the task ${definition.name}`));
  if (outcome) finish(walk, id, outcome);
  else recordIteration(walk, id);
}

/** Resolves the incoming values of a task. @returns the error outcome when the values are too large; else null */
function takeIncoming(walk: TransitionContext, id: string, definition: Task): TaskOutcome | null {
  const task = edit(walk, id);
  task.incoming = {};
  try {
    const incoming = { ...resolved(walk.doc, walk.large, definition), ...task.given };
    const length = jsonLength(incoming, MOST_OF_TASK);
    if (length > MOST_OF_TASK) return failed(TOO_LARGE);
    if (!reserve(walk, membersLength(incoming))) return failed(NO_ROOM);
    takeRoom(walk, length);
    task.incoming = incoming;
    return null;
  } catch (error) {
    if (error instanceof TooMuchRead) return failed(error.message);
    throw error;
  }
}

/** Returns the manual task that a task names as its actor; null when it names none, or no manual task of this workflow. */
function missingActor({ plan, howOf }: TransitionContext, { actor }: Task): string | null {
  const named = actor && Object.hasOwn(plan.tasks, actor) ? plan.tasks[actor] : undefined;
  return actor && named && howOf(named)?.kind === 'person' ? actor : null;
}

/** Returns the outcome of a task that needs only values; null while the task waits for something. */
function atOnce(walk: TransitionContext, id: string, how: TaskExecution): TaskOutcome | null {
  const task = edit(walk, id);
  const incoming = task.incoming ?? {};
  switch (how.kind) {
    case 'start':
    case 'end':
      return { finish: 'success', outgoing: {} };
    case 'pure': {
      const outcome = pure(walk, how.run, incoming);
      if (!outcome) return open(walk, id, 'effect', 'effect');
      takeRoom(walk, jsonLength([outcome.outgoing, outcome.variables], MOST_OF_TASK));
      return described(walk, id, outcome);
    }
    case 'forEach': {
      const outcome = beginLoop(walk, id);
      if (!outcome) consider(walk, walk.plan.loops.get(id)?.entries ?? []);
      return outcome;
    }
    case 'delay':
    case 'stub':
    case 'reattempt':
      return wait(walk, id, how.kind);
    case 'person':
      return open(walk, id, 'person', 'person');
    case 'childJob':
      return open(walk, id, 'children', 'children');
    case 'effect':
      return transformed(walk, id, incoming) ?? open(walk, id, 'effect', 'effect');
  }
}

/** Returns the result of the job's own copy of a transformation; null when a worker process has to run it. */
function transformed(
  walk: TransitionContext,
  id: string,
  incoming: Record<string, unknown>,
): TaskOutcome | null {
  const definition = walk.plan.tasks[id];
  const copy = definition && copyOf(walk.plan, definition, incoming);
  // With an actor, the rights of two accounts count: a worker process checks them.
  if (!copy || definition.actor || !walk.usable.has(String(incoming.tr_id))) return null;
  walk.left = Math.max(0, walk.left - ROOM_OF_ONE);
  return withinTime(copy, incoming, walk.moment);
}

function open(
  walk: TransitionContext,
  id: string,
  type: 'person' | 'children' | 'effect',
  waits: typeof type,
): null {
  edit(walk, id).waits = waits;
  walk.todo.push({ type, ...attemptOf(walk, id) });
  return null;
}

/** Characters of values that use as much of a step's room as one task. */
const CHARACTERS_OF_ONE = 128 * 1024;

/** Reduces the room of a step by large values: everything that a step creates is written in one transaction. */
function takeRoom(walk: TransitionContext, length: number): void {
  walk.left = Math.max(0, walk.left - Math.floor(length / CHARACTERS_OF_ONE));
}

/** Runs a pure task. @returns null when the values are too large to process here: a worker process runs it then */
function pure(
  walk: TransitionContext,
  run: Extract<TaskExecution, { kind: 'pure' }>['run'],
  incoming: Record<string, unknown>,
): TaskOutcome | null {
  try {
    return run(incoming, viewOf(walk.doc, walk.large));
  } catch (error) {
    if (error instanceof TooMuchAtOnce) return null;
    if (error instanceof LargeMissing) throw error;
    return failed(error instanceof Error ? error.message : String(error));
  }
}

/** Updates the job's description: `updateJobDescription` is the only task that writes to the job itself. */
function described(walk: TransitionContext, id: string, outcome: TaskOutcome): TaskOutcome {
  const definition: Task | undefined = walk.plan.tasks[id];
  const { description } = stateOf(walk, id).incoming ?? {};
  if (definition?.name === 'updateJobDescription' && outcome.finish === 'success') {
    if (typeof description === 'string') walk.doc.head.description = description;
  }
  return outcome;
}

/** Longest wait, in milliseconds: ten years. */
const LONGEST_MS = 10 * 365 * 86_400_000;

/** Starts the wait of a task that the clock finishes; a task without time to wait finishes now. */
function wait(walk: TransitionContext, id: string, kind: 'delay' | 'stub' | 'reattempt'): TaskOutcome | null {
  const task = edit(walk, id);
  const incoming = task.incoming ?? {};
  if (kind === 'reattempt') {
    const refused = countAttempt(walk, incoming);
    if (refused) return refused;
  }
  const given = { delay: incoming.time, stub: incoming.delay, reattempt: incoming.minutes }[kind];
  const amount = given === undefined || given === null || given === '' ? 0 : Number(given);
  if (!Number.isFinite(amount) || amount < 0) {
    return failed(
      `the delay must be a number of ${kind === 'reattempt' ? 'minutes' : 'seconds'}, not ${String(given)}`,
    );
  }
  const ms = Math.min(Math.round(amount * (kind === 'reattempt' ? 60_000 : 1000)), LONGEST_MS);
  if (ms === 0) return timeOver(walk, id, kind);
  task.waits = 'time';
  task.until = walk.moment.at + ms;
  walk.todo.push({ type: 'wait', until: task.until, ...attemptOf(walk, id) });
  return null;
}

/** Counts an attempt of `reattempt`, which fails once the allowed number of attempts was made under its name. */
function countAttempt(
  walk: TransitionContext,
  { attemptID, attempts }: Record<string, unknown>,
): TaskOutcome | null {
  const { state } = walk.doc;
  const name = String(attemptID ?? '');
  const made = (state.attempts && Object.hasOwn(state.attempts, name) ? (state.attempts[name] ?? 0) : 0) + 1;
  const allowed = Number(attempts);
  if (!Number.isFinite(allowed)) return failed(`attempts must be a number, not ${String(attempts)}`);
  if (made > allowed) return failed(`All ${allowed} attempts have been used`);
  state.attempts = { ...state.attempts, [name]: made };
  return null;
}

/** Returns the outcome of a `delay`, `stub` or `reattempt` task whose time has elapsed. */
export function timeOver(
  walk: TransitionContext,
  id: string,
  kind: 'delay' | 'stub' | 'reattempt',
): TaskOutcome {
  const { incoming = {} } = stateOf(walk, id);
  if (kind === 'delay') {
    return {
      finish: 'success',
      outgoing: { time_in_milliseconds: Math.round(Number(incoming.time || 0) * 1000) },
    };
  }
  if (kind === 'reattempt') {
    const made = walk.doc.state.attempts?.[String(incoming.attemptID ?? '')] ?? 1;
    return { finish: 'success', outgoing: { response: made } };
  }
  const { type, response = null } = incoming;
  const finish = type === 'error' || type === 'failure' ? type : 'success';
  const error = finish === 'error' && {
    error: { message: typeof response === 'string' && response ? response : 'stub' },
  };
  return { finish, outgoing: { response }, ...error };
}

/** Returns the current iteration of the innermost loop around a task; undefined outside a running loop. */
function innermost(walk: TransitionContext, id: string) {
  const loops = loopsAround(walk.plan, id);
  const inner = loops.find((one) =>
    loops.every((other) => other === one || walk.plan.loops.get(other)?.body.has(one)),
  );
  const around = inner === undefined ? undefined : stateOf(walk, inner);
  if (inner === undefined || !around?.loop || iterationOf(around) === undefined) return undefined;
  return { task: inner, iteration: around.passes - 1, element: around.loop.at };
}
