import { isObject } from '#server/kernel/json/objects.ts';

/** Members of a job to keep, or to leave out; dotted names reach inside. */
export type Projected = { include: readonly string[] | null; exclude: readonly string[] };

/** Members that a list leaves out unless they are asked for (contract/lifecycle#6.3). */
const TASKS = new Set(['tasks', 'transitions']);

const namesIn = (value: unknown): string[] =>
  (value === undefined ? [] : [value].flat())
    .flatMap((one) => (typeof one === 'string' ? one.split(',') : []))
    .map((one) => one.trim())
    .filter((one) => one !== '');

const isOfTasks = (name: string): boolean => TASKS.has(name.split('.')[0] ?? '');

/**
 * A query without what it says of tasks, which stand apart from what lists read.
 *
 * @returns `wanted` where tasks are asked for: all of a job is then read and cut to it
 */
export function withoutTasks(query: Record<string, unknown>): {
  wanted: Projected | null;
  rest: Record<string, unknown>;
} {
  const { include, exclude, ...rest } = query;
  const kept = namesIn(include);
  const left = namesIn(exclude);
  // Both at once is refused by who reads the rest, and so is what is no text.
  if (include !== undefined && exclude !== undefined) return { wanted: null, rest: query };
  if (include !== undefined && kept.some(isOfTasks)) {
    const others = kept.filter((name) => !isOfTasks(name));
    return {
      wanted: { include: kept, exclude: [] },
      rest: { ...rest, include: others.length > 0 ? others.join(',') : '_id' },
    };
  }
  if (include !== undefined) return { wanted: null, rest: query };
  const others = left.filter((name) => !isOfTasks(name));
  // What is left out by name, tasks not among it: then they are wanted.
  if (exclude !== undefined && others.length === left.length && left.length > 0) {
    return { wanted: { include: null, exclude: left }, rest: { ...rest, exclude: others.join(',') } };
  }
  return { wanted: null, rest: others.length > 0 ? { ...rest, exclude: others.join(',') } : rest };
}

/** A job cut to the members asked for; its id is always there. */
export function projected(job: object, { include, exclude }: Projected): Record<string, unknown> {
  if (include) {
    const kept: Record<string, unknown> = {};
    for (const name of ['_id', ...include]) copy(job, kept, name.split('.'));
    return kept;
  }
  let left: unknown = job;
  for (const name of exclude) if (name !== '_id') left = without(left, name.split('.'));
  // An object stays one.
  return left as Record<string, unknown>;
}

function copy(from: unknown, to: Record<string, unknown>, [name, ...below]: readonly string[]): void {
  if (name === undefined || !isObject(from) || !Object.hasOwn(from, name)) return;
  const value = from[name];
  if (below.length === 0 || !isObject(value)) {
    to[name] = value;
    return;
  }
  const known = Object.hasOwn(to, name) ? to[name] : undefined;
  if (known === value) return;
  const inside: Record<string, unknown> = isObject(known) ? known : {};
  to[name] = inside;
  copy(value, inside, below);
}

function without(value: unknown, [name, ...below]: readonly string[]): unknown {
  if (name === undefined || !isObject(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: gone, ...rest } = value;
  return below.length === 0 ? rest : { ...rest, [name]: without(gone, below) };
}
