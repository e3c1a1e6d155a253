import { eq } from 'drizzle-orm';
import { noteChange } from '#db/collection.ts';
import type { WhoAmI } from '#db/schemas/identity/account.ts';
import { accounts } from '#db/tables/identity/accounts.ts';
import type { ReadContext, Uses, WriteContext } from '#server/kernel/contexts.ts';
import { mergePatch } from '#server/kernel/documents/merge-patch.ts';
import { invalid, notFound, ServiceError } from '#server/kernel/errors.ts';
import { rolesNeeded } from '#server/kernel/principal.ts';
import { effectiveRightsOf } from '../rights/effective-rights.service.ts';
import { allowedOf } from '../rights/permissions.ts';

/**
 * Returns the caller with all rights, including those of groups and of the active profile (contract/lifecycle#1).
 *
 * @throws ServiceError UNAUTHORIZED when the account was deleted or deactivated meanwhile
 */
export async function whoAmI({ db, platform, principal }: ReadContext<'catalogue'>): Promise<WhoAmI> {
  const accountRights = await effectiveRightsOf(db, principal.id);
  // The account was deactivated during the request.
  if (!accountRights) throw new ServiceError('UNAUTHORIZED', 'The account is no longer active');
  const { id, provenance, username, firstname, groups, roles } = accountRights;
  const custom = roles.map(({ name }) => name).filter((name) => !principal.roles.includes(name));
  return {
    id,
    provenance,
    username,
    firstname,
    groups,
    roles: [...principal.roles, ...custom],
    ...allowedOf(principal, roles, platform.catalogue),
  };
}

/**
 * Returns the roles of which an operation requires one, in a sentence.
 *
 * @param operation `mop.runCommandDevices`
 * @throws ServiceError NOT_FOUND
 */
export function requirementOf({ platform }: Uses<'catalogue'>, operation: string): string {
  const found = platform.catalogue.find(({ name }) => name === operation);
  if (!found) throw notFound('Operation', operation);
  return rolesNeeded(found.audience);
}

/**
 * Returns the caller's own account with the preferences of its console (contract/lifecycle#1).
 *
 * @throws ServiceError UNAUTHORIZED when the account was deleted meanwhile
 */
export async function readSettings({ db, principal }: ReadContext) {
  const { doc, lastLogin, preferences } = accounts;
  const where = eq(accounts.id, principal.id);
  const [found] = await db.select({ doc, lastLogin, preferences }).from(accounts).where(where);
  if (!found) throw new ServiceError('UNAUTHORIZED', 'The account no longer exists');
  const {
    _id,
    provenance = '',
    username,
    firstname = '',
    inactive = false,
    memberOf,
    assignedRoles,
    _meta,
  } = found.doc;
  return {
    _id,
    provenance,
    username,
    firstname,
    inactive,
    memberOf: memberOf ?? [],
    assignedRoles: assignedRoles ?? [],
    gitTokens: {},
    lastLogin: found.lastLogin?.toISOString() ?? null,
    preferences: found.preferences ?? {},
    _meta,
  };
}

/** Maximum size of the preferences of an account, in bytes of JSON (contract/lifecycle#12a). */
const MOST_BYTES = 64 * 1024;

/**
 * Changes the preferences of the caller's console. Two changes at once are both kept: the second waits for the row.
 *
 * @param change a merge patch (RFC 7396): keys without a value of their own stay, null removes one
 * @throws ServiceError BAD_REQUEST when all preferences together would have more than 64 KiB
 */
export async function keepPreferences(
  ctx: WriteContext<'access' | 'catalogue'>,
  change: Record<string, unknown>,
) {
  const { db, principal } = ctx;
  const own = eq(accounts.id, principal.id);
  const [stored] = await db
    .select({ preferences: accounts.preferences })
    .from(accounts)
    .where(own)
    .for('update');
  const preferences = mergePatch(stored?.preferences, change);
  const bytes = new TextEncoder().encode(JSON.stringify(preferences)).length;
  if (bytes > MOST_BYTES) {
    throw invalid(
      ['preferences'],
      `has ${bytes} bytes of JSON; at most ${MOST_BYTES} are allowed`,
      'too_big',
    );
  }
  await db.update(accounts).set({ preferences }).where(own);
  noteChange(db, { kind: 'accounts', id: principal.id, name: principal.username });
  return { status: 'OK' as const, message: 'Successfully saved preferences.', data: await readSettings(ctx) };
}
