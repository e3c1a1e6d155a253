import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { sql } from 'drizzle-orm';
import { afterAll, expect, inject, test } from 'vitest';
import { inTransaction, isUnavailable, openDatabase, rows } from '#db/client.ts';
import { hostsOf } from '#db/connections/hosts.ts';
import { openEnginePool } from '#server/durable/pool.ts';
import { createDatabase, databaseOn, dropDatabase } from '../../helpers/lists/databases.ts';
import { until } from '../../helpers/processes/processes.ts';

const { server } = inject('postgres');
const name = await createDatabase(server);
const connection = databaseOn(server, name);
if (typeof connection === 'string') throw new Error('the server of the tests listens on a socket');
const { host, port, username, password } = connection;

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
  await dropDatabase(server, name);
});

/** A server as another host names it: a port that leads to the one of the tests, and that can be taken away and put back. */
async function openWay() {
  const sockets = new Set<Socket>();
  let listener: Server | undefined;
  let at = 0;
  const open = async () => {
    listener = createServer((near) => {
      const far = connect(`${host}/.s.PGSQL.${port}`);
      near.pipe(far).pipe(near);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
      }
    }).listen(at, '127.0.0.1');
    await once(listener, 'listening');
    at = (listener.address() as AddressInfo).port;
  };
  const close = async () => {
    if (!listener) return;
    const closed = once(listener, 'close');
    listener.close();
    for (const socket of sockets) socket.destroy();
    await closed;
    listener = undefined;
  };
  await open();
  closing.push(close);
  return { port: at, open, close };
}

const urlOf = (...ports: number[]) =>
  `postgres://${username}:${password}@${ports.map((one) => `127.0.0.1:${one}`).join(',')}/${name}`;

test('the servers of a URL with several are shared by all connections of the thread', () => {
  expect(hostsOf('postgres://u:p@db.example/x')).toBeUndefined();
  expect(hostsOf(connection)).toBeUndefined();
  expect(hostsOf('postgresql://one,two')).toBe(hostsOf('postgresql://one,two'));
});

test('connections move to another host when theirs is lost, and nothing fails once it answers', async () => {
  const [first, second] = [await openWay(), await openWay()];
  await second.close();
  const { db, close, ping } = openDatabase({ connection: urlOf(first.port, second.port), max: 4 });
  const pool = openEnginePool({
    connection: urlOf(first.port, second.port),
    max: 2,
    hungMs: 5000,
    failed: () => undefined,
  });
  closing.push(close, () => pool.end());
  const one = () => rows<{ one: number }>(db, sql`select 1 as one`);
  expect(await one()).toEqual([{ one: 1 }]);
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);

  await first.close();
  const failure = await one().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(isUnavailable(failure), String((failure as Error | undefined)?.stack)).toBe(true);
  expect(String((failure as Error).message)).not.toContain(password);
  // The first connection of the probe is made now, while no server answers.
  expect(await ping()).toBe(false);

  await second.open();
  await until(
    'an answer',
    () =>
      one().then(
        () => true,
        () => undefined,
      ),
    10,
  );
  const answers = await Promise.all(Array.from({ length: 12 }, one));
  expect(answers).toHaveLength(12);
  await until(
    'the engine',
    () =>
      pool.query('select 1').then(
        () => true,
        () => undefined,
      ),
    10,
  );
  expect(await ping()).toBe(true);
});

test('through a pooler no statement is prepared, not even the end of a transaction', async () => {
  const way = await openWay();
  const { db, close } = openDatabase({ connection, pooler: urlOf(way.port), max: 1 });
  closing.push(close);
  await rows(db, sql`create table pooled (n int)`);
  for (const n of [1, 2, 3]) {
    await inTransaction(db, async (tx) => {
      await rows(tx, sql`insert into pooled values (${n}::int)`);
      await tx.execute(sql`select ${n}::int`);
    });
  }
  expect(await rows(db, sql`select count(*)::int as n from pooled`)).toEqual([{ n: 3 }]);
  expect(await rows(db, sql`select statement from pg_prepared_statements`)).toEqual([]);
  const [setting] = await rows<{ limit: string }>(
    db,
    sql`select current_setting('statement_timeout') as limit`,
  );
  expect(setting?.limit).toBe('0');
});
