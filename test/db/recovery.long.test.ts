import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, expect, inject, test } from 'vitest';
import { restoreBackup } from '#db/backup/restore.ts';
import { verifyBackup } from '#db/backup/verify.ts';
import { writeBackup } from '#db/backup/write.ts';
import { openDatabase, rows } from '#db/client.ts';
import { migrate, migrateTo, migrationTimes } from '#db/migrate.ts';
import { backUpWhenDue, forgetSchedule } from '#server/app/work/scheduled-backups.ts';
import { measureDatabase } from '#server/domains/health/figures.service.ts';
import { makeFolder } from '../helpers/folder.ts';
import { createDatabase, databaseOn, dropDatabase } from '../helpers/lists/databases.ts';
import { openTestDatabase } from '../helpers/postgres.ts';

const { server } = inject('postgres');
const folder = await makeFolder();
const { db, connection } = await openTestDatabase();
const silent = () => undefined;
const write = (file: string) =>
  writeBackup({ connection, file, release: 'test', keyFingerprint: null, print: silent });

async function emptyDatabase() {
  const name = await createDatabase(server);
  const target = databaseOn(server, name);
  const opened = openDatabase({ connection: target, max: 2 });
  afterAll(async () => {
    await opened.close();
    await dropDatabase(server, name);
  });
  return { ...opened, connection: target };
}

test('a damaged backup is rejected before the database is touched, even with --force', async () => {
  const file = join(folder, 'whole.backup');
  await rows(db, sql`insert into installation (name, value) values ('kept', 'value')`);
  await write(file);
  const { tables } = await verifyBackup(file);
  expect(tables.find(({ table }) => table === 'public.installation')?.rows).toBeGreaterThan(0);
  const bytes = await readFile(file);
  for (const [name, content] of [
    ['cut', bytes.subarray(0, bytes.length - 200)],
    ['flipped', Buffer.concat([bytes.subarray(0, 2000), Buffer.from([255, 0, 255]), bytes.subarray(2003)])],
  ] as const) {
    const damaged = join(folder, `${name}.backup`);
    await writeFile(damaged, content);
    const makeEngineTables = () => Promise.reject(new Error('the database was touched'));
    await expect(
      restoreBackup({ connection, file: damaged, force: true, makeEngineTables, print: silent }),
    ).rejects.toThrow('damaged');
  }
});

test('a backup is made when it is due, by one process of several, and the oldest ones are removed', async () => {
  const directory = join(folder, 'scheduled');
  let at = Date.UTC(2026, 0, 1);
  const job = {
    db,
    schedule: { directory, everyHours: 24, keep: 2 },
    log: pino({ level: 'silent' }),
    now: () => new Date(at),
    write,
  };
  // What the metrics say of it: when the next backup is due, in seconds from now.
  const dueIn = async () => ((await measureDatabase(db))?.nextBackup ?? Number.NaN) - Date.now() / 1000;
  const makeDue = () => rows(db, sql`update installation set value = '0' where name = 'next-backup'`);
  const impossible = { ...job, write: () => Promise.reject(new Error('no such folder')) };
  await rows(db, sql`delete from installation where name in ('next-backup', 'backup-due')`);
  await expect(backUpWhenDue(impossible)).rejects.toThrow('no such folder');
  expect(await dueIn()).toBeLessThanOrEqual(0);
  await makeDue();
  const made = await Promise.all([backUpWhenDue(job), backUpWhenDue(job), backUpWhenDue(job)]);
  expect(made.filter(Boolean)).toHaveLength(1);
  expect(await backUpWhenDue(job)).toBeUndefined();
  expect(await dueIn()).toBeGreaterThan(86_000);
  for (let day = 1; day <= 3; day += 1) {
    at += 86_400_000;
    await makeDue();
    expect(await backUpWhenDue(job)).toBeDefined();
  }
  expect((await readdir(directory)).sort()).toEqual([
    'switchyard-20260103T000000Z.backup',
    'switchyard-20260104T000000Z.backup',
  ]);

  // A failed one removes nothing, is tried again later, and stays due meanwhile.
  at += 86_400_000;
  await makeDue();
  await rows(db, sql`update installation set value = '7000' where name = 'backup-due'`);
  const failing = { ...job, write: () => Promise.reject(new Error('no room')) };
  await expect(backUpWhenDue(failing)).rejects.toThrow('no room');
  expect(await readdir(directory)).toHaveLength(2);
  const [next] = await rows<{ seconds: number }>(
    db,
    sql`select (value::float8 - extract(epoch from clock_timestamp()))::float8 as seconds from installation where name = 'next-backup'`,
  );
  expect(next?.seconds).toBeGreaterThan(800);
  expect(next?.seconds).toBeLessThan(1000);
  expect(await measureDatabase(db)).toMatchObject({ nextBackup: 7000 });
});

test('a shorter interval makes a backup due at once, and a wrong clock costs none of them', async () => {
  const directory = join(folder, 'clocks');
  await mkdir(directory);
  let at = Date.UTC(2026, 5, 1);
  const job = (everyHours: number) => ({
    db,
    schedule: { directory, everyHours, keep: 2 },
    log: pino({ level: 'silent' }),
    now: () => new Date(at),
    write,
  });
  await rows(db, sql`delete from installation where name in ('next-backup', 'backup-due')`);
  expect(await backUpWhenDue(job(720))).toBeDefined();
  expect(await backUpWhenDue(job(720))).toBeUndefined();
  at += 3_600_000;
  expect(await backUpWhenDue(job(2))).toBeDefined();
  expect(await backUpWhenDue(job(2))).toBeUndefined();
  const [due] = await rows<{ seconds: number }>(
    db,
    sql`select (value::float8 - extract(epoch from clock_timestamp()))::float8 as seconds from installation where name = 'backup-due'`,
  );
  expect(due?.seconds).toBeLessThanOrEqual(7200);

  // The clock of the process is years behind; a killed backup has left what it had written, another one is under way.
  at = Date.UTC(2020, 0, 1);
  for (const name of [
    'switchyard-20250101T000000Z.backup.partial',
    'switchyard-20260601T000001Z.backup.partial',
  ])
    await writeFile(join(directory, name), '');
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  await utimes(join(directory, 'switchyard-20250101T000000Z.backup.partial'), longAgo, longAgo);
  await rows(db, sql`update installation set value = '0' where name = 'next-backup'`);
  expect(await backUpWhenDue(job(2))).toBeDefined();
  expect((await readdir(directory)).sort()).toEqual([
    'switchyard-20200101T000000Z.backup',
    'switchyard-20260601T000001Z.backup.partial',
    'switchyard-20260601T010000Z.backup',
  ]);
});

test('the metric of the next backup ends with the schedule', async () => {
  await rows(
    db,
    sql`insert into installation (name, value) values ('backup-due', '1') on conflict (name) do nothing`,
  );
  await forgetSchedule(db);
  expect(await measureDatabase(db)).toMatchObject({ nextBackup: null });
});

test('a database of the previous migration state is upgraded with its data', async () => {
  const target = await emptyDatabase();
  const previous = migrationTimes()
    .toSorted((a, b) => a - b)
    .at(-2);
  if (previous === undefined) throw new Error('no previous migration');
  await migrateTo(target.db, previous);
  await rows(target.db, sql`insert into installation (name, value) values ('before', 'the upgrade')`);
  await migrate(target.connection, { warn: silent, waiting: silent });
  expect(await rows(target.db, sql`select value from installation where name = 'before'`)).toEqual([
    { value: 'the upgrade' },
  ]);
  const [{ level } = { level: '' }] = await rows<{ level: string }>(
    target.db,
    sql`select max(created_at)::text as level from drizzle.__drizzle_migrations`,
  );
  expect(Number(level)).toBe(Math.max(...migrationTimes()));
});
