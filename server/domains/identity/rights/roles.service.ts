import { and, eq, not, or } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { find, insert, remove, replace, type Stored } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { Role, RoleUpdate } from '#db/schemas/identity/account.ts';
import type { NewRole } from '#db/schemas/requests/account.ts';
import { roles } from '#db/tables/identity/accounts.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { changedMeanwhile, conflict, forbidden, invalidRequest, notFound } from '#server/kernel/errors.ts';
import { isSeeded, permissionOfMethod } from '#server/kernel/principal.ts';
import { assertNotReserved } from '../accounts/groups.service.ts';
import { ignoredOf, newStamps, nextStamps, readUpdates } from '../accounts/updates.ts';
import { removeFromList } from './cascade-removal.service.ts';
import { readGrants } from './permissions.ts';
import { knownProvided } from './provided-rights.service.ts';
import { assertHolds, beginChange } from './rights.service.ts';

/** Returns a role, built in, provided or custom. @throws ServiceError NOT_FOUND */
export async function getRole({ db }: { db: Database }, id: string): Promise<Role> {
  const found = await find(db, roles, id);
  if (!found) throw notFound('Role', id);
  return found.doc;
}

/**
 * Creates a role that grants single permissions and views.
 *
 * @throws ServiceError CONFLICT when the name is taken, BAD_REQUEST for an unknown permission or view, or the reserved
 *   provenance of the platform
 */
export async function createRole(ctx: WriteContext<'access' | 'catalogue'>, given: NewRole) {
  const { db, platform } = ctx;
  const { name, description = '', provenance = 'local' } = given;
  assertNotReserved(provenance, ['role', 'provenance']);
  await beginChange(ctx);
  await assertNameFree(db, name, provenance);
  const id = newId();
  const role: Role = {
    _id: id,
    provenance,
    name,
    description,
    allowedMethods: [],
    allowedViews: [],
    ...(await grantsOf(ctx, given, ['role'])),
    _meta: newStamps(platform.now()),
  };
  assertMayGive(ctx, role);
  await insert(db, roles, id, role);
  const message = `Successfully created role ${name}.`;
  return {
    status: 'success' as const,
    message,
    data: role,
    ...ignoredOf(readUpdates(given).ignored),
  };
}

/**
 * Updates a custom role; lists are replaced. The rights of its holders change at once.
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN for a built-in or provided role, CONFLICT when the name is taken, BAD_REQUEST for an
 *   unknown permission or view
 */
export async function updateRole(ctx: WriteContext<'access' | 'catalogue'>, id: string, updates: RoleUpdate) {
  const { db, platform } = ctx;
  const { given, ignored } = readUpdates(updates);
  await beginChange(ctx);
  const found = await holdOwn(ctx, id);
  const { doc } = found;
  if (given.name !== undefined && given.name !== doc.name) {
    await assertNameFree(db, given.name, doc.provenance ?? '');
  }
  const next = {
    ...doc,
    ...given,
    ...(await grantsOf(ctx, given, ['updates'])),
    _meta: nextStamps(datesOf(doc), platform.now()),
  };
  assertMayGive(ctx, doc);
  assertMayGive(ctx, next);
  if (!(await replace(db, roles, found, next))) throw changedMeanwhile(`Role ${doc.name}`);
  const message = `Successfully updated role ${next.name}.`;
  return { status: 'success' as const, message, data: next, ...ignoredOf(ignored) };
}

/**
 * Deletes a custom role and removes it from all its holders.
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN for a built-in or provided role
 */
export async function deleteRole(ctx: WriteContext<'access' | 'catalogue'>, id: string) {
  await beginChange(ctx);
  const { doc } = await holdOwn(ctx, id);
  assertMayGive(ctx, doc);
  await remove(ctx.db, roles, [id]);
  await removeFromList(ctx.db, { list: 'assignedRoles', member: 'roleId' }, id);
  return { status: 'success' as const, message: `Successfully deleted role ${doc.name}.` };
}

async function holdOwn(
  { db, request }: WriteContext<'access' | 'catalogue'>,
  id: string,
): Promise<Stored<Role>> {
  const found = await find(db, roles, id, true);
  if (!found) throw notFound('Role', id);
  const { name, provenance = '' } = found.doc;
  if (isSeeded({ provenance })) {
    throw forbidden(`The role ${name} is built in and cannot be changed`);
  }
  if ((await db.$count(roles, and(eq(roles.id, id), roles.provided))) > 0) {
    throw forbidden(`The role ${name} comes with ${provenance} and cannot be changed`);
  }
  assertUnchanged(request.ifMatch, datesOf(found.doc)?.updated, `Role ${name}`);
  return found;
}

/** Returns a role's dates, which have the same format as those of accounts and groups; the schema leaves them open. */
const datesOf = ({ _meta }: Role) => _meta as { created?: string; updated?: string } | undefined;

/**
 * Rejects a name that any role has, whatever its provenance: there is never a second role `admin` of the platform. Provided
 * roles, of which each provenance has the same, count within theirs.
 */
async function assertNameFree(tx: Database, name: string, provenance: string) {
  const isTaken = or(not(roles.provided), eq(roles.provenance, provenance));
  const taken = await tx.$count(roles, and(eq(roles.name, name), isTaken));
  if (taken > 0) throw conflict(`A role named ${name} already exists`);
}

async function grantsOf(
  { db, platform }: WriteContext<'access' | 'catalogue'>,
  given: Pick<RoleUpdate, 'allowedMethods' | 'allowedViews'>,
  path: string[],
) {
  const provided = await knownProvided(db, given.allowedMethods ?? []);
  const { issues, ...grants } = readGrants(given, platform.catalogue, path, provided);
  if (issues.length > 0) throw invalidRequest(issues);
  return grants;
}

/** @throws ServiceError FORBIDDEN when the caller lacks what the role grants and is not an admin */
function assertMayGive(
  { principal, platform }: WriteContext<'access' | 'catalogue'>,
  { allowedMethods = [] }: Role,
) {
  const permissions = allowedMethods.map(({ provenance = '', name }) =>
    permissionOfMethod({ provenance, name }),
  );
  assertHolds(principal, { roles: [], groups: [], permissions }, platform);
}
