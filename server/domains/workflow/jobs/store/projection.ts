import { isObject, ownField } from '#server/kernel/json/objects.ts';

/** Properties of a job to include or exclude; dotted names address nested ones. */
export type Projected = { include: readonly string[] | null; exclude: readonly string[] };

/** Properties that a list omits unless requested (contract/lifecycle#6.3). */
const TASKS = new Set(['tasks', 'transitions']);

const namesIn = (value: unknown): string[] =>
  (value === undefined ? [] : [value].flat())
    .flatMap((one) => (typeof one === 'string' ? one.split(',') : []))
    .map((one) => one.trim())
    .filter((one) => one !== '');

const isOfTasks = (name: string): boolean => TASKS.has(name.split('.')[0] ?? '');

/**
 * Removes the properties about tasks from a query, since they are stored separately from what lists read.
 *
 * @returns `wanted` when tasks are requested: the whole job is then read and projected to it
 */
export function withoutTasks(query: Record<string, unknown>): {
  wanted: Projected | null;
  rest: Record<string, unknown>;
} {
  const { include, exclude, ...rest } = query;
  const kept = namesIn(include);
  const left = namesIn(exclude);
  // The code that reads `rest` rejects both at once, and values that are not text.
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
  // The exclusions do not name tasks: so tasks are requested.
  if (exclude !== undefined && others.length === left.length && left.length > 0) {
    return { wanted: { include: null, exclude: left }, rest: { ...rest, exclude: others.join(',') } };
  }
  return { wanted: null, rest: others.length > 0 ? { ...rest, exclude: others.join(',') } : rest };
}

/** Returns a job reduced to the requested properties; its id is always included. */
export function projected(job: object, { include, exclude }: Projected): Record<string, unknown> {
  if (include) {
    const kept: Record<string, unknown> = {};
    for (const name of ['_id', ...include]) copy(job, kept, name.split('.'));
    return kept;
  }
  let left: unknown = job;
  for (const name of exclude) if (name !== '_id') left = without(left, name.split('.'));
  // Removing properties leaves an object.
  return left as Record<string, unknown>;
}

function copy(from: unknown, to: Record<string, unknown>, [name, ...below]: readonly string[]): void {
  if (name === undefined || !isObject(from) || !Object.hasOwn(from, name)) return;
  const value = from[name];
  if (below.length === 0 || !isObject(value)) {
    to[name] = value;
    return;
  }
  const known = ownField(to, name);
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
