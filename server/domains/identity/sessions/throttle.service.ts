import { and, eq, gt, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { throttle } from '#db/tables/identity/accounts.ts';
import type { Throttle } from '#server/kernel/access.ts';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';
import { throttleCall } from '#server/kernel/timing/throttle-call.ts';
import { sourceOf } from './source.ts';

/** Maximum failed sign-ins in five minutes, per pair of account and address, and per address (contract/lifecycle#1). */
const PAIR = 10;
const ADDRESS = 100;
const SECONDS = 300;

/**
 * Maximum number of rejected sign-ins in the audit trail in five minutes: per address, and in total. The others are in the
 * log and the metrics; the trail is stored permanently, and nobody without a credential may fill the disk with it.
 */
const RECORDED = { ofAddress: 10, ofAll: 100 };

/** How long a rejection is cached, in milliseconds: a flood of attempts must not become a flood of queries. */
const CACHED_MS = 1000;
/** Maximum number of cached rejections; beyond it the oldest are removed, and the database is queried. */
const MOST = 10_000;
/** How often each process deletes expired counts, in milliseconds. */
const CLEARED_MS = 60_000;

type ThrottleCounts = {
  full: number | null;
  pair: number | null;
  pairLeft: number | null;
  source: number | null;
  sourceLeft: number | null;
};

/**
 * Opens the throttle of attempts to sign in, whose counts are in the database.
 *
 * @param rejected called for each throttled attempt
 */
export function openThrottle(db: Database, rejected: () => void): Throttle {
  const closed = new Map<string, { believed: number; until: number }>();
  const clear = throttleCall(CLEARED_MS, () => clearExpired(db));

  /** @param seconds until the count expires */
  const reject = (key: string, seconds: number): never => {
    const now = performance.now();
    keepLatest(closed, MOST, key, { believed: now + CACHED_MS, until: now + seconds * 1000 });
    throw tooMany(seconds);
  };

  const tooMany = (seconds: number) => {
    rejected();
    const wait = Math.max(1, Math.ceil(seconds));
    return new ServiceError('TOO_MANY_REQUESTS', `Too many failed sign-ins; retry in ${wait} s`, {
      headers: { 'Retry-After': String(wait) },
    });
  };

  const assertNotClosed = (key: string) => {
    const known = closed.get(key);
    if (!known) return;
    const now = performance.now();
    if (known.believed > now && known.until > now) throw tooMany((known.until - now) / 1000);
    closed.delete(key);
  };

  return {
    async begin(who, address) {
      const source = `address ${sourceOf(address)}`;
      // Names are hashed, because users type passwords into name fields.
      const pair = `pair ${sha256(JSON.stringify([who, source]))}`;
      assertNotClosed(source);
      assertNotClosed(pair);
      const counted = await count(db, pair, source);
      await clear();
      if (counted.full !== null) reject(source, counted.full);
      if ((counted.pair ?? 0) > PAIR) reject(pair, counted.pairLeft ?? SECONDS);
      if ((counted.source ?? 0) > ADDRESS) reject(source, counted.sourceLeft ?? SECONDS);
      return {
        async succeeded() {
          closed.delete(pair);
          // Two statements, not one: two rows that are locked in either order could deadlock.
          await db.delete(throttle).where(eq(throttle.key, pair));
          await db
            .update(throttle)
            .set({ points: sql`greatest(${throttle.points} - 1, 0)` })
            .where(and(eq(throttle.key, source), gt(throttle.expire, sql`now()`)));
        },
        async isRecorded() {
          if ((counted.source ?? 0) > RECORDED.ofAddress) return false;
          const [all] = await rows<{ points: number }>(
            db,
            sql`${increment('recorded', sql``)} returning points`,
          );
          return (all?.points ?? 0) <= RECORDED.ofAll;
        },
      };
    },
  };
}

/**
 * Counts for the pair, then for the address, in one round trip. A blocked address is not counted further, so that trying
 * new names from it stores no new rows; an attempt that its pair blocks does not count for the address, so that one account
 * under attack does not block others behind the same address.
 */
async function count(db: Database, pair: string, source: string): Promise<ThrottleCounts> {
  const [counted] = await rows<ThrottleCounts>(
    db,
    sql`with full_source as (
          select extract(epoch from expire - now())::float8 as seconds from throttle
          where key = ${source} and points >= ${ADDRESS}::int and expire > now()
        ), pair as (
          ${increment(pair, sql`where not exists (select from full_source)`)} returning points, ${left}
        ), source as (
          ${increment(source, sql`from pair where pair.points <= ${PAIR}::int`)} returning points, ${left}
        )
        select (select seconds from full_source) as "full",
          (select points from pair) as "pair", (select seconds from pair) as "pairLeft",
          (select points from source) as "source", (select seconds from source) as "sourceLeft"`,
  );
  if (!counted) throw new Error('a select without a table returned no row');
  return counted;
}

/** Increments the count of a key, or restarts it at one when its window has ended. */
const increment = (key: string, when: SQL) => sql`
  insert into throttle as counted (key, points, expire)
  select ${key}, 1, now() + make_interval(secs => ${SECONDS}::int) ${when}
  on conflict (key) do update set
    points = case when counted.expire <= now() then 1 else counted.points + 1 end,
    expire = case when counted.expire <= now() then excluded.expire else counted.expire end`;

const left = sql`extract(epoch from counted.expire - now())::float8 as seconds`;

/** Skips rows that another process is deleting. */
function clearExpired(db: Database) {
  const { key, expire } = throttle;
  const expired = db.select({ key }).from(throttle).where(lt(expire, sql`now()`));
  return db.delete(throttle).where(inArray(key, expired.for('update', { skipLocked: true })));
}
