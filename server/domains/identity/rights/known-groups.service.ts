import { isDeepStrictEqual } from 'node:util';
import type { Database } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import { groups } from '#db/tables/documents.ts';
import { type Issue, refused } from '#server/kernel/errors.ts';

type Path = (string | number)[];
type AccessList = { read?: readonly string[] | undefined; write?: readonly string[] | undefined };

/** Returns those of the ids that groups have; these groups are held until the transaction ends. */
export async function heldGroups(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const found = await db
    .select({ id: groups.id })
    .from(groups)
    .where(isOneOf(groups.id, [...new Set(ids)]))
    .orderBy(groups.id)
    .for('key share');
  return new Set(found.map(({ id }) => id));
}

/** An issue for each id that no group has. The groups that exist are held until the transaction ends. */
async function unknownGroups(db: Database, ids: readonly string[], path: Path): Promise<Issue[]> {
  const known = await heldGroups(db, ids);
  return ids.flatMap((id, at) =>
    known.has(id)
      ? []
      : [{ path: [...path, at], message: `Group ${id.slice(0, 100)} does not exist`, code: 'unknown_group' }],
  );
}

/**
 * Rejects ids of groups that do not exist: a document that names only such groups is hidden from everybody.
 *
 * @param path place of the list in the request
 * @throws ServiceError BAD_REQUEST naming every unknown id
 */
export async function assertKnownGroups(db: Database, ids: readonly string[], path: Path): Promise<void> {
  const issues = await unknownGroups(db, ids, path);
  if (issues.length > 0) throw refused(issues);
}

/**
 * The same for both lists of an access list (gbac).
 *
 * @throws ServiceError BAD_REQUEST naming every unknown id
 */
export async function assertKnownGbac(
  db: Database,
  gbac: AccessList | null | undefined,
  path: Path,
): Promise<void> {
  assertKnownOrKept(await unknownInGbac(db, gbac, path), gbac, null);
}

/**
 * An issue for each group of an access list that does not exist, for an update: groups are held before the document is
 * locked, and whether its list stays is known only then (`assertKnownOrKept`).
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
 * Rejects the unknown groups of an access list, unless it is the stored one: a list that an import left closed
 * (decision 0058) may be sent back as it was read.
 *
 * @param issues of `unknownInGbac`
 * @throws ServiceError BAD_REQUEST with the issues
 */
export function assertKnownOrKept(
  issues: readonly Issue[],
  gbac: AccessList | null | undefined,
  stored: AccessList | null | undefined,
): void {
  if (issues.length > 0 && !isDeepStrictEqual(bothLists(gbac), bothLists(stored))) throw refused([...issues]);
}

const bothLists = (gbac: AccessList | null | undefined) => [gbac?.read ?? [], gbac?.write ?? []];
