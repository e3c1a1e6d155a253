import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import { startEngine } from '#server/durable/engine.ts';
import { pruneWork } from '#server/durable/prune.ts';
import { durable } from '#server/durable/requests.ts';
import { isLong } from '../helpers/long.ts';
import { openTestDatabase } from '../helpers/postgres.ts';
import { CHAIN } from '../helpers/processes/chain.ts';
import { openDeafProxy } from '../helpers/processes/deaf-proxy.ts';
import { until } from '../helpers/processes/processes.ts';
import { kill, openProcesses } from '../helpers/processes/started.ts';

const { db, connection } = await openTestDatabase();
const started = openProcesses('durable-process');

beforeAll(async () => {
  // Makes the engine's tables; this process does no work itself.
  const engine = await startEngine({ connection, log: pino({ level: 'silent' }), workers: [] });
  await engine.stop();
  await db.execute(sql`create table chain (work text, at int, pid int, done timestamptz default clock_timestamp(),
    unique (work, at))`);
});
afterAll(started.end);

const startProcess = (pause: number) => started.start(JSON.stringify(connection), String(pause));
/** One process that does not pause between steps: that which an earlier test left, where it left one. */
const quickProcess = () => started.running(1, JSON.stringify(connection), '0');

type Row = { work: string; at: number; pid: number };
const done = (prefix: string) =>
  rows<Row>(db, sql`select work, at, pid from chain where starts_with(work, ${prefix}) order by work, at`);
const ask = (ids: string[], steps: number) =>
  inTransaction(db, (tx) =>
    durable.enqueue(
      tx,
      CHAIN,
      ids.map((id) => ({ id, input: { steps } })),
    ),
  );
const finished = async (prefix: string, count: number) =>
  until(
    `${count} rows of ${prefix}`,
    async () => ((await done(prefix)).length >= count ? true : undefined),
    40,
  );

test.skipIf(!isLong)('work that is canceled while it waits never begins', async () => {
  await ask(['called-off'], 1);
  await inTransaction(db, (tx) => durable.cancel(tx, ['called-off']));
  await quickProcess();
  await ask(['goes-on'], 1);
  await finished('goes-on', 1);
  expect(await done('called-off')).toEqual([]);
});

test('work is done when the transaction that requests it commits, never when that rolls back, and once however often it is requested', async () => {
  await quickProcess();
  await inTransaction(db, async (tx) => {
    await durable.enqueue(tx, CHAIN, [{ id: 'rolled-back', input: { steps: 1 } }]);
    throw new Error('changed my mind');
  }).catch(() => undefined);
  await ask(['twice-1', 'twice-1'], 2);
  await ask(['twice-1', 'twice-2'], 2);
  await finished('twice', 4);
  await ask(['twice-1', 'after-all'], 2);
  await finished('after-all', 2);
  expect(await done('rolled-back')).toEqual([]);
  expect((await done('twice')).map(({ work, at }) => [work, at])).toEqual([
    ['twice-1', 0],
    ['twice-1', 1],
    ['twice-2', 0],
    ['twice-2', 1],
  ]);
});

test('work with a time begins once it has come', async () => {
  await quickProcess();
  const runAt = new Date(Date.now() + 600);
  await inTransaction(db, (tx) =>
    durable.enqueue(tx, CHAIN, [{ id: 'later-1', input: { steps: 1 }, runAt }]),
  );
  await finished('later-', 1);
  const [row] = await rows<{ late: boolean }>(
    db,
    sql`select done >= to_timestamp(${runAt.getTime()}::float8 / 1000) as late from chain where work = 'later-1'`,
  );
  expect(row?.late).toBe(true);
});

test.skipIf(!isLong)('work that ends with an unexpected error is repeated from its record', async () => {
  await quickProcess();
  await inTransaction(db, (tx) =>
    durable.enqueue(tx, CHAIN, [{ id: 'stumbling-1', input: { steps: 3, stumbles: isLong ? 2 : 1 } }]),
  );
  await finished('stumbling-', 3);
  expect((await done('stumbling-')).map(({ at }) => at)).toEqual([0, 1, 2]);
  await until('its end', async () => {
    const [row] = await rows<{ status: string }>(
      db,
      sql`select status from dbos.workflow_status where workflow_uuid = 'stumbling-1'`,
    );
    return row?.status === 'SUCCESS' || undefined;
  });
});

test('deletes the records of work that ended over a day ago, and keeps waiting, running and recent work', async () => {
  const [worker] = await quickProcess();
  await ask(['old-1', 'recent-1'], 2);
  await finished('old', 2);
  await finished('recent', 2);
  const state = async (work: string) => {
    const [row] = await rows<{ status: string | null; records: string }>(
      db,
      sql`select (select status from dbos.workflow_status where workflow_uuid = ${work}) as status,
            (select count(*) from work_records where work_id = ${work}) as records`,
    );
    return row;
  };
  for (const work of ['old-1', 'recent-1'])
    await until('its end', async () => (await state(work))?.status === 'SUCCESS' || undefined);
  if (worker) await kill(worker, 'SIGTERM');
  await ask(['waits-1'], 1);
  await db.execute(sql`update dbos.workflow_status
    set completed_at = completed_at - 25 * 3600 * 1000, created_at = created_at - 25 * 3600 * 1000
    where workflow_uuid in ('old-1', 'waits-1')`);
  expect(await state('old-1')).toEqual({ status: 'SUCCESS', records: '2' });
  expect(await pruneWork(db)).toBe(1);
  expect(await state('old-1')).toEqual({ status: null, records: '0' });
  expect(await state('recent-1')).toEqual({ status: 'SUCCESS', records: '2' });
  expect((await state('waits-1'))?.status).toBe('ENQUEUED');
});

test.skipIf(!isLong)(
  'an idle process asks the database once a second, and begins announced work at once',
  async () => {
    const [worker] = await quickProcess();
    const commits = async () => {
      const [row] = await rows<{ n: string }>(
        db,
        sql`select xact_commit as n from pg_stat_database where datname = current_database()`,
      );
      return Number(row?.n);
    };
    await ask(['before-idle'], 1);
    await finished('before-idle', 1);
    const commitsInThreeSeconds = async () => {
      const before = await commits();
      await new Promise((resolve) => setTimeout(resolve, 3000));
      return (await commits()) - before;
    };
    // Four of the process, instead of sixteen, and those of this test and of the server. The server adds the transactions of a
    // session to its statistics up to ten seconds late, so that the first such seconds may have more.
    await expect.poll(commitsInThreeSeconds, { timeout: 30_000 }).toBeLessThan(14);
    await ask(['after-idle'], 1);
    await finished('after-idle', 1);
    if (worker) await kill(worker, 'SIGTERM');
  },
);

test.skipIf(!isLong)(
  'work is done although its process never hears that it claimed it, while others of its work run',
  async () => {
    await started.end();
    const proxy = await openDeafProxy(connection);
    const worker = await started.start(JSON.stringify(proxy.connection), '300');
    await ask(['heard-1'], 30);
    await finished('heard', 1);
    proxy.hush('rate_limited = ', 1);
    await ask(['unheard-1'], 2);
    await until('the commit of the claim is not heard', async () => proxy.left() === 0 || undefined);
    await finished('unheard', 2);
    await finished('heard', 30);
    expect(await done('heard')).toHaveLength(30);
    await kill(worker, 'SIGTERM');
    await proxy.close();
  },
);

/** Steps of work that is running when its process is killed. */
const STEPS = isLong ? 60 : 30;

test.skipIf(!isLong)(
  'the work of a killed process is taken over by another; no step of it is done twice or left out',
  async () => {
    const doomed = await startProcess(60);
    const ids = Array.from({ length: 12 }, (_, at) => `taken-over-${at}`);
    await ask(ids, STEPS);
    await finished('taken-over', 20);
    doomed.kill('SIGKILL');
    const heir = await startProcess(5);
    await finished('taken-over', ids.length * STEPS);
    const all = await done('taken-over');
    expect(all).toHaveLength(ids.length * STEPS);
    expect(new Set(all.map(({ pid }) => pid)).size).toBe(2);
    await kill(heir, 'SIGTERM');
  },
);

test.skipIf(!isLong)('work continues after every connection to the database was cut', async () => {
  const worker = await startProcess(30);
  await ask(['cut-1', 'cut-2', 'cut-3'], 20);
  await finished('cut', 10);
  await db
    .execute(
      sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`,
    )
    .catch(() => undefined);
  await finished('cut', 60).catch(async (error: Error) => {
    const left = await rows(
      db,
      sql`select workflow_uuid, status, error from dbos.workflow_status
      where starts_with(workflow_uuid, 'cut')`,
    );
    throw new Error(`${error.message}; ${JSON.stringify(left)}`);
  });
  expect(await done('cut')).toHaveLength(60);
  await kill(worker, 'SIGTERM');
});
