import { jsonLength } from '#server/kernel/json/json-length.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';
import { type Iteration, idOf, type JobDocument } from '../reducer/document.ts';
import { LARGE, largeIdOf } from './large-values.ts';
import { secretTextsIn, withoutSecretsInErrors } from './named-secrets.ts';
import { sealedHead, sealedJson, statePlace, valuePlace } from './sealed.ts';
import { type Mark, replaced, replacedTask, SEPARATE_SIZE, type SeparateValues } from './separate-values.ts';

/** A value to store separately, as JSON. */
export type StoredValue = { id: string; text: string };

/** A job as written, in JSON: marks replace the values that are stored separately (contract/lifecycle#6.3). */
export type CompressedJob = {
  head: string;
  state: string;
  /** Iterations of tasks; a past one is written with its values, with marks for those over 1 MiB. */
  iterations: readonly Iteration[];
  /** Values over 1 MiB to store. */
  values: StoredValue[];
  /** Smaller values to store, and the ids of those that are no longer part of the job. */
  added: StoredValue[];
  removed: string[];
  /** All smaller values that are stored separately from then on. */
  apart: SeparateValues;
};

/** A job and the iterations of tasks to write with it. */
type JobToWrite = JobDocument & { iterations: readonly Iteration[] };

type WriteOptions = {
  /** A UUID that no other event has: ids of values are made of it. */
  seed: string;
  /** Seals everything that can hold a value; null: the job is stored unsealed. */
  vault: Pick<Vault, 'seal'> | null;
  /** Values that are already stored separately to spare writes. */
  known?: SeparateValues;
  /** Values over 1 MiB that are already stored, by id. */
  fetched?: ReadonlyMap<string, unknown>;
};

/** Serializes a job, with large values extracted. Sealed jobs are sealed as one text, so that only values over 1 MiB are. */
export function compressed(document: JobToWrite, options: WriteOptions): CompressedJob {
  const { vault } = options;
  if (!vault) {
    const { head, state, ...others } = lightened(document, options);
    return { ...others, head: JSON.stringify(head), state: JSON.stringify(state) };
  }
  const visible = { ...document, head: withoutSecretsInErrors(document) };
  const { head, state, values, ...others } = lightened(visible, options);
  return {
    ...others,
    head: JSON.stringify(sealedHead(vault, head, secretTextsIn(document))),
    state: sealedJson(vault, JSON.stringify(state), statePlace(head._id)),
    values: values.map(({ id, text }) => ({ id, text: sealedJson(vault, text, valuePlace(id)) })),
  };
}

/** Returns the ids of separately stored values. */
export const idsOf = (apart: SeparateValues): string[] =>
  [...apart.values()].map(({ $largeData }) => $largeData);

function lightened(
  { iterations, ...document }: JobToWrite,
  { seed, vault, known = new Map(), fetched = new Map() }: WriteOptions,
): Omit<CompressedJob, 'head' | 'state'> & JobDocument {
  const values: StoredValue[] = [];
  const added: StoredValue[] = [];
  const apart = new Map<unknown, Mark>();
  const least = vault ? LARGE : SEPARATE_SIZE;
  // A text cannot hold a value longer than itself: most jobs need no search for large values.
  if (known.size === 0 && jsonLength([document, iterations], least) <= least)
    return { ...document, iterations, values, added, removed: [], apart };
  const large = new Map<unknown, Mark>();
  for (const [id, value] of fetched)
    if (isObject(value) || typeof value === 'string')
      large.set(value, { $largeData: id, size: JSON.stringify(value).length });
  const store = (value: unknown, into: StoredValue[]): Mark => {
    const text = JSON.stringify(value);
    const id = idOf(seed, values.length + added.length);
    into.push({ id, text });
    return { $largeData: id, size: text.length };
  };
  const withoutLarge = (value: unknown): unknown => {
    if (value === null || value === undefined || largeIdOf(value) !== null) return value;
    const stored = large.get(value);
    if (stored) return stored;
    if (jsonLength(value, LARGE) <= LARGE) return value;
    const mark = store(value, values);
    large.set(value, mark);
    return mark;
  };
  const withoutParts = (value: unknown): unknown => {
    let mark = apart.get(value) ?? known.get(value);
    if (!mark) {
      if (jsonLength(value, SEPARATE_SIZE) <= SEPARATE_SIZE) return value;
      const light = withoutLarge(value);
      if (light !== value) return light;
      mark = store(value, added);
    }
    apart.set(value, mark);
    return mark;
  };
  const light = replaced(document, vault ? withoutLarge : withoutParts);
  const used = new Set(idsOf(apart));
  return {
    ...light,
    iterations: iterations.map((iteration) =>
      iteration.past ? { ...iteration, state: replacedTask(iteration.state, withoutLarge) } : iteration,
    ),
    values,
    added,
    removed: idsOf(known).filter((id) => !used.has(id)),
    apart,
  };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
