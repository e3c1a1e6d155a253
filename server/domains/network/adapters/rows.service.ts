import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import type { Stored } from '#db/collection.ts';
import type { Adapter } from '#db/schemas/network/adapter.ts';
import { STAMP } from '#server/kernel/documents/release-stamp.service.ts';
import { notFound } from '#server/kernel/errors.ts';

/** An adapter as stored, secrets sealed, and how it stands. */
export type AdapterRow = Stored<Adapter> & {
  active: boolean;
  /** When it was last written. */
  stamp: string;
  /** Seconds since it was started. */
  sinceStart: number;
  /** Seconds that the run before lasted. */
  ranFor: number;
  /** Whether the other side answered last; null: not asked yet. */
  online: boolean | null;
  /** Seconds since that was found out; null: never. */
  sinceProbe: number | null;
};

/** Every adapter that meets a condition, by name. */
export async function readAdapters(db: Database, where: SQL = sql``): Promise<AdapterRow[]> {
  const found = await rows<Omit<AdapterRow, 'doc'> & { doc: string }>(
    db,
    sql`select id, doc::text as doc, rev, active, ran_for as "ranFor", online,
          extract(epoch from clock_timestamp() - started_at)::float8 as "sinceStart",
          extract(epoch from clock_timestamp() - probed_at)::float8 as "sinceProbe",
          ${STAMP} as stamp
        from adapters ${where}`,
  );
  const read = found.map((row) => ({ ...row, doc: JSON.parse(row.doc) as Adapter }));
  return read.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** One adapter. @throws ServiceError NOT_FOUND */
export async function getAdapterRow(db: Database, name: string, lock = false): Promise<AdapterRow> {
  const [row] = await readAdapters(db, sql`where id = ${name} ${lock ? sql`for update` : sql``}`);
  if (!row) throw notFound('Adapter', name);
  return row;
}
