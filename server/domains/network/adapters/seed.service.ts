import { acquireLock, type Database, inTransaction } from '#db/client.ts';
import { find, insert } from '#db/collection.ts';
import { adapters } from '#db/tables/integrations/adapters.ts';
import { BUILT_IN } from './connection.ts';

/** Creates the built-in adapters that are missing; changes by operators are kept (contract/lifecycle#9). */
export async function seedAdapters(db: Database): Promise<void> {
  await inTransaction(db, async (tx) => {
    await acquireLock(tx, 'switchyard seeds');
    for (const [name, model] of Object.entries(BUILT_IN)) {
      if (await find(tx, adapters, name)) continue;
      await insert(tx, adapters, name, {
        name,
        type: 'Adapter',
        model: `@vendor/adapter-${name}`,
        properties: {
          id: name,
          type: model,
          brokers: [model === 'local_aaa' ? 'aaa' : 'device'],
          groups: [],
          properties: {},
        },
        loggerProps: {
          description: 'Log settings of the adapter',
          log_level: 'info',
          console_level: 'info',
        },
        isEncrypted: true,
        virtual: true,
      });
    }
  });
}
