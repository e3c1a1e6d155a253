import type { Logger } from 'pino';
import { triggers } from '#db/asset-tables.ts';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { find } from '#db/collection.ts';
import { textArray } from '#db/list/place.ts';
import type { EventTrigger } from '#db/schemas/trigger.ts';
import { sql } from '#db/statement.ts';
import type { Durable, Worker, WorkItem } from '#server/durable/port.ts';
import { type Published, startsOf } from './matching.ts';

/** The kind of durable work that starting what a trigger names is. */
const EVENT_TRIGGER = 'event trigger';
/** Events that are looked at in one transaction. */
const MOST = 500;
/** Starts that one process works on at once. */
const AT_ONCE = 16;
/** Starts at once for each worker: a start is one short transaction. */
const EACH = 4;
/** A process that hangs in the middle lets go after this time, in milliseconds. */
const HUNG_MS = 8000;

/**
 * Starts what a trigger names, in the transaction given; asking twice for the same `dedupId` is asking once.
 *
 * @returns `refused` when it cannot be started: a workflow that is a draft, an automation that is gone
 */
type StartForTrigger = (
  tx: Database,
  trigger: EventTrigger,
  start: { data: Record<string, unknown>; dedupId: string },
) => Promise<object>;

/** What a piece of work is told. */
type Start = { triggerId: string; eventId: string; data: Record<string, unknown> };

/** Begin with what happens from now on, the first time that any process looks. */
export async function beginStarts(db: Database): Promise<void> {
  await rows(
    db,
    sql`insert into event_cursors (name, event_id) select 'triggers', coalesce(max(id), 0) from events
        on conflict do nothing`,
  );
}

/**
 * Ask for what the next events start. Of all processes one does it at a time, and where it stands is part of the
 * transaction: each event is gone through once, however processes come and go.
 *
 * @returns whether there was anything
 */
export async function askForStarts(db: Database, durable: Pick<Durable, 'enqueue'>): Promise<boolean> {
  const [due] = await rows<{ due: boolean }>(
    db,
    sql`select (select max(id) from events) > event_id as due from event_cursors where name = 'triggers'`,
  );
  if (due?.due !== true) return false;
  return inTransaction(db, async (tx) => {
    await tx.execute(sql.raw(`set local idle_in_transaction_session_timeout = ${HUNG_MS}`));
    const [cursor] = await rows<{ at: string }>(
      tx,
      sql`select event_id::text as at from event_cursors where name = 'triggers' for update skip locked`,
    );
    if (!cursor) return false;
    const published = await rows<Omit<Published, 'payload'> & { payload: string }>(
      tx,
      sql`select id::text as id, source, topic, extract(epoch from time) * 1000 as at, payload::text as payload
          from events where id > ${cursor.at}::bigint order by id limit ${String(MOST)}::int`,
    );
    const last = published.at(-1);
    if (!last) return false;
    const waiting = await waitingFor(tx, [...new Set(published.map(({ topic }) => topic))]);
    const starts = startsOf(
      waiting.length === 0
        ? []
        : published.map(({ payload, at, ...event }) => ({
            ...event,
            at: Number(at),
            payload: JSON.parse(payload) as Record<string, unknown>,
          })),
      waiting,
    );
    await durable.enqueue(
      tx,
      EVENT_TRIGGER,
      starts.map(({ trigger, event }): WorkItem => {
        const input: Start = { triggerId: trigger._id, eventId: event.id, data: event.payload };
        return { id: dedupIdOf(input), input };
      }),
    );
    await rows(tx, sql`update event_cursors set event_id = ${last.id}::bigint where name = 'triggers'`);
    return true;
  });
}

const dedupIdOf = ({ triggerId, eventId }: Omit<Start, 'data'>) => `event:${eventId}:${triggerId}`;

async function waitingFor(tx: Database, topics: readonly string[]): Promise<EventTrigger[]> {
  const found = await rows<{ doc: string }>(
    tx,
    sql`select doc::text as doc from ${triggers}
        where type = 'eventSystem' and enabled and topic = any(${textArray(topics)}) order by id`,
  );
  return found.map(({ doc }) => JSON.parse(doc) as EventTrigger);
}

/**
 * What starts the automations of event triggers. A trigger that was switched off or deleted meanwhile starts nothing; what
 * cannot be started is told in the log.
 */
export const eventTriggerWorker = (
  { start, log }: { start: StartForTrigger; log: Pick<Logger, 'warn'> },
  workers: number,
): Worker => ({
  kind: EVENT_TRIGGER,
  atOnce: Math.min(workers * EACH, AT_ONCE),
  urgent: false,
  run: async (work, input) => {
    // What askForStarts asked for.
    const asked = input as Start;
    const reason = await work.transact(async (tx) => {
      const found = await find(tx, triggers, asked.triggerId);
      if (found?.doc.type !== 'eventSystem' || found.doc.enabled !== true) return null;
      const fired = await start(tx, found.doc, { data: asked.data, dedupId: dedupIdOf(asked) });
      return 'refused' in fired ? String(fired.refused) : null;
    });
    if (reason === null) return;
    log.warn({ trigger: asked.triggerId, event: asked.eventId, reason }, 'an event started nothing');
  },
});
