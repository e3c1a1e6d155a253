import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { openDatabase, rows } from '#db/client.ts';
import type { Connection } from '#db/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { createDatabase, databaseOn, dropDatabase } from '../../helpers/lists/databases.ts';
import { isLong } from '../../helpers/long.ts';
import { databaseUrlOf } from '../../helpers/postgres.ts';

const { server } = inject('postgres');
const root = await makeFolder();
let folder: string;
let connection: Connection;
const made: string[] = [];

beforeEach(async () => {
  const name = await createDatabase(server);
  made.push(name);
  connection = databaseOn(server, name);
  folder = join(root, name);
  await migrations('create table first (id int primary key)', 'create table second (id int primary key)');
});
afterAll(async () => {
  for (const name of made) await dropDatabase(server, name);
});

/** Writes a migrations folder of one statement each, a second apart. */
async function migrations(...statements: string[]): Promise<void> {
  await mkdir(join(folder, 'meta'), { recursive: true });
  const entries = statements.map((_, idx) => ({
    idx,
    version: '7',
    when: 1_790_000_000_000 + idx * 1000,
    tag: `000${idx}`,
    breakpoints: true,
  }));
  for (const [idx, statement] of statements.entries()) {
    await writeFile(join(folder, `000${idx}.sql`), statement);
  }
  const journal = { version: '7', dialect: 'postgresql', entries };
  await writeFile(join(folder, 'meta', '_journal.json'), JSON.stringify(journal));
}

async function tables(): Promise<string[]> {
  const { db, close } = openDatabase({ connection, max: 1 });
  const found = await rows<{ name: string }>(
    db,
    sql`select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  ).finally(close);
  return found.map(({ name }) => name);
}

test('three processes that start together migrate one after another', async () => {
  await Promise.all([1, 2, 3].map(() => migrate(connection, { folder })));
  expect(await tables()).toEqual(['first', 'second']);
});

test('runs new migrations and does not repeat applied ones', async () => {
  await migrate(connection, { folder });
  await migrations('create table first ()', 'create table second ()', 'create table third ()');
  await migrate(connection, { folder });
  expect(await tables()).toEqual(['first', 'second', 'third']);
});

test('a migration that fails changes nothing, and the error says what failed', async () => {
  await migrations('create table first (id int primary key)', 'create table first (id int)');
  await expect(migrate(connection, { folder })).rejects.toThrow(
    'The database\'s tables cannot be brought up to date: relation "first" already exists',
  );
  expect(await tables()).toEqual([]);
});

test('a database that a newer version has migrated is rejected and not changed', async () => {
  await migrate(connection, { folder });
  await migrations('create table first (id int primary key)');
  await expect(migrate(connection, { folder })).rejects.toThrow(
    'last started with a newer version of Switchyard (its tables are of 2026-09-21T14:13:21.000Z)',
  );
  expect(await tables()).toEqual(['first', 'second']);
});

test('a migration that is older than the newest one and has not run is reported', async () => {
  await migrate(connection, { folder });
  const { db, close } = openDatabase({ connection, max: 1 });
  await db
    .execute(sql`delete from drizzle.__drizzle_migrations where created_at = 1790000000000`)
    .finally(close);
  await expect(migrate(connection, { folder })).rejects.toThrow(
    'The migration of 2026-09-21T14:13:20.000Z did not run on this database',
  );
});

test('a database in another encoding is rejected', async () => {
  const name = `${made.at(-1)}_ascii`;
  const { db, close } = openDatabase({ connection: server, max: 1 });
  const [at] = await rows<{ version: number }>(
    db,
    sql`select current_setting('server_version_num')::int as version`,
  );
  // since 15 a database says who provides its locale, and ours is one that knows only UTF-8
  const provider = (at?.version ?? 0) >= 150_000 ? "locale_provider libc locale 'C'" : "locale 'C'";
  await db
    .execute(sql.raw(`create database ${name} encoding SQL_ASCII ${provider} template template0`))
    .finally(close);
  made.push(name);
  await expect(migrate(databaseOn(server, name), { folder })).rejects.toThrow('SQL_ASCII: UTF8 is required');
});

test('a start waits for a database that cannot be reached, and reports it in one line', async () => {
  const nowhere = { host: root, port: 5432, database: 'none', username: 'none', password: 'none' };
  const began = Date.now();
  await expect(migrate(nowhere, { folder, patienceMs: 300 })).rejects.toThrow(
    /^The database cannot be reached: connect ENOENT \S+$/,
  );
  expect(Date.now() - began).toBeGreaterThan(300);
});

test('the migrations of the product run on an empty database, and a second time without effect', async () => {
  await migrate(connection);
  await migrate(connection);
});

test('the line about a server without TLS says that sslmode requires TLS', async () => {
  const url = `${await databaseUrlOf(connection)}?sslmode=require`;
  const lines: string[] = [];
  const waiting = (line: string) => void lines.push(line);
  await expect(migrate(url, { folder, patienceMs: 1000, waiting })).rejects.toThrow(
    'The database cannot be reached: ',
  );
  expect(lines.at(-1)).toMatch(
    /^waiting for the database at 127\.0\.0\.1:\d+: it does not accept TLS, which sslmode requires$/,
  );
});

// twelve seconds of waiting, which a short run does not have
test.skipIf(!isLong)(
  'once the migrations run, the lines speak of them and no longer of a wait for the database',
  async () => {
    const through = new URL(await databaseUrlOf(connection));
    const port = Number(through.port);
    // Longer than a connection takes that nobody hears of.
    const slow = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      near.on('error', () => far.destroy());
      far.on('error', () => near.destroy());
      setTimeout(() => near.pipe(far).pipe(near), 1000);
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    afterAll(() => void slow.close());
    through.host = `127.0.0.1:${(slow.address() as AddressInfo).port}`;
    await migrations('select pg_sleep(6)');
    const said: { line: string; at: number }[] = [];
    const waiting = (line: string) => void said.push({ line, at: performance.now() });
    await migrate(through.href, { folder, waiting });
    const [last, ...others] = said.toReversed();
    expect(last?.line).toBe('bringing the tables up to date, here or in another process');
    // A wait is reported every five seconds.
    expect(others.length).toBeGreaterThan(0);
    expect(performance.now() - (others[0]?.at ?? 0)).toBeGreaterThan(5800);
  },
);
