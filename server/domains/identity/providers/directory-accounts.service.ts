import { isDeepStrictEqual } from 'node:util';
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { find, insert, replace } from '#db/collection.ts';
import { isOneOf } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import type { Account } from '#db/schemas/identity/account.ts';
import type { SignInProvider } from '#db/schemas/identity/sign-in-provider.ts';
import { accounts, roles } from '#db/tables/identity/accounts.ts';
import { directoryIdentities } from '#db/tables/identity/sign-in.ts';
import { forbidden } from '#server/kernel/errors.ts';
import { printable } from '#server/kernel/observability/printable.ts';
import { isStorable } from '#server/kernel/validation/input-sanity.ts';
import { newStamps, nextStamps } from '../accounts/updates.ts';
import { lockExistingGroups } from '../rights/known-groups.service.ts';
import { beginChange } from '../rights/rights.service.ts';
import { type DirectoryUser, MOST_GROUPS } from './directory-user.ts';
import { mappedRights, withMapped } from './rights-mapping.ts';

type Clock = { now: () => Date };

/** Most characters of a name. */
const NAME_LENGTH = 255;
/** Most characters of an identifier of a user or group. */
const LONGEST = 500;

/**
 * Returns the ids of roles by their names; roles that come with provided methods have none.
 *
 * @param names names of roles; unknown ones are missing in the result
 */
export async function roleIdsOf(
  db: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const found = await db
    .select({ id: roles.id, name: roles.name })
    .from(roles)
    .where(and(isOneOf(roles.name, [...new Set(names)]), sql`not ${roles.provided}`));
  return new Map(found.map(({ id, name }) => [name, id]));
}

/**
 * Creates or updates the account of a user of a directory: its name, and the memberships and roles that the mapping of the
 * provider gives it.
 *
 * @param db a transaction
 * @returns the account, and whether any of its rights changed
 * @throws ServiceError FORBIDDEN when the user has no right here, or an administrator deactivated the account; the message
 *   is fit to show
 */
export async function storeDirectoryAccount(
  db: Database,
  provider: SignInProvider,
  user: DirectoryUser,
  { now }: Clock,
): Promise<{ id: string; username: string; changed: boolean }> {
  if (user.subject === '' || user.subject.length > LONGEST || !isStorable(user.subject))
    throw forbidden('The directory names no usable identifier of the user');
  await beginChange({ db });
  const username = printable(user.username, NAME_LENGTH).trim();
  if (username === '' || username.includes(':'))
    throw forbidden('The directory names no usable sign-in name');
  const identity = await findIdentity(db, provider, user.subject, username);
  const found = identity === undefined ? undefined : await find(db, accounts, identity, true);
  const groups = user.groups.filter((one) => one.length <= LONGEST && isStorable(one)).slice(0, MOST_GROUPS);
  const rights = await rightsFor(db, provider, groups, found?.doc);
  if (rights.memberOf.length === 0 && rights.assignedRoles.length === 0) {
    throw forbidden('No group of your directory account gives access to this platform; ask an administrator');
  }
  if (found?.doc.inactive === true) throw forbidden('The account is inactive; ask an administrator');
  const described = {
    username,
    firstname: printable(user.firstname, NAME_LENGTH),
    email: printable(user.email, NAME_LENGTH),
  };
  await assertNameIsFree(db, provider, username, found?.id);
  const id = found?.id ?? newId();
  let changed = false;
  if (!found) {
    const account: Account = {
      _id: id,
      provenance: provider.name,
      ...described,
      inactive: false,
      isServiceAccount: false,
      ...rights,
      _meta: newStamps(now()),
    };
    await insert(db, accounts, id, account);
    changed = true;
  } else {
    const next = { ...found.doc, ...described, ...rights };
    if (!isDeepStrictEqual(next, found.doc)) {
      await replace(db, accounts, found, { ...next, _meta: nextStamps(found.doc._meta, now()) });
      changed = true;
    }
  }
  await db
    .insert(directoryIdentities)
    .values({ providerId: provider._id, subject: user.subject, accountId: id, groups })
    .onConflictDoUpdate({
      target: [directoryIdentities.providerId, directoryIdentities.subject],
      set: { groups, checkedAt: sql`now()`, confirmedAt: sql`now()` },
    });
  return { id, username, changed };
}

/**
 * Returns the account of a user: found by the subject, or by the name where an earlier provider of the same name was
 * deleted and left the account without a directory.
 */
async function findIdentity(
  db: Database,
  provider: SignInProvider,
  subject: string,
  username: string,
): Promise<string | undefined> {
  const { providerId, accountId } = directoryIdentities;
  const [known] = await db
    .select({ id: accountId })
    .from(directoryIdentities)
    .where(and(eq(providerId, provider._id), eq(directoryIdentities.subject, subject)));
  if (known) return known.id;
  const isLeft = sql`not exists (select from ${directoryIdentities} where ${accountId} = ${accounts.id})`;
  const [left] = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.username, username), eq(accounts.provenance, provider.name), isLeft));
  return left?.id;
}

async function assertNameIsFree(db: Database, provider: SignInProvider, name: string, own?: string) {
  const isOther = own === undefined ? undefined : sql`${accounts.id} <> ${own}`;
  const named = and(eq(accounts.username, name), eq(accounts.provenance, provider.name), isOther);
  if ((await db.$count(accounts, named)) > 0) {
    throw forbidden(
      `Another user of ${provider.name} has the sign-in name ${name} here; ask an administrator`,
    );
  }
}

async function rightsFor(
  db: Database,
  provider: SignInProvider,
  groups: readonly string[],
  account: Account | undefined,
) {
  const mapped = mappedRights(provider, groups);
  // What the mapping names may have been deleted meanwhile.
  const roleIds = [...(await roleIdsOf(db, mapped.roles)).values()];
  const groupIds = [...(await lockExistingGroups(db, mapped.groups))];
  return withMapped(account ?? {}, { roleIds, groupIds });
}

/**
 * Withdraws from all accounts of a provider what its mapping gave them.
 *
 * @param db a transaction
 * @param providerId id of the provider
 */
export async function withdrawMapped(
  { db, platform }: { db: Database; platform: Clock },
  providerId: string,
): Promise<void> {
  const found = await db
    .select({ id: directoryIdentities.accountId })
    .from(directoryIdentities)
    .where(eq(directoryIdentities.providerId, providerId));
  await withdrawMappedFrom(
    db,
    platform,
    found.map(({ id }) => id),
  );
}

/**
 * Withdraws from accounts what a mapping gave them; what an administrator gave them stays.
 *
 * @param ids ids of accounts
 */
export async function withdrawMappedFrom(
  db: Database,
  { now }: Clock,
  ids: readonly string[],
): Promise<void> {
  await beginChange({ db });
  for (const id of ids) {
    const account = await find(db, accounts, id, true);
    if (!account) continue;
    const rights = withMapped(account.doc, { roleIds: [], groupIds: [] });
    await replace(db, accounts, account, {
      ...account.doc,
      ...rights,
      _meta: nextStamps(account.doc._meta, now()),
    });
  }
}
