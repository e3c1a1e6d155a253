import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'drizzle-orm';
import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Database,
  failsWith,
  inTransaction,
  isUnavailable,
  openDatabase,
  rows,
  runInsertion,
  runUnread,
  violates,
} from '#db/client.ts';
import { deferred } from '../../helpers/deferred.ts';
import { databaseUrlOf, openTestDatabase } from '../../helpers/postgres.ts';
import { until } from '../../helpers/processes/processes.ts';

const { db, connection } = await openTestDatabase();
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
/** Ends a connection from outside, and waits until its server process is gone. */
async function cut(pid: number): Promise<void> {
  await rows(db, sql`select pg_terminate_backend(${pid}::int)`);
  await until('the connection is cut', async () => {
    const left = await rows(db, sql`select 1 from pg_stat_activity where pid = ${pid}::int`);
    return left.length === 0;
  });
}

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
    // The victim may lock its row again before the other one wakes, and be a victim once more.
    expect(runs).toBeGreaterThan(2);
    expect((await db.select({ doc: notes.doc }).from(notes)).map(({ doc }) => doc)).toEqual([1, 1]);
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

  /** Returns how many exchanges with the server a transaction takes whose statements are prepared. */
  async function exchangesOf(write: (tx: Database, name: string) => Promise<void>): Promise<number> {
    let exchanges = 0;
    let last = 'server';
    const url = await databaseUrlOf(connection, (from) => {
      if (from === 'client' && last === 'server') exchanges += 1;
      last = from;
    });
    const { db: watched, close } = openDatabase({ connection: url, max: 1 });
    await inTransaction(watched, (tx) => write(tx, 'first'));
    exchanges = 0;
    await inTransaction(watched, (tx) => write(tx, 'second'));
    const counted = exchanges;
    await close();
    return counted;
  }
  const all = async () => (await db.select().from(notes).orderBy(notes.name)).map(({ name }) => name);
  const insertNote = (tx: Database, name: string) =>
    runInsertion(tx, sql`insert into notes (name) values (${name})`);

  test('a write takes two exchanges with the server: BEGIN leaves with the first statement, COMMIT with the last', async () => {
    const exchanges = await exchangesOf(async (tx, name) => {
      await rows(tx, sql`insert into notes values (${name}, null)`);
      await runUnread(tx, sql`update notes set doc = '1' where name = ${name}`);
    });
    expect(exchanges).toBe(2);
    expect(await db.select().from(notes).orderBy(notes.name)).toEqual([
      { name: 'first', doc: 1 },
      { name: 'second', doc: 1 },
    ]);
  });

  test('a transaction of insertions alone takes one exchange', async () => {
    const twoOf = (tx: Database, name: string) =>
      Promise.all([insertNote(tx, name), insertNote(tx, `${name} again`)]);
    expect(await exchangesOf(async (tx, name) => void (await twoOf(tx, name)))).toBe(1);
    expect(await all()).toEqual(['first', 'first again', 'second', 'second again']);
  });

  test('insertions are stored in their order with other statements, of which each sees those before it', async () => {
    await inTransaction(db, async (tx) => {
      for (const name of ['a', 'b', 'c']) await insertNote(tx, name);
      expect(await count(tx)).toBe(3);
      await insertNote(tx, 'd');
      await inTransaction(tx, async (inner) => {
        expect(await count(inner)).toBe(4);
        await insertNote(inner, 'e');
      });
      await runUnread(tx, sql`delete from notes where name = 'a'`);
      await insertNote(tx, 'f');
    });
    expect(await all()).toEqual(['b', 'c', 'd', 'e', 'f']);
  });

  test('an insertion that fails, or an error of the transaction, leaves none of its insertions', async () => {
    await insertNote(db, 'taken');
    const failing = inTransaction(db, async (tx) => {
      await insertNote(tx, 'with it');
      await insertNote(tx, 'taken');
    });
    await expect(failing).rejects.toSatisfy((error) => violates(error) === 'notes_pkey');
    const thrown = inTransaction(db, async (tx) => {
      await insertNote(tx, 'with it');
      throw new Error('no');
    });
    await expect(thrown).rejects.toThrow('no');
    expect(await all()).toEqual(['taken']);
  });

  test('a violated index fails with the error of its first insertion, also where a savepoint follows', async () => {
    await insertNote(db, 'taken');
    const failing = (then: (tx: Database) => Promise<unknown>) =>
      inTransaction(db, async (tx) => {
        expect(failsWith(tx, 'notes_pkey', (cause) => new Error('the name is taken', { cause }))).toBe(true);
        expect(failsWith(tx, 'notes_pkey', () => new Error('another'))).toBe(false);
        await insertNote(tx, 'taken');
        await then(tx);
      });
    const inSavepoint = (tx: Database) => inTransaction(tx, count);
    for (const then of [async () => undefined, count, inSavepoint])
      await expect(failing(then)).rejects.toThrow('the name is taken');
    expect(await count(db)).toBe(1);
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

  test('a connection holds nothing of its last transaction', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const carriedOut = async () => {
      const request = { name: 'a' };
      await inTransaction(db, (tx) => tx.insert(notes).values({ name: request.name }));
      return new WeakRef(request);
    };
    const request = await carriedOut();
    // A reference that was just made, or read, holds its object until the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(request.deref()).toBeUndefined();
  });

  test('a statement that has ended keeps neither its parameters nor its rows alive', async () => {
    // In a process of its own: where much has run before, V8 sometimes lets what is young grow old whoever holds it.
    const script = fileURLToPath(new URL('kept-by-statements.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...['--import', 'tsx'],
      script,
      JSON.stringify(connection),
    ]);
    expect(Number(stdout)).toBeLessThan(2_000_000);
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
