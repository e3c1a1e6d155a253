import { type SQL, sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { insert, remove, replace, type Stored } from '#db/collection.ts';
import { DOCUMENT_KINDS, type DocumentOf, type ListedKind } from '#db/document-kinds/kinds.ts';
import { documentsOf, readable } from '#db/document-kinds/readable.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { Gbac, GbacUpdate } from '#db/schemas/primitives.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { allOf, findDocument, type Key, unlessTaken } from '#server/kernel/documents/documents.service.ts';
import {
  type ImportedDocument,
  type Placement,
  placeImports,
} from '#server/kernel/documents/import-placement.service.ts';
import { assertUnchanged, conflictDetails } from '#server/kernel/documents/optimistic-lock.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { changedMeanwhile } from '#server/kernel/errors.ts';
import { assertConsistent, assertMayWrite } from './gbac.ts';
import { type GroupWarning, withoutUnknownGroups } from './import-groups.service.ts';
import { assertGroupsKnownOrUnchanged, unknownInGbac } from './known-groups.service.ts';

/** Fields that every document with an access list may have. */
type Listed = { name?: string; gbac?: Gbac | undefined; [field: string]: unknown };

// The table of each kind defines the other fields of its documents.
const listed = (doc: unknown) => doc as Listed;

/** Returns the document's name in a message: kind and name, where names are unique, otherwise kind and id. */
function nameInMessage(kind: ListedKind, { id, doc }: Pick<Stored<unknown>, 'id' | 'doc'>): string {
  const { called, word, unique } = DOCUMENT_KINDS[kind];
  return `${called ?? word} ${unique ? listed(doc).name : id}`;
}

/** Stores a new document. @throws ServiceError CONFLICT when its name is taken */
export const insertDocument = <K extends ListedKind>(
  ctx: WriteContext,
  kind: K,
  doc: DocumentOf<K> & { id: string; name: string },
): Promise<DocumentOf<K>> =>
  unlessNameTaken(kind, doc.name, () => insert(ctx.db, documentsOf(kind), doc.id, doc));

/**
 * Returns a document that is locked until the transaction ends and that the caller may write.
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN
 */
export async function lockDocument<K extends ListedKind>(
  ctx: ReadContext,
  kind: K,
  key: Key,
): Promise<Stored<DocumentOf<K>>> {
  const stored = await findDocument(ctx, kind, key, true);
  assertMayWrite(listed(stored.doc).gbac, ctx.principal, nameInMessage(kind, stored));
  return stored;
}

/**
 * Rejects an update or deletion of a document that the caller may not write, or that changed since it was read.
 *
 * @param change the update, whose differences the error lists
 * @throws ServiceError FORBIDDEN, CONFLICT
 */
export function assertMayChange(
  { principal, request }: WriteContext,
  kind: ListedKind,
  stored: Pick<Stored<unknown>, 'id' | 'doc'>,
  change?: object,
): void {
  const doc = listed(stored.doc);
  const { changed } = DOCUMENT_KINDS[kind].stamps;
  assertMayWrite(doc.gbac, principal, nameInMessage(kind, stored));
  assertUnchanged(
    request.ifMatch,
    doc[changed],
    nameInMessage(kind, stored),
    change && conflictDetails(doc, change),
  );
}

/** An access list in a request, and its path there. */
type RequestedAccessList = { gbac: GbacUpdate | null | undefined; path: (string | number)[] };

/**
 * Updates a document; fields that are undefined keep their value.
 *
 * @param list the access list of the update as it was sent: its groups must exist
 * @throws ServiceError BAD_REQUEST, NOT_FOUND, FORBIDDEN, CONFLICT when the name is taken or the document changed
 */
export async function updateDocument<K extends ListedKind>(
  ctx: WriteContext,
  kind: K,
  key: Key,
  change: Partial<DocumentOf<K>>,
  list?: RequestedAccessList,
): Promise<DocumentOf<K>> {
  const { gbac, path } = list ?? { gbac: undefined, path: [] };
  assertConsistent(gbac ?? undefined, path);
  const unknown = await unknownInGbac(ctx.db, gbac, path);
  const stored = await findDocument(ctx, kind, key, true);
  assertMayChange(ctx, kind, stored, change);
  assertGroupsKnownOrUnchanged(unknown, gbac, listed(stored.doc).gbac);
  return writeDocument(ctx, kind, stored, change);
}

/**
 * Writes a document over the locked one, with current timestamps; fields that are undefined keep their value.
 *
 * @returns the document as stored
 * @throws ServiceError CONFLICT when the name is taken
 */
export async function writeDocument<K extends ListedKind>(
  { db, platform, principal }: WriteContext,
  kind: K,
  stored: Stored<DocumentOf<K>>,
  change: Partial<DocumentOf<K>>,
): Promise<DocumentOf<K>> {
  const before = listed(stored.doc);
  const { changed, changedBy } = DOCUMENT_KINDS[kind].stamps;
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const after = {
    ...before,
    ...Object.fromEntries(given),
    [changed]: grownStamp(platform.now(), before[changed]),
    ...(changedBy !== undefined && { [changedBy]: principal.id }),
  } as Listed;
  // This is the stored document with some of its own fields replaced.
  const doc = after as unknown as DocumentOf<K>;
  const written = await unlessNameTaken(kind, after.name, () => replace(db, documentsOf(kind), stored, doc));
  if (!written) throw changedMeanwhile(nameInMessage(kind, stored));
  return doc;
}

/** Runs a write that fails when the name is taken. */
function unlessNameTaken<T>(kind: ListedKind, name: unknown, write: () => Promise<T>): Promise<T> {
  const { called, word, unique } = DOCUMENT_KINDS[kind];
  const message = `A ${(called ?? word).toLowerCase()} with the name ${name} already exists`;
  return unique ? unlessTaken(unique, message, write) : write();
}

/** Returns the documents that match a condition and that the caller may see, locked in the order of their ids. */
export async function lockDocuments<K extends ListedKind>(
  { db, principal }: ReadContext,
  kind: K,
  which: SQL,
): Promise<{ id: string; doc: DocumentOf<K> }[]> {
  const found = await rows<{ id: string; doc: string }>(
    db,
    sql`select id, doc::text as doc from ${documentsOf(kind)}
        where ${allOf(which, readable(kind, principal))} order by id for update`,
  );
  return found.map(({ id, doc }) => ({ id, doc: JSON.parse(doc) as DocumentOf<K> }));
}

/**
 * Deletes documents; ignores unknown ids.
 *
 * @returns the number of deleted documents
 * @throws ServiceError FORBIDDEN, CONFLICT when one may not be deleted; none is deleted then
 */
export async function deleteDocuments(
  ctx: WriteContext,
  kind: ListedKind,
  ids: readonly string[],
): Promise<number> {
  const found = await lockDocuments(ctx, kind, sql`id = any(${textArray(ids)})`);
  for (const one of found) assertMayChange(ctx, kind, one);
  const held = found.map(({ id }) => id);
  return (await remove<unknown>(ctx.db, documentsOf(kind), held)).length;
}

/**
 * Imports documents, all or none: a taken name gets a number, a taken id is replaced by a new one, unknown groups are left
 * out (contract/lifecycle#0.7).
 *
 * @param made returns the document to store
 * @returns the stored name and id of each document, in their order, and the groups of access lists that do not exist
 */
export async function importDocuments<K extends ListedKind, Given extends ImportedDocument>(
  { db }: WriteContext,
  kind: K,
  given: readonly Given[],
  made: (one: Given, place: Placement) => DocumentOf<K>,
): Promise<{ data: Placement[]; warnings: GroupWarning[] }> {
  const { documents, warnings } = await withoutUnknownGroups(db, given);
  return { data: await placeImports(db, kind, documents, made), warnings };
}
