import { acquireLock, type Database } from '#db/client.ts';
import { conflict } from '#server/kernel/errors.ts';
import type { AdapterProvider } from '../adapter-task.ts';
import { isReserved } from './reserved-names.ts';
import { readSources } from './sources.service.ts';

/** Who claims the name of a type: a provider, or a catalogue, which describes the tasks of a type. */
type Claim = Exclude<AdapterProvider, 'none'> | 'catalogue';

const WORDS: Readonly<Record<Claim, string>> = {
  document: 'an integration model',
  package: 'an adapter package',
  face: 'the face of an integration',
  catalogue: 'a catalogue',
};

/**
 * Rejects the name of an adapter type that the platform or another provider has: a task must have one meaning. A face and
 * a package may have the name of a catalogue, which then describes their tasks. Until the transaction ends nobody else
 * can claim the name.
 *
 * @param claim what is about to be stored under the name
 * @param model of a face: the model of its integration, of which several integrations may serve the type
 * @throws ServiceError CONFLICT
 */
export async function assertTypeIsFree(
  { db }: { db: Database },
  type: string,
  claim: Claim,
  model?: string,
): Promise<void> {
  await acquireLock(db, `adapter type ${type}`);
  if (isReserved(type)) throw conflict(`${type} is an application of this platform: choose another name`);
  const { types, instances, catalogues } = await readSources(db, [type]);
  const taken = new Set<Claim>();
  for (const { provider } of types) if (provider !== 'none') taken.add(provider);
  if (catalogues.has(type)) taken.add('catalogue');
  const describes = claim === 'face' || claim === 'package';
  for (const other of taken) {
    const isSame = other === 'face' && claim === 'face' && hasOnly(instances, type, model);
    if (isSame || (describes && other === 'catalogue')) continue;
    if (claim === 'catalogue' && other === 'face') continue;
    throw conflict(`The adapter type ${type} belongs to ${WORDS[other]} already`);
  }
}

/** Returns whether all integrations that serve a type belong to one model. */
const hasOnly = (
  instances: readonly { type: string; face: string | null }[],
  type: string,
  model: string | undefined,
): boolean => instances.every((one) => one.face !== type || one.type === model);
