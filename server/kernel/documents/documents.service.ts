import { type SQL, sql } from 'drizzle-orm';
import { type Database, violates } from '#db/client.ts';
import { changesOf } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { type ListQuery, QueryRefused } from '#db/list/query.ts';
import { type How, readList } from '#db/list/read-list.ts';
import type { Resource } from '#db/list/resource.ts';
import type { AccountLookup } from '../access.ts';
import { conflict, refused } from '../errors.ts';
import type { Caller } from '../principal.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Maker } from './new-document.ts';

/** The part of a request's context that reading configuration documents touches. */
export type Reading = { db: Database; principal: Caller };

/** The part that writing them touches; `db` is the transaction. */
export type Writing = Reading & {
  platform: { now: () => Date; vault: Vault; access: AccountLookup };
  request: { ifMatch: string | null };
};

/** Who makes new documents in this request. */
export const makerOf = ({ principal, platform }: Writing): Maker => ({
  account: principal.id,
  now: platform.now(),
  newId,
});

type Path = (string | number)[];

/** Where the options of a search stand in most requests. */
export const inOptions = (path: Path): Path => ['options', ...path];

/**
 * Read a search as a query of a list; what is refused is told by its place in the request.
 *
 * @param options as `readList` reads them
 * @param place from a path in these options to the path in the request
 * @throws ServiceError BAD_REQUEST with every issue
 */
export function readSearchAt(
  resource: Resource,
  options: unknown,
  how: How,
  place: (path: Path) => Path = inOptions,
): ListQuery {
  try {
    return readList(resource, options, how);
  } catch (error) {
    if (!(error instanceof QueryRefused)) throw error;
    throw refused(error.issues.map((one) => ({ ...one, path: place(one.path) })));
  }
}

/** Conditions that all must hold; those that ask nothing are left out. */
export const allOf = (...conditions: (SQL | undefined)[]): SQL =>
  sql.join(
    conditions.filter((condition) => condition !== undefined),
    sql` and `,
  );

/** What a list may show, in the form that `list` asks for. */
export const accessOf = (...conditions: (SQL | undefined)[]): { access?: SQL } =>
  conditions.some((condition) => condition !== undefined) ? { access: allOf(...conditions) } : {};

/**
 * Do a write that may find its name taken, also by somebody who writes at the same moment.
 *
 * @param index the unique index that decides
 * @throws ServiceError CONFLICT
 */
export async function unlessTaken<T>(index: string, message: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (violates(error) !== index) throw error;
    throw conflict(message, { cause: error });
  }
}

/** `grownStamp` for the rows of a statement, in SQL. */
export const grownStampIn = (now: Date): SQL => sql`to_char(
  greatest(${now.toISOString()}::timestamptz, (doc ->> 'lastUpdated')::timestamptz + interval '1 millisecond')
    at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Changes that one statement made and the audit row tells by name; the rest is told by the operation. */
const RECORDED = 20;

/** Tell the audit row of documents that were written by statements of our own (db/collection.ts tells of the others). */
export function recordChanges(
  db: Database,
  kind: string,
  documents: readonly { id: string; name: string }[],
): void {
  const changes = changesOf(db);
  const room = Math.max(0, RECORDED - changes.length);
  for (const { id, name } of documents.slice(0, room)) changes.push({ kind, id, name });
}
