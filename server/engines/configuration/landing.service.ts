import { sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { type Database, rows } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import { textArray } from '#db/list/place.ts';
import { freeName } from './names.ts';

/** A document as an import brings it. */
type Given = { id?: string | undefined; _id?: string | undefined; name: string };

/**
 * The id and the name that each document of an import gets here: its own where they are free, else a new id, and the
 * name with a number (lifecycle §0.7).
 */
export async function landings(
  db: Database,
  table: PgTable & { id: PgColumn; name: PgColumn },
  given: readonly Given[],
): Promise<{ id: string; name: string }[]> {
  const names = given.map(({ name }) => name);
  const ids = given.flatMap(({ id, _id }) => id ?? _id ?? []);
  const stored = await rows<{ id: string; name: string }>(
    db,
    sql`select id, name from ${table} where id = any(${textArray(ids)}) or name = any(${textArray(names)})
          or regexp_replace(name, ' \\(\\d+\\)$', '') = any(${textArray(names)})`,
  );
  const takenNames = new Set(stored.map(({ name }) => name));
  const takenIds = new Set(stored.map(({ id }) => id));
  return given.map((document) => {
    const name = freeName(document.name, takenNames);
    const wanted = document.id ?? document._id;
    const id = wanted !== undefined && !takenIds.has(wanted) ? wanted : newId();
    takenNames.add(name);
    takenIds.add(id);
    return { id, name };
  });
}
