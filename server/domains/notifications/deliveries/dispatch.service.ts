import { eq } from 'drizzle-orm';
import { type Database, inTransaction, rows, runUnread } from '#db/client.ts';
import { isoOf } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import type { SentEvent } from '#db/schemas/notifications/delivery.ts';
import type { NotificationRule } from '#db/schemas/notifications/rule.ts';
import { sql } from '#db/statement.ts';
import { eventCursors } from '#db/tables/workflow/events.ts';
import { effectiveRightsOf } from '#server/domains/identity/index.ts';
import { type LoggedEvent, readEvents, visibleEvent } from '#server/domains/workflow/index.ts';
import type { Durable } from '#server/durable/port.ts';
import { type AdminEntry, type Caller, callerOf } from '#server/kernel/principal.ts';
import { hasTopic, meetsRule } from '../rules/matching.ts';
import { severityOf } from '../rules/severity.ts';
import { tagsOfEvents } from '../rules/tags.service.ts';
import { wakeQueues } from './queue.service.ts';

/** Name of the position in the events up to which notifications were made. */
const CURSOR = 'notifications';
/** Events that one transaction processes. */
const MOST = 200;
/** Time after which the database ends the transaction of a process that hangs, in milliseconds. */
const HUNG_MS = 8000;
/** Most events of one delivery that are stored and sent; the rest is counted. */
export const MOST_SENT = 100;
/** Most deliveries that wait for one channel; further ones are dead at once, with the reason. */
const MOST_WAITING = 100_000;

type DispatchDependencies = {
  db: Database;
  durable: Pick<Durable, 'enqueue'>;
  /** Reads the accounts and groups that the active profile makes admins. */
  admins: () => Promise<readonly AdminEntry[]>;
};

/**
 * Opens the dispatch of notifications: a function that makes deliveries of the next events, to be called whenever there
 * may be some. One process at a time does it, and the position in the events moves in the same transaction: no event is
 * lost, and none is delivered under two keys, however processes come and go.
 *
 * @returns a function that returns whether there were any events
 */
export async function openDispatch(dependencies: DispatchDependencies): Promise<() => Promise<boolean>> {
  const { db } = dependencies;
  await rows(
    db,
    sql`insert into event_cursors (name, event_id) select ${CURSOR}, coalesce(max(id), 0) from events
        on conflict do nothing`,
  );
  return async () => {
    const [due] = await rows<{ due: boolean }>(
      db,
      sql`select (select max(id) from events) > event_id as due from event_cursors where name = ${CURSOR}`,
    );
    if (due?.due !== true) return false;
    // Read before the transaction: within it, nothing may wait for another connection.
    const admins = await dependencies.admins();
    return inTransaction(db, (tx) => dispatch(tx, { ...dependencies, known: admins }));
  };
}

async function dispatch(
  tx: Database,
  { durable, known }: DispatchDependencies & { known: readonly AdminEntry[] },
): Promise<boolean> {
  await runUnread(tx, sql.raw(`set local idle_in_transaction_session_timeout = ${HUNG_MS}`));
  const isOurs = eq(eventCursors.name, CURSOR);
  const own = tx.select({ at: eventCursors.eventId }).from(eventCursors).where(isOurs);
  const [cursor] = await own.for('update', { skipLocked: true });
  if (!cursor) return false;
  const rules = (
    await rows<{ doc: string }>(
      tx,
      sql`select doc::text as doc from notification_rules where enabled order by id`,
    )
  ).map(({ doc }) => JSON.parse(doc) as NotificationRule);
  const events = rules.length === 0 ? [] : await readEvents(tx, { after: cursor.at, most: MOST });
  const last = rules.length === 0 ? await newestEvent(tx) : events.at(-1)?.id;
  if (last === undefined) return false;
  const made = await deliveriesOf(tx, rules, events, known);
  await store(tx, durable, made);
  await runUnread(tx, sql`update event_cursors set event_id = ${last} where name = ${CURSOR}`);
  return true;
}

async function newestEvent(tx: Database): Promise<number | undefined> {
  const [found] = await rows<{ id: string | null }>(tx, sql`select max(id)::text as id from events`);
  return found?.id ? Number(found.id) : undefined;
}

/** The events of a rule, for each of its channels. */
type Made = { rule: NotificationRule; events: readonly SentEvent[] };

/** Returns which events which rules send, as the accounts of the rules may read them now. */
async function deliveriesOf(
  tx: Database,
  rules: readonly NotificationRule[],
  events: readonly LoggedEvent[],
  admins: readonly AdminEntry[],
): Promise<Made[]> {
  const wanted = rules.filter((rule) => events.some(({ topic }) => hasTopic(rule, topic)));
  if (wanted.length === 0) return [];
  const needsTags = wanted.some(({ filter }) => (filter?.tags?.length ?? 0) > 0);
  const tags = needsTags
    ? await tagsOfEvents(
        tx,
        events.map(({ id }) => id),
      )
    : new Map<number, ReadonlySet<string>>();
  const callers = new Map<string, Caller | undefined>();
  const made: Made[] = [];
  for (const rule of wanted) {
    if (!callers.has(rule.runAs)) {
      const accountRights = await effectiveRightsOf(tx, rule.runAs);
      callers.set(rule.runAs, accountRights && callerOf(accountRights, admins, null));
    }
    const caller = callers.get(rule.runAs);
    if (!caller) continue;
    const sent: SentEvent[] = [];
    for (const event of events) {
      const visible = hasTopic(rule, event.topic) && (await visibleEvent(event, caller));
      if (!visible) continue;
      const severity = severityOf(event.topic, visible.payload);
      const filtered = { ...event, severity, tags: tags.get(event.id) ?? new Set<string>() };
      if (meetsRule(rule, filtered)) sent.push({ ...visible, severity });
    }
    if (sent.length > 0) made.push({ rule, events: sent });
  }
  return made;
}

async function store(tx: Database, durable: Pick<Durable, 'enqueue'>, made: readonly Made[]): Promise<void> {
  const channels = new Map<string, Date | null>();
  const note = (channelId: string, dueAt: Date | null) => {
    const known = channels.get(channelId);
    if (dueAt === null || known === null) channels.set(channelId, null);
    else channels.set(channelId, known && known < dueAt ? known : dueAt);
  };
  for (const { rule, events } of made) {
    for (const channelId of new Set(rule.channels)) {
      const minutes = rule.digestMinutes ?? 0;
      note(
        channelId,
        minutes > 0
          ? await collect(tx, { rule, channelId, events, minutes })
          : await insertEach(tx, { rule, channelId, events }),
      );
    }
  }
  await wakeQueues(
    tx,
    durable,
    [...channels].map(([channelId, dueAt]) => ({ channelId, dueAt })),
  );
}

type Addressed = { rule: NotificationRule; channelId: string; events: readonly SentEvent[] };

async function insertEach(tx: Database, { rule, channelId, events }: Addressed): Promise<null> {
  const [waiting] = await rows<{ full: boolean }>(
    tx,
    sql`select count(*) >= ${MOST_WAITING}::int as full from (select from notification_deliveries
        where channel_id = ${channelId} and status = 'retrying' limit ${MOST_WAITING}::int) waiting`,
  );
  const full = waiting?.full === true;
  const added = JSON.stringify(events.map((event) => ({ id: newId(), event })));
  await tx.execute(sql`
    insert into notification_deliveries
      (id, rule_id, channel_id, event_id, topic, events, event_count, due_at, status, last_error, ended_at)
    select d ->> 'id', ${rule._id}, ${channelId}, (d #>> '{event,id}')::bigint, d #>> '{event,topic}',
      jsonb_build_array(d -> 'event'), 1, clock_timestamp(), ${full ? 'dead' : 'retrying'},
      ${full ? `${MOST_WAITING} deliveries wait for the channel already` : null},
      ${full ? sql`clock_timestamp()` : sql`null`}
    from jsonb_array_elements(${added}::text::jsonb) d`);
  return null;
}

/** Adds events to the delivery that still collects some, or begins one. @returns when it is due */
async function collect(
  tx: Database,
  { rule, channelId, events, minutes }: Addressed & { minutes: number },
): Promise<Date> {
  const [first] = events;
  const added = JSON.stringify(events.slice(0, MOST_SENT));
  const [open] = await rows<{ due: string }>(
    tx,
    sql`update notification_deliveries set event_count = event_count + ${events.length}::int,
          events = (select jsonb_agg(e order by n) from jsonb_array_elements(events || ${added}::text::jsonb)
            with ordinality as listed(e, n) where n <= ${MOST_SENT}::int)
        where rule_id = ${rule._id} and channel_id = ${channelId} and collecting
        returning ${isoOf(sql`due_at`)} as due`,
  );
  if (open) return new Date(open.due);
  const [begun] = await rows<{ due: string }>(
    tx,
    sql`insert into notification_deliveries
          (id, rule_id, channel_id, event_id, topic, events, event_count, due_at, collecting)
        values (${newId()}, ${rule._id}, ${channelId}, ${first?.id ?? '0'}::bigint, ${first?.topic ?? ''},
          ${added}::text::jsonb, ${events.length}::int,
          clock_timestamp() + make_interval(mins => ${minutes}::int), true)
        returning ${isoOf(sql`due_at`)} as due`,
  );
  return new Date(begun?.due ?? Date.now());
}
