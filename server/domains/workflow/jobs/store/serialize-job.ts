import { jsonLength } from '#server/kernel/json/json-length.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';
import { type Head, type Iteration, idOf, type JobDocument, type TaskState } from '../reducer/document.ts';
import { LARGE, largeIdOf } from './large-values.ts';
import { secretTextsIn, withoutSecretsInErrors } from './named-secrets.ts';
import { sealedHead, sealedJson, statePlace, valuePlace } from './sealed.ts';

/** A job as written, in JSON: marks replace large values, which are stored separately (contract/lifecycle#6.3). */
export type CompressedJob = {
  head: string;
  state: string;
  /** Iterations of tasks, with the same marks. */
  passes: readonly Iteration[];
  values: { id: string; text: string }[];
};

/** A job and the iterations of tasks to write with it. */
type JobToWrite = JobDocument & { passes: readonly Iteration[] };

/**
 * Serializes a job, with values over 1 MiB extracted.
 *
 * @param fetched values that are already stored separately, by id
 * @param seed a UUID that no other event has: ids of values are made of it
 * @param vault seals everything that can hold a value; null: the job is stored unsealed
 */
export function compressed(
  document: JobToWrite,
  fetched: ReadonlyMap<string, unknown>,
  seed: string,
  vault: Pick<Vault, 'seal'> | null,
): CompressedJob {
  if (!vault) return lightened(document, fetched, seed);
  const { _id } = document.head;
  const visible = { ...document, head: withoutSecretsInErrors(document) };
  const light = lightened(visible, fetched, seed);
  return {
    head: JSON.stringify(sealedHead(vault, JSON.parse(light.head) as Head, secretTextsIn(document))),
    state: sealedJson(vault, light.state, statePlace(_id)),
    passes: light.passes,
    values: light.values.map(({ id, text }) => ({ id, text: sealedJson(vault, text, valuePlace(id)) })),
  };
}

function lightened(
  { head, state, passes }: JobToWrite,
  fetched: ReadonlyMap<string, unknown>,
  seed: string,
): CompressedJob {
  const values: CompressedJob['values'] = [];
  // A text cannot hold a value longer than itself: most jobs need no search for large values.
  if (jsonLength([head, state, passes], LARGE) <= LARGE)
    return { head: JSON.stringify(head), state: JSON.stringify(state), passes, values };
  const marks = new Map<unknown, object>();
  for (const [id, value] of fetched)
    if (isObject(value) || typeof value === 'string')
      marks.set(value, { $largeData: id, size: JSON.stringify(value).length });
  const mark = (value: unknown): unknown => {
    if (value === null || value === undefined || largeIdOf(value) !== null) return value;
    const known = marks.get(value);
    if (known) return known;
    if (jsonLength(value, LARGE) <= LARGE) return value;
    const text = JSON.stringify(value);
    const made = { $largeData: idOf(seed, values.length), size: text.length };
    values.push({ id: made.$largeData, text });
    marks.set(value, made);
    return made;
  };
  const marked = (members: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, mark(value)]));
  const lighter = ({ incoming, outgoing, ...task }: TaskState): TaskState => ({
    ...task,
    ...(incoming && { incoming: marked(incoming) }),
    ...(outgoing && { outgoing: marked(outgoing) }),
  });
  const tasks = () =>
    Object.fromEntries(Object.entries(state.tasks).map(([id, task]) => [id, lighter(task)]));
  return {
    head: JSON.stringify({ ...head, variables: marked(head.variables) }),
    state: JSON.stringify({ ...state, tasks: tasks() }),
    passes: passes.map((pass) => ({ ...pass, state: lighter(pass.state) })),
    values,
  };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
