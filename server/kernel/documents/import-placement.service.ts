import { sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { type Database, rows } from '#db/client.ts';
import { insertMany } from '#db/collection.ts';
import { DOCUMENT_KINDS, type DocumentOf, type ListedKind } from '#db/document-kinds/kinds.ts';
import { documentsOf } from '#db/document-kinds/readable.ts';
import { newId } from '#db/ids.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { GbacUpdate } from '#db/schemas/primitives.ts';
import { unlessTaken } from './documents.service.ts';
import { createNameAllocator } from './names.ts';
import { wholeGbac } from './new-document.ts';
import { importedStamp } from './stamps.ts';

/** A document of an import. */
export type ImportedDocument = {
  id?: string | undefined;
  _id?: string | undefined;
  name: string;
  gbac?: GbacUpdate | null | undefined;
};

/** The id and name under which a document of an import is stored. */
export type Placement = { id: string; name: string };

/**
 * Stores the documents of an import, all or none, each under the id and name that `landings` chooses.
 *
 * @param made returns the document to store
 * @returns id and name of each document, in order
 * @throws ServiceError CONFLICT when a name is taken meanwhile
 */
export async function placeImports<K extends ListedKind, Given extends ImportedDocument>(
  db: Database,
  kind: K,
  given: readonly Given[],
  made: (one: Given, place: Placement) => DocumentOf<K>,
): Promise<Placement[]> {
  const { table, unique = '', word } = DOCUMENT_KINDS[kind];
  const places = await placementsOf(db, table, given);
  const documents = given.flatMap((one, at) => {
    const place = places[at];
    return place ? [{ id: place.id, doc: made(one, place) }] : [];
  });
  const message = `Another request stored a ${word.split(' ').at(-1)} with one of these names: retry the import`;
  await unlessTaken(unique, message, () => insertMany(db, documentsOf(kind), documents));
  return places;
}

/**
 * Returns the fields that an imported document keeps: its access list, author and timestamps (contract/lifecycle#0.7).
 *
 * @param gbac access list of the imported document
 * @param created stamp of the imported document, of any type; so are `updated` and `createdBy`
 */
export const importedFields = (
  { gbac, created, updated, createdBy }: Record<string, unknown> & { gbac?: GbacUpdate | undefined },
  now: Date,
) => ({
  gbac: wholeGbac(gbac),
  created: importedStamp(created, now),
  updated: importedStamp(updated, now),
  ...(typeof createdBy === 'string' && { createdBy }),
});

/**
 * Chooses the id and name of each document of an import: its own where they are free, else a new id, and the name with
 * a number (contract/lifecycle#name-collision).
 */
async function placementsOf(
  db: Database,
  table: PgTable,
  given: readonly ImportedDocument[],
): Promise<Placement[]> {
  const names = given.map(({ name }) => name);
  const ids = given.flatMap(({ id, _id }) => id ?? _id ?? []);
  const stored = await rows<{ id: string; name: string }>(
    db,
    sql`select id, name from ${table} where id = any(${textArray(ids)}) or name = any(${textArray(names)})
          or regexp_replace(name, ' \\(\\d+\\)$', '') = any(${textArray(names)})`,
  );
  const allocateName = createNameAllocator(new Set(stored.map(({ name }) => name)));
  const takenIds = new Set(stored.map(({ id }) => id));
  return given.map((document) => {
    const name = allocateName(document.name);
    const wanted = document.id ?? document._id;
    const id = wanted !== undefined && !takenIds.has(wanted) ? wanted : newId();
    takenIds.add(id);
    return { id, name };
  });
}
