import { createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Database, inTransaction, isUnavailable, openDatabase, rows, violates } from '#db/client.ts';
import { findPostmaster } from '#db/embedded/postmaster.ts';
import { openEmbedded } from '#db/embedded.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { isLong } from '../../helpers/long.ts';
import { openTestDatabase } from '../../helpers/postgres.ts';
import { until } from '../../helpers/processes/processes.ts';

const folder = await makeFolder();
const { db, ping, connection } = await openTestDatabase();
const notes = pgTable('notes', { name: text().primaryKey(), doc: jsonb() });
await db.execute(sql`create table notes (name text primary key, doc jsonb)`);
afterEach(() => db.delete(notes));

const pidOf = async (on: Database) => {
  const [row] = await rows<{ pid: number }>(on, sql`select pg_backend_pid() as pid`);
  return row?.pid ?? 0;
};

describe('rows', () => {
  test('documents, times and arrays come as the text that PostgreSQL sends', async () => {
    const query = sql`select ${JSON.stringify({ b: 1, a: [true] })}::jsonb as doc, 3::int as small, 4::bigint as big,
      timestamptz '2026-11-20 10:39:24.952+00' as at, array['a', 'b c'] as list`;
    const sent = {
      doc: '{"a": [true], "b": 1}',
      small: 3,
      big: '4',
      at: '2026-11-20 10:39:24.952+00',
      list: '{a,"b c"}',
    };
    expect([...(await rows(db, query))]).toEqual([sent]);
    expect([...(await inTransaction(db, (tx) => rows(tx, query)))]).toEqual([sent]);
  });

  test('a statement that comes again is prepared, in a transaction too; one that lists its values by the thousand never is', async () => {
    const preparedIn = (text: string) =>
      inTransaction(db, async (tx) => {
        await tx.execute(sql`${sql.raw(text)} ${'once more'}::text`);
        const [row] = await rows<{ n: string }>(
          tx,
          sql`select count(*) as n from pg_prepared_statements where starts_with(statement, ${text})`,
        );
        return Number(row?.n);
      });
    const text = `select 'comes again' as "${'a'.repeat(40)}",`;
    expect(await preparedIn(text)).toBe(0);
    expect(await preparedIn(text)).toBe(1);
    const long = `select 1 in (${Array.from({ length: 3000 }, (_, at) => at).join(', ')}),`;
    expect([await preparedIn(long), await preparedIn(long)]).toEqual([0, 0]);
  });

  test('dates, documents and lists go in as they are', async () => {
    const at = new Date('2026-11-20T10:39:24.952Z');
    const query = sql`select ${at}::timestamptz = '2026-11-20 10:39:24.952+00' as at,
      ${sql.param({ a: 'é"' })}::jsonb ->> 'a' as text, 'b c' = any(${sql.param(['a', 'b c'])}) as is_in`;
    expect([...(await rows(db, query))]).toEqual([{ at: true, text: 'é"', is_in: true }]);
  });

  test('rows prepares a statement at its first use, with and without parameters, on the pool and in a transaction, unless preparing is turned off', async () => {
    const { db: single, close } = openDatabase({ connection, max: 1 });
    await rows(single, sql`select ${'x'}::text as one`);
    await rows(single, sql`select 'x' as two`);
    await inTransaction(single, (tx) => rows(tx, sql`select ${'x'}::text as three`));
    for (let again = 0; again < 3; again += 1) {
      await rows(single, sql`select ${'x'}::text as four`, false);
      await inTransaction(single, (tx) => rows(tx, sql`select ${'x'}::text as four`, false));
    }
    const found = await rows<{ statement: string }>(
      single,
      sql`select statement from pg_prepared_statements`,
    );
    await close();
    const texts = found.map(({ statement }) => statement);
    const wanted = ['select $1::text as one', "select 'x' as two", 'select $1::text as three'];
    expect(texts).toEqual(expect.arrayContaining(wanted));
    expect(texts.filter((text) => text.includes('four'))).toEqual([]);
  });
});

test.each([{ a: 1 }, 'a string', '5', 5, true, [null]])('a jsonb column returns %j', async (doc) => {
  await db.insert(notes).values({ name: 'json', doc });
  const found = await db.delete(notes).returning();
  expect(found).toEqual([{ name: 'json', doc }]);
});

describe('errors', () => {
  test('a parameter that cannot be sent fails its own statement, and no other one on the connection gets its answer', async () => {
    const { db: single, close } = openDatabase({ connection, max: 1 });
    const echo = async (value: unknown) => {
      const [row] = await rows<{ value: string }>(single, sql`select ${sql.param(value)}::text as value`);
      return row?.value;
    };
    await echo('prepared');
    const sent = await Promise.allSettled(['a', undefined, 'b', new Date(Number.NaN), 'c'].map(echo));
    await close();
    expect(sent.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.name))).toEqual([
      'a',
      'TypeError',
      'b',
      'RangeError',
      'c',
    ]);
  });

  test('violates names the unique constraint, through what wraps it', async () => {
    await db.insert(notes).values({ name: 'once' });
    const twice = await db
      .insert(notes)
      .values({ name: 'once' })
      .catch((error) => error);
    expect(violates(twice)).toBe('notes_pkey');
    expect(violates(new Error('outer', { cause: twice }))).toBe('notes_pkey');
    expect(isUnavailable(twice)).toBe(false);
    const missing = await db
      .insert(notes)
      .values({ name: sql`null` })
      .catch((error) => error);
    expect(violates(missing)).toBeNull();
    expect(violates(undefined)).toBeNull();
  });

  test('a URL that cannot be parsed is reported without its password', () => {
    expect(() => openDatabase({ connection: 'postgres://me:secret@host:port/x' })).toThrow(
      'DATABASE_URL has a port that is no number up to 65535: it must be like postgres://user:password@host:5432/database',
    );
  });

  test('after close everything is rejected', async () => {
    const { db: closed, close } = openDatabase({ connection });
    await pidOf(closed);
    await close();
    await expect(pidOf(closed)).rejects.toSatisfy(isUnavailable);
    await expect(inTransaction(closed, pidOf)).rejects.toSatisfy(isUnavailable);
  });
});

describe('the server goes away', () => {
  test('a server that ends every connection at login is reported as unavailable instead of being awaited for ever', async () => {
    const shut = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => shut.listen(0, '127.0.0.1', resolve));
    const address = shut.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const {
      db: rejected,
      ping: answers,
      close,
    } = openDatabase({ connection: `postgres://me@127.0.0.1:${port}/x` });
    await expect(pidOf(rejected)).rejects.toSatisfy(isUnavailable);
    expect(await answers()).toBe(false);
    await close();
    shut.close();
  });

  test.skipIf(!isLong)(
    'no statement hangs and no commit is lost or halved when it is killed repeatedly under load',
    async () => {
      const dataDir = join(folder, 'data');
      const embedded = await openEmbedded({ dataDir, log: () => undefined });
      const { db: shaky, ping: answers, close } = openDatabase({ connection: embedded.connection, max: 10 });
      onTestFinished(async () => {
        await close();
        await embedded.close();
      });
      await shaky.execute(sql`create table pairs (pair int)`);
      const committed: number[] = [];
      const odd: unknown[] = [];
      let pair = 0;
      let isOn = true;
      const workers = Array.from({ length: 20 }, async (_, worker) => {
        while (isOn) {
          pair += 1;
          const mine = pair;
          try {
            if (worker % 2) {
              await pidOf(shaky);
              continue;
            }
            await inTransaction(shaky, async (tx) => {
              await tx.execute(sql`insert into pairs values (${mine})`);
              await inTransaction(tx, (deeper) => deeper.execute(sql`insert into pairs values (${mine})`));
            });
            committed.push(mine);
          } catch (error) {
            if (!isUnavailable(error)) odd.push(error);
          }
        }
      });
      for (let kills = 0; kills < 4; kills += 1) {
        const before = committed.length;
        await until('it commits again', () => committed.length > before + 50);
        const server = await until('a server', () => findPostmaster(join(dataDir, 'postgres')));
        process.kill(server.pid, 'SIGKILL');
      }
      await until('it answers', answers);
      isOn = false;
      await Promise.all(workers);
      const halves = await rows(shaky, sql`select pair from pairs group by pair having count(*) <> 2`);
      const kept = await rows<{ pair: number }>(shaky, sql`select distinct pair from pairs`);
      expect(odd).toEqual([]);
      expect(halves).toHaveLength(0);
      const found = new Set(kept.map((row) => row.pair));
      expect(committed.filter((one) => !found.has(one))).toEqual([]);
    },
  );

  test('ping reports whether the database answers', async () => {
    expect(await ping()).toBe(true);
  });
});
