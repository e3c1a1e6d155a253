import { isObject } from '#server/kernel/json/objects.ts';
import type { JobView, PureRun } from '../../tasks/outcome.ts';
import { succeeded } from '../finish.ts';
import { assertName, list, type TaskInput, TaskInputError } from '../task-input.ts';
import { valueBehind } from './reference.ts';

type MergeEntry = { key: string; value: unknown };

/** Returns the entries of a merge without those whose value does not exist (contract/engines#variables). */
function entriesOf(incoming: TaskInput, resolve: JobView['resolve']): MergeEntry[] {
  const entries = list(incoming, 'data_to_merge').map((entry, at): MergeEntry => {
    const place = `data_to_merge.${at}`;
    if (!isObject(entry)) throw new TaskInputError(place, 'must be an object {key, value}');
    const { key = '', value } = entry;
    if (key !== null && typeof key !== 'string') throw new TaskInputError(`${place}.key`, 'must be a string');
    assertName(`${place}.key`, key ?? '');
    return { key: key ?? '', value: valueBehind(value, resolve) };
  });
  return entries.filter(({ value }) => value !== undefined);
}

/** Merges values by their keys, several of one key as a list; without any keys into a list of the values. */
export const merge: PureRun = (incoming, { resolve }) => {
  const entries = entriesOf(incoming, resolve);
  if (entries.length > 0 && entries.every(({ key }) => key === '')) {
    return succeeded({ merged_object: entries.map(({ value }) => value) });
  }
  const byKey = new Map<string, unknown[]>();
  for (const { key, value } of entries) {
    if (key === '')
      throw new TaskInputError('data_to_merge', 'has entries with a key and entries without one');
    const values = byKey.get(key);
    if (values) values.push(value);
    else byKey.set(key, [value]);
  }
  const fields = [...byKey].map(([key, values]): [string, unknown] => [
    key,
    values.length > 1 ? values : values[0],
  ]);
  return succeeded({ merged_object: Object.fromEntries(fields) });
};

/** Merges objects recursively, the last one wins; values that are not objects are left out. */
const deepmerge: PureRun = (incoming, { resolve }) => {
  const layers: Layers = new Map();
  for (const { key, value } of entriesOf(incoming, resolve)) {
    const layer = key === '' ? value : { [key]: value };
    if (isObject(layer)) addLayer(layers, layer);
  }
  return succeeded({ merged_object: flattened(layers) });
};

/** Fields by name during a deep merge; nested objects are layers too. */
type Layers = Map<string, unknown>;

function addLayer(layers: Layers, layer: TaskInput): Layers {
  for (const [name, value] of Object.entries(layer)) {
    const below = layers.get(name);
    layers.set(name, isObject(value) ? addLayer(below instanceof Map ? below : new Map(), value) : value);
  }
  return layers;
}

const flattened = (layers: Layers): TaskInput =>
  Object.fromEntries(
    [...layers].map(([name, value]) => [name, value instanceof Map ? flattened(value) : value]),
  );

/** The runs of these tasks, by name. */
export const MERGE_RUNS: Readonly<Record<string, PureRun>> = { deepmerge, merge };
