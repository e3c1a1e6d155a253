import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, describe, expect, test } from 'vitest';
import { writeBackup } from '#db/backup/write.ts';
import { isUnavailable, openDatabase, rows } from '#db/client.ts';
import { listen } from '#db/connections/listen.ts';
import { openEnginePool } from '#server/durable/pool.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { databaseUrlOf, openTestDatabase } from '../../helpers/postgres.ts';
import { until } from '../../helpers/processes/processes.ts';
import { openSilentProxy } from '../../helpers/processes/silent-proxy.ts';

const { connection, db: direct } = await openTestDatabase();
/** The tests run at the same time. */
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** Starts a proxy in front of the database whose connections can fall silent. @returns its URL, and what silences it */
async function openWay(options?: { hidesProcesses: boolean }) {
  const url = new URL(await databaseUrlOf(connection));
  const proxy = await openSilentProxy(Number(url.port), options);
  closing.push(proxy.close);
  url.port = String(proxy.port);
  return { url: url.href, silence: proxy.silence };
}

async function openWayWithPool(options?: { hidesProcesses: boolean }) {
  const way = await openWay(options);
  const { db, ping, close } = openDatabase({ connection: way.url, max: 3 });
  closing.push(close);
  const one = () => rows<{ n: number }>(db, sql`select 1 as n`);
  // As many connections as the pool has, so that idle ones are silenced as well.
  await Promise.all([one(), one(), one(), ping()]);
  return { ...way, db, one, ping };
}

const timeOf = async (work: Promise<unknown>) => {
  const start = performance.now();
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return { ms: performance.now() - start, error };
};

describe.concurrent('connections that become silent', () => {
  test('fail what is under way within seconds, and nothing after that', async () => {
    const { one, ping, silence } = await openWayWithPool();
    silence();
    const { ms, error } = await timeOf(one());
    expect(isUnavailable(error), String(error)).toBe(true);
    expect(ms).toBeLessThan(8000);
    // Connections that were idle are given up too: nobody has to find out.
    for (let asked = 0; asked < 6; asked += 1) expect((await timeOf(one())).error).toBeUndefined();
    await until('the database to be ready', async () => (await ping()) || undefined);
  });

  test('fail a transaction, of which nothing is stored', async () => {
    const { db, silence } = await openWayWithPool();
    await rows(direct, sql`create table silent (n int)`);
    const begun = db.transaction(async (tx) => {
      await rows(tx, sql`insert into silent values (1)`);
      silence();
      await rows(tx, sql`insert into silent values (2)`);
    });
    expect(isUnavailable((await timeOf(begun)).error)).toBe(true);
    expect(await rows(direct, sql`select * from silent`)).toEqual([]);
  });

  test('are not those whose statement takes long, with or without a pooler between', async () => {
    for (const hidesProcesses of [false, true]) {
      const { db, one } = await openWayWithPool({ hidesProcesses });
      const slow = timeOf(rows(db, sql`select pg_sleep(7)`));
      const idle = timeOf(db.transaction(async (tx) => rows(tx, sql`select pg_sleep(4)`)));
      expect([(await slow).error, (await idle).error]).toEqual([undefined, undefined]);
      await one();
    }
  });

  test('fail also where the server answers no new connection, a while later', async () => {
    const { one, silence } = await openWayWithPool();
    silence({ all: true });
    const { ms, error } = await timeOf(one());
    expect(isUnavailable(error), String(error)).toBe(true);
    expect(ms).toBeLessThan(30_000);
  });

  test('are replaced where they only listen', async () => {
    const { url, silence } = await openWay();
    let begun = 0;
    const heard: string[] = [];
    const hear = (payload?: string) => {
      if (payload === undefined) begun += 1;
      else heard.push(payload);
    };
    const stop = await listen(url, { silent_test: hear });
    closing.push(stop);
    silence();
    await until('another connection', () => begun === 2 || undefined);
    await rows(direct, sql`select pg_notify('silent_test', 'again')`);
    await until('the notification', () => heard.length > 0 || undefined);
    expect(heard).toEqual(['again']);
  });

  test('are replaced where the engine of durable work has them', async () => {
    const { url, silence } = await openWay();
    const pool = openEnginePool({ connection: url, max: 2, hungMs: 8000, failed: () => undefined });
    closing.push(() => pool.end());
    const two = () => Promise.all([pool.query('select 1'), pool.query('select 1')]);
    await two();
    silence();
    const { ms, error } = await timeOf(pool.query('select 1'));
    expect(error).toMatchObject({ message: expect.stringMatching(/terminated unexpectedly/) });
    expect(ms).toBeLessThan(8000);
    await two();
  });
});

describe.concurrent('a backup whose server becomes silent', () => {
  test('ends with one line, and leaves no file', async () => {
    const { url, silence } = await openWay();
    const folder = await makeFolder();
    const file = join(folder, 'silent.backup');
    const ended = timeOf(
      writeBackup({
        connection: url,
        file,
        release: 'test',
        keyFingerprint: null,
        // Silent in the middle of it.
        print: () => silence(),
      }),
    );
    const { ms, error } = await ended;
    expect(String(error)).toMatch(/The database has not answered for some time: look at its server/);
    expect(ms).toBeLessThan(30_000);
    expect(await readdir(folder)).toEqual([]);
  });

  test('ends also where the server answers nobody', async () => {
    const { url, silence } = await openWay();
    const print = () => silence({ all: true });
    const file = join(await makeFolder(), 'silent.backup');
    const { ms, error } = await timeOf(
      writeBackup({ connection: url, file, release: 'test', keyFingerprint: null, print }),
    );
    expect(String(error)).toMatch(/The database has not answered for some time/);
    expect(ms).toBeLessThan(60_000);
  });
});
