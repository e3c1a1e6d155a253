import type { FaceEntry, FaceSettings } from '#db/schemas/integrations/face.ts';
import { isAbsent, ownField } from '#server/kernel/json/objects.ts';
import type { FaceArgument, FaceArguments } from '../adapter-task.ts';
import type { ApiOperation } from '../api-operation.ts';

/*
 * A face: the operations of a document under the names of an adapter. Most public adapters were generated from
 * documents, so the names of their tasks follow from the method and path of an operation.
 */

/** The fields that identify an operation. */
export type OperationHead = Pick<ApiOperation, 'name' | 'method' | 'path'>;

/** Returns a name without signs and in lower case. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const VERSION = /^v?\d+(\.\d+)*$/i;

/**
 * Returns the names, without signs and in lower case, under which an adapter may have an operation: its method and the
 * segments of its path, with and without `api` and the version among the first segments. The whole path comes first.
 *
 * @param basePath path of the server, which some adapters include in their names
 */
export function ruleNames({ method, path }: Omit<OperationHead, 'name'>, basePath = ''): string[] {
  const segments = segmentsOf(path);
  const base = segmentsOf(basePath);
  const lists = base.length > 0 ? [segments, [...base, ...segments]] : [segments];
  const names = lists.flatMap((all) => {
    const withoutApi = all.filter((segment, at) => at > 1 || segment.toLowerCase() !== 'api');
    const versions = [all, withoutApi].map((some) =>
      some.filter((segment, at) => at > 2 || !VERSION.test(segment)),
    );
    return [all, withoutApi, ...versions].map((some) => plain(method + some.join('')));
  });
  return [...new Set(names)];
}

const segmentsOf = (path: string): string[] => path.split('/').filter(Boolean);

/** Finds the operation behind the task of a face; undefined when there is none, or several fit equally well. */
export type FaceIndex = (task: string) => string | undefined;

/**
 * Indexes the operations of a document for the names of a face.
 *
 * @returns a function that finds the name of an operation: by its own name, by its own name without signs, or by the rule
 */
export function indexOperations(operations: readonly OperationHead[], basePath?: string): FaceIndex {
  const own = new Set(operations.map(({ name }) => name));
  const withoutSigns = uniquely(operations.map(({ name }) => ({ key: plain(name), name })));
  const ranks: { key: string; name: string }[][] = [];
  for (const operation of operations) {
    for (const [rank, key] of ruleNames(operation, basePath).entries()) {
      ranks[rank] ??= [];
      ranks[rank].push({ key, name: operation.name });
    }
  }
  const rules = ranks.map(uniquely);
  return (task) => {
    if (own.has(task)) return task;
    const key = plain(task);
    if (key === '') return undefined;
    for (const found of [withoutSigns, ...rules]) if (found.has(key)) return found.get(key) ?? undefined;
    return undefined;
  };
}

/** Returns the names by their keys; null for a key that several have. */
function uniquely(entries: readonly { key: string; name: string }[]): ReadonlyMap<string, string | null> {
  const found = new Map<string, string | null>();
  for (const { key, name } of entries)
    found.set(key, found.has(key) && found.get(key) !== name ? null : name);
  return found;
}

/** Returns the entry that the settings of a face have for a task. */
export const entryOf = ({ map }: Pick<FaceSettings, 'map'>, task: string): FaceEntry =>
  (map && ownField(map, task)) ?? {};

/** Names of the values that call for the body of a request. */
const BODY_NAMES: ReadonlySet<string> = new Set(['body', 'data', 'payload', 'requestbody']);

/** The incoming value of a task that carries the body of a request. */
export const BODY = 'requestBodyPayload';

/** How the values of a face's task become those of an operation. */
export type ArgumentMatch = {
  arguments: FaceArguments;
  constants: Readonly<Record<string, unknown>>;
  /** Values of the task that the operation does not have. */
  unmatched: readonly string[];
};

/**
 * Matches the values of a face's task with those of its operation: by the settings of the face, by equal names, by names
 * that differ only in signs and case or by a suffix `Param` or `ParamQuery`; a `body` is the body.
 *
 * @param given names of the incoming values of the task
 */
export function matchArguments(
  { parameters, body }: Pick<ApiOperation, 'parameters' | 'body'>,
  given: readonly string[],
  { values = {} }: Pick<FaceEntry, 'values'> = {},
): ArgumentMatch {
  const found = new Map<string, FaceArgument>();
  const constants: Record<string, unknown> = {};
  const used = new Set<string>();
  for (const [name, value] of Object.entries(values)) {
    if ('constant' in value) {
      constants[name] = value.constant;
      continue;
    }
    const { value: from, before, after } = value;
    found.set(name, { from, ...(before !== undefined && { before }), ...(after !== undefined && { after }) });
    used.add(from);
  }
  const names = [...parameters.map(({ name }) => name), ...(body ? [BODY] : [])];
  const isOpen = (name: string) => !found.has(name) && !Object.hasOwn(constants, name);
  const open = given.filter((name) => name !== 'adapter_id' && !used.has(name));
  const rules: ((name: string, wanted: string) => boolean)[] = [
    (name, wanted) => name === wanted,
    (name, wanted) => plain(name) === plain(wanted),
    (name, wanted) => plain(name.replace(/Param(Query)?$/, '')) === plain(wanted),
    (name, wanted) => wanted === BODY && BODY_NAMES.has(plain(name)),
  ];
  for (const fits of rules) {
    for (const from of open) {
      if (used.has(from)) continue;
      const name = names.find((wanted) => isOpen(wanted) && fits(from, wanted));
      if (name === undefined) continue;
      found.set(name, { from });
      used.add(from);
    }
  }
  return {
    arguments: Object.fromEntries(found),
    constants,
    unmatched: open.filter((name) => !used.has(name)),
  };
}

/**
 * Returns the values of an operation from those of a face's task.
 *
 * @param incoming values by the names of the incoming variables of the face's task
 * @returns the values, and the names of those given ones that the operation does not have: a call without them would do
 *   something else than the task says
 */
export function faceValues(
  { arguments: sources, constants }: Pick<ArgumentMatch, 'arguments' | 'constants'>,
  incoming: Readonly<Record<string, unknown>>,
): { values: Record<string, unknown>; unknown: string[] } {
  const values: Record<string, unknown> = { ...constants };
  const used = new Set(['adapter_id']);
  for (const [name, source] of Object.entries(sources)) {
    used.add(source.from);
    if (Object.hasOwn(incoming, source.from)) values[name] = partOf(incoming[source.from], source);
  }
  const unknown = Object.keys(incoming).filter((name) => !used.has(name) && !isAbsent(incoming[name]));
  return { values, unknown };
}

/** Returns the part of a text before or after a separator; without the separator the text before it is the whole text. */
function partOf(value: unknown, { before, after }: FaceArgument): unknown {
  if (typeof value !== 'string') return value;
  let part = value;
  if (after !== undefined) {
    const at = part.indexOf(after);
    part = at < 0 ? '' : part.slice(at + after.length);
  }
  if (before !== undefined) {
    const at = part.indexOf(before);
    if (at >= 0) part = part.slice(0, at);
  }
  return part;
}
