import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SQL, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase, rows } from '#db/client.ts';
import { databaseAccount, runProgram } from '#db/embedded/account.ts';
import { findBinaries } from '#db/embedded/binaries.ts';
import { ensureCluster } from '#db/embedded/cluster.ts';
import { findPlace, programFolder } from '#db/embedded/data-location.ts';
import { findPostmaster } from '#db/embedded/postmaster.ts';
import { type Connection, type EmbeddedDatabase, openEmbedded } from '#db/embedded.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { isLong } from '../../helpers/long.ts';
import { endProcesses, processesIn, startOwner, until } from '../../helpers/processes/processes.ts';

const isRoot = process.getuid?.() === 0;
const folder = await makeFolder();
let dataDir: string;
let said: string[];
let opened: EmbeddedDatabase[];

beforeEach(() => {
  // most tests start the same database again: making one takes longer than all else
  dataDir = join(folder, 'data');
  said = [];
  opened = [];
});
afterEach(async () => {
  endProcesses();
  await Promise.all(opened.map(({ close }) => close()));
  await until('all of it ends', () => processesIn(folder).length === 0);
});

/** Opens the database in `dataDir` in this process; without `durable` it is made faster, and may forget when it is killed. */
async function open({ durable = false } = {}): Promise<EmbeddedDatabase> {
  const log = (severity: string, message: string) => said.push(`${severity}: ${message}`);
  const embedded = await openEmbedded({ dataDir, log, durable });
  opened.push(embedded);
  return embedded;
}

async function ask<T>(connection: Connection, query: SQL): Promise<T[]> {
  const { db, close } = openDatabase({ connection, max: 1 });
  return rows<T>(db, query).finally(close);
}
async function write(connection: Connection, word: string): Promise<void> {
  await ask(connection, sql`create table if not exists words (word text)`);
  await ask(connection, sql`insert into words values (${word})`);
}
async function written(connection: Connection): Promise<string[]> {
  const found = await ask<{ word: string }>(connection, sql`select word from words order by word`);
  return found.map(({ word }) => word);
}
/** Waits through whatever is going on with the database. */
const answers = ({ connection }: EmbeddedDatabase) =>
  until('the database answers', () =>
    ask(connection, sql`select 1`).then(
      () => true,
      () => false,
    ),
  );
async function serverPid(): Promise<number> {
  const { pid } = await until('a server', () => findPostmaster(join(dataDir, 'postgres')));
  return pid;
}
async function watchdogPid(): Promise<number> {
  const isWatchdog = ({ command }: { command: string }) => command.includes('switchyard-watchdog');
  const { pid } = await until('a watchdog', () => processesIn(dataDir).find(isWatchdog));
  return pid;
}

describe('one process', () => {
  test('committed rows exist after a second start, and no process or file is left over in between', async () => {
    const first = await open({ durable: true });
    await write(first.connection, 'kept');
    await first.close();
    expect(processesIn(dataDir)).toEqual([]);
    expect(await readdir(dataDir)).toEqual(['postgres', 'postgres.password']);

    const second = await open();
    expect(second.isOwner()).toBe(true);
    expect(await written(second.connection)).toEqual(['kept']);
  });

  test('the role that connects is no superuser, owns its database, needs its password, and can make the extension that lists use', async () => {
    const { connection } = await open();
    const [me] = await ask<{ name: string; rights: string }>(
      connection,
      sql`select rolname as name, concat_ws(' ', rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls) as rights
          from pg_roles where rolname = current_user`,
    );
    expect(me).toEqual({ name: 'switchyard_service', rights: 'f f f f f' });
    const rejected = (given: Partial<typeof connection>) =>
      ask({ ...connection, ...given }, sql`select 1`).then(
        () => 'let in',
        ({ cause, message }: Error) => `${message} ${String(cause)}`,
      );
    expect(await rejected({ password: 'wrong' })).toContain('password authentication failed');
    expect(await rejected({ username: 'switchyard' })).toContain('pg_hba.conf rejects');
    await expect(ask(connection, sql`copy (select 1) to program 'true'`)).rejects.toThrow();
    await expect(ask(connection, sql`select pg_read_file('/etc/hostname')`)).rejects.toThrow();
    await ask(connection, sql`create extension if not exists pg_trgm`);
    await ask(connection, sql`create schema owned create table rows (id int primary key)`);
    const { mode } = await stat(join(dataDir, 'postgres.password'));
    expect(mode & 0o777).toBe(0o600);
  });

  test.skipIf(!isLong)(
    'a database of an earlier version, open to anybody who reaches its socket, is closed and handed over at the next start',
    async () => {
      dataDir = join(folder, 'older');
      const place = await findPlace(dataDir);
      const account = await databaseAccount(place.cluster);
      const binaries = await findBinaries({ account, copyTo: () => programFolder(place), major: undefined });
      await ensureCluster({ cluster: place.cluster, binaries, account, durable: false });
      const made = await runProgram(
        binaries.postgres,
        ['--single', '-D', place.cluster, 'postgres'],
        account,
        [
          'create extension pg_trgm;',
          "create schema old; create type old.mood as enum ('good');",
          'create table old.parts (id serial primary key, word text, mood old.mood) partition by range (id);',
          'create table old.part partition of old.parts for values from (0) to (100);',
          'create sequence old.numbers; create view old.words as select word from old.parts;',
          'create function old.answer() returns int language sql as $$ select 42 $$;',
          "insert into old.parts (word) values ('kept');",
        ].join('\n'),
      );
      expect(made.errors).not.toContain('ERROR');
      const access = () => readFile(join(place.cluster, 'pg_hba.conf'), 'utf8');
      expect(await access()).toContain('trust');

      const { connection } = await open();
      expect(await access()).not.toContain('trust');
      await ask(connection, sql`alter table old.parts add column later int`);
      await ask(connection, sql`insert into old.parts (word) values ('later')`);
      await ask(
        connection,
        sql`create or replace function old.answer() returns int language sql as 'select 43'`,
      );
      await ask(connection, sql`alter type old.mood add value 'bad'`);
      await ask(connection, sql`select nextval('old.numbers')`);
      expect(await ask(connection, sql`select word from old.words order by word`)).toEqual([
        { word: 'kept' },
        { word: 'later' },
      ]);
      await ask(connection, sql`drop schema old cascade`);
    },
  );

  test.skipIf(!isLong)('a password that is lost is replaced at the next start', async () => {
    const first = await open();
    await write(first.connection, 'kept');
    await first.close();
    await rm(join(dataDir, 'postgres.password'));
    const second = await open();
    expect(second.connection.password).not.toBe(first.connection.password);
    expect(await written(second.connection)).toContain('kept');
  });

  test('text is UTF-8 with letters of all languages, and only a private socket leads to it', async () => {
    const { connection } = await open();
    const [row] = await ask(
      connection,
      sql`select lower('É') as lower, current_setting('server_encoding') as encoding,
            current_setting('listen_addresses') as addresses, current_setting('data_directory_mode') as mode`,
    );
    expect(row).toEqual({
      lower: 'é',
      encoding: 'UTF8',
      addresses: '',
      mode: '0700',
    });
    expect(connection.host).toBe(join(dataDir, 'postgres'));
  });

  test.skipIf(!isLong)(
    'the data folder may have a path that is too long for a socket and contains separators',
    async () => {
      dataDir = join(folder, 'a, "b": c', 'a-folder-with-a-long-name/'.repeat(4));
      const { connection, close } = await open();
      expect(Buffer.byteLength(connection.host)).toBeLessThan(80);
      await write(connection, 'kept');
      await close();
      await expect(readdir(connection.host)).rejects.toThrow('ENOENT');
      expect(await written((await open()).connection)).toEqual(['kept']);
    },
  );

  test.skipIf(!isLong)('files that an interrupted first start left behind are removed', async () => {
    await mkdir(join(dataDir, 'postgres.draft-999999999-abc', 'base'), { recursive: true });
    const { close } = await open();
    await close();
    expect(await readdir(dataDir)).toEqual(['postgres', 'postgres.password']);
  });

  test.skipIf(!isLong).each([
    ['the folder cannot be made', (dir: string) => writeFile(dir, ''), /^DATA_DIR .+ cannot be used: EEXIST/],
    [
      'another PostgreSQL made it',
      async (dir: string) => {
        await mkdir(join(dir, 'postgres'), { recursive: true });
        await writeFile(join(dir, 'postgres', 'PG_VERSION'), '13\n');
      },
      /^The embedded database was made by PostgreSQL 13, but only .* is here: install 13/,
    ],
    [
      'it is damaged',
      async (dir: string) => {
        await mkdir(join(dir, 'postgres'), { recursive: true });
        await writeFile(join(dir, 'postgres', 'PG_VERSION'), '18\n');
      },
      /^The embedded database does not start: .+/,
    ],
  ])('one line says why when %s', async (why, spoil, line) => {
    dataDir = join(folder, `spoilt: ${why}`);
    await spoil(dataDir);
    const error = await open().catch((failure: Error) => failure);
    expect(error).toMatchObject({ message: expect.stringMatching(line) });
    expect(String(error)).not.toContain('\n');
    expect(processesIn(dataDir)).toEqual([]);
  });
});

describe.skipIf(!isLong)('after a kill', () => {
  test('kill -9 ends all child processes, and the next start has all committed data', async () => {
    const owner = await startOwner(dataDir, 'killed');
    expect(owner.role).toBe('owner');
    await owner.kill('SIGKILL');
    await until('all of it ends', () => processesIn(dataDir).length === 0);
    expect(await written((await open()).connection)).toContain('killed');
  });

  test('kill -9 of the process, and an immediate start: it waits for the old server to end', async () => {
    const owner = await startOwner(dataDir, 'killed just now');
    await owner.kill('SIGKILL');
    const next = await open();
    expect(next.isOwner()).toBe(true);
    expect(await written(next.connection)).toContain('killed just now');
  });

  test('kill -9 of the server during a statement: it is started again automatically', async () => {
    const embedded = await open({ durable: true });
    await write(embedded.connection, 'server killed');
    const old = await serverPid();
    // a server process that is busy does not notice, and holds on to the memory that a new server needs
    const busy = ask(embedded.connection, sql`select count(*) from generate_series(1, 1e11::bigint)`);
    const cut = expect(busy).rejects.toThrow();
    await until('the statement runs', async () => {
      const found = await ask(
        embedded.connection,
        sql`select 1 from pg_stat_activity where query like 'select count(*) from gen%'`,
      );
      return found.length > 0;
    });
    process.kill(old, 'SIGKILL');
    await cut;
    await answers(embedded);
    expect(await written(embedded.connection)).toContain('server killed');
    // it answers a moment before the process that started it says that it is its own
    await until('the server is ours', () => embedded.isOwner());
    expect(await serverPid()).not.toBe(old);
    expect(said).toContain('warn: The database ended unexpectedly (SIGKILL): starting it again');
  });

  test('a server that was stopped by a signal while it had clients is started again', async () => {
    const embedded = await open();
    const { db, close } = openDatabase({ connection: embedded.connection, max: 1 });
    await rows(db, sql`select 1`);
    const old = await serverPid();
    process.kill(old, 'SIGTERM');
    await until('another server runs', async () => (await serverPid()) !== old);
    await answers(embedded);
    await close();
  });

  test('a folder that is gone while the service runs is waited for, and no new database is made in its place', async () => {
    const embedded = await open({ durable: true });
    await write(embedded.connection, 'folder gone');
    const pid = await serverPid();
    const cluster = join(dataDir, 'postgres');
    await rename(cluster, `${cluster}-away`);
    process.kill(pid, 'SIGKILL');
    const gone = `error: The embedded database is gone from ${cluster}: the service continues once it is back`;
    await until('a line that says so', () => said.includes(gone));
    expect(await stat(join(cluster, 'PG_VERSION')).catch(() => 'none')).toBe('none');
    await rm(cluster, { recursive: true, force: true });
    await rename(`${cluster}-away`, cluster);
    await answers(embedded);
    expect(await written(embedded.connection)).toContain('folder gone');
  });

  test('kill -9 of the watchdog: another takes its place', async () => {
    await open();
    const old = await watchdogPid();
    process.kill(old, 'SIGKILL');
    await until('another watchdog', async () => (await watchdogPid()) !== old);
  });

  test('kill -9 of process and watchdog together: the next start takes the server over', async () => {
    const owner = await startOwner(dataDir, 'both killed');
    // stopped, it cannot start another watchdog
    process.kill(owner.pid, 'SIGSTOP');
    process.kill(await watchdogPid(), 'SIGKILL');
    await owner.kill('SIGKILL');
    const orphan = await serverPid();
    const next = await open();
    expect(next.isOwner()).toBe(true);
    expect(await serverPid()).not.toBe(orphan);
    expect(await written(next.connection)).toContain('both killed');
  });

  test('a lock file that names a living process of another kind does not keep it from starting', async () => {
    await (await open()).close();
    const path = join(dataDir, 'postgres', 'postmaster.pid');
    await writeFile(path, `${process.ppid}\n${join(dataDir, 'postgres')}\n1\n5432\n\n\n\nready   \n`);
    expect((await open()).isOwner()).toBe(true);
  });
});

describe.skipIf(!isLong)('several processes on one folder', () => {
  test('one of several first starts makes the database and runs it, the others use it', async () => {
    dataDir = join(folder, 'shared');
    const all = await Promise.all([open(), open(), open()]);
    expect(all.filter(({ isOwner }) => isOwner())).toHaveLength(1);
    for (const { connection } of all) await write(connection, 'word');
    expect(await written(all[0].connection)).toHaveLength(3);
    expect(await readdir(dataDir)).toEqual(['postgres', 'postgres.password']);
  });

  test('when the owner is killed, another takes over', async () => {
    const owner = await startOwner(dataDir, 'of the owner');
    const guest = await open();
    expect(guest.isOwner()).toBe(false);
    await write(guest.connection, 'of the guest');
    await owner.kill('SIGKILL');
    await until('the guest takes over', guest.isOwner);
    expect(await written(guest.connection)).toEqual(expect.arrayContaining(['of the guest', 'of the owner']));
  });

  test('when the owner closes, another takes over', async () => {
    const owner = await open();
    const guest = await open();
    await owner.close();
    await until('the guest takes over', guest.isOwner);
    await write(guest.connection, 'word');
  });

  test('a guest that closes leaves the server to the others', async () => {
    const owner = await open();
    const guest = await open();
    await guest.close();
    await write(owner.connection, 'word');
    expect(owner.isOwner()).toBe(true);
  });
});

test.runIf(isRoot && isLong)(
  'in a folder that only root can enter, the database moves to where its account can',
  async () => {
    const closed = join(folder, 'home');
    await mkdir(closed, { mode: 0o700 });
    dataDir = join(closed, 'data');
    const first = await open();
    await write(first.connection, 'kept');
    await first.close();
    const place = (await readFile(join(dataDir, 'postgres.location'), 'utf8')).trim();
    try {
      expect(place).toMatch(/^\/var\/lib\/switchyard\/\w+$/);
      const second = await open();
      expect(await written(second.connection)).toEqual(['kept']);
      await second.close();
      expect(processesIn(place)).toEqual([]);
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  },
);
