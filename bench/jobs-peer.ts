import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import type { Connection } from '#db/embedded.ts';
import { openEnginePool } from '#server/durable/pool.ts';
import { countCpu } from './cpu.ts';

/** The part of graphile-worker that is used here. */
type Graphile = {
  run: (options: object) => Promise<{ stop: () => Promise<void> }>;
  runMigrations: (options: object) => Promise<void>;
};
type Client = { query: (text: string, values?: unknown[]) => Promise<unknown> };
type Helpers = { withPgClient: <T>(work: (client: Client) => Promise<T>) => Promise<T> };

/**
 * Measures the same work on graphile-worker: each task writes its job's document of 3 KB and enqueues the next task in one
 * transaction. There is no record of finished tasks, no graph and no iterations: a crash repeats the running task.
 *
 * @returns undefined unless PEERS_NODE names a folder whose node_modules contain graphile-worker
 */
export async function timeGraphile(
  { connection, db }: { connection: Connection; db: Database },
  { jobs, tasks, atOnce }: { jobs: number; tasks: number; atOnce: number },
): Promise<{ ms: number; own: number; database: number } | undefined> {
  const folder = process.env.PEERS_NODE;
  if (folder === undefined) return undefined;
  // The exports of that package.
  const { run, runMigrations } = createRequire(join(folder, 'package.json'))('graphile-worker') as Graphile;
  const failed = (error: Error) => console.error(error);
  const pgPool = openEnginePool({ connection, max: 20, hungMs: 8000, failed });
  const logger = quiet();
  await runMigrations({ pgPool, logger });
  await db.execute(sql`create table peer_jobs (id int primary key, at int not null, doc jsonb not null)`);
  const document = JSON.stringify(
    Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`m${at}`, 'x'.repeat(90)])),
  );
  await db.execute(
    sql`insert into peer_jobs select id, 0, ${document}::text::jsonb from generate_series(1, ${jobs}::int) id`,
  );
  const next = 'select graphile_worker.add_job($1, json_build_object($2::text, $3::int))';
  const effect = async (payload: { job: number }, { withPgClient }: Helpers) => {
    await withPgClient(async (client) => {
      await client.query('begin');
      const found = (await client.query(
        'select at, doc::text as doc from peer_jobs where id = $1 for update',
        [payload.job],
      )) as { rows: { at: number; doc: string }[] };
      const at = (found.rows[0]?.at ?? 0) + 1;
      const doc = JSON.stringify({ ...JSON.parse(found.rows[0]?.doc ?? '{}'), at });
      await client.query('update peer_jobs set at = $2, doc = $3::jsonb where id = $1', [
        payload.job,
        at,
        doc,
      ]);
      if (at < tasks) await client.query(next, ['effect', 'job', payload.job]);
      await client.query('commit');
    });
  };
  const used = await countCpu(db);
  const began = performance.now();
  const runner = await run({
    pgPool,
    logger,
    concurrency: atOnce,
    pollInterval: 50,
    noHandleSignals: true,
    taskList: { effect },
  });
  await db.execute(
    sql`select graphile_worker.add_job('effect', json_build_object('job', id)) from peer_jobs order by id`,
  );
  for (;;) {
    const [left] = await rows<{ n: string }>(
      db,
      sql`select count(*) as n from peer_jobs where at < ${tasks}::int`,
    );
    if (left?.n === '0') break;
    await sleep(20);
  }
  const ms = performance.now() - began;
  const cpu = await used();
  await runner.stop();
  await pgPool.end();
  return { ms, ...cpu };
}

/** Returns a logger that drops the line that graphile-worker logs for every task. */
function quiet(): object {
  const nothing = () => undefined;
  const logger = { error: console.error, warn: nothing, info: nothing, debug: nothing, scope: () => logger };
  return logger;
}
