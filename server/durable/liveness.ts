import { DBOS } from '@dbos-inc/dbos-sdk';
import { sql } from 'drizzle-orm';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { keepConnected } from '#db/connections/persistent-connection.ts';
import type { Connection } from '#db/embedded.ts';
import { throttleCall } from '#server/kernel/timing/throttle-call.ts';
import { countLosses, nextSuspect, putAside, SUSPECTS } from './losses.ts';
import type { Worker } from './port.ts';
import { pruneWork } from './prune.ts';

/** Time between two looks for work whose process is gone: with the look itself, a takeover stays under two seconds. */
const SWEEP_MS = 500;

/** Time between two looks for what ended long ago. */
const PRUNED_MS = 60_000;

/** Work that one look takes over: the next takes the rest. */
const AT_ONCE = 1000;

/** The lock that says that a process lives: its session ends with the process, however that ends. */
const lockOf = (executor: string) => sql`hashtextextended(${`switchyard executor ${executor}`}, 0)`;

type LivenessCallbacks = {
  failed: (error: unknown) => void;
  again: (work: string, attempts: number) => void;
  aside: (work: string) => void;
};

/**
 * Show that this process lives, take over the work of those that no longer do, and clear away what ended long ago. That two processes look at once is
 * safe: one gets the lock, and the engine fences whoever comes back from the dead.
 *
 * @param told hears what a look fails with (the next one follows), and which work is done again, or no more
 * @param workers every kind that is known: they show what is put aside
 * @returns a function that ends it
 */
export async function keepAlive(
  connection: Connection,
  db: Database,
  executor: string,
  told: LivenessCallbacks,
  workers: readonly Worker[],
): Promise<() => Promise<void>> {
  const leave = await keepConnected(
    connection,
    (client) => client`select pg_advisory_lock(hashtextextended(${`switchyard executor ${executor}`}, 0))`,
  );
  const prune = throttleCall(PRUNED_MS, () => pruneWork(db));
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking
      .then(() => takeOver(db, executor, workers, told))
      .then(() => resumeSuspect(db))
      .then(() => tryAgain(db, told.again))
      .then(prune)
      .catch(told.failed);
  }, SWEEP_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await looking;
    await leave();
  };
}

async function takeOver(
  db: Database,
  self: string,
  workers: readonly Worker[],
  told: Pick<LivenessCallbacks, 'aside'>,
): Promise<void> {
  const others = await rows<{ executor_id: string }>(
    db,
    sql`select distinct executor_id from dbos.workflow_status
        where status = 'PENDING' and executor_id not in (${self}, ${SUSPECTS})`,
  );
  for (const { executor_id: other } of others) {
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
        told.aside(id);
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

/** Resumes the next piece of work that one more loss would put aside, once the one before has ended. */
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

/** Attempts that a piece of work has, and the time between two, in milliseconds. */
const ATTEMPTS = 20;
const PAUSE_MS = 3000;

/**
 * Work that ended with an error was not meant to: every kind makes an outcome of what can go wrong, so what is left is a
 * connection that broke in an unlucky place, or a fault of ours. Left alone it would leave its job running for ever: it is
 * done again from its record, a bounded number of times, and each is told.
 */
async function tryAgain(db: Database, tell: (work: string, attempts: number) => void): Promise<void> {
  const again = await rows<{ id: string; attempts: string }>(
    db,
    sql`update dbos.workflow_status set status = 'ENQUEUED', owner_xid = null, started_at_epoch_ms = null,
          completed_at = null, updated_at = (extract(epoch from now()) * 1000)::bigint
        where workflow_uuid in (
          select workflow_uuid from dbos.workflow_status
          where status = 'ERROR' and queue_name is not null and recovery_attempts < ${ATTEMPTS}
            and updated_at < (extract(epoch from now()) * 1000)::bigint - ${PAUSE_MS}::bigint
          limit ${AT_ONCE} for update skip locked)
        returning workflow_uuid as id, recovery_attempts::text as attempts`,
  );
  for (const { id, attempts } of again) tell(id, Number(attempts));
}
