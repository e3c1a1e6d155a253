import { createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  type Database,
  inTransaction,
  isUnavailable,
  openDatabase,
  rows,
  runUnread,
  violates,
} from '#db/client.ts';
import { findPostmaster } from '#db/embedded/postmaster.ts';
import { openEmbedded } from '#db/embedded.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { isLong } from '../../helpers/long.ts';
import { databaseUrlOf, openTestDatabase } from '../../helpers/postgres.ts';
import { until } from '../../helpers/processes/processes.ts';

const folder = await makeFolder();
const { db, ping, connection } = await openTestDatabase();
const notes = pgTable('notes', { name: text().primaryKey(), doc: jsonb() });
await db.execute(sql`create table notes (name text primary key, doc jsonb)`);
afterEach(() => db.delete(notes));

const count = async (on: Database) => {
  const [row] = await rows<{ n: number }>(on, sql`select count(*)::int as n from notes`);
  return row?.n;
};
const pidOf = async (on: Database) => {
  const [row] = await rows<{ pid: number }>(on, sql`select pg_backend_pid() as pid`);
  return row?.pid ?? 0;
};
function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
/** Ends a connection from outside, and waits until its server process is gone. */
async function cut(pid: number): Promise<void> {
  await rows(db, sql`select pg_terminate_backend(${pid}::int)`);
  await until('the connection is cut', async () => {
    const left = await rows(db, sql`select 1 from pg_stat_activity where pid = ${pid}::int`);
    return left.length === 0;
  });
}

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

test.each([{ a: 1 }, 'a string', '5', 5, true, [null]])('a jsonb column gives back %j', async (doc) => {
  await db.insert(notes).values({ name: 'json', doc });
  const found = await db.delete(notes).returning();
  expect(found).toEqual([{ name: 'json', doc }]);
});

describe('inTransaction', () => {
  test('what fails leaves nothing, what fails inside a savepoint only that', async () => {
    await inTransaction(db, async (tx) => {
      await tx.insert(notes).values({ name: 'outer' });
      const inner = inTransaction(tx, async (deeper) => {
        await deeper.insert(notes).values({ name: 'inner' });
        throw new Error('no');
      });
      await expect(inner).rejects.toThrow('no');
      expect(await count(tx)).toBe(1);
    });
    const failing = inTransaction(db, async (tx) => {
      await tx.delete(notes);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await count(db)).toBe(1);
  });

  test('the victim of a deadlock runs again', async () => {
    await db.insert(notes).values([{ name: 'a' }, { name: 'b' }]);
    let runs = 0;
    let holding = 0;
    const bothHold = deferred<void>();
    const update = (tx: Database, name: string) =>
      tx.execute(sql`update notes set doc = '1' where name = ${name}`);
    const crossing = async (first: string, second: string) =>
      inTransaction(db, async (tx) => {
        runs += 1;
        await update(tx, first);
        holding += 1;
        if (holding === 2) bothHold.resolve();
        await bothHold.promise;
        await update(tx, second);
      });
    await Promise.all([crossing('a', 'b'), crossing('b', 'a')]);
    expect(runs).toBe(3);
  });

  test('a transaction whose connection is lost writes nothing more, even when the pool has connected again', async () => {
    const begun = deferred<number>();
    const goOn = deferred<void>();
    const after: unknown[] = [];
    const lost = inTransaction(db, async (tx) => {
      await tx.insert(notes).values({ name: 'before' });
      begun.resolve(await pidOf(tx));
      await goOn.promise;
      after.push(
        await tx
          .insert(notes)
          .values({ name: 'after' })
          .catch((error) => error),
      );
      after.push(await inTransaction(tx, (deeper) => pidOf(deeper)).catch((error) => error));
    });
    const rejection = expect(lost).rejects.toSatisfy(isUnavailable);
    await cut(await begun.promise);
    await rejection;
    // the pool is busy on new connections, one of which would be taken for the old one
    await Promise.all(Array.from({ length: 20 }, () => pidOf(db)));
    goOn.resolve();
    await until('the transaction has gone on', () => after.length === 2);
    expect(after.map(isUnavailable)).toEqual([true, true]);
    expect(await count(db)).toBe(0);
  });

  test('a write takes two exchanges with the server: BEGIN leaves with the first statement, COMMIT with the last', async () => {
    let exchanges = 0;
    let last = 'server';
    const url = await databaseUrlOf(connection, (from) => {
      if (from === 'client' && last === 'server') exchanges += 1;
      last = from;
    });
    const { db: watched, close } = openDatabase({ connection: url, max: 1 });
    const write = (name: string) =>
      inTransaction(watched, async (tx) => {
        await rows(tx, sql`insert into notes values (${name}, null)`);
        await runUnread(tx, sql`update notes set doc = '1' where name = ${name}`);
      });
    await write('first');
    exchanges = 0;
    await write('second');
    const counted = exchanges;
    await close();
    expect(counted).toBe(2);
    expect(await db.select().from(notes).orderBy(notes.name)).toEqual([
      { name: 'first', doc: 1 },
      { name: 'second', doc: 1 },
    ]);
  });

  test('a statement that nobody waits for fails its transaction, or its savepoint alone', async () => {
    const twice = (tx: Database) =>
      runUnread(tx, sql`insert into notes values ('once', null), ('once', null)`);
    const failing = inTransaction(db, async (tx) => {
      await tx.insert(notes).values({ name: 'with it' });
      await twice(tx);
    });
    await expect(failing).rejects.toSatisfy((error) => violates(error) === 'notes_pkey');
    expect(await count(db)).toBe(0);
    await inTransaction(db, async (tx) => {
      await tx.insert(notes).values({ name: 'outer' });
      await expect(inTransaction(tx, twice)).rejects.toSatisfy((error) => violates(error) === 'notes_pkey');
    });
    expect(await count(db)).toBe(1);
    await expect(twice(db)).rejects.toSatisfy((error) => violates(error) === 'notes_pkey');
  });

  test('what is checked at COMMIT fails the transaction', async () => {
    await db.execute(sql`create table pairs (name text references notes deferrable initially deferred)`);
    const orphaned = inTransaction(db, (tx) => rows(tx, sql`insert into pairs values ('none')`));
    await expect(orphaned).rejects.toThrow('violates foreign key constraint');
    await db.execute(sql`drop table pairs`);
  });

  test('statements and transactions wait while transactions hold every connection', async () => {
    const { db: single, close } = openDatabase({ connection, max: 1 });
    const order: string[] = [];
    const begun = deferred<void>();
    const goOn = deferred<void>();
    const holding = inTransaction(single, async (tx) => {
      await tx.insert(notes).values({ name: 'held' });
      begun.resolve();
      await goOn.promise;
      order.push('held');
    });
    await begun.promise;
    const selected = single.select().from(notes);
    const waiting = [
      selected.then((found) => order.push(`selected ${found[0]?.name}`)),
      inTransaction(single, async (tx) => order.push(`counted ${await count(tx)}`)),
      pidOf(single).then(() => order.push('asked')),
    ];
    goOn.resolve();
    await Promise.all([holding, ...waiting]);
    await close();
    expect(order[0]).toBe('held');
    expect(order.slice(1).sort()).toEqual(['asked', 'counted 1', 'selected held']);
  });

  test('no statement waits for a slow one while another connection becomes free', async () => {
    const { db: pair, close } = openDatabase({ connection, max: 2 });
    const order: string[] = [];
    const isOver = deferred<void>();
    const lock = inTransaction(db, async (tx) => {
      await rows(tx, sql`select pg_advisory_xact_lock(7)`);
      await isOver.promise;
    });
    await until('the lock is held', async () => {
      const held = await rows(db, sql`select 1 from pg_locks where locktype = 'advisory' and objid = 7`);
      return held.length > 0;
    });
    const slow = rows(pair, sql`select pg_advisory_xact_lock(7)`).then(() => order.push('slow'));
    const quick = Array.from({ length: 20 }, async (_, at) => {
      if (at % 2 === 0) await pidOf(pair);
      else await inTransaction(pair, count);
      order.push('quick');
    });
    await Promise.all(quick);
    isOver.resolve();
    await Promise.all([slow, lock]);
    await close();
    expect(order).toEqual([...Array.from({ length: 20 }, () => 'quick'), 'slow']);
  });

  test('a statement beside a transaction that has just begun is no part of it', async () => {
    const [pidInside, pidBeside] = await inTransaction(db, (tx) => Promise.all([pidOf(tx), pidOf(db)]));
    expect(pidBeside).not.toBe(pidInside);
  });

  test('a transaction that has finished rejects further statements', async () => {
    let kept: Database = db;
    await inTransaction(db, async (tx) => {
      kept = tx;
    });
    await expect(kept.insert(notes).values({ name: 'late' })).rejects.toSatisfy(isUnavailable);
    expect(await count(db)).toBe(0);
  });
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
      'DATABASE_URL is not a URL like postgres://user:password@host:5432/database',
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
  test('a server that ends every connection at login is unavailable, not a reason to wait for ever', async () => {
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
    'killed again and again under load: no statement hangs, no commit is lost or halved',
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
