import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows, violates } from '#db/client.ts';
import { changesOf, find, findText, type Stored } from '#db/collection.ts';
import { DOCUMENT_KINDS, type DocumentKind, type DocumentOf } from '#db/document-kinds/kinds.ts';
import { documentsOf, readable } from '#db/document-kinds/readable.ts';
import { newId } from '#db/ids.ts';
import { type ListQuery, QueryRefused } from '#db/list/query.ts';
import { type ListOptions, readList } from '#db/list/read-list.ts';
import type { Resource } from '#db/list/resource.ts';
import type { AccountLookup } from '../access.ts';
import { conflict, notFound, refused } from '../errors.ts';
import type { Caller } from '../principal.ts';
import type { Vault } from '../secrets/vault.ts';
import type { NewDocumentOptions } from './new-document.ts';

/** The part of a request's context that reading configuration documents touches. */
export type ReadContext = { db: Database; principal: Caller };

/** The part that writing them touches; `db` is the transaction. */
export type WriteContext = ReadContext & {
  platform: { now: () => Date; vault: Vault; access: AccountLookup };
  request: { ifMatch: string | null };
};

/** Who makes new documents in this request. */
export const makerOf = ({ principal, platform }: WriteContext): NewDocumentOptions => ({
  account: principal.id,
  now: platform.now(),
  newId,
});

/** Names one document: its id, or a condition with what messages call it by. */
export type Key = string | { where: SQL; called: string };

const oneBy = (kind: DocumentKind, key: Key, principal: Caller): SQL => {
  const { id } = DOCUMENT_KINDS[kind].table;
  return allOf(typeof key === 'string' ? sql`${id} = ${key}` : key.where, readable(kind, principal));
};

const missing = (kind: DocumentKind, key: Key) =>
  notFound(DOCUMENT_KINDS[kind].word, typeof key === 'string' ? key : key.called);

/**
 * Returns a document of any kind, as far as the caller may see it.
 *
 * @param lock nobody else writes it before the transaction ends
 * @throws ServiceError NOT_FOUND
 */
export async function findDocument<K extends DocumentKind>(
  { db, principal }: ReadContext,
  kind: K,
  key: Key,
  lock = false,
): Promise<Stored<DocumentOf<K>>> {
  const stored = await find(db, documentsOf(kind), oneBy(kind, key, principal), lock);
  if (!stored) throw missing(kind, key);
  return stored;
}

/** Returns the JSON text of the same, for answers that carry it unchanged. @throws ServiceError NOT_FOUND */
export async function readDocument(
  { db, principal }: ReadContext,
  kind: DocumentKind,
  key: Key,
): Promise<string> {
  const text = await findText<unknown>(db, documentsOf(kind), oneBy(kind, key, principal));
  if (text === undefined) throw missing(kind, key);
  return text;
}

/**
 * Returns every document of a kind that the caller may see as the JSON text of an array.
 *
 * @param order the columns that they are sorted by; the id unless given
 * @param shown the document as it is answered
 */
export async function listDocuments(
  { db, principal }: ReadContext,
  kind: DocumentKind,
  { where, order = sql`id`, shown = sql`doc` }: { where?: SQL | undefined; order?: SQL; shown?: SQL } = {},
): Promise<string> {
  const found = await rows<{ doc: string }>(
    db,
    sql`select (${shown})::text as doc from ${DOCUMENT_KINDS[kind].table}
        where ${allOf(sql`true`, where, readable(kind, principal))} order by ${order}`,
  );
  return `[${found.map(({ doc }) => doc).join(',')}]`;
}

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
  how: ListOptions,
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
