import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import { keepConnected } from '#db/connections/persistent-connection.ts';
import { openTestDatabase } from '../../helpers/postgres.ts';
import { until } from '../../helpers/processes/processes.ts';

const { db, connection } = await openTestDatabase();
const KEY = 4711;

/** Connections that hold the lock, or ask for it again and again. */
const holders = () =>
  rows<{ pid: number }>(
    db,
    sql`select pid from pg_locks where locktype = 'advisory' and objid = ${KEY} and granted`,
  );
const asking = () =>
  rows<{ pid: number }>(
    db,
    sql`select pid from pg_stat_activity where query = ${`select pg_try_advisory_lock(${KEY}) as mine`}`,
  );
const hold = () =>
  keepConnected(connection, async (client) => {
    const mine = () => client.unsafe<{ mine: boolean }[]>(`select pg_try_advisory_lock(${KEY}) as mine`);
    while ((await mine())[0]?.mine !== true) await sleep(20);
  });

test('a lost connection is opened again and repeats its initial statements', async () => {
  const leave = await hold();
  const [first] = await holders();
  await rows(db, sql`select pg_terminate_backend(${first?.pid}::int)`);
  await until('another holds the lock', async () => {
    const [now] = await holders();
    return (now && now.pid !== first?.pid) || undefined;
  });
  await leave();
  await until('nobody holds it', async () => (await holders()).length === 0 || undefined);
});

test('a caller who stops waiting for a lock over a lost connection returns at once and never acquires the lock', async () => {
  const leave = await hold();
  const [first] = await holders();
  await inTransaction(db, async (tx) => {
    await rows(tx, sql`select pg_terminate_backend(${first?.pid}::int)`);
    await rows(tx, sql`select pg_advisory_xact_lock(${KEY})`);
    await until(
      'it asks again',
      async () => (await asking()).some(({ pid }) => pid !== first?.pid) || undefined,
    );
    await leave();
    await until('nobody asks', async () => (await asking()).length === 0 || undefined);
  });
  expect(await holders()).toEqual([]);
});
