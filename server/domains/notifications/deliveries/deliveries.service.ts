import { type Database, rows } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { isoOf } from '#db/expressions.ts';
import type {
  DeliveryQuery,
  NotificationDelivery,
  NotificationDeliveryContent,
} from '#db/schemas/notifications/delivery.ts';
import { sql } from '#db/statement.ts';
import { maskedPayload } from '#server/domains/workflow/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { conflict, notFound } from '#server/kernel/errors.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { visibleRules } from '../rules/rules.service.ts';
import { wakeQueues } from './queue.service.ts';

/** Days for which deliveries are kept that were accepted, and that were given up; and how many at most. */
const KEPT_DAYS = { sent: 7, dead: 30 };
const MOST_KEPT = 500_000;
/** Rows that one statement deletes. */
const PRUNED = 5000;
const DEFAULT_LIMIT = 25;

/** When a delivery is sent: what is due waits for the end of a pause that its receiver asked for (decision 0151). */
const NEXT_AT = sql`greatest(d.due_at,
  (select q.paused_until from notification_queues q where q.channel_id = d.channel_id))`;

const ENTRY = sql`d.id, d.event_id::text as event, d.topic, d.event_count as events, d.rule_id as rule,
  d.channel_id as channel, d.status, d.attempts, d.last_error as "lastError", ${isoOf(sql`d.created_at`)} as created,
  case when d.status = 'retrying' then ${isoOf(NEXT_AT)} end as "nextAttempt",
  case when d.status = 'sent' then ${isoOf(sql`d.ended_at`)} end as sent`;

/** Returns the condition for the deliveries that a caller may see: those of its own rules, for an admin all. */
function visibleDeliveries(principal: Caller) {
  const own = visibleRules(principal);
  return own && sql`d.rule_id in (select id from notification_rules where ${own})`;
}

/**
 * Returns one page of the deliveries, newest first.
 *
 * @param query filters, the number of deliveries to skip (0), and of those to return (25)
 * @returns the page, and the number of all deliveries that match; an account sees those of its own rules
 */
export async function listDeliveries(
  { db, principal }: ReadContext,
  { status, channel, rule, skip = 0, limit = DEFAULT_LIMIT }: DeliveryQuery,
): Promise<{ total: number; list: NotificationDelivery[] }> {
  const where = allOf(
    sql`true`,
    status === undefined ? undefined : sql`d.status = ${status}`,
    channel === undefined ? undefined : sql`d.channel_id = ${channel}`,
    rule === undefined ? undefined : sql`d.rule_id = ${rule}`,
    visibleDeliveries(principal),
  );
  const [counted] = await rows<{ n: string }>(
    db,
    sql`select count(*)::text as n from notification_deliveries d where ${where}`,
  );
  const found = await rows<NotificationDelivery>(
    db,
    sql`select ${ENTRY} from notification_deliveries d where ${where}
        order by d.id desc limit ${limit}::int offset ${skip}::bigint`,
  );
  return { total: Number(counted?.n), list: found.map(numbered) };
}

const numbered = <Entry extends NotificationDelivery>(entry: Entry): Entry => ({
  ...entry,
  events: Number(entry.events),
  attempts: Number(entry.attempts),
});

/** Returns one delivery with its events. @throws ServiceError NOT_FOUND */
export async function getDelivery(
  { db, principal }: ReadContext,
  id: string,
): Promise<NotificationDeliveryContent> {
  const [found] = await rows<NotificationDelivery & { content: string }>(
    db,
    sql`select ${ENTRY}, d.events::text as content from notification_deliveries d
        where ${allOf(sql`d.id = ${id}`, visibleDeliveries(principal))}`,
  );
  if (!found) throw notFound('Notification delivery', id);
  const content = JSON.parse(found.content) as NotificationDeliveryContent['content'];
  // They are stored as the account read them then: it may have lost the right to secrets meanwhile.
  const shown = content.map(async (event) => ({
    ...event,
    payload: await maskedPayload(event.payload, principal),
  }));
  return { ...numbered(found), content: await Promise.all(shown) };
}

/**
 * Sends a delivery again that was given up: it gets as many attempts as a new one, under the same key.
 *
 * @throws ServiceError NOT_FOUND; CONFLICT when it is not dead
 */
export async function retryDelivery(
  { db, principal, platform: { durable } }: ReadContext<'durable'>,
  id: string,
) {
  const [found] = await rows<{ status: string; channel: string; name: string | null }>(
    db,
    sql`select d.status, d.channel_id as channel,
          (select c.doc ->> 'name' from notification_channels c where c.id = d.channel_id) as name
        from notification_deliveries d
        where ${allOf(sql`d.id = ${id}`, visibleDeliveries(principal))} for update of d`,
  );
  if (!found) throw notFound('Notification delivery', id);
  if (found.status !== 'dead')
    throw conflict(`Delivery ${id} is ${found.status}: only a dead one can be retried`);
  await db.execute(
    sql`update notification_deliveries set status = 'retrying', attempts = 0, ended_at = null,
          due_at = clock_timestamp() where id = ${id}`,
  );
  noteChange(db, { kind: 'notification_deliveries', id, name: found.name });
  await wakeQueues(db, durable, [{ channelId: found.channel, dueAt: null }]);
  return { status: 'OK' as const, message: `Delivery ${id} is sent again.` };
}

/**
 * Deletes deliveries that ended some time ago, and the oldest beyond the number that is kept.
 *
 * @param db not a transaction: it deletes in pieces
 */
export async function pruneDeliveries(db: Database): Promise<void> {
  for (;;) {
    const pruned = await rows(
      db,
      sql`delete from notification_deliveries where id = any(array(
            select id from notification_deliveries
            where ended_at < now() - make_interval(days => ${KEPT_DAYS.sent}::int)
              and (status = 'sent' or ended_at < now() - make_interval(days => ${KEPT_DAYS.dead}::int))
            limit ${PRUNED}::int)) returning id`,
    );
    if (pruned.length < PRUNED) break;
  }
  await rows(
    db,
    sql`delete from notification_deliveries where status <> 'retrying' and id < (
          select id from notification_deliveries order by id desc offset ${MOST_KEPT}::int limit 1)`,
  );
}
