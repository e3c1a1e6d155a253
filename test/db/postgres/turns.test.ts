import { sql } from 'drizzle-orm';
import { afterAll, expect, test } from 'vitest';
import { type Database, databaseOf, inTransaction, openDatabase, rows } from '#db/client.ts';
import { openTurns } from '#db/connections/turns.ts';
import { openTestDatabase } from '../../helpers/postgres.ts';

const { connection } = await openTestDatabase();
const { db, close } = openDatabase({ connection, max: 2 });
afterAll(close);

/** Runs a short statement, and notes its end. */
async function run(on: Database, name: string, ended: string[]): Promise<void> {
  await rows(on, sql`select pg_sleep(0.01)::text`);
  ended.push(name);
}

/** Runs statements of one user, all at once. */
const flood = (on: Database, name: string, ended: string[]) =>
  Promise.all(Array.from({ length: 40 }, () => run(on, name, ended)));

test('a statement waits for one of another user, not for all that this user sent before', async () => {
  const ended: string[] = [];
  const flooding = flood(databaseOf(db, 'many'), 'many', ended);
  await Promise.all([
    flooding,
    run(databaseOf(db, 'one'), 'one', ended),
    inTransaction(databaseOf(db, 'other'), async (tx) => {
      await rows(tx, sql`select 1 as one`);
    }).then(() => ended.push('other')),
    // What belongs to no user, such as the search for a credential.
    run(db, 'none', ended),
  ]);
  for (const user of ['one', 'other', 'none']) expect(ended.indexOf(user), user).toBeLessThan(12);
  expect(ended).toHaveLength(43);
});

test('a user whose statements are alone has all connections, and the same database each time', async () => {
  const own = databaseOf(db, 'alone');
  expect(databaseOf(db, 'alone')).toBe(own);
  const pid = () => rows<{ pid: number }>(own, sql`select pg_backend_pid() as pid, pg_sleep(0.05)::text`);
  const found = await Promise.all([pid(), pid()]);
  expect(new Set(found.map(([row]) => row?.pid)).size).toBe(2);
  await inTransaction(db, async (tx) => expect(databaseOf(tx, 'alone')).toBe(tx));
});

test('more users than are remembered find their databases', async () => {
  for (let user = 0; user < 1100; user += 1) databaseOf(db, `user ${user}`);
  expect([...(await rows(databaseOf(db, 'user 3'), sql`select 3 as n`))]).toEqual([{ n: 3 }]);
});

test('the next is of the user with the fewest connections, among equals of the one who was served longest ago', () => {
  const turns = openTurns<number>();
  for (const [at, user] of ['a', 'a', 'a', 'b', 'c', 'b'].entries()) turns.wait(user, at);
  turns.occupy('b');
  const served = () => {
    const next = turns.next();
    return next && `${next.user}${next.use}`;
  };
  expect([served(), served(), served(), served()]).toEqual(['a0', 'c4', 'a1', 'a2']);
  turns.release('b');
  turns.wait('c', 6);
  expect([served(), turns.size(), turns.clear(), turns.size(), served()]).toEqual([
    'b3',
    2,
    [6, 5],
    0,
    undefined,
  ]);
});
