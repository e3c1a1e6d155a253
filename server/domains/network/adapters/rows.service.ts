import { eq, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { adapters } from '#db/tables/integrations/adapters.ts';
import { STAMP } from '#server/kernel/documents/release-stamp.service.ts';
import { notFound } from '#server/kernel/errors.ts';

/**
 * Returns the adapters that meet a condition, by name, with sealed secrets. In seconds: `ranFor`, duration of the
 * previous run; `sinceStart`, since the current start; `sinceProbe`, since `online` was determined, null: never.
 *
 * @param lock true: no other transaction changes them before this one ends
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

/**
 * Returns one adapter.
 *
 * @param lock true: no other transaction changes it before this one ends
 * @throws ServiceError NOT_FOUND
 */
export async function getAdapterRow(db: Database, name: string, lock = false): Promise<AdapterRow> {
  const [row] = await readAdapters(db, eq(adapters.id, name), lock);
  if (!row) throw notFound('Adapter', name);
  return row;
}
