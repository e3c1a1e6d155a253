import { jsonLength } from '#server/kernel/json/json-length.ts';
import type { JsonObject } from '#server/kernel/json/objects.ts';
import type { TaskOutcome } from '../../tasks/outcome.ts';
import type { JobDocument } from '../reducer/document.ts';
import { failed, type TransitionContext } from '../reducer/transition-context.ts';
import { LARGE } from './large-values.ts';
import { SEPARATE_SIZE } from './separate-values.ts';

/**
 * Maximum number of characters in a job without values over 1 MiB, wherever they are stored. Lists show all of it, each step of
 * a sealed job writes it, and PostgreSQL accepts 256 MiB of JSON: room for as many characters of three bytes each, encrypted,
 * and for the iterations written by the step.
 */
const MOST_OF_JOB = 32 * 1024 * 1024;

/** Maximum number of characters in the incoming values of a task, and in its results, wherever they are stored. */
export const MOST_OF_TASK = 64_000_000;

/** Characters of the mark that replaces a value in the row when the value is stored separately. */
const MARK = 100;

/** Messages of tasks that would exceed these limits. */
export const NO_ROOM = `The values of the job would have more than ${MOST_OF_JOB} characters together, not counting those over 1 MiB`;
export const TOO_LARGE = `The values of the task have more than ${MOST_OF_TASK} characters together`;

/**
 * Reserves characters in the row of a job. Earlier counts include values that have been replaced since: before a rejection,
 * the row is measured again, and the step then ends, so that each step measures it at most twice.
 *
 * @returns false when the row has no room for them
 */
export function reserve(ctx: TransitionContext, length: number): boolean {
  if (length === 0) return true;
  ctx.free ??= MOST_OF_JOB - rowLength(ctx.doc);
  if (ctx.free < length) {
    ctx.free = MOST_OF_JOB - rowLength(ctx.doc);
    ctx.left = 0;
  }
  if (ctx.free < length) return false;
  ctx.free -= length;
  return true;
}

/** Returns the outcome, or an error that replaces it when the job has no room for its values. */
export function withinCapacity(ctx: TransitionContext, outcome: TaskOutcome): TaskOutcome {
  const { outgoing, variables = {}, error } = outcome;
  if (jsonLength([outgoing, variables, error], MOST_OF_TASK) > MOST_OF_TASK) return failed(TOO_LARGE);
  // Results may become variables as well; an error becomes a result, a variable and an error entry of the job.
  const length =
    2 * membersLength(outgoing) +
    membersLength(variables) +
    (error ? 3 * jsonLength(error, MOST_OF_TASK) : 0);
  return reserve(ctx, length) ? outcome : failed(NO_ROOM);
}

/** Returns the number of characters in the row of a job. */
function rowLength({ head, state }: JobDocument): number {
  const { variables, ...about } = head;
  const { tasks, ...others } = state;
  let length = jsonLength([about, others], Number.POSITIVE_INFINITY) + membersLength(variables);
  for (const id in tasks) {
    const { incoming = {}, outgoing = {}, ...task } = tasks[id] ?? {};
    length += jsonLength([id, task], Number.POSITIVE_INFINITY);
    length += membersLength(incoming) + membersLength(outgoing);
  }
  return length;
}

/** Returns the number of characters of values in a job, where marks replace those over 1 MiB. */
export function membersLength(members: JsonObject): number {
  let length = 0;
  for (const name in members) {
    const own = valueLength(members[name]);
    length += jsonLength(name, LARGE) + (own > LARGE ? MARK : own);
  }
  return length;
}

/** Lengths of large objects, which are never changed in place: each step would count them again. */
const counted = new WeakMap<object, number>();

function valueLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return jsonLength(value, LARGE);
  const known = counted.get(value);
  if (known !== undefined) return known;
  const length = jsonLength(value, LARGE);
  if (length > SEPARATE_SIZE) counted.set(value, length);
  return length;
}
