import { type SQL, sql } from 'drizzle-orm';
import { type Database, failsWith, rows, violates } from '#db/client.ts';
import {
  changesOf,
  type Documents,
  find,
  findText,
  insert,
  insertUnread,
  type Stored,
} from '#db/collection.ts';
import { DOCUMENT_KINDS, type DocumentKind, type DocumentOf } from '#db/document-kinds/kinds.ts';
import { documentsOf, readable } from '#db/document-kinds/readable.ts';
import { newId } from '#db/ids.ts';
import { InvalidListQuery, type ListQuery } from '#db/list/query.ts';
import { type ListOptions, readList } from '#db/list/read-list.ts';
import type { Resource } from '#db/list/resource.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { conflict, invalidRequest, notFound } from '../errors.ts';
import type { Caller } from '../principal.ts';
import type { NewDocumentOptions } from './new-document.ts';

/** Returns the options for new documents of this request: account, time, id generator. */
export const makerOf = ({ principal, platform }: WriteContext): NewDocumentOptions => ({
  account: principal.id,
  now: platform.now(),
  newId,
});

/** Identifies one document: its id, or a condition and the name used in messages. */
export type Key = string | { where: SQL; called: string };

const oneBy = (kind: DocumentKind, key: Key, principal: Caller): SQL => {
  const { id } = DOCUMENT_KINDS[kind].table;
  return allOf(typeof key === 'string' ? sql`${id} = ${key}` : key.where, readable(kind, principal));
};

const missing = (kind: DocumentKind, key: Key) =>
  notFound(DOCUMENT_KINDS[kind].word, typeof key === 'string' ? key : key.called);

/**
 * Returns a document of any kind, if the caller may see it.
 *
 * @param lock locks the row until the transaction ends
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

/** Returns the JSON text of a document, for responses that pass it on unchanged. @throws ServiceError NOT_FOUND */
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
 * @param order the columns to sort by; default: the id
 * @param shown the SQL expression of the returned document
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

/** Returns the path of a search option in most requests. */
export const inOptions = (path: Path): Path => ['options', ...path];

/** Returns the path of a search option where filters are beside the options in the request. */
export const besideOptions = (path: Path): Path => (path[0] === 'filter' ? path.slice(1) : inOptions(path));

/**
 * Parses a search as a query of a list; issues are reported by their path in the request.
 *
 * @param options as `readList` reads them
 * @param place maps a path in these options to the path in the request
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
    if (!(error instanceof InvalidListQuery)) throw error;
    throw invalidRequest(error.issues.map((one) => ({ ...one, path: place(one.path) })));
  }
}

/** Joins conditions with `and`; undefined conditions are omitted. */
export const allOf = (...conditions: (SQL | undefined)[]): SQL =>
  sql.join(
    conditions.filter((condition) => condition !== undefined),
    sql` and `,
  );

/** Returns the access condition of a list, in the form that `list` expects. */
export const accessOf = (...conditions: (SQL | undefined)[]): { access?: SQL } =>
  conditions.some((condition) => condition !== undefined) ? { access: allOf(...conditions) } : {};

/**
 * Performs a write whose name may be taken, also by a concurrent write.
 *
 * @param index the unique index that a taken name violates
 * @param message of the error
 * @param write inserts or replaces the document
 * @returns the result of `write`
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

/**
 * Stores a new document whose name may be taken. In a transaction nothing waits for the answer, unless it stores several of the
 * kind (decision 0161): where the name is taken, the transaction fails with that error.
 *
 * @param index the unique index that a taken name violates, and the message of the error
 * @param extra values of further columns, by the name of the column in the code
 * @returns the document
 * @throws ServiceError CONFLICT, also from the transaction
 */
export async function insertUnlessTaken<Doc>(
  tx: Database,
  table: Documents<Doc>,
  { id, doc, ...extra }: { id: string; doc: Doc } & Record<string, unknown>,
  { index, message }: { index: string; message: string },
): Promise<Doc> {
  const store = failsWith(tx, index, takenWith(message)) ? insertUnread : insert;
  return unlessTaken(index, message, () => store(tx, table, id, doc, extra));
}

/** Returns what makes the error of a taken name; a function of its own, so that it refers to no transaction (`failsWith`). */
const takenWith = (message: string) => (cause: unknown) => conflict(message, { cause });

/** Returns `grownStamp` as SQL, for statements that write several rows. */
export const grownStampIn = (now: Date): SQL => sql`to_char(
  greatest(${now.toISOString()}::timestamptz, (doc ->> 'lastUpdated')::timestamptz + interval '1 millisecond')
    at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Most changes of one statement that the audit row names; the operation describes the rest. */
const RECORDED = 20;

/**
 * Adds documents to the audit row that our own statements wrote (db/collection.ts adds the others).
 *
 * @param kind kind of the documents in the audit trail, such as a table's name
 */
export function recordChanges(
  db: Database,
  kind: string,
  documents: readonly { id: string; name: string }[],
): void {
  const changes = changesOf(db);
  const room = Math.max(0, RECORDED - changes.length);
  for (const { id, name } of documents.slice(0, room)) changes.push({ kind, id, name });
}
