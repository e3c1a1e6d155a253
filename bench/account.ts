import type { Database } from '#db/client.ts';
import { insert } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { accounts } from '#db/tables.ts';

/** Stores an account for which jobs can run. @returns its id */
export async function storeAccount(db: Database): Promise<string> {
  const _id = newId();
  await insert(db, accounts, _id, { _id, provenance: 'local', username: `bench-${_id}` });
  return _id;
}
