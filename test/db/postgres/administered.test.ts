import { sql } from 'drizzle-orm';
import { afterAll, expect, inject, test } from 'vitest';
import { exhaustion, inTransaction, isRejected, isUnavailable, openDatabase, rows } from '#db/client.ts';
import { SESSION_SETTINGS } from '#db/connections/session-settings.ts';
import type { Connection } from '#db/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { checkPooler } from '#db/server-check.ts';
import { openEnginePool } from '#server/durable/pool.ts';
import { openTestDatabase } from '../../helpers/postgres.ts';
import { until } from '../../helpers/processes/processes.ts';

/*
 * Databases as their administrators set them. The role of the tests owns its database, as that of an organisation does.
 */

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** On another database: some statements would not work on their own one. */
const { db: admin, close: closeAdmin } = openDatabase({ connection: inject('postgres').server, max: 1 });
closing.push(closeAdmin);

const nameOf = (connection: Connection) =>
  typeof connection === 'string' ? new URL(connection).pathname.slice(1) : connection.database;

/** Opens a database for which an administrator runs `statements`, each beginning with `alter database NAME`. */
async function openAdministered(...statements: string[]) {
  const { connection, db } = await openTestDatabase();
  const administer = async (statement: string) =>
    void (await admin.execute(sql.raw(`alter database ${nameOf(connection)} ${statement}`)));
  for (const statement of statements) await administer(statement);
  const open = (max: number) => {
    const opened = openDatabase({ connection, max });
    closing.push(opened.close);
    return opened;
  };
  return { connection, db, administer, open };
}

test('sessions have the settings of the service, whatever is set for the database', async () => {
  const { connection, open } = await openAdministered(
    "set timezone = 'Asia/Kolkata'",
    "set datestyle = 'German'",
    "set intervalstyle = 'sql_standard'",
    "set bytea_output = 'escape'",
    'set standard_conforming_strings = off',
    'set array_nulls = off',
    "set extra_float_digits = '-15'",
    "set client_encoding = 'LATIN1'",
    "set search_path = 'elsewhere'",
    "set default_transaction_isolation = 'serializable'",
    "set lock_timeout = '1s'",
    "set idle_session_timeout = '1s'",
  );
  const names = Object.keys(SESSION_SETTINGS);
  const settings = (found: { name: string; setting: string }[]) =>
    Object.fromEntries(found.map(({ name, setting }) => [name, setting]));
  const wanted = { ...SESSION_SETTINGS, timezone: undefined, TimeZone: 'UTC' };
  const { db } = open(1);
  const list = sql.raw(names.map((name) => `'${name}'`).join(', '));
  const own = await rows<{ name: string; setting: string }>(
    db,
    sql`select name, setting from pg_settings where lower(name) in (${list})`,
  );
  const lower = (all: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(all).flatMap(([key, value]) => (value ? [[key.toLowerCase(), value]] : [])),
    );
  expect(lower(settings(own))).toEqual(lower(wanted));
  const pool = openEnginePool({ connection, max: 1, hungMs: 5000, failed: () => undefined });
  closing.push(() => pool.end());
  const engine = await pool.query(
    `select name, setting from pg_settings where lower(name) in (${names.map((name) => `'${name}'`).join(', ')})`,
  );
  expect(lower(settings(engine.rows))).toEqual(lower(wanted));
  expect(
    await rows(db, sql`select '2026-11-20 10:39:24.952+00'::timestamptz as at, 'ü'::text as text`),
  ).toEqual([{ at: '2026-11-20 10:39:24.952+00', text: 'ü' }]);
});

test('two transactions that wait for a lock see what the other one committed, whatever the isolation that is set', async () => {
  const { open } = await openAdministered(
    "set default_transaction_isolation = 'repeatable read'",
    "set lock_timeout = '50ms'",
  );
  const { db } = open(4);
  await rows(db, sql`create table counted (n int)`);
  await rows(db, sql`insert into counted values (0)`);
  const add = () =>
    inTransaction(db, async (tx) => {
      await rows(tx, sql`select pg_advisory_xact_lock(7)`);
      const [row] = await rows<{ n: number }>(tx, sql`select n from counted`);
      await rows(tx, sql`select pg_sleep(0.1)`);
      await rows(tx, sql`update counted set n = ${(row?.n ?? 0) + 1}::int`);
    });
  await Promise.all([add(), add(), add(), add()]);
  expect(await rows(db, sql`select n from counted`)).toEqual([{ n: 4 }]);
});

test('where the server admits no further connection, statements and transactions wait for those that are open', async () => {
  const { db: own, administer, open } = await openAdministered('connection limit 3');
  // One of them is this one.
  await rows(own, sql`create table waited (n int)`);
  const { db } = open(12);
  const works = Array.from({ length: 24 }, (_, n) =>
    n % 2 === 0
      ? rows(db, sql`select pg_sleep(0.05)`)
      : inTransaction(db, async (tx) => {
          await rows(tx, sql`insert into waited values (${n}::int)`);
          await rows(tx, sql`select pg_sleep(0.05)`);
        }),
  );
  await Promise.all(works);
  expect(await rows(own, sql`select count(*)::int as n from waited`)).toEqual([{ n: 12 }]);
  // Where none is open, there is nothing to wait for.
  await administer('connection limit 0');
  const failure = await rows(open(2).db, sql`select 1`).catch((error: unknown) => error);
  expect(isUnavailable(failure)).toBe(true);
  expect(isRejected(failure)).toBe(false);
  expect(exhaustion(failure)).toBe('accepts no more connections');
});

test('a login that is denied while a process runs is a database that is away, and a start says so at once', async () => {
  const { connection, administer, open } = await openAdministered();
  const busy = open(2);
  expect(await rows(busy.db, sql`select 1 as n`)).toEqual([{ n: 1 }]);
  await administer('allow_connections false');
  // The connection that is open serves all.
  const answers = await Promise.all(
    [1, 2, 3].map(() => rows(busy.db, sql`select pg_sleep(0.05)::text as n`)),
  );
  expect(answers).toHaveLength(3);
  const fresh = open(1);
  const failure = await rows(fresh.db, sql`select 1`).catch((error: unknown) => error);
  expect([isUnavailable(failure), isRejected(failure)]).toEqual([true, true]);
  const begun = performance.now();
  await expect(migrate(connection)).rejects.toThrow(
    /^The database at \S+ rejects this process: database "\w+" is not currently accepting connections$/,
  );
  expect(performance.now() - begun).toBeLessThan(10_000);
  await administer('allow_connections true');
  await until('an answer', () =>
    rows(fresh.db, sql`select 1`).then(
      () => true,
      () => undefined,
    ),
  );
});

test('what a start needs of its database is said with the statements for it', async () => {
  const { connection, db, administer } = await openAdministered('set default_transaction_read_only = on');
  await expect(migrate(connection)).rejects.toThrow(
    /because default_transaction_read_only is on: alter role \w+ in database \w+ set default_transaction_read_only = off$/,
  );
  await administer('reset default_transaction_read_only');
  const denials = ['revoke all on schema public from current_user, public, pg_database_owner'];
  const [server] = await rows<{ number: number }>(
    db,
    sql`select current_setting('server_version_num')::int as number`,
  );
  // Before 15, the schema public belongs to the superuser.
  if ((server?.number ?? 0) >= 150_000) for (const denial of denials) await db.execute(sql.raw(denial));
  await db.execute(sql.raw(`revoke all on database ${nameOf(connection)} from current_user, public`));
  await db.execute(sql.raw(`grant connect on database ${nameOf(connection)} to current_user`));
  await expect(migrate(connection)).rejects.toThrow(
    /^The role (\w+) may not make its tables in the database (\w+): as the owner of both, run: grant create on database \2 to \1; grant usage, create on schema public to \1$/,
  );
  await db.execute(sql.raw(`grant create on database ${nameOf(connection)} to current_user`));
  await db.execute(sql.raw('drop schema public cascade'));
  await expect(migrate(connection)).rejects.toThrow(
    /run: create schema public; grant usage, create on schema/,
  );
});

test('a database with the small letters of Turkish is rejected, with the statement that makes another one', async () => {
  const { connection, db } = await openAdministered();
  const [server] = await rows<{ number: number }>(
    db,
    sql`select current_setting('server_version_num')::int as number`,
  );
  // Before 15, a database has no locale of ICU.
  if ((server?.number ?? 0) < 150_000) return;
  const name = `${nameOf(connection)}_tr`;
  const create = (settings: string) =>
    admin.execute(sql.raw(`create database ${name} ${settings} template template0`));
  const drop = () => admin.execute(sql.raw(`drop database if exists ${name} with (force)`));
  closing.push(drop);
  await create("encoding 'UTF8' locale 'C' locale_provider icu icu_locale 'tr-TR'");
  const other =
    typeof connection === 'string'
      ? connection.replace(nameOf(connection), name)
      : { ...connection, database: name };
  const rejection = String(await migrate(other).catch(String));
  expect(rejection).toMatch(/^Error: The database has a locale in which the small letter of I is not i: /);
  await drop();
  await create(/owner \w+ (.+) template template0/.exec(rejection)?.[1] ?? rejection);
  await migrate(other);
});

test('a start names each index that was dropped, with the statement that creates it, and no other one', async () => {
  const { connection, db } = await openAdministered();
  const warnings: string[] = [];
  const warn = (line: string) => void warnings.push(line);
  await migrate(connection, { warn });
  expect(warnings.filter((line) => line.startsWith('The index'))).toEqual([]);
  await rows(db, sql`drop index accounts_username`);
  await migrate(connection, { warn });
  const [line = '', ...others] = warnings.filter((one) => one.startsWith('The index'));
  expect(others).toEqual([]);
  expect(line).toMatch(/^The index accounts_username is missing or not valid: .*run: CREATE UNIQUE INDEX/);
  await db.execute(sql.raw(line.replace(/^.*run: /, '')));
  await migrate(connection, { warn });
  expect(warnings.filter((one) => one.startsWith('The index'))).toHaveLength(1);
});

test('settings that the sessions of a pooler lack are said with the statements for them', async () => {
  const { connection, open } = await openAdministered(
    "set lock_timeout = '1s'",
    "set search_path = 'elsewhere'",
  );
  const { db, close } = openDatabase({ connection, pooler: poolerOf(connection), max: 1 });
  closing.push(close);
  await expect(checkPooler(db)).rejects.toThrow(
    /: run alter role \w+ set search_path = 'public'; alter role \w+ set lock_timeout = '0', and reconnect the pooler$/,
  );
  await checkPooler(open(1).db);
});

/** The same database as a URL: without a pooler between, its sessions have what is set for the database. */
function poolerOf(connection: Connection): string {
  if (typeof connection === 'string') return connection;
  const { host, port, username, password, database } = connection;
  return `postgres://${username}:${password}@${encodeURIComponent(host)}:${port}/${database}`;
}
