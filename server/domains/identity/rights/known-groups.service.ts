import { isDeepStrictEqual } from 'node:util';
import type { Database } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import { groups } from '#db/tables/identity/accounts.ts';
import { type Issue, invalidRequest } from '#server/kernel/errors.ts';
import type { AccessList } from './gbac.ts';

type Path = (string | number)[];

/** Returns those of the ids that groups have, and locks these groups until the transaction ends. */
export async function lockExistingGroups(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const found = await db
    .select({ id: groups.id })
    .from(groups)
    .where(isOneOf(groups.id, [...new Set(ids)]))
    .orderBy(groups.id)
    .for('key share');
  return new Set(found.map(({ id }) => id));
}

/** Returns an issue for each unknown id, and locks the groups that exist until the transaction ends. */
async function unknownGroups(db: Database, ids: readonly string[], path: Path): Promise<Issue[]> {
  const known = await lockExistingGroups(db, ids);
  return ids.flatMap((id, at) =>
    known.has(id)
      ? []
      : [{ path: [...path, at], message: `Group ${id.slice(0, 100)} does not exist`, code: 'unknown_group' }],
  );
}

/**
 * Rejects ids of groups that do not exist: a document with only such groups is hidden from everybody.
 *
 * @param path path of the list in the request
 * @throws ServiceError BAD_REQUEST naming every unknown id
 */
export async function assertKnownGroups(db: Database, ids: readonly string[], path: Path): Promise<void> {
  const issues = await unknownGroups(db, ids, path);
  if (issues.length > 0) throw invalidRequest(issues);
}

/**
 * Rejects unknown groups in both lists of an access list (gbac).
 *
 * @throws ServiceError BAD_REQUEST naming every unknown id
 */
export async function assertKnownGbac(
  db: Database,
  gbac: AccessList | null | undefined,
  path: Path,
): Promise<void> {
  assertGroupsKnownOrUnchanged(await unknownInGbac(db, gbac, path), gbac, null);
}

/**
 * Returns an issue for each unknown group of an access list, for an update: groups are locked before the document, and only
 * then is it known whether its list changes (`assertGroupsKnownOrUnchanged`).
 */
export async function unknownInGbac(
  db: Database,
  gbac: AccessList | null | undefined,
  path: Path,
): Promise<Issue[]> {
  return [
    ...(await unknownGroups(db, gbac?.read ?? [], [...path, 'read'])),
    ...(await unknownGroups(db, gbac?.write ?? [], [...path, 'write'])),
  ];
}

/**
 * Rejects the unknown groups of an access list, unless it equals the stored one: a client may send back a list that an
 * import left closed (decision 0058).
 *
 * @param issues result of `unknownInGbac`
 * @throws ServiceError BAD_REQUEST with the issues
 */
export function assertGroupsKnownOrUnchanged(
  issues: readonly Issue[],
  gbac: AccessList | null | undefined,
  stored: AccessList | null | undefined,
): void {
  if (issues.length > 0 && !isDeepStrictEqual(bothLists(gbac), bothLists(stored)))
    throw invalidRequest([...issues]);
}

const bothLists = (gbac: AccessList | null | undefined) => [gbac?.read ?? [], gbac?.write ?? []];
