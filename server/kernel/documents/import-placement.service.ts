import { sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { type Database, rows } from '#db/client.ts';
import { type Documents, insertMany } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { GbacUpdate } from '#db/schemas/primitives.ts';
import { unlessTaken } from './documents.service.ts';
import { createNameAllocator } from './names.ts';
import { wholeGbac } from './new-document.ts';
import { keptStamp } from './stamps.ts';

/** A document as an import brings it. */
type Named = { id?: string | undefined; _id?: string | undefined; name: string };

/** Where a document of an import comes to stand. */
export type Place = { id: string; name: string };

type NamedTable<Doc> = Documents<Doc> & { id: PgColumn; name: PgColumn };

/**
 * Store the documents of an import, all or none, each where `landings` puts it.
 *
 * @param names the unique index of their names
 * @param kind what messages call one of them: `A group`
 * @param made makes the document that is stored
 * @returns what each became, in their order
 * @throws ServiceError CONFLICT when a name is taken meanwhile
 */
export async function landAll<Doc, Given extends Named>(
  db: Database,
  { table, names, kind }: { table: NamedTable<Doc>; names: string; kind: string },
  given: readonly Given[],
  made: (one: Given, place: Place) => Doc,
): Promise<Place[]> {
  const places = await landings(db, table, given);
  const documents = given.flatMap((one, at) => {
    const place = places[at];
    return place ? [{ id: place.id, doc: made(one, place) }] : [];
  });
  await unlessTaken(names, `${kind} of one of these names was stored meanwhile; try again`, () =>
    insertMany(db, table, documents),
  );
  return places;
}

/** What a document of an import keeps of itself: who may see it, who made it and when (contract/lifecycle#0.7). */
export const keptWith = (
  { gbac, created, updated, createdBy }: Record<string, unknown> & { gbac?: GbacUpdate | undefined },
  now: Date,
) => ({
  gbac: wholeGbac(gbac),
  created: keptStamp(created, now),
  updated: keptStamp(updated, now),
  ...(typeof createdBy === 'string' && { createdBy }),
});

/**
 * The id and the name that each document of an import gets here: its own where they are free, else a new id, and the
 * name with a number (contract/lifecycle#name-collision).
 */
async function landings(
  db: Database,
  table: PgTable & { id: PgColumn; name: PgColumn },
  given: readonly Named[],
): Promise<Place[]> {
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
