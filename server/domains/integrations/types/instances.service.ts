import type { Database } from '#db/client.ts';
import type { AdapterProvider } from '../adapter-task.ts';
import { chooseInstance, type Stub, stubOf } from './adapter-type.ts';
import { readSources } from './sources.service.ts';

/** The adapter that carries out a task now. */
export type TaskInstance = {
  name: string;
  /** Whether calls of a type without a provider are generic REST calls. */
  isRest: boolean;
  /** The answer of the task according to its settings; undefined: the task is called. */
  stub: Stub | undefined;
};

/**
 * Chooses the adapter for a task, as adapters are now.
 *
 * @param provider where the job has the task carried out
 * @param named value of `adapter_id`
 * @returns the adapter, or why there is none
 */
export async function instanceFor(
  { db }: { db: Database },
  { type, name, provider }: { type: string; name: string; provider: AdapterProvider },
  named: unknown,
): Promise<TaskInstance | { fault: string }> {
  const names = typeof named === 'string' && named !== '' ? [named] : [type];
  const { instances } = await readSources(db, [type], names);
  const chosen = chooseInstance({ type, provider }, instances, named);
  if ('fault' in chosen) return chosen;
  const found = instances.find((one) => one.name === chosen.instance.name);
  return {
    name: chosen.instance.name,
    isRest: chosen.instance.provider === 'rest' || chosen.instance.type === 'Rest',
    stub: stubOf(found?.stubs, name),
  };
}
