import { eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import { type Database, inTransaction, rows, runUnread } from '#db/client.ts';
import { find } from '#db/collection.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { EventTrigger } from '#db/schemas/workflow/trigger.ts';
import { sql } from '#db/statement.ts';
import { triggers } from '#db/tables/assets/assets.ts';
import { eventCursors } from '#db/tables/workflow/events.ts';
import { effectiveRightsOf } from '#server/domains/identity/index.ts';
import type { Durable, Worker, WorkItem } from '#server/durable/port.ts';
import { type AdminEntry, callerOf } from '#server/kernel/principal.ts';
import { type Published, startsOf } from './matching.ts';
import { openPayloadCheck } from './payload-check.service.ts';
import { readEvents } from './reading.service.ts';
import { mayReceive, shownPayload } from './visible-payload.service.ts';

/** The kind of the work items that start what an event trigger names. */
const EVENT_TRIGGER = 'event trigger';
/** Events that one transaction processes. */
const MOST = 500;
/** Maximum number of starts that one process runs at once. */
const AT_ONCE = 16;
/** Starts at once for each worker: a start is one short transaction. */
const EACH = 4;
/** Time after which the database ends the transaction of a process that hangs, in milliseconds. */
const HUNG_MS = 8000;

/**
 * Starts what a trigger names, in the given transaction; a second call with the same `dedupId` starts nothing.
 *
 * @returns `refused` when it cannot start, such as for a draft workflow or a missing automation
 */
type StartForTrigger = (
  tx: Database,
  trigger: EventTrigger,
  start: { data: Record<string, unknown>; dedupId: string },
) => Promise<object>;

/** The input of a work item. */
type EventStart = { triggerId: string; eventId: string };

/** Sets the cursor to the current end of the events, the first time that any process starts. */
export async function beginStarts(db: Database): Promise<void> {
  await rows(
    db,
    sql`insert into event_cursors (name, event_id) select 'triggers', coalesce(max(id), 0) from events
        on conflict do nothing`,
  );
}

/**
 * Enqueues the work items for what the next events start. One process at a time does it, and the cursor is updated in the
 * same transaction: each event is processed once, however processes come and go.
 *
 * @returns whether there were any events
 */
export async function enqueueStarts(
  db: Database,
  durable: Pick<Durable, 'enqueue'>,
  log: Pick<Logger, 'warn'>,
): Promise<boolean> {
  const [due] = await rows<{ due: boolean }>(
    db,
    sql`select (select max(id) from events) > event_id as due from event_cursors where name = 'triggers'`,
  );
  if (due?.due !== true) return false;
  return inTransaction(db, async (tx) => {
    await runUnread(tx, sql.raw(`set local idle_in_transaction_session_timeout = ${HUNG_MS}`));
    const isOurs = eq(eventCursors.name, 'triggers');
    const own = tx.select({ at: eventCursors.eventId }).from(eventCursors).where(isOurs);
    const [cursor] = await own.for('update', { skipLocked: true });
    if (!cursor) return false;
    const published = await rows<Omit<Published, 'payload'> & { payload: string }>(
      tx,
      sql`select id::text as id, source, topic, extract(epoch from time) * 1000 as at, payload::text as payload
          from events where id > ${String(cursor.at)}::bigint order by id limit ${String(MOST)}::int`,
    );
    const last = published.at(-1);
    if (!last) return false;
    const waiting = await waitingFor(tx, [...new Set(published.map(({ topic }) => topic))]);
    const starts = await startsOf(
      waiting.length === 0
        ? []
        : published.map(({ payload, at, ...event }) => ({
            ...event,
            at: Number(at),
            payload: JSON.parse(payload) as Record<string, unknown>,
          })),
      waiting,
      openPayloadCheck(log),
    );
    await durable.enqueue(
      tx,
      EVENT_TRIGGER,
      starts.map(({ trigger, event }): WorkItem => {
        const input: EventStart = { triggerId: trigger._id, eventId: event.id };
        return { id: dedupIdOf(input), input };
      }),
    );
    await runUnread(tx, sql`update event_cursors set event_id = ${last.id} where name = 'triggers'`);
    return true;
  });
}

const dedupIdOf = ({ triggerId, eventId }: EventStart) => `event:${eventId}:${triggerId}`;

async function waitingFor(tx: Database, topics: readonly string[]): Promise<EventTrigger[]> {
  const found = await rows<{ doc: string }>(
    tx,
    sql`select doc::text as doc from ${triggers}
        where type = 'eventSystem' and enabled and topic = any(${textArray(topics)}) order by id`,
  );
  return found.map(({ doc }) => JSON.parse(doc) as EventTrigger);
}

/**
 * Returns the payload of an event as an account may read it now.
 *
 * @returns undefined when the account may not read what the event is about, or the event is no longer stored; an empty
 *   payload for an account that is missing or inactive, for which the start is rejected anyway
 */
async function payloadFor(
  tx: Database,
  { eventId, account, admins }: { eventId: string; account: unknown; admins: readonly AdminEntry[] },
): Promise<Record<string, unknown> | undefined> {
  const accountRights = typeof account === 'string' ? await effectiveRightsOf(tx, account) : undefined;
  if (!accountRights) return {};
  const caller = callerOf(accountRights, admins, null);
  const id = Number(eventId);
  const [event] = await readEvents(tx, { after: id - 1, upTo: id });
  if (!event || !mayReceive(event, caller)) return undefined;
  const { payload } = JSON.parse(event.text) as { payload: Record<string, unknown> };
  return shownPayload(payload, event, caller);
}

type EventStartDependencies = {
  start: StartForTrigger;
  /** Reads the accounts and groups that the active profile makes admins. */
  admins: () => Promise<readonly AdminEntry[]>;
  log: Pick<Logger, 'warn'>;
};

/**
 * Creates the worker that starts the automations of event triggers. A trigger that has been disabled or deleted starts
 * nothing, nor does an event that the trigger's account (`runAs`) may not read; a rejected start is logged.
 */
export const eventTriggerWorker = (
  { start, admins, log }: EventStartDependencies,
  workers: number,
): Worker => ({
  kind: EVENT_TRIGGER,
  atOnce: Math.min(workers * EACH, AT_ONCE),
  urgent: false,
  run: async (work, input) => {
    // Enqueued by enqueueStarts.
    const eventStart = input as EventStart;
    const { triggerId, eventId } = eventStart;
    // Runs before the transaction: within it, nothing may wait for another connection.
    const knownAdmins = await admins();
    const reason = await work.transact(async (tx) => {
      const found = await find(tx, triggers, triggerId);
      if (found?.doc.type !== 'eventSystem' || found.doc.enabled !== true) return null;
      const data = await payloadFor(tx, { eventId, account: found.doc.runAs, admins: knownAdmins });
      if (!data) return null;
      const fired = await start(tx, found.doc, { data, dedupId: dedupIdOf(eventStart) });
      return 'rejected' in fired ? String(fired.rejected) : null;
    });
    if (reason === null) return;
    log.warn({ trigger: triggerId, event: eventId, reason }, 'an event did not start its trigger');
  },
});
