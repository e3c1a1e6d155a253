import { fieldIn, isObject } from '#server/kernel/json/objects.ts';
import type { AdapterProvider, AdapterTask } from '../adapter-task.ts';
import type { CallEffect } from '../api-operation.ts';

/** An adapter through which tasks of a type are called. */
export type AdapterInstance = {
  name: string;
  active: boolean;
  /** Type of the adapter itself. */
  type: string;
  /** The type that it serves besides its own; null: none. */
  face: string | null;
  /** How calls of a type without a provider are answered: by nothing, by a generic REST call, or by stubs. */
  provider: 'none' | 'rest';
};

/** An adapter type with its instances. */
export type AdapterType = {
  type: string;
  displayName: string;
  provider: AdapterProvider;
};

/** The tasks, types and instances that workflows name, as far as they exist; plain JSON. */
export type AdapterFacts = {
  tasks: readonly AdapterTask[];
  types: readonly AdapterType[];
  /** Instances of these types, and those that the workflows name. */
  instances: readonly AdapterInstance[];
};

export const NO_ADAPTERS: AdapterFacts = { tasks: [], types: [], instances: [] };

/** Model of adapters that call any service over REST, whatever the type of the task. */
const REST = 'Rest';

/** Returns whether tasks of a type can be called through an adapter. */
export const serves = (
  { type: own, face }: Pick<AdapterInstance, 'type' | 'face'>,
  { type, provider }: Pick<AdapterType, 'type' | 'provider'>,
): boolean => own === type || face === type || (provider === 'none' && own === REST);

/**
 * Chooses the adapter for a call: the one that the task names, else the only running one of the type.
 *
 * @param named value of `adapter_id`
 * @returns the adapter, or why there is none
 */
export function chooseInstance(
  type: Pick<AdapterType, 'type' | 'provider'>,
  instances: readonly AdapterInstance[],
  named: unknown,
): { instance: AdapterInstance } | { fault: string } {
  if (named !== undefined && named !== null && named !== '') {
    if (typeof named !== 'string') return { fault: 'adapter_id must be the name of an adapter' };
    const instance = instances.find(({ name }) => name === named);
    if (!instance) return { fault: `adapter ${named.slice(0, 100)} does not exist` };
    if (!serves(instance, type)) {
      return { fault: `adapter ${named} is of the type ${instance.type}, not ${type.type}` };
    }
    return instance.active ? { instance } : { fault: `adapter ${named} is stopped` };
  }
  // An adapter of the model Rest serves any type, but only its own name chooses it.
  const isChosen = (one: AdapterInstance) => one.type !== REST || one.name === type.type;
  const fitting = instances.filter((one) => one.active && serves(one, type) && isChosen(one));
  const [instance, ...others] = fitting;
  if (!instance) return { fault: `no adapter of the type ${type.type} is running` };
  if (others.length === 0) return { instance };
  const names = fitting.map(({ name }) => name).sort();
  const shown = names.length > 10 ? [...names.slice(0, 10), `and ${names.length - 10} more`] : names;
  return {
    fault: `several adapters of the type ${type.type} are running: set adapter_id to one of ${shown.join(', ')}`,
  };
}

/** A task as a job keeps it from its start to its end: how it is carried out, and what its loss means. */
export type PlannedAdapterTask = Pick<AdapterTask, 'type' | 'name' | 'effect' | 'call'> & {
  /** Effect by the name of the adapter, where its settings make it another one. */
  effects?: Readonly<Record<string, CallEffect>>;
};

/** Settings of an adapter that change the effect of its tasks. */
export type EffectSettings = { name: string; reads?: unknown; idempotencyHeader?: unknown };

/**
 * Returns the effect of a task through an adapter: an operation that its settings list in `reads` only reads, and one
 * that would be unsafe is keyed where the other side recognizes repetitions by a header.
 */
export function effectThrough(
  { name, effect, call }: Pick<AdapterTask, 'name' | 'effect' | 'call'>,
  { reads, idempotencyHeader }: Omit<EffectSettings, 'name'>,
): CallEffect {
  const names = call.provider === 'face' ? [name, call.operation.name] : [name];
  if (Array.isArray(reads) && names.some((one) => reads.includes(one))) return 'read';
  const isHttp = call.provider === 'document' || call.provider === 'face';
  const hasHeader = typeof idempotencyHeader === 'string' && idempotencyHeader !== '';
  return isHttp && effect === 'unsafe' && hasHeader ? 'keyed' : effect;
}

/** The answer of a stub. */
export type Stub = {
  finish: 'success' | 'failure' | 'error';
  outgoing: Readonly<Record<string, unknown>>;
  delayMs: number;
};

/** Returns the stub that an adapter's settings have for a task; undefined when there is none. */
export function stubOf(stubs: unknown, task: string): Stub | undefined {
  const stub = fieldIn(stubs, task);
  if (!isObject(stub)) return undefined;
  const { finish, outgoing, delay } = stub;
  return {
    finish: finish === 'failure' || finish === 'error' ? finish : 'success',
    outgoing: isObject(outgoing) ? outgoing : {},
    delayMs: typeof delay === 'number' && delay > 0 ? Math.min(delay, MOST_DELAY_S) * 1000 : 0,
  };
}

/** Longest time that a stub waits, in seconds. */
const MOST_DELAY_S = 60;
