import { eq, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { adapters } from '#db/tables/adapters.ts';
import { STAMP } from '#server/kernel/documents/release-stamp.service.ts';
import { notFound } from '#server/kernel/errors.ts';

/**
 * Returns every adapter that meets a condition, by name, secrets sealed. In seconds: `ranFor`, how long its previous run
 * lasted; `sinceStart`, since this one began; `sinceProbe`, since `online` was found out, null: never.
 */
export async function readAdapters(db: Database, where?: SQL, lock = false) {
  const { id, doc, rev, active, ranFor, online, startedAt, probedAt } = adapters;
  const sinceStart = sql<number>`extract(epoch from clock_timestamp() - ${startedAt})::float8`;
  const sinceProbe = sql<number | null>`extract(epoch from clock_timestamp() - ${probedAt})::float8`;
  const found = db
    .select({ id, doc, rev, active, ranFor, online, sinceStart, sinceProbe, stamp: STAMP })
    .from(adapters)
    .where(where)
    .orderBy(id);
  return lock ? found.for('update') : found;
}

/** An adapter as stored. */
export type AdapterRow = Awaited<ReturnType<typeof readAdapters>>[number];

/** One adapter. @throws ServiceError NOT_FOUND */
export async function getAdapterRow(db: Database, name: string, lock = false): Promise<AdapterRow> {
  const [row] = await readAdapters(db, eq(adapters.id, name), lock);
  if (!row) throw notFound('Adapter', name);
  return row;
}
