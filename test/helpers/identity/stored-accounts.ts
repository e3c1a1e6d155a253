import type { Database } from '#db/client.ts';
import { insert } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { Account } from '#db/schemas/identity/account.ts';
import { accounts } from '#db/tables/identity/accounts.ts';

/**
 * Stores an account of a person as the service would.
 *
 * @param given at least its name
 * @returns its id
 */
export async function storeAccount(
  db: Database,
  given: Pick<Account, 'username'> & Partial<Account>,
): Promise<string> {
  const id = newId();
  const now = new Date().toISOString();
  await insert(db, accounts, id, {
    _id: id,
    provenance: 'local',
    firstname: '',
    email: '',
    inactive: false,
    isServiceAccount: false,
    memberOf: [],
    assignedRoles: [],
    ...given,
    _meta: { created: now, updated: now },
  });
  return id;
}
