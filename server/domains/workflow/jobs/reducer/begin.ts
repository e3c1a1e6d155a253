import type { Task } from '#db/schemas/workflow/task.ts';
import { jsonLength } from '#server/kernel/json/json-length.ts';
import { isAbsent } from '#server/kernel/json/objects.ts';
import { type TaskOutcome, TooMuchAtOnce } from '../../tasks/outcome.ts';
import { copyOf, ROOM_OF_ONE, withinTime } from '../execution/transform.ts';
import { MOST_OF_TASK, membersLength, NO_ROOM, reserve, TOO_LARGE } from '../store/capacity.ts';
import { LargeMissing, TooMuchRead } from '../store/large-values.ts';
import { decideTasks } from './decide.ts';
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
export function beginIteration(ctx: TransitionContext, id: string): void {
  const task = edit(ctx, id);
  newIteration(ctx, task);
  const parent = innermost(ctx, id);
  if (parent) task.parent = parent;
}

/** Starts a task that is ready, and finishes it at once when it has nothing to wait for. */
export function begin(ctx: TransitionContext, id: string): void {
  const definition = ctx.plan.tasks[id];
  if (!definition) return;
  const task = edit(ctx, id);
  if (task.waits !== 'retry') beginIteration(ctx, id);
  delete task.waits;
  delete task.until;
  delete task.share;
  delete task.stubbed;
  task.status = 'running';
  task.start = ctx.moment.at;
  task.server = ctx.moment.server;
  const confirmedBy = definition.actor ? ctx.doc.state.tasks[definition.actor]?.user : undefined;
  if (confirmedBy) task.confirmedBy = confirmedBy;
  else delete task.confirmedBy;
  const how = ctx.executionOf(definition);
  if (task.passes > MOST_PASSES) {
    finish(ctx, id, failed(`ran more than ${MOST_PASSES} times`));
    return;
  }
  const unconfirmed = confirmedBy ? null : missingActor(ctx, definition);
  if (unconfirmed !== null) {
    finish(ctx, id, failed(`needs task ${unconfirmed} to be finished by a user first`));
    return;
  }
  const fault = takeIncoming(ctx, id, definition);
  const outcome =
    fault ?? (how ? atOnce(ctx, id, how) : failed(`this server cannot run the task ${definition.name}`));
  if (outcome) finish(ctx, id, outcome);
  else recordIteration(ctx, id);
}

/** Resolves the incoming values of a task. @returns the error outcome when the values are too large; else null */
function takeIncoming(ctx: TransitionContext, id: string, definition: Task): TaskOutcome | null {
  const task = edit(ctx, id);
  task.incoming = {};
  try {
    const incoming = { ...resolved(ctx.doc, ctx.large, definition), ...task.given };
    const length = jsonLength(incoming, MOST_OF_TASK);
    if (length > MOST_OF_TASK) return failed(TOO_LARGE);
    if (!reserve(ctx, membersLength(incoming))) return failed(NO_ROOM);
    takeRoom(ctx, length);
    task.incoming = incoming;
    return null;
  } catch (error) {
    if (error instanceof TooMuchRead) return failed(error.message);
    throw error;
  }
}

/** Returns the manual task that a task names as its actor; null when it names none, or no manual task of this workflow. */
function missingActor({ plan, executionOf }: TransitionContext, { actor }: Task): string | null {
  const named = actor && Object.hasOwn(plan.tasks, actor) ? plan.tasks[actor] : undefined;
  return actor && named && executionOf(named)?.kind === 'person' ? actor : null;
}

/** Returns the outcome of a task that needs only values; null while the task waits for something. */
function atOnce(ctx: TransitionContext, id: string, how: TaskExecution): TaskOutcome | null {
  const task = edit(ctx, id);
  const incoming = task.incoming ?? {};
  switch (how.kind) {
    case 'start':
    case 'end':
      return { finish: 'success', outgoing: {} };
    case 'pure': {
      const outcome = pure(ctx, how.run, incoming);
      if (!outcome) return open(ctx, id, 'effect', 'effect');
      takeRoom(ctx, jsonLength([outcome.outgoing, outcome.variables], MOST_OF_TASK));
      return described(ctx, id, outcome);
    }
    case 'forEach': {
      const outcome = beginLoop(ctx, id);
      if (!outcome) decideTasks(ctx, ctx.plan.loops.get(id)?.entries ?? []);
      return outcome;
    }
    case 'delay':
    case 'stub':
    case 'reattempt':
      return wait(ctx, id, how.kind);
    case 'person':
      return open(ctx, id, 'person', 'person');
    case 'childJob':
      return open(ctx, id, 'children', 'children');
    case 'effect':
      return transformed(ctx, id, incoming) ?? open(ctx, id, 'effect', 'effect');
  }
}

/** Returns the result of the job's own copy of a transformation; null when a worker process has to run it. */
function transformed(
  ctx: TransitionContext,
  id: string,
  incoming: Record<string, unknown>,
): TaskOutcome | null {
  const definition = ctx.plan.tasks[id];
  const copy = definition && copyOf(ctx.plan, definition, incoming);
  // With an actor, the rights of two accounts count: a worker process checks them.
  if (!copy || definition.actor || !ctx.usable.has(String(incoming.tr_id))) return null;
  ctx.left = Math.max(0, ctx.left - ROOM_OF_ONE);
  return withinTime(copy, incoming, ctx.moment);
}

function open(
  ctx: TransitionContext,
  id: string,
  type: 'person' | 'children' | 'effect',
  waits: typeof type,
): null {
  edit(ctx, id).waits = waits;
  ctx.todo.push({ type, ...attemptOf(ctx, id) });
  return null;
}

/** Characters of values that use as much of a step's room as one task. */
const CHARACTERS_OF_ONE = 128 * 1024;

/** Reduces the room of a step by large values: everything that a step creates is written in one transaction. */
function takeRoom(ctx: TransitionContext, length: number): void {
  ctx.left = Math.max(0, ctx.left - Math.floor(length / CHARACTERS_OF_ONE));
}

/** Runs a pure task. @returns null when the values are too large to process here: a worker process runs it then */
function pure(
  ctx: TransitionContext,
  run: Extract<TaskExecution, { kind: 'pure' }>['run'],
  incoming: Record<string, unknown>,
): TaskOutcome | null {
  try {
    return run(incoming, viewOf(ctx.doc, ctx.large));
  } catch (error) {
    if (error instanceof TooMuchAtOnce) return null;
    if (error instanceof LargeMissing) throw error;
    return failed(error instanceof Error ? error.message : String(error));
  }
}

/** Updates the job's description: `updateJobDescription` is the only task that writes to the job itself. */
function described(ctx: TransitionContext, id: string, outcome: TaskOutcome): TaskOutcome {
  const definition: Task | undefined = ctx.plan.tasks[id];
  const { description } = stateOf(ctx, id).incoming ?? {};
  if (definition?.name === 'updateJobDescription' && outcome.finish === 'success') {
    if (typeof description === 'string') ctx.doc.head.description = description;
  }
  return outcome;
}

/** Longest wait, in milliseconds: ten years. */
const LONGEST_MS = 10 * 365 * 86_400_000;

/** Starts the wait of a task that the clock finishes; a task without time to wait finishes now. */
function wait(ctx: TransitionContext, id: string, kind: 'delay' | 'stub' | 'reattempt'): TaskOutcome | null {
  const task = edit(ctx, id);
  const incoming = task.incoming ?? {};
  if (kind === 'reattempt') {
    const fault = countAttempt(ctx, incoming);
    if (fault) return fault;
  }
  const given = { delay: incoming.time, stub: incoming.delay, reattempt: incoming.minutes }[kind];
  const amount = isAbsent(given) ? 0 : Number(given);
  if (!Number.isFinite(amount) || amount < 0) {
    return failed(
      `the delay must be a number of ${kind === 'reattempt' ? 'minutes' : 'seconds'}, not ${String(given)}`,
    );
  }
  const ms = Math.min(Math.round(amount * (kind === 'reattempt' ? 60_000 : 1000)), LONGEST_MS);
  if (ms === 0) return timeOver(ctx, id, kind);
  task.waits = 'time';
  task.until = ctx.moment.at + ms;
  ctx.todo.push({ type: 'wait', until: task.until, ...attemptOf(ctx, id) });
  return null;
}

/** Counts an attempt of `reattempt`, which fails once the allowed number of attempts was made under its name. */
function countAttempt(
  ctx: TransitionContext,
  { attemptID, attempts }: Record<string, unknown>,
): TaskOutcome | null {
  const { state } = ctx.doc;
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
  ctx: TransitionContext,
  id: string,
  kind: 'delay' | 'stub' | 'reattempt',
): TaskOutcome {
  const { incoming = {} } = stateOf(ctx, id);
  if (kind === 'delay') {
    return {
      finish: 'success',
      outgoing: { time_in_milliseconds: Math.round(Number(incoming.time || 0) * 1000) },
    };
  }
  if (kind === 'reattempt') {
    const made = ctx.doc.state.attempts?.[String(incoming.attemptID ?? '')] ?? 1;
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
function innermost(ctx: TransitionContext, id: string) {
  const loops = loopsAround(ctx.plan, id);
  const inner = loops.find((one) =>
    loops.every((other) => other === one || ctx.plan.loops.get(other)?.body.has(one)),
  );
  const around = inner === undefined ? undefined : stateOf(ctx, inner);
  if (inner === undefined || !around?.loop || iterationOf(around) === undefined) return undefined;
  return { task: inner, iteration: around.passes - 1, element: around.loop.at };
}
