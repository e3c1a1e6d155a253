import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import type { Logger } from 'pino';
import { type Database, openDatabase } from '#db/client.ts';
import { listen } from '#db/connections/listen.ts';
import { keepConnected } from '#db/connections/persistent-connection.ts';
import { retryUntilAvailable } from '#db/connections/retry-until-available.ts';
import type { Connection } from '#db/embedded.ts';
import { withoutStacks } from '#server/kernel/errors.ts';
import { inSpan } from '#server/kernel/observability/trace.ts';
import { runAtIntervals } from '#server/kernel/timing/interval-task.ts';
import { type Concern, lookOut } from '#server/kernel/timing/lookout.ts';
import { keepAlive } from './liveness.ts';
import { releaseWork } from './losses.ts';
import { assertOurs, isAway } from './ownership.ts';
import { announceWork, channelOf, type Polling, pollOnDemand, withoutDeadlines } from './polling.ts';
import { openEnginePool } from './pool.ts';
import type { Work, Worker } from './port.ts';
import { pruneWork } from './prune.ts';
import { openRecord } from './records.ts';
import { APPLICATION, STEPS_VERSION } from './requests.ts';
import { unconfirmedClaims } from './unconfirmed-claims.ts';

/**
 * Interval between two polls of a queue, in milliseconds; a poll asks the database only when there may be work
 * (polling.ts). The library stores the interval in the database for all processes.
 */
const POLL_MS = 50;
/** The polling interval of queues that are not urgent, in milliseconds. */
const PATIENT_POLL_MS = 200;
/**
 * The server ends a statement or an idle transaction after this time, in milliseconds: its locks are released, and others
 * can take the work over.
 */
const HUNG_MS = 8000;
/** Most connections for the work itself: work that waits for other work holds none. */
const MOST_CONNECTIONS = 16;
/** Connections of the engine itself, besides those of the work. */
const ENGINE_CONNECTIONS = 10;
/** Interval between two removals of old work, in milliseconds. */
const PRUNED_MS = 60_000;
/** How long running work may take to finish when the process stops, in milliseconds; other processes take over the rest. */
const DRAIN_MS = 5000;

type EngineOptions = {
  connection: Connection;
  log: Logger;
  workers: readonly Worker[];
  /** Called after each committed step: it may have published events. */
  committed?: () => void;
  /** Further work that this process looks for in the database. */
  concerns?: readonly Concern[];
};

export type Engine = {
  /** Lets running work finish for some seconds and leaves the rest to other processes. */
  stop: () => Promise<void>;
};

/**
 * Starts durable work in this process. One engine per process: the library keeps global state.
 *
 * @param workers every known kind; a kind with `atOnce` 0 is left to other processes
 */
export async function startEngine({
  connection,
  log,
  workers,
  committed = () => {},
  concerns = [],
}: EngineOptions): Promise<Engine> {
  const slots = workers.reduce((sum, { atOnce }) => sum + atOnce, 0);
  const max = Math.min(slots, MOST_CONNECTIONS) + 4;
  const { db, close } = openDatabase({ connection, max, statementTimeoutMs: HUNG_MS });
  const enginePool = openEnginePool({
    connection,
    max: ENGINE_CONNECTIONS,
    hungMs: HUNG_MS,
    failed: (error) => log.debug({ err: error }, 'durable work: a connection was lost'),
  });
  const executor = randomUUID();
  const said = (level: 'debug' | 'warn' | 'error') => (message: unknown, more?: object) => {
    const err = more && 'error' in more ? more.error : undefined;
    log[level]({ ...(err !== undefined && { err }) }, `durable work: ${String(message)}`);
  };
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabasePool: enginePool,
    applicationVersion: STEPS_VERSION,
    executorID: executor,
    listenQueues: workers.filter(({ atOnce }) => atOnce > 0).map(({ kind }) => kind),
    // for messages and events between pieces of work, which are not used: the library wakes at this interval
    notificationCoalesceMs: 60_000,
    // each poll of an empty queue waits for work (polling.ts); one more for a queue of the library itself
    maxConcurrentQueueDispatches: workers.length + 1,
    logger: { debug: said('debug'), info: said('debug'), warn: said('warn'), error: said('error') },
  });
  withoutStacks(() => {
    for (const worker of workers) {
      DBOS.registerWorkflow(
        (input: unknown, trace?: string) => perform(worker, db, committed, { input, trace }),
        { name: worker.kind },
      );
    }
  });
  let polling: Polling | undefined;
  const wake = (kind: string) => polling?.wake(kind);
  const failed = (what: string) => (error: unknown) =>
    log.debug({ err: error }, `durable work: could not ${what}`);
  const { attention, leave } = await keepAlive(
    connection,
    db,
    executor,
    {
      waiting: wake,
      failed: failed('look up abandoned work'),
      again: (work, attempts) => log.warn({ work, attempts }, 'durable work: failed, and is retried'),
      aside: (work) => log.error({ work }, 'durable work: put aside after the loss of several processes'),
    },
    workers,
  ).catch(async (error: unknown) => {
    await enginePool.end();
    await close();
    throw error;
  });
  let stopListening = async () => {};
  let stopLooking = async () => {};
  const stop = async () => {
    await stopListening();
    await stopLooking();
    polling?.stop();
    await DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: DRAIN_MS });
    await releaseWork(db, executor).catch((error: unknown) =>
      log.debug(
        { err: error },
        'durable work: could not be released; other workers take it over nevertheless',
      ),
    );
    await leave();
    await enginePool.end();
    await close();
  };
  try {
    withoutDeadlines();
    const polls = await oneAtATime(connection, async () => {
      await withoutStacks(() => DBOS.launch());
      for (const { kind, atOnce, urgent } of workers) {
        await DBOS.registerQueue(kind, {
          ...(atOnce > 0 && { workerConcurrency: atOnce }),
          minPollingIntervalMs: urgent ? POLL_MS : PATIENT_POLL_MS,
          onConflict: atOnce > 0 ? 'always_update' : 'never_update',
        });
      }
      await announceWork(db);
      return pollOnDemand(failed('begin delayed work'));
    });
    polling = polls;
    const unconfirmed = unconfirmedClaims(db, executor, failed('give back unconfirmed claims'));
    const endLookout = lookOut(db, [attention, unconfirmed, polls.delayed, ...concerns], (error) =>
      log.warn({ err: error }, 'could not look up what is due'),
    );
    const endPruning = runAtIntervals(PRUNED_MS, () => pruneWork(db), failed('remove old work'));
    stopLooking = async () => void (await Promise.all([endLookout(), endPruning()]));
    stopListening = await listen(
      connection,
      Object.fromEntries(workers.map(({ kind }) => [channelOf(kind), () => wake(kind)])),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

/** Interval between two attempts to acquire the launch lock, in milliseconds. */
const TURN_MS = 100;
/**
 * Time limit of a launch in milliseconds: one that lost its connection might never end, and all starting processes wait
 * for it. The first launch creates the tables of the library, in some 400 statements: 40 s where the database is 100 ms away.
 */
const LAUNCH_MS = 180_000;

/**
 * Lets one process launch at a time: the library creates its tables at launch and fails when another process does so
 * too. It polls for the lock, because a waiting statement would block the concurrent creation of indexes.
 */
async function oneAtATime<Result>(connection: Connection, launch: () => Promise<Result>): Promise<Result> {
  const leave = await keepConnected(connection, async (client) => {
    const mine = () =>
      client<{ mine: boolean }[]>`select pg_try_advisory_lock(hashtext('switchyard engine start')) as mine`;
    while ((await mine())[0]?.mine !== true) await sleep(TURN_MS);
  });
  const late = new AbortController();
  const tooLate = sleep(LAUNCH_MS, undefined, { signal: late.signal }).then((): never => {
    throw new Error(`durable work did not start within ${LAUNCH_MS / 1000} s`);
  });
  return Promise.race([launch(), tooLate]).finally(async () => {
    late.abort();
    await leave();
  });
}

/** @param given the input, and the `traceparent` of what requested the work, where that was traced */
async function perform(
  worker: Worker,
  db: Database,
  committed: () => void,
  { input, trace }: { input: unknown; trace: string | undefined },
): Promise<void> {
  const id = DBOS.workflowID;
  if (id === undefined) throw new Error('called outside of durable work');
  const work: Work = {
    id,
    step: (name, effect) => DBOS.runStep(() => retryUntilAvailable(effect, isAway), { name }),
    ...openRecord(db, id, committed),
    assertMine: () => retryUntilAvailable(() => assertOurs(id), isAway),
  };
  const attributes = { 'switchyard.work.kind': worker.kind, 'switchyard.work.id': id };
  await inSpan(`work ${worker.kind}`, { kind: 'consumer', attributes, parent: trace }, () =>
    worker.run(work, input),
  );
}
