import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { find, insert, remove, replace } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { Group, GroupUpdate } from '#db/schemas/identity/account.ts';
import type { NewGroup } from '#db/schemas/requests/account.ts';
import { groups } from '#db/tables/identity/accounts.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { changedMeanwhile, conflict, forbidden, invalid, notFound } from '#server/kernel/errors.ts';
import { isSeeded, PLATFORM } from '#server/kernel/principal.ts';
import {
  removeFromAccessLists,
  removeFromList,
  removeFromProjects,
} from '../rights/cascade-removal.service.ts';
import { assertWithinRights, beginChange, keepingAnAdmin, readDirect } from '../rights/rights.service.ts';
import { inheritedBy } from './accounts.service.ts';
import { wouldCycle } from './membership.ts';
import { ignoredOf, newStamps, nextStamps, readUpdates } from './updates.ts';

/** Returns a group with what it inherits from the groups above it. @throws ServiceError NOT_FOUND */
export async function getGroup({ db }: { db: Database }, id: string): Promise<Group> {
  const found = await find(db, groups, id);
  if (!found) throw notFound('Group', id);
  return { ...found.doc, ...(await inheritedBy(db, found.doc)) };
}

/** Returns every group by name, for users who share a document, without the members (contract/lifecycle#3). */
export const listGroupNames = (db: Database) =>
  db
    .select({ _id: groups.id, name: groups.name, provenance: groups.provenance })
    .from(groups)
    .orderBy(groups.name, groups.id);

/**
 * Creates a group.
 *
 * @throws ServiceError CONFLICT when its name is taken within its provenance, BAD_REQUEST for an unknown group or role, or
 *   the reserved provenance of the platform
 */
export async function createGroup(ctx: WriteContext<'access' | 'catalogue'>, given: NewGroup) {
  const { db, platform } = ctx;
  const { name, description = '', provenance = 'local', inactive = false } = given;
  assertNotReserved(provenance, ['group', 'provenance']);
  await beginChange(ctx);
  await assertNameFree(db, provenance, name);
  const id = newId();
  const group: Group = {
    _id: id,
    provenance,
    name,
    description,
    memberOf: [],
    assignedRoles: [],
    ...(await readDirect(db, given, ['group'])),
    inactive,
    _meta: newStamps(platform.now()),
  };
  await assertWithinRights(ctx, group);
  await insert(db, groups, id, group);
  return {
    status: 'OK' as const,
    message: `Successfully created group ${id}.`,
    data: await getGroup(ctx, id),
  };
}

/**
 * Rejects the provenance that is reserved for what comes with the platform (contract/lifecycle#3).
 *
 * @param path path of the provenance in the request
 * @throws ServiceError BAD_REQUEST
 */
export function assertNotReserved(provenance: string, path: string[]): void {
  if (provenance === PLATFORM) throw invalid(path, `${PLATFORM} is reserved for groups of the platform`);
}

async function assertNameFree(tx: Database, provenance: string, name: string) {
  const taken = await tx.$count(groups, and(eq(groups.name, name), eq(groups.provenance, provenance)));
  if (taken > 0) throw conflict(`A group named ${name} of provenance ${provenance} already exists`);
}

/**
 * Updates a group; lists are replaced. The rights of its members change at once.
 *
 * @throws ServiceError NOT_FOUND, BAD_REQUEST for an unknown group or role or a membership cycle, CONFLICT for a taken name
 *   or the last active admin, FORBIDDEN to rename a built-in group
 */
export async function updateGroup(
  ctx: WriteContext<'access' | 'catalogue'>,
  id: string,
  updates: GroupUpdate,
) {
  const { db, platform, request } = ctx;
  const { given, ignored } = readUpdates(updates);
  await beginChange(ctx);
  const found = await find(db, groups, id, true);
  if (!found) throw notFound('Group', id);
  const { doc } = found;
  assertUnchanged(request.ifMatch, doc._meta?.updated, `Group ${doc.name}`);
  if (given.name !== undefined && given.name !== doc.name) {
    if (isSeeded({ provenance: doc.provenance ?? '' })) throw builtInGroupError(doc.name, 'renamed');
    await assertNameFree(db, doc.provenance ?? '', given.name);
  }
  const direct = await readDirect(db, given, ['updates']);
  if (direct.memberOf) await assertNoCircle(db, doc, direct.memberOf);
  const next = { ...doc, ...given, ...direct, _meta: nextStamps(doc._meta, platform.now()) };
  await assertWithinRights(ctx, doc, next);
  await keepingAnAdmin(ctx, async () => {
    if (!(await replace(db, groups, found, next))) throw changedMeanwhile(`Group ${doc.name}`);
  });
  const message = `Successfully updated group ${next.name}.`;
  return { status: 'OK' as const, message, data: await getGroup(ctx, id), ...ignoredOf(ignored) };
}

async function assertNoCircle(tx: Database, group: Group, memberOf: { groupId: string }[]) {
  const all = await tx.select({ id: groups.id, doc: groups.doc }).from(groups);
  const parents = new Map(all.map(({ id, doc }) => [id, (doc.memberOf ?? []).map(({ groupId }) => groupId)]));
  const direct = memberOf.map(({ groupId }) => groupId);
  if (!wouldCycle(parents, group._id, direct)) return;
  throw invalid(['updates', 'memberOf'], `would make ${group.name} a member of itself`, 'membership_cycle');
}

/**
 * Deletes a group and removes it from every membership, every access list and every project.
 *
 * @throws ServiceError NOT_FOUND, CONFLICT when a document would become open to everyone, a project would have no owner, or
 *   no admin would remain, FORBIDDEN for a built-in group
 */
export async function deleteGroup(ctx: WriteContext<'access' | 'catalogue'>, id: string) {
  const { db, request } = ctx;
  await beginChange(ctx);
  const found = await find(db, groups, id, true);
  if (!found) throw notFound('Group', id);
  const { doc } = found;
  assertUnchanged(request.ifMatch, doc._meta?.updated, `Group ${doc.name}`);
  if (isSeeded({ provenance: doc.provenance ?? '' })) throw builtInGroupError(doc.name, 'deleted');
  await assertWithinRights(ctx, doc);
  await keepingAnAdmin(ctx, async () => {
    await remove(db, groups, [id]);
    await removeFromList(db, { list: 'memberOf', member: 'groupId' }, id);
    await removeFromAccessLists(db, id, `Group ${doc.name}`);
    await removeFromProjects(db, id, `Group ${doc.name}`);
  });
  return { status: 'OK' as const, message: `Successfully deleted group ${doc.name}.` };
}

const builtInGroupError = (name: string, verb: string) =>
  forbidden(`The group ${name} is built in and cannot be ${verb}`);
