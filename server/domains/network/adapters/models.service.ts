import { z } from 'zod';
import type { Database } from '#db/client.ts';
import { OrchestratorConnection } from '#db/schemas/network/adapter.ts';
import { type FindAdapterType, noOtherTypes } from './adapters.service.ts';
import { isModel, MODELS } from './connection.ts';
import { getAdapterRow, readAdapters } from './rows.service.ts';

/** Returns the models of adapters (contract/lifecycle#9). */
export const listModels = async () => {
  const adapterModels = Object.keys(MODELS).sort();
  return { adapterModels, total: adapterModels.length };
};

/** Returns the adapters that handle each kind of work (broker). */
export async function mapBrokers({ db }: { db: Database }): Promise<Record<string, string[]>> {
  const brokers = new Map<string, string[]>();
  for (const { id, doc } of await readAdapters(db)) {
    for (const broker of new Set(doc.properties.brokers)) {
      brokers.set(broker, [...(brokers.get(broker) ?? []), id]);
    }
  }
  return Object.fromEntries(brokers);
}

/**
 * Returns the JSON schema of a connection, by the name of an adapter or a model.
 *
 * @throws ServiceError NOT_FOUND when neither an adapter nor a model has the name
 */
export async function getConnectionSchema(
  { db }: { db: Database },
  name: string,
  findType: FindAdapterType = noOtherTypes,
): Promise<Record<string, unknown>> {
  const named = isModel(name) ? undefined : await findType(db, name);
  if (named) return { ...named.connectionSchema };
  const model = isModel(name) ? name : (await getAdapterRow(db, name)).doc.properties.type;
  const other = isModel(model) ? undefined : await findType(db, model);
  if (other) return { ...other.connectionSchema };
  const reaches = model === 'Orchestrator' || model === 'Rest';
  return z.toJSONSchema(z.looseObject(reaches ? OrchestratorConnection.shape : {}), { io: 'input' });
}
