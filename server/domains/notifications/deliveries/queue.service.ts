import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { isoOf } from '#db/expressions.ts';
import type { Durable } from '#server/durable/port.ts';

/** The kind of the work items that send what waits for one channel. */
export const NOTIFICATION = 'notification';

/** The input of a work item. */
export type QueueRun = { channelId: string; run: number };

type Enqueue = Pick<Durable, 'enqueue'>;

/** A channel that has something to send; `dueAt` null: now. */
export type Wake = { channelId: string; dueAt: Date | null };

/**
 * Requests a run for each channel, after the pause that its receiver asked for, unless one is requested that starts early
 * enough. The rows stay locked until the transaction ends, so that a run that is about to end sees what this transaction stores.
 *
 * @param wakes channels, each at most once
 */
export async function wakeQueues(tx: Database, durable: Enqueue, wakes: readonly Wake[]): Promise<void> {
  // In one order everywhere: transactions never wait for each other in a circle.
  const ordered = [...wakes].sort((a, b) => (a.channelId < b.channelId ? -1 : 1));
  for (const { channelId, dueAt } of ordered) {
    await tx.execute(
      sql`insert into notification_queues (channel_id) values (${channelId}) on conflict do nothing`,
    );
    const due = dueAt === null ? sql`clock_timestamp()` : sql`${dueAt.toISOString()}::timestamptz`;
    const [queue] = await rows<{ idle: boolean; start: string | null }>(
      tx,
      sql`select (due_at is null or due_at > greatest(${due}, paused_until)) as idle,
            case when paused_until > ${due} then ${isoOf(sql`paused_until`)} end as start
          from notification_queues where channel_id = ${channelId} for update`,
    );
    if (queue?.idle)
      await requestRun(tx, durable, channelId, queue.start === null ? dueAt : new Date(queue.start));
  }
}

/** Requests the next run of a channel, whose row the transaction has locked; earlier requests then have no effect. */
async function requestRun(tx: Database, durable: Enqueue, channelId: string, dueAt: Date | null) {
  const due = dueAt === null ? sql`clock_timestamp()` : sql`${dueAt.toISOString()}::timestamptz`;
  const [queue] = await rows<{ run: string }>(
    tx,
    sql`update notification_queues set run = run + 1, due_at = ${due} where channel_id = ${channelId}
        returning run::text as run`,
  );
  const input: QueueRun = { channelId, run: Number(queue?.run) };
  await durable.enqueue(tx, NOTIFICATION, [
    {
      id: `notification:${channelId}:${input.run}`,
      input,
      ...(dueAt !== null && dueAt.getTime() > Date.now() && { runAt: dueAt }),
    },
  ]);
}

/**
 * Returns whether a run is the latest one that was requested for its channel.
 *
 * @returns false for a run that another request has superseded, which must do nothing
 */
export async function isLatestRun(db: Database, { channelId, run }: QueueRun): Promise<boolean> {
  const found = await rows(
    db,
    sql`select from notification_queues where channel_id = ${channelId} and run = ${run}::bigint`,
  );
  return found.length > 0;
}

/**
 * Ends a run: requests the next one for the time at which the next delivery is due, if any waits.
 *
 * @param leastMs least time until the next run, in milliseconds
 */
export async function endRun(
  tx: Database,
  durable: Enqueue,
  { channelId, run }: QueueRun,
  leastMs = 0,
): Promise<void> {
  const own = await rows(
    tx,
    sql`select from notification_queues where channel_id = ${channelId} and run = ${run}::bigint for update`,
  );
  if (own.length === 0) return;
  const [next] = await rows<{ due: string | null }>(
    tx,
    sql`select ${isoOf(sql`greatest(min(d.due_at), min(q.paused_until),
            clock_timestamp() + make_interval(secs => ${leastMs / 1000}::float8))`)} as due
        from notification_deliveries d join notification_channels c on c.id = d.channel_id
          join notification_queues q on q.channel_id = c.id
        where d.channel_id = ${channelId} and d.status = 'retrying'
          and c.doc -> 'enabled' is distinct from 'false'::jsonb
        having min(d.due_at) is not null`,
  );
  if (next?.due) await requestRun(tx, durable, channelId, new Date(next.due));
  else await tx.execute(sql`update notification_queues set due_at = null where channel_id = ${channelId}`);
}
