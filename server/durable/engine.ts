import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { attend } from '#db/attend.ts';
import { openDatabase } from '#db/client.ts';
import type { Connection } from '#db/embedded.ts';
import { textArray } from '#db/list/place.ts';
import { openDataSource, patiently } from './datasource.ts';
import { keepAlive } from './liveness.ts';
import { openEnginePool } from './pool.ts';
import type { Durable, Work, Worker } from './port.ts';

/** How the engine knows us; part of every row it keeps. */
const APPLICATION = 'switchyard';

/**
 * The engine hands work only to processes of the version that asked for it. Ours is the order of steps within a kind of
 * work: it changes when that does, not with each release, or an upgrade would strand what was under way.
 */
const STEPS_VERSION = '1';

/** Time between two looks at a queue, in milliseconds: what an idle process costs the database. */
const POLL_MS = 50;
/** A connection that hangs in a transaction gives its locks up after this time, so that others can take its work over. */
const HUNG_MS = 8000;
/** Connections of the engine itself, beside those that the work is done on. */
const ENGINE_CONNECTIONS = 10;
/** Time that work under way has to reach its end when the process stops; what is left, others take over. */
const DRAIN_MS = 5000;

type Options = {
  connection: Connection;
  log: Logger;
  workers: readonly Worker[];
};

export type Engine = {
  /** Lets work under way end for some seconds and leaves the rest to others. */
  stop: () => Promise<void>;
};

/**
 * Begin to do durable work in this process. One engine a process: the library keeps its state there.
 *
 * @param workers every kind that is known; one that is `atOnce` 0 is left to other processes
 */
export async function startEngine({ connection, log, workers }: Options): Promise<Engine> {
  const slots = workers.reduce((sum, { atOnce }) => sum + atOnce, 0);
  const { db, close } = openDatabase({ connection, max: slots + 4, statementTimeoutMs: HUNG_MS });
  const enginePool = openEnginePool({
    connection,
    max: ENGINE_CONNECTIONS,
    hungMs: HUNG_MS,
    failed: (error) => log.debug({ err: error }, 'durable work: a connection was lost'),
  });
  const executor = randomUUID();
  const transact = openDataSource(db);
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
    logger: { debug: said('debug'), info: said('debug'), warn: said('warn'), error: said('error') },
  });
  for (const worker of workers) {
    DBOS.registerWorkflow((input: unknown) => perform(worker, transact, input), { name: worker.kind });
  }
  const leave = await keepAlive(connection, db, executor, (error) =>
    log.debug({ err: error }, 'durable work: could not look for work left behind'),
  ).catch(async (error: unknown) => {
    await enginePool.end();
    await close();
    throw error;
  });
  const stop = async () => {
    await DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: DRAIN_MS });
    await leave();
    await enginePool.end();
    await close();
  };
  try {
    await oneAtATime(connection, async () => {
      await DBOS.launch();
      for (const { kind, atOnce } of workers) {
        await DBOS.registerQueue(kind, {
          ...(atOnce > 0 && { workerConcurrency: atOnce }),
          minPollingIntervalMs: POLL_MS,
          onConflict: atOnce > 0 ? 'always_update' : 'never_update',
        });
      }
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

/** Time between two attempts to be the one that launches. */
const TURN_MS = 100;

/**
 * The library makes its tables at launch, and fails when another process does so at the same time: one waits here. It
 * asks again and again, because a statement that waits would itself be waited for by indexes that are made concurrently.
 */
async function oneAtATime(connection: Connection, launch: () => Promise<void>): Promise<void> {
  const leave = await attend(connection, async (client) => {
    const mine = () =>
      client<{ mine: boolean }[]>`select pg_try_advisory_lock(hashtext('switchyard engine start')) as mine`;
    while ((await mine())[0]?.mine !== true) await sleep(TURN_MS);
  });
  await launch().finally(leave);
}

/** Asking for work and calling it off: plain statements, for processes that do none themselves too. */
export const durable: Durable = {
  enqueue: async (tx, kind, items) => {
    if (items.length === 0) return;
    const asked = JSON.stringify(
      items.map(({ runAt, ...item }) => ({ ...item, at: runAt?.getTime() ?? null })),
    );
    await tx.execute(sql`
      select dbos.enqueue_workflow(workflow_name => ${kind}, queue_name => ${kind},
        positional_args => array[w.item -> 'input']::json[], workflow_id => w.item ->> 'id',
        app_version => ${STEPS_VERSION}, priority => (w.item ->> 'priority')::int,
        delay_until_epoch_ms => (w.item ->> 'at')::bigint, application_name => ${APPLICATION})
      from jsonb_array_elements(${asked}::text::jsonb) as w(item)`);
  },
  cancel: async (tx, ids) => {
    if (ids.length === 0) return;
    await tx.execute(sql`
      update dbos.workflow_status set status = 'CANCELLED', queue_name = null, owner_xid = null,
        completed_at = (extract(epoch from now()) * 1000)::bigint
      where workflow_uuid = any(${textArray(ids)})
        and status in ('ENQUEUED', 'DELAYED', 'PENDING')`);
  },
};

async function perform(worker: Worker, transact: Work['transact'], input: unknown): Promise<void> {
  const work: Work = {
    id: DBOS.workflowID ?? '',
    step: (name, effect) => DBOS.runStep(() => patiently(effect), { name }),
    transact,
  };
  await worker.run(work, input);
}
