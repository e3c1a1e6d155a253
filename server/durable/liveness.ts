import { DBOS } from '@dbos-inc/dbos-sdk';
import { sql } from 'drizzle-orm';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { keepConnected } from '#db/connections/persistent-connection.ts';
import type { Connection } from '#db/embedded.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { Concern } from '#server/kernel/timing/lookout.ts';
import { countLosses, nextSuspect, putAside, SUSPECTS } from './losses.ts';
import type { Worker } from './port.ts';

/** Most work items that one look takes over; the next one takes over the rest. */
const AT_ONCE = 1000;

/** The advisory lock that shows that a process is alive: it is released with the session, however the process ends. */
const lockOf = (executor: string) => sql`hashtextextended(${`switchyard executor ${executor}`}, 0)`;

type LivenessCallbacks = {
  /** Work of a kind is ready: found in case its announcement was lost. */
  waiting: (kind: string) => void;
  failed: (error: unknown) => void;
  again: (work: string, attempts: number) => void;
  aside: (work: string) => void;
};

/**
 * Shows that this process is alive, until `leave` is called. Two processes may look for the work of lost processes at once:
 * one gets the lock, and the engine fences a process that comes back.
 *
 * @param executor name of this process
 * @param callbacks receives errors (the next look follows), and work that is retried or put aside
 * @param workers every known kind: they show which work was put aside
 * @returns `attention` is what the process looks for, once the engine has made its tables
 */
export async function keepAlive(
  connection: Connection,
  db: Database,
  executor: string,
  callbacks: LivenessCallbacks,
  workers: readonly Worker[],
): Promise<{ attention: Concern; leave: () => Promise<void> }> {
  const leave = await keepConnected(
    connection,
    (client) => client`select pg_advisory_lock(hashtextextended(${`switchyard executor ${executor}`}, 0))`,
  );
  const kinds = textArray(workers.filter(({ atOnce }) => atOnce > 0).map(({ kind }) => kind));
  const left = sql`from dbos.workflow_status where status = 'PENDING' and executor_id not in (${executor}, ${SUSPECTS})`;
  const suspects = sql`exists(select 1 from dbos.workflow_status where status = 'PENDING' and executor_id = ${SUSPECTS})`;
  const failed = sql`exists(select 1 from dbos.workflow_status ${FAILED})`;
  const waiting = sql`from unnest(${kinds}) as kind where exists(
    select 1 from dbos.workflow_status where queue_name = kind and status = 'ENQUEUED')`;
  const attend = async () => {
    const [found] = await rows<{ others: string; suspects: boolean; failed: boolean; waiting: string }>(
      db,
      sql`select array_to_json(array(select distinct executor_id ${left}))::text as others, ${suspects} as suspects,
            ${failed} as failed, array_to_json(array(select kind ${waiting}))::text as waiting`,
    );
    if (!found) return;
    for (const kind of JSON.parse(found.waiting) as string[]) callbacks.waiting(kind);
    await takeOver(db, JSON.parse(found.others) as string[], workers, callbacks);
    if (found.suspects) await resumeSuspect(db);
    if (found.failed) await tryAgain(db, callbacks.again);
  };
  const isDue = () =>
    sql`(exists(select 1 ${left}) or ${suspects} or ${failed} or exists(select 1 ${waiting}))`;
  return { attention: { isDue, attend, failed: callbacks.failed }, leave };
}

async function takeOver(
  db: Database,
  others: readonly string[],
  workers: readonly Worker[],
  callbacks: Pick<LivenessCallbacks, 'aside'>,
): Promise<void> {
  for (const other of others) {
    await inTransaction(db, async (tx) => {
      const [lock] = await rows<{ gone: string }>(
        tx,
        sql`select pg_try_advisory_xact_lock(${lockOf(other)})::text as gone`,
      );
      if (lock?.gone !== 'true') return;
      const left = await rows<{ id: string; queue: string | null }>(
        tx,
        sql`select workflow_uuid as id, queue_name as queue from dbos.workflow_status
            where status = 'PENDING' and executor_id = ${other} limit ${AT_ONCE}`,
      );
      const { resumed, putAside: aside } = await countLosses(
        tx,
        left.map(({ id }) => id),
        other,
      );
      for (const id of aside) {
        await putAside(db, workers, id);
        callbacks.aside(id);
      }
      for (const queue of new Set(left.map((one) => one.queue))) {
        const ids = left.filter(({ id, queue: own }) => own === queue && resumed.includes(id));
        if (ids.length === 0) continue;
        await DBOS.resumeWorkflows(
          ids.map(({ id }) => id),
          queue === null ? {} : { queueName: queue },
        );
      }
    });
  }
}

/** Resumes the next suspect, work that one more loss would put aside, once the previous suspect has ended. */
async function resumeSuspect(db: Database): Promise<void> {
  await inTransaction(db, async (tx) => {
    const [lock] = await rows<{ mine: string }>(
      tx,
      sql`select pg_try_advisory_xact_lock(${lockOf(SUSPECTS)})::text as mine`,
    );
    if (lock?.mine !== 'true') return;
    const suspect = await nextSuspect(tx);
    if (suspect) await DBOS.resumeWorkflows([suspect.id], { queueName: suspect.queue });
  });
}

/** Most attempts of a piece of work, and the pause between two, in milliseconds. */
const ATTEMPTS = 20;
const PAUSE_MS = 3000;

/** The condition of work that ended with an error and is to be retried. */
const FAILED = sql`where status = 'ERROR' and queue_name is not null and recovery_attempts < ${ATTEMPTS}
  and updated_at < (extract(epoch from now()) * 1000)::bigint - ${PAUSE_MS}::bigint`;

/**
 * Retries work that ended with an error. Every kind turns expected failures into results, so such an error is a
 * connection that broke at a bad moment, or a bug. Without a retry its job would stay running for ever; it is replayed
 * from its record a bounded number of times, and each retry is reported.
 */
async function tryAgain(db: Database, report: (work: string, attempts: number) => void): Promise<void> {
  const again = await rows<{ id: string; attempts: string }>(
    db,
    sql`update dbos.workflow_status set status = 'ENQUEUED', owner_xid = null, started_at_epoch_ms = null,
          completed_at = null, updated_at = (extract(epoch from now()) * 1000)::bigint
        where workflow_uuid in (
          select workflow_uuid from dbos.workflow_status ${FAILED}
          limit ${AT_ONCE} for update skip locked)
        returning workflow_uuid as id, recovery_attempts::text as attempts`,
  );
  for (const { id, attempts } of again) report(id, Number(attempts));
}
