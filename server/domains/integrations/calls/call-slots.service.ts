import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SQL, sql } from 'drizzle-orm';
import { type Database, perDatabase, rows } from '#db/client.ts';
import { integrationRates, integrationSlots } from '#db/tables/integrations/integration-calls.ts';
import { openKeyedSemaphore } from '#server/kernel/timing/keyed-semaphore.ts';
import { type FailedCall, queueFull, waitedTooLong } from './failures.ts';
import { paceOf, type RateLimit } from './rate.ts';

/** Most calls that may wait for one integration, in a process and for a rate limit. */
const LONGEST_QUEUE = 1000;
/** Time in milliseconds by which a slot outlives the longest request of its process. */
const SLACK_MS = 10_000;
/**
 * Milliseconds after which a waiting call looks for a slot in any case, twice as long after each look: slots are only being
 * added at first, and later an announcement can be lost, or a holder killed.
 */
const LOOK_MS = { first: 10, last: 1000 };

/** The notification channel on which the database announces that a slot is free again. */
export const SLOT_FREED = 'integration_turns';

/** The integration that a request goes to. */
export type CallLimits = {
  adapter: string;
  host: string;
  /** Requests that may be under way at once, over all processes. */
  maxConcurrent: number;
  rateLimit?: RateLimit | undefined;
  /** Most milliseconds for a request, including the time that it waits. */
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
export async function withSlot<Value>(
  db: Database,
  limits: CallLimits,
  signal: AbortSignal,
  send: (leftMs: number) => Promise<Value>,
): Promise<Value> {
  const where = { adapter: limits.adapter, host: limits.host, stage: 'queue' as const };
  const began = performance.now();
  const leftMs = () => Math.floor(limits.requestMs - (performance.now() - began));
  const late = AbortSignal.timeout(limits.requestMs);
  const waiting = AbortSignal.any([signal, late]);
  let leave: (() => void) | null = null;
  let slot: { slot: number; holder: string } | null = null;
  try {
    leave = await semaphoreOf(db).wait(limits.adapter, limits.maxConcurrent, waiting);
    if (!leave) throw full(where, 'wait for it in this process');
    slot = await takeSlot(db, limits, waiting);
    // Last, so that the request is sent at the moment that was reserved for it.
    if (limits.rateLimit) await keepPace(db, limits, limits.rateLimit, leftMs(), waiting);
    if (leftMs() < 1) throw waitedTooLong(where, limits.requestMs);
    return await send(leftMs());
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (late.aborted && !isServiceFailure(error)) throw waitedTooLong(where, limits.requestMs);
    throw error;
  } finally {
    // The call has its outcome; a slot that is not released expires.
    if (slot) await releaseSlot(db, limits, slot).catch(() => undefined);
    leave?.();
  }
}

const isServiceFailure = (error: unknown) => error instanceof Error && error.name === 'ServiceError';

const full = (where: FailedCall, waits: string) =>
  queueFull(where, `${LONGEST_QUEUE} calls ${waits} already`);

/** Reserves the next moment that the rate limit allows, and waits for it. */
async function keepPace(
  db: Database,
  { adapter, host, requestMs }: CallLimits,
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

const waitersOf = perDatabase(() => new Set<() => void>());

/** Wakes the calls of this process that wait for a slot of any integration: each looks for its own. */
export function slotFreed(db: Database): void {
  for (const wake of waitersOf(db)) wake();
}

/** Takes a slot of an integration, waiting for one. @throws the reason of `signal` */
async function takeSlot(
  db: Database,
  { adapter, maxConcurrent, requestMs }: CallLimits,
  signal: AbortSignal,
) {
  const holder = randomUUID();
  const waiters = waitersOf(db);
  for (let pause = LOOK_MS.first; ; pause = Math.min(pause * 2, LOOK_MS.last)) {
    signal.throwIfAborted();
    // Heard from now on: a slot that is freed during the query ends the wait at once.
    const freed = new AbortController();
    const wake = () => freed.abort();
    waiters.add(wake);
    try {
      const slot = await freeSlot(db, { adapter, maxConcurrent, requestMs }, holder);
      if (slot !== null) return { slot, holder };
      if (await addSlots(db, adapter, maxConcurrent)) continue;
      const ms = pause * (0.5 + Math.random());
      await sleep(ms, undefined, { signal: AbortSignal.any([signal, freed.signal]) }).catch(() => undefined);
    } finally {
      waiters.delete(wake);
    }
  }
}

/** Takes a slot that is free now. @returns its number; null when none is free */
async function freeSlot(
  db: Database,
  { adapter, maxConcurrent, requestMs }: Pick<CallLimits, 'adapter' | 'maxConcurrent' | 'requestMs'>,
  holder: string,
): Promise<number | null> {
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
  return taken?.slot ?? null;
}

/** Adds the slots that an integration lacks. @returns whether it lacked any */
async function addSlots(db: Database, adapter: string, count: number): Promise<boolean> {
  const added = await rows(
    db,
    sql`insert into ${integrationSlots} (adapter, slot, until)
        select ${adapter}, slot, '-infinity' from generate_series(0, ${count}::int - 1) as slot
        on conflict do nothing returning slot`,
  );
  return added.length > 0;
}

/** Frees a slot. It is announced only when no other one is free: otherwise no call waits. */
const releaseSlot = (
  db: Database,
  { adapter, maxConcurrent }: Pick<CallLimits, 'adapter' | 'maxConcurrent'>,
  { slot, holder }: { slot: number; holder: string },
) =>
  rows(
    db,
    sql`with freed as (
          update ${integrationSlots} set holder = null, until = '-infinity'
          where adapter = ${adapter} and slot = ${slot}::int and holder = ${holder} returning slot)
        select pg_notify(${SLOT_FREED}, '') from freed
        where not exists (select 1 from ${integrationSlots}
          where adapter = ${adapter} and slot < ${maxConcurrent}::int and until <= clock_timestamp())`,
  );
