import { createHash } from 'node:crypto';
import { PgTransaction } from 'drizzle-orm/pg-core';
import { type Database, perDatabase, rows } from '../client.ts';
import { sql } from '../statement.ts';
import { listTotals } from '../tables/bookkeeping/counts.ts';

/** A total, and the snapshot in which it was counted (`SEEN`). */
export type CountedTotal = { seen: string; total: string };

/** Fewer documents than this are counted in some tens of milliseconds. */
const WORTH_SHARING = 20_000;
/** How often a process stores the total of one filter at most: a later snapshot has fewer edits after it. */
const STORED_MS = 60_000;
/** Maximum number of stored totals; the oldest are deleted. */
const STORED = 500;

const stateOf = perDatabase(() => ({
  /** The totals that were stored when this process first needed one, by the hash of their statement. */
  stored: undefined as Promise<Map<string, CountedTotal>> | undefined,
  /** When this process stored the total of a statement. */
  storedAt: new Map<string, number>(),
}));

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');

/**
 * Returns the total that another process, or an earlier one, has stored for a statement; undefined when there is none. The
 * stored totals are read once: afterwards a process has counted what it needs itself.
 *
 * @param key the statement with its values; only its hash is stored
 */
export async function storedTotal(db: Database, key: string): Promise<CountedTotal | undefined> {
  const state = stateOf(db);
  state.stored ??= readTotals(db).catch((error: unknown) => {
    state.stored = undefined;
    throw error;
  });
  const stored = await state.stored;
  return stored.size === 0 ? undefined : stored.get(hashOf(key));
}

async function readTotals(db: Database): Promise<Map<string, CountedTotal>> {
  const { key, seen, total } = listTotals;
  const found = await db.select({ key, seen, total }).from(listTotals);
  return new Map(found.map((one) => [one.key, { seen: one.seen, total: one.total }]));
}

/**
 * Stores a total for other processes, in the background. Totals that are quickly counted, or were stored a moment ago, are
 * left out, and so are those of transactions.
 *
 * @param key identifies the conditions whose rows were counted
 */
export function storeTotal(db: Database, key: string, { seen, total }: CountedTotal): void {
  if (Number(total) < WORTH_SHARING || db instanceof PgTransaction) return;
  const { storedAt } = stateOf(db);
  const now = Date.now();
  if (now - (storedAt.get(key) ?? Number.NEGATIVE_INFINITY) < STORED_MS) return;
  if (storedAt.size >= STORED) storedAt.clear();
  storedAt.set(key, now);
  const writing = rows(
    db,
    sql`with expired as (
        delete from ${listTotals} where ${listTotals.key} in (
          select ${listTotals.key} from ${listTotals} order by ${listTotals.stored} desc offset ${STORED}::int)
      )
      insert into ${listTotals} (key, seen, total, stored) values (${hashOf(key)}, ${seen}, ${total}, now())
      on conflict (key) do update set seen = excluded.seen, total = excluded.total, stored = excluded.stored`,
  );
  // A total that is not stored is counted again: a database that only reads, or is stopped, has none.
  writing.catch(() => undefined);
}
