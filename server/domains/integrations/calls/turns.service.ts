import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SQL, sql } from 'drizzle-orm';
import { type Database, perDatabase, rows } from '#db/client.ts';
import { integrationRates, integrationSlots } from '#db/tables/adapters/integration-calls.ts';
import { openKeyedSemaphore } from '#server/kernel/timing/keyed-semaphore.ts';
import { type FailedCall, queueFull, waitedTooLong } from './failures.ts';
import { paceOf, type RateLimit } from './rate.ts';

/** Most calls that may wait for one integration, in a process and for a rate limit. */
const LONGEST_QUEUE = 1000;
/** Time in milliseconds by which a slot outlives the longest request of its process. */
const SLACK_MS = 10_000;
const POLL_MS = { first: 10, last: 250 };

/** The integration that a request goes to. */
export type Turns = {
  adapter: string;
  host: string;
  /** Requests that may be under way at once, over all processes. */
  maxConcurrent: number;
  rateLimit?: RateLimit | undefined;
  /** Most milliseconds that a request waits and takes. */
  requestMs: number;
};

const semaphoreOf = perDatabase(() => ({ wait: openKeyedSemaphore(LONGEST_QUEUE) }));

/**
 * Runs a request when the integration's limits allow it: they hold over all processes. The time spent waiting counts
 * into `requestMs`.
 *
 * @param send receives the milliseconds that are left for the request
 * @throws ServiceError TOO_MANY_REQUESTS when the queue is full, GATEWAY_TIMEOUT when it does not move in time
 */
export async function inTurn<Value>(
  db: Database,
  turns: Turns,
  signal: AbortSignal,
  send: (leftMs: number) => Promise<Value>,
): Promise<Value> {
  const where = { adapter: turns.adapter, host: turns.host, stage: 'queue' as const };
  const began = performance.now();
  const leftMs = () => Math.floor(turns.requestMs - (performance.now() - began));
  const late = AbortSignal.timeout(turns.requestMs);
  const waiting = AbortSignal.any([signal, late]);
  let leave: (() => void) | null = null;
  let slot: { slot: number; holder: string } | null = null;
  try {
    leave = await semaphoreOf(db).wait(turns.adapter, turns.maxConcurrent, waiting);
    if (!leave) throw full(where, 'wait for it in this process');
    slot = await takeSlot(db, turns, waiting);
    // Last, so that the request is sent at the moment that was reserved for it.
    if (turns.rateLimit) await keepPace(db, turns, turns.rateLimit, leftMs(), waiting);
    if (leftMs() < 1) throw waitedTooLong(where, turns.requestMs);
    return await send(leftMs());
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (late.aborted && !isServiceFailure(error)) throw waitedTooLong(where, turns.requestMs);
    throw error;
  } finally {
    if (slot) await releaseSlot(db, turns.adapter, slot).catch(() => undefined);
    leave?.();
  }
}

const isServiceFailure = (error: unknown) => error instanceof Error && error.name === 'ServiceError';

const full = (where: FailedCall, waits: string) =>
  queueFull(where, `${LONGEST_QUEUE} calls ${waits} already`);

/** Reserves the next moment that the rate limit allows, and waits for it. */
async function keepPace(
  db: Database,
  { adapter, host, requestMs }: Turns,
  limit: RateLimit,
  leftMs: number,
  signal: AbortSignal,
) {
  const { intervalMs, burst } = paceOf(limit);
  const ms = (value: number) => sql`make_interval(secs => ${value / 1000}::float8)`;
  const waitOf = (at: SQL) =>
    sql`extract(epoch from ${at} - ${ms(burst * intervalMs)} - clock_timestamp())::float8 * 1000`;
  const next = sql`greatest(r.next_at, clock_timestamp()) + ${ms(intervalMs)}`;
  const most = Math.min(LONGEST_QUEUE * intervalMs, leftMs);
  const [reserved] = await rows<{ wait: number }>(
    db,
    sql`insert into ${integrationRates} as r (adapter, next_at)
        values (${adapter}, clock_timestamp() + ${ms(intervalMs)})
        on conflict (adapter) do update set next_at = ${next}
          where ${waitOf(next)} <= ${most}::float8
        returning ${waitOf(sql`r.next_at`)} as wait`,
  );
  if (!reserved) {
    const where = { adapter, host, stage: 'queue' as const };
    throw LONGEST_QUEUE * intervalMs <= leftMs
      ? full(where, 'wait for its rate limit')
      : waitedTooLong(where, requestMs);
  }
  if (reserved.wait > 0) await sleep(reserved.wait, undefined, { signal });
}

async function takeSlot(db: Database, { adapter, maxConcurrent, requestMs }: Turns, signal: AbortSignal) {
  const holder = randomUUID();
  for (let pause = POLL_MS.first; ; pause = Math.min(pause * 2, POLL_MS.last)) {
    signal.throwIfAborted();
    const [taken] = await rows<{ slot: number }>(
      db,
      sql`with free as (
            select adapter, slot from ${integrationSlots}
            where adapter = ${adapter} and slot < ${maxConcurrent}::int and until <= clock_timestamp()
            order by slot limit 1 for update skip locked)
          update ${integrationSlots} as s
          set holder = ${holder},
              until = clock_timestamp() + make_interval(secs => ${(requestMs + SLACK_MS) / 1000}::float8)
          from free where s.adapter = free.adapter and s.slot = free.slot
          returning s.slot`,
    );
    if (taken) return { slot: taken.slot, holder };
    const added = await rows(
      db,
      sql`insert into ${integrationSlots} (adapter, slot, until)
          select ${adapter}, slot, '-infinity' from generate_series(0, ${maxConcurrent}::int - 1) as slot
          on conflict do nothing returning slot`,
    );
    if (added.length === 0) await sleep(pause * (0.5 + Math.random()), undefined, { signal });
  }
}

const releaseSlot = (db: Database, adapter: string, { slot, holder }: { slot: number; holder: string }) =>
  rows(
    db,
    sql`update ${integrationSlots} set holder = null, until = '-infinity'
        where adapter = ${adapter} and slot = ${slot}::int and holder = ${holder}`,
  );
