import type { Logger } from 'pino';
import { type Database, rows } from '#db/client.ts';
import { find } from '#db/collection.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { NotificationChannel } from '#db/schemas/notifications/channel.ts';
import type { SentEvent } from '#db/schemas/notifications/delivery.ts';
import { sql } from '#db/statement.ts';
import { notificationChannels } from '#db/tables/notifications/notifications.ts';
import { effectiveRightsOf } from '#server/domains/identity/index.ts';
import { maskedPayload, readEvents, visibleEvent } from '#server/domains/workflow/index.ts';
import type { Durable, Worker } from '#server/durable/port.ts';
import type { Uses } from '#server/kernel/contexts.ts';
import { type AdminEntry, type Caller, callerOf } from '#server/kernel/principal.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';
import { openedChannel, resolvedChannel } from '../channels/channel-secrets.ts';
import { nextDelayS } from './backoff.ts';
import { endRun, isLatestRun, NOTIFICATION, type QueueRun } from './queue.service.ts';
import { failureText, NotAccepted, PartlyAccepted, sendTo } from './send.service.ts';

/** Channels that one process serves at once: each has one run, so that a slow receiver holds up only its own. */
const AT_ONCE = 32;
const EACH = 4;
/** Time after which a run starts no further delivery and yields to other channels, in milliseconds. */
const RUN_MS = 10_000;
/** Deliveries of one channel that are sent at once. */
const TOGETHER = 4;
/** Pause before a run that was put aside is tried again, in milliseconds. */
const ASIDE_MS = 60_000;

type WorkerDependencies = Uses<'http' | 'mail' | 'secrets' | 'config'> & {
  db: Database;
  durable: Durable;
  vault: Pick<Vault, 'open'>;
  admins: () => Promise<readonly AdminEntry[]>;
  log: Pick<Logger, 'debug' | 'error'>;
};

/**
 * Returns the worker that sends notifications. The deliveries themselves are the record of its progress: a crash between
 * sending one and storing that repeats it under the same key.
 *
 * @param workers number of runs that this process is meant to do at once, of all kinds
 */
export const notificationWorker = (parts: WorkerDependencies, workers: number): Worker => ({
  kind: NOTIFICATION,
  atOnce: Math.min(workers * EACH, AT_ONCE),
  urgent: false,
  putAside: async (tx, { input, reason }) => {
    parts.log.error({ input, reason }, 'a run of a notification channel was put aside');
    await endRun(tx, parts.durable, input as QueueRun, ASIDE_MS);
  },
  run: async (work, input) => {
    // Enqueued by wakeQueues.
    const run = input as QueueRun;
    if (!(await work.transact((tx) => isLatestRun(tx, run)))) return;
    await work.step('send', () => sendDue(parts, run.channelId, work.assertMine));
    await work.transact((tx) => endRun(tx, parts.durable, run));
  },
});

type Due = {
  id: string;
  attempts: number;
  events: string;
  count: number;
  rule: string;
  name: string;
  runAs: string;
  acceptedBy: string[] | null;
};

async function sendDue(
  parts: WorkerDependencies,
  channelId: string,
  assertMine: () => Promise<void>,
): Promise<void> {
  const until = performance.now() + RUN_MS;
  while (performance.now() < until) {
    const stored = await find(parts.db, notificationChannels, channelId);
    if (!stored || stored.doc.enabled === false) return;
    const due = await nextDue(parts.db, channelId);
    if (due.length === 0) return;
    await assertMine();
    const channel = await openedRow(parts, stored.doc);
    const admins = await parts.admins();
    const callerOfRule = cachedCallers(parts.db, admins);
    await Promise.all(due.map((one) => attempt(parts, channel, one, callerOfRule)));
  }
}

/** Returns the caller that an account is now; undefined when it is deleted or inactive. */
type CallerOfRule = (accountId: string) => Promise<Caller | undefined>;

/** Returns a lookup that reads each account once: the rules of deliveries that are sent together often have the same one. */
function cachedCallers(db: Database, admins: readonly AdminEntry[]): CallerOfRule {
  const known = new Map<string, ReturnType<CallerOfRule>>();
  const read = async (accountId: string) => {
    const accountRights = await effectiveRightsOf(db, accountId);
    return accountRights && callerOf(accountRights, admins, null);
  };
  return (accountId) => {
    const caller = known.get(accountId) ?? read(accountId);
    known.set(accountId, caller);
    return caller;
  };
}

async function openedRow(
  { db, vault }: WorkerDependencies,
  channel: NotificationChannel,
): Promise<NotificationChannel> {
  const [row] = await rows<{ secrets: string }>(
    db,
    sql`select secrets::text as secrets from notification_channels where id = ${channel._id}`,
  );
  return openedChannel(vault, channel, JSON.parse(row?.secrets ?? '{}') as Record<string, string>);
}

/** Returns the next deliveries of a channel; those that were collecting events are closed. */
const nextDue = (db: Database, channelId: string): Promise<Due[]> =>
  rows<Due>(
    db,
    sql`update notification_deliveries d set collecting = false
        from notification_rules r
        where r.id = d.rule_id and d.id in (
          select id from notification_deliveries
          where channel_id = ${channelId} and status = 'retrying' and due_at <= clock_timestamp()
            and not exists (select from notification_queues q
              where q.channel_id = ${channelId} and q.paused_until > clock_timestamp())
          order by due_at, event_id, id limit ${TOGETHER}::int)
        returning d.id, d.attempts, d.events::text as events, d.event_count as count, r.id as rule, r.name,
          r.run_as as "runAs", d.accepted_by as "acceptedBy"`,
  );

async function attempt(
  parts: WorkerDependencies,
  opened: NotificationChannel,
  { id, attempts, events: text, count, rule, name, runAs, acceptedBy }: Due,
  callerOfRule: CallerOfRule,
): Promise<void> {
  const { db } = parts;
  let channel = opened;
  const stored = JSON.parse(text) as SentEvent[];
  const visible = await stillVisible(db, stored, await callerOfRule(runAs));
  if (visible.length === 0) {
    const reason = 'the account of the rule may not read the events any more, or is inactive';
    const failure = { id, attempts, reason, delayS: null, pauseS: 0, isReceiver: false };
    return void (await recordFailure(db, channel, failure));
  }
  const omitted = count - stored.length;
  const notification = { id, rule: { id: rule, name }, events: visible, omitted };
  let rejected: string | null = null;
  try {
    channel = await resolvedChannel(parts.platform.secrets, opened);
    const signal = new AbortController().signal;
    rejected = await sendTo(parts, channel, notification, signal, acceptedBy ?? []);
  } catch (error) {
    const reason = failureText(error, channel);
    parts.log.debug({ delivery: id, channel: channel.name, reason }, 'a notification was not accepted');
    const pauseS = error instanceof NotAccepted ? error.waitS : 0;
    const backoffS = nextDelayS(channel, attempts + 1);
    const delayS = backoffS === null ? null : Math.max(backoffS, pauseS);
    const accepted = error instanceof PartlyAccepted ? error.acceptedBy : undefined;
    const failure = { id, attempts, reason, delayS, pauseS, isReceiver: true, acceptedBy: accepted };
    return void (await recordFailure(db, channel, failure));
  }
  const note = rejected === null ? null : failureText(new Error(rejected), channel);
  await recordSuccess(db, channel._id, id, attempts, note);
}

/** Returns the events that the account of the rule may read now, as far as they are still stored. */
async function stillVisible(
  db: Database,
  events: readonly SentEvent[],
  caller: Caller | undefined,
): Promise<SentEvent[]> {
  if (!caller) return [];
  const ids = events.map(({ id }) => Number(id));
  const wanted = new Set(ids);
  const first = Math.min(...ids);
  const last = Math.max(...ids);
  // The ids of events in a digest may be far apart: each is then looked up separately.
  const found =
    last - first < 1000
      ? await readEvents(db, { after: first - 1, upTo: last, most: 1000 })
      : (await Promise.all(ids.map((id) => readEvents(db, { after: id - 1, upTo: id })))).flat();
  const known = new Map(found.filter(({ id }) => wanted.has(id)).map((event) => [String(event.id), event]));
  const visible: SentEvent[] = [];
  for (const event of events) {
    const logged = known.get(event.id);
    const shown = logged && (await visibleEvent(logged, caller));
    if (!logged) visible.push({ ...event, payload: await maskedPayload(event.payload, caller) });
    else if (shown) visible.push({ ...event, payload: shown.payload });
  }
  return visible;
}

/** @param note what the delivery shows although it was sent: receivers of a mail that were rejected */
const recordSuccess = (db: Database, channelId: string, id: string, attempts: number, note: string | null) =>
  rows(
    db,
    sql`with done as (
          update notification_deliveries set status = 'sent', attempts = ${attempts + 1}::int, last_error = ${note}::text,
            ended_at = clock_timestamp()
          where id = ${id} and status = 'retrying' returning id)
        update notification_queues set failing_since = null, last_error = null, last_sent_at = clock_timestamp()
        where channel_id = ${channelId}`,
  );

type Failure = {
  id: string;
  attempts: number;
  reason: string;
  delayS: number | null;
  /** Seconds for which the receiver asks to get nothing. */
  pauseS: number;
  isReceiver: boolean;
  /** Receivers of a mail that have it, and do not get it again; absent: as before. */
  acceptedBy?: readonly string[] | undefined;
};

const recordFailure = (
  db: Database,
  channel: NotificationChannel,
  { id, attempts, reason, delayS, pauseS, isReceiver, acceptedBy }: Failure,
) =>
  rows(
    db,
    sql`with done as (
          update notification_deliveries set attempts = ${attempts + 1}::int, last_error = ${reason},
            status = ${delayS === null ? 'dead' : 'retrying'},
            ended_at = case when ${delayS === null} then clock_timestamp() end,
            accepted_by = coalesce(${acceptedBy ? textArray(acceptedBy) : sql`null`}, accepted_by),
            due_at = clock_timestamp() + make_interval(secs => ${delayS ?? 0}::float8)
          where id = ${id} and status = 'retrying' returning id)
        update notification_queues
        set failing_since = coalesce(failing_since, clock_timestamp()), last_error = ${reason},
          paused_until = case when ${pauseS}::float8 > 0
            then greatest(paused_until, clock_timestamp() + make_interval(secs => ${pauseS}::float8))
            else paused_until end
        where channel_id = ${channel._id} and ${isReceiver}`,
  );
