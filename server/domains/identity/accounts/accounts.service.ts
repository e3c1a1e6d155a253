import { and, eq, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { find, insert, noteChange, replace, type Stored } from '#db/collection.ts';
import { isoOf } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import type { Account, AccountUpdate } from '#db/schemas/identity/account.ts';
import type { NewAccount } from '#db/schemas/requests/account.ts';
import { accounts, credentials } from '#db/tables/identity/accounts.ts';
import type { SignInRules } from '#server/kernel/access.ts';
import type { SystemContext, WriteContext } from '#server/kernel/contexts.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import {
  changedMeanwhile,
  conflict,
  forbidden,
  invalid,
  notFound,
  unprocessable,
} from '#server/kernel/errors.ts';
import type { SignedIn } from '#server/kernel/platform.ts';
import { effectiveMembershipOf } from '../rights/effective-rights.service.ts';
import { assertWithinRights, beginChange, keepingAnAdmin, readDirect } from '../rights/rights.service.ts';
import { assertUncommon } from '../sessions/common-passwords.ts';
import { hashPassword } from '../sessions/passwords.service.ts';
import { proveAccount } from '../sessions/proof.service.ts';
import { endSessions, isAlive, sessionLimitsOf } from '../sessions/sessions.service.ts';
import { endPersonalTokens } from '../sessions/token-check.service.ts';
import { keepManaged } from './managed-rights.ts';
import { ignoredOf, newStamps, nextStamps, readUpdates } from './updates.ts';

/** Facts about an account outside its document: whether it has a session, and when it last signed in. */
type Presence = { id: string; loggedIn: boolean; lastLogin: string | null };

/** Returns accounts with their presence, using one query for all of them. */
export async function withPresence(
  db: Database,
  rules: SignInRules,
  found: readonly Account[],
): Promise<Account[]> {
  const ids = JSON.stringify(found.map(({ _id }) => _id));
  const present = await rows<Presence>(
    db,
    sql`select a.id, ${isoOf(sql`a.last_login`)} as "lastLogin",
          exists (select from sessions where account_id = a.id and ${isAlive(sessionLimitsOf(rules))}) as "loggedIn"
        from accounts a where a.id in (select jsonb_array_elements_text(${ids}::text::jsonb))`,
  );
  const byId = new Map(present.map((one) => [one.id, one]));
  return found.map((account) => ({
    ...account,
    loggedIn: byId.get(account._id)?.loggedIn ?? false,
    lastLogin: byId.get(account._id)?.lastLogin ?? null,
  }));
}

/** Returns the groups and roles inherited through groups only, for an account or group that is read by id. */
export async function inheritedBy(db: Database, { memberOf = [] }: Pick<Account, 'memberOf'>) {
  const direct = new Set(memberOf.map(({ groupId }) => groupId));
  const { groups, roles } = await effectiveMembershipOf(db, { memberOf });
  return {
    inheritedGroups: groups.filter(({ id }) => !direct.has(id)).map(({ id }) => ({ groupId: id })),
    inheritedRoles: roles.map(({ _id }) => ({ roleId: _id })),
  };
}

/**
 * Returns an account with what it inherits from its groups, and whether it has a session.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function getAccount({ db, platform }: SystemContext<'access'>, id: string): Promise<Account> {
  const found = await find(db, accounts, id);
  if (!found) throw notFound('Account', id);
  const [account = found.doc] = await withPresence(db, await platform.access.knownRules(), [found.doc]);
  return { ...account, ...(await inheritedBy(db, found.doc)) };
}

/**
 * Creates a user account.
 *
 * @throws ServiceError CONFLICT when the name is taken, BAD_REQUEST for an unknown group or role
 */
export async function createAccount(
  ctx: WriteContext<'access' | 'catalogue'>,
  { password, ...given }: NewAccount,
) {
  const { db, platform } = ctx;
  await assertUncommon(password, given.username, ['account', 'password']);
  await beginChange(ctx);
  await assertNameFree(db, 'local', given.username);
  const id = newId();
  const account: Account = {
    _id: id,
    provenance: 'local',
    username: given.username,
    firstname: given.firstname ?? '',
    email: given.email ?? '',
    inactive: false,
    isServiceAccount: false,
    memberOf: [],
    assignedRoles: [],
    ...(await readDirect(db, given, ['account'])),
    _meta: newStamps(platform.now()),
  };
  await assertWithinRights(ctx, account);
  await insert(db, accounts, id, account);
  await db.insert(credentials).values({ accountId: id, hash: await hashPassword(password) });
  const message = `Successfully created account ${account.username}.`;
  return { status: 'OK' as const, message, data: await getAccount(ctx, id) };
}

/** Rejects a name that another account of the provenance has. @throws ServiceError CONFLICT */
export async function assertNameFree(tx: Database, provenance: string, name: string): Promise<void> {
  const { username, deleted } = accounts;
  const named = and(eq(username, name), eq(accounts.provenance, provenance), sql`${deleted} is not true`);
  if ((await tx.$count(accounts, named)) > 0) throw conflict(`An account named ${name} already exists`);
}

/**
 * Updates an account; lists are replaced. Deactivating it ends its sessions and its tokens at once.
 *
 * @throws ServiceError NOT_FOUND, BAD_REQUEST for an unknown group or role, CONFLICT for the last active admin
 */
export async function updateAccount(
  ctx: WriteContext<'access' | 'catalogue'>,
  id: string,
  updates: AccountUpdate,
) {
  const { db, platform, request } = ctx;
  const { given, ignored } = readUpdates(updates);
  await beginChange(ctx);
  const found = await find(db, accounts, id, true);
  if (!found) throw notFound('Account', id);
  const { doc } = found;
  assertUnchanged(request.ifMatch, doc._meta?.updated, `Account ${doc.username}`);
  if (doc.deleted === true && given.inactive === false) {
    throw conflict(`The service account ${doc.username} was deleted; create a new one`);
  }
  const direct = keepManaged(doc, await readDirect(db, given, ['updates']));
  const next = { ...doc, ...given, ...direct, _meta: nextStamps(doc._meta, platform.now()) };
  await storeAccount(ctx, found, next);
  const message = `Successfully updated account ${doc.username}.`;
  return { status: 'OK' as const, message, data: await getAccount(ctx, id), ...ignoredOf(ignored) };
}

/**
 * Stores an updated account, after the checks that apply to every change of an account.
 *
 * @throws ServiceError FORBIDDEN for rights beyond those of the caller, CONFLICT when no admin would be left, or another request changed it
 */
export async function storeAccount(
  ctx: WriteContext<'access' | 'catalogue'>,
  found: Stored<Account>,
  next: Account,
): Promise<void> {
  await assertWithinRights(ctx, found.doc, next);
  await keepingAnAdmin(ctx, async () => {
    if (!(await replace(ctx.db, accounts, found, next))) {
      throw changedMeanwhile(`Account ${next.username}`);
    }
  });
  if (next.inactive) await endAccess(ctx.db, found.id);
}

/** Ends the sessions and personal tokens of an account, and invalidates its access tokens. */
async function endAccess(tx: Database, id: string): Promise<void> {
  await endSessions(tx, id);
  await endPersonalTokens(tx, id);
  const generation = sql`${credentials.generation} + 1`;
  await tx.update(credentials).set({ generation }).where(eq(credentials.accountId, id));
}

/** Ends all sessions and tokens of an account. @throws ServiceError NOT_FOUND */
export async function forceLogout(ctx: WriteContext<'access' | 'catalogue'>, id: string) {
  const { username } = await holdAccount(ctx, id);
  await endAccess(ctx.db, id);
  return { status: 'OK' as const, message: `Ended all sessions of ${username}.` };
}

type PasswordChange = { accountId: string; newPassword: string; currentPassword?: string | null | undefined };

/**
 * Checks whether the caller may replace a password: their own, with the current one, or anybody's as admin. Runs before the
 * transaction, because checking a credential uses connections of its own.
 *
 * @throws ServiceError FORBIDDEN, BAD_REQUEST without the current password, TOO_MANY_REQUESTS after too many attempts
 */
export async function assertMayChangePassword(
  { principal, platform, request }: Pick<SignedIn, 'principal' | 'platform' | 'request'>,
  { accountId, currentPassword }: PasswordChange,
): Promise<void> {
  if (principal.id !== accountId) {
    if (principal.roles.includes('admin')) return;
    throw forbidden('Only an admin may change the password of another account');
  }
  if (typeof currentPassword !== 'string') {
    throw invalid(['currentPassword'], 'is required to change your own password', 'invalid_type');
  }
  // Counted like a sign-in: somebody who finds an open session must not be able to guess the password.
  const claim = { kind: 'person', name: principal.username, secret: currentPassword } as const;
  const from = { address: request.address, requestId: request.id };
  const proof = await proveAccount(platform.access, claim, from);
  if (proof?.id !== accountId) throw forbidden('The current password is wrong');
}

/**
 * Replaces a password, which ends the account's other sessions. An admin who resets another user's password also ends its
 * personal tokens: the reason may be that the account was compromised.
 *
 * @throws ServiceError NOT_FOUND, BAD_REQUEST for a common password, UNPROCESSABLE_CONTENT for an account that signs in
 *   elsewhere
 */
export async function changePassword(
  ctx: WriteContext<'access' | 'catalogue'>,
  { accountId: id, newPassword }: PasswordChange,
) {
  const { db, principal } = ctx;
  const account = await holdAccount(ctx, id);
  if (account.isServiceAccount || account.provenance !== 'local') {
    throw unprocessable(
      `${account.username} has no password here; regenerate the secret of a service account instead`,
    );
  }
  await assertUncommon(newPassword, account.username, ['newPassword']);
  const hash = await hashPassword(newPassword);
  await db
    .insert(credentials)
    .values({ accountId: id, hash })
    .onConflictDoUpdate({
      target: credentials.accountId,
      set: { hash, generation: sql`${credentials.generation} + 1` },
    });
  await endSessions(db, id, principal.id === id ? principal.session : null);
  if (principal.id !== id) await endPersonalTokens(db, id);
  return { status: 'OK' as const, message: `Successfully changed the password of ${account.username}.` };
}

/**
 * Locks an account whose credential or sessions change, and adds it to the audit row, which clears the cache of callers.
 */
async function holdAccount({ db }: WriteContext<'access' | 'catalogue'>, id: string): Promise<Account> {
  const found = await find(db, accounts, id, true);
  if (!found) throw notFound('Account', id);
  noteChange(db, { kind: 'accounts', id, name: found.doc.username });
  return found.doc;
}
