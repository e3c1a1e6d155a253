import type { Task } from '#db/schemas/workflow/task.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import {
  incomingOf,
  isName,
  objectSourceOf,
  type Source,
  sourceOf,
  type Use,
} from '../validation/variables.ts';

/** A path below `variables.incoming` where a run inserts a value from elsewhere. */
export type ReferenceLocation = { source: Source; path: readonly (string | number)[] };

/** A text that names a source where a run does not resolve references: it stays text. */
export type Literal = { text: string; path: readonly (string | number)[] };

/** Maximum depth of the search: requests are no deeper (server/kernel/validation/input-sanity.ts). */
const DEEPEST = 200;

/** A `$var` that names a source, alone or within other text. */
const NAMES_A_SOURCE = /\$var\.[^.\s]+\.[^.\s]/;

/** Ids of tasks that `$var` can name. */
const NAMEABLE = /^[0-9a-f]{1,4}$/;

type Incoming = ReturnType<typeof incomingOf>;

/** Returns whether a run resolves a text that names this source, at a path where it resolves references. */
export const isNameable = ({ task }: Source): boolean => task === 'job' || NAMEABLE.test(task);

/**
 * Returns every reference of a task that a run replaces by a value from elsewhere (contract/engines#variables). The input
 * schema requires exactly the job variables among them; texts anywhere else are literal.
 */
export function sourcesIn(task: Task): ReferenceLocation[] {
  const incoming = incomingOf(task);
  const places = Object.entries(incoming).map(([member, value]) => placeOf(sourceOf(value), member));
  return [...places, ...(SOURCES_INSIDE.get(task.name)?.(incoming) ?? [])].flat();
}

/** A place with its source; empty where there is none. */
type FoundPlace = [] | [ReferenceLocation];

const placeOf = (source: Source | null, ...path: (string | number)[]): FoundPlace =>
  source ? [{ source, path }] : [];

const sourcesInEvaluation = ({ evaluation_groups }: Incoming): FoundPlace[] =>
  listOf(evaluation_groups).flatMap((group, at) =>
    listOf(fieldOf(group, 'evaluations')).flatMap((one, nth) =>
      ['operand_1', 'operand_2'].map((operand) => {
        const path = ['evaluation_groups', at, 'evaluations', nth, operand];
        return placeOf(objectSourceOf(fieldOf(one, operand)), ...path);
      }),
    ),
  );

const sourcesToMerge = ({ data_to_merge }: Incoming): FoundPlace[] =>
  listOf(data_to_merge).map((entry, at) =>
    placeOf(objectSourceOf(fieldOf(entry, 'value')), 'data_to_merge', at, 'value'),
  );

/** References within the values of certain tasks, by the name of the task. */
const SOURCES_INSIDE: ReadonlyMap<string, (incoming: Incoming) => FoundPlace[]> = new Map([
  [
    'transformation',
    ({ variableMap }) =>
      entriesOf(variableMap).map(([name, value]) => placeOf(sourceOf(value), 'variableMap', name)),
  ],
  [
    'childJob',
    ({ variables }) =>
      entriesOf(variables).map(([name, value]) => placeOf(childSourceOf(value), 'variables', name)),
  ],
  ['evaluation', sourcesInEvaluation],
  ['merge', sourcesToMerge],
  ['deepmerge', sourcesToMerge],
]);

const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

const fieldOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** Returns the source of a variable of a child job: only `{task, value}` is a reference there. */
const childSourceOf = (written: unknown): Source | null =>
  isObject(written) && Object.hasOwn(written, 'value')
    ? objectSourceOf({ task: written.task, value: written.value })
    : null;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Returns every text of a task's incoming values that names a source and stays text when the task runs. */
export function literalsIn(task: Task): Literal[] {
  const replaced = new Set(
    sourcesIn(task).flatMap(({ source, path }) => (isNameable(source) ? [JSON.stringify(path)] : [])),
  );
  const literals: Literal[] = [];
  const look = (value: unknown, path: readonly (string | number)[]) => {
    if (typeof value === 'string') {
      const isLiteral = NAMES_A_SOURCE.test(value) && !replaced.has(JSON.stringify(path));
      if (isLiteral) literals.push({ text: value, path });
    } else if (typeof value === 'object' && value !== null && path.length <= DEEPEST) {
      for (const [key, one] of Object.entries(value)) look(one, [...path, key]);
    }
  };
  look(incomingOf(task), []);
  return literals;
}

/** Tasks whose incoming `job_variable` is the name of a job variable, without `$var`. */
const CHANGE_BY_NAME = new Set(['push', 'pop', 'shift']);

/** Returns every place where a task reads a variable of the job. */
export function readsOf(task: Task): Use[] {
  const uses = sourcesIn(task).flatMap(({ source, path }): Use[] => {
    const [member, ...below] = path.map(String);
    if (source.task !== 'job' || member === undefined) return [];
    return [{ variable: source.variable, task, member, below }];
  });
  const changed = incomingOf(task).job_variable;
  if (CHANGE_BY_NAME.has(task.name) && isName(changed) && sourceOf(changed) === null) {
    uses.push({ variable: changed, task, member: 'job_variable', below: [] });
  }
  return uses;
}
