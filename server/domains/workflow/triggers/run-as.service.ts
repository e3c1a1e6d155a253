import { find } from '#db/collection.ts';
import { accounts } from '#db/tables/identity/accounts.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { invalid, ServiceError } from '#server/kernel/errors.ts';

/**
 * Returns the account for which a trigger runs that the caller writes: the caller, or an account that it names and may name
 * (contract/decisions#8).
 *
 * @param named the value in the request; undefined or null: not specified
 * @param path path of the value in the request
 * @param stored the current value: sending a document back as it was read does not name that account again
 * @throws ServiceError BAD_REQUEST when it is no active account; FORBIDDEN for an account that the caller may not name
 */
export async function chooseRunAs(
  { db, principal }: WriteContext,
  named: unknown,
  path: string[],
  stored?: string | null,
): Promise<string> {
  if (named === undefined || named === null || named === principal.id) return principal.id;
  if (typeof named !== 'string') throw invalid(path, 'must be the id of an account, or null');
  const account = (await find(db, accounts, named))?.doc;
  const isOwner = account?.isServiceAccount === true && account.createdBy === principal.id;
  const mayName = principal.roles.includes('admin') || isOwner;
  if (mayName && account && account.inactive !== true) return named;
  if (named === stored) return principal.id;
  // Does not reveal whether an account exists to callers who may not name it.
  if (!mayName) throw notYours(path);
  throw invalid(
    path,
    `Account ${named.slice(0, 100)} ${account ? 'is inactive' : 'does not exist'}: name an active account`,
    'unknown_account',
  );
}

function notYours(path: string[]): ServiceError {
  const message =
    'may name yourself or a service account that you created; only an admin may name others. Leave it out to run the trigger as yourself';
  return new ServiceError('FORBIDDEN', `${path.join('.')}: ${message}`, {
    issues: [{ path, message, code: 'forbidden_account' }],
  });
}
