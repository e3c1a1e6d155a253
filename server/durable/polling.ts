import { getExecutor } from '@dbos-inc/dbos-sdk/internal/dbos';
import { workflowTimeoutConfig } from '@dbos-inc/dbos-sdk/internal/workflow_management';
import { sql } from 'drizzle-orm';
import { type Database, inTransaction, rows } from '#db/client.ts';
import type { Concern } from '#server/kernel/timing/lookout.ts';

/** Interval at which the library cancels work with a deadline, in milliseconds: our work has none. */
const DEADLINES_MS = 3_600_000;

/** Returns the channel on which the database announces work of a kind. */
export const channelOf = (kind: string) => `work_${kind}`;

/** Wakes the polls of queues. */
export type Polling = {
  /** Reports that a queue may hold work: its poll asks the database. */
  wake: (kind: string) => void;
  /** Work whose time to begin has come. */
  delayed: Concern;
  /** Ends all waiting, before the library stops: it waits for its polls. */
  stop: () => void;
};

/** Makes the library ask less for what we do not use. Call before its launch. */
export function withoutDeadlines(): void {
  workflowTimeoutConfig.pollingIntervalMs = DEADLINES_MS;
}

/**
 * Lets a poll of a queue wait until the queue may hold work: until an announcement, once a poll has found nothing. The library
 * polls each queue at a fixed interval, which cost an idle process and its database 8 % of a core (decision 0128). Nor does it
 * ask once a second for queues, which do not change, or for delayed work (decision 0155). Call after the registration of the
 * queues; the library must be allowed as many polls at once as there are queues.
 *
 * @param failed receives the error when delayed work could not begin; it does later
 */
export async function pollOnDemand(failed: (error: unknown) => void): Promise<Polling> {
  const { systemDatabase, logger } = getExecutor();
  // ends a timer for telemetry of the library, which is switched off
  await logger.destroy();
  const queues = await systemDatabase.listQueues(systemDatabase.appName);
  systemDatabase.listQueues = async () => queues;
  const beginDelayed = systemDatabase.transitionDelayedWorkflows.bind(systemDatabase);
  systemDatabase.transitionDelayedWorkflows = async () => {};
  const claim = systemDatabase.findAndMarkStartableWorkflows.bind(systemDatabase);
  const empty = new Set<string>();
  const announcements = new Map<string, number>();
  const waiting = new Map<string, () => void>();
  let isStopped = false;
  systemDatabase.findAndMarkStartableWorkflows = async (
    queue,
    executor,
    version,
    partition,
    _running,
    ...rest
  ) => {
    const { name, workerConcurrency = Number.POSITIVE_INFINITY } = queue;
    if (empty.has(name) && !isStopped) await new Promise<void>((resolve) => waiting.set(name, resolve));
    // counted after the wait, which may have taken hours
    const running = systemDatabase.countRunningWorkflowsForQueue(name);
    // A queue without a free slot here is polled again when one of its pieces of work ends.
    if (isStopped || running >= workerConcurrency) return [];
    const announced = announcements.get(name);
    const claimed = await claim(queue, executor, version, partition, running, ...rest);
    // An announcement during the query may be of work that the query did not see.
    if (claimed.length === 0 && announcements.get(name) === announced) empty.add(name);
    return claimed;
  };
  const release = (kind: string) => {
    waiting.get(kind)?.();
    waiting.delete(kind);
  };
  return {
    delayed: {
      isDue: () => sql`exists(select 1 from dbos.workflow_status
        where status = 'DELAYED' and delay_until_epoch_ms <= ${String(Date.now())}::bigint)`,
      attend: beginDelayed,
      failed,
    },
    wake: (kind) => {
      announcements.set(kind, (announcements.get(kind) ?? 0) + 1);
      empty.delete(kind);
      release(kind);
    },
    stop: () => {
      isStopped = true;
      for (const kind of [...waiting.keys()]) release(kind);
    },
  };
}

/**
 * Makes the database announce work that becomes ready, whoever enqueues, resumes or repeats it. The trigger belongs to a
 * table of the library, so it is made after the launch, once a database.
 */
export async function announceWork(db: Database): Promise<void> {
  const found = await rows(
    db,
    sql`select 1 from pg_trigger where tgrelid = 'dbos.workflow_status'::regclass and tgname = 'announce_resumed'`,
  );
  if (found.length > 0) return;
  await inTransaction(db, async (tx) => {
    await tx.execute(sql`
      create or replace function dbos.announce_work() returns trigger language plpgsql as $$
      begin
        perform pg_notify('work_' || new.queue_name, '');
        return null;
      end $$`);
    await tx.execute(sql`
      create trigger announce_enqueued after insert on dbos.workflow_status for each row
      when (new.status = 'ENQUEUED' and new.queue_name is not null) execute function dbos.announce_work()`);
    await tx.execute(sql`
      create trigger announce_resumed after update of status on dbos.workflow_status for each row
      when (new.status = 'ENQUEUED' and new.queue_name is not null) execute function dbos.announce_work()`);
  });
}
