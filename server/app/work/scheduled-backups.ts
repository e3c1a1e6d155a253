import { execFile } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { verifyBackup } from '#db/backup/verify.ts';
import { type Database, rows } from '#db/client.ts';
import { installation } from '#db/tables/operations/platform.ts';
import type { Config } from '#server/kernel/config.ts';

/** The row of `installation` with the time of the next attempt, in epoch seconds: one process of several makes it. */
const NEXT = 'next-backup';
/** The row with the time from which a backup is due; unlike the next attempt, it stays while attempts fail. */
const DUE = 'backup-due';
/** Time that one backup may take, in seconds; afterwards another process tries again. */
const LEASE_S = 3600;
/** Time until the next attempt after a failed one, in seconds. */
const RETRY_S = 900;

const LAUNCH = fileURLToPath(new URL('../launch.cjs', import.meta.url));
const NAME = /^switchyard-\d{8}T\d{6}Z\.backup$/;

/** Settings of scheduled backups: `BACKUP_DIR`, `BACKUP_EVERY_HOURS`, `BACKUP_KEEP`. */
export type BackupSchedule = { directory: string; everyHours: number; keep: number };

type BackupJob = {
  db: Database;
  schedule: BackupSchedule;
  log: Pick<Logger, 'info' | 'error'>;
  now: () => Date;
  /** Writes a backup into a new file. */
  write?: (file: string) => Promise<void>;
};

/**
 * Makes a backup when one is due: writes it, reads it again to verify every checksum, and only then removes the oldest ones
 * beyond the number to keep. A backup whose process was lost is made anew after an hour.
 *
 * @returns the file; undefined when none is due, or another process makes it
 * @throws Error when it failed; the older backups are kept, and the next attempt follows in 15 minutes
 */
export async function backUpWhenDue({ db, schedule, log, now, write = backUpInProcess }: BackupJob) {
  if (!(await claim(db))) return undefined;
  const directory = resolve(schedule.directory);
  const started = performance.now();
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const stamp = now()
      .toISOString()
      .replace(/[-:]|\.\d+/g, '');
    const file = join(directory, `switchyard-${stamp}.backup`);
    await write(file);
    const { tables } = await verifyBackup(file);
    for (const name of [NEXT, DUE]) await set(db, name, schedule.everyHours * 3600);
    const removed = await removeOldest(directory, schedule.keep);
    const counted = tables.reduce((sum, table) => sum + table.rows, 0);
    log.info({ file, rows: counted, removed, ms: Math.round(performance.now() - started) }, 'backup written');
    return file;
  } catch (error) {
    // The reason of the backup is the one to report; without a new time the next attempt follows in an hour.
    await set(db, NEXT, RETRY_S).catch(() => undefined);
    throw error;
  }
}

/** Claims a backup that is due, so that no other process makes it. */
async function claim(db: Database): Promise<boolean> {
  const claimed = await rows<{ name: string }>(
    db,
    sql`insert into ${installation} as i (name, value) values (${NEXT}, ${later(LEASE_S)})
        on conflict (name) do update set value = ${later(LEASE_S)}
          where i.value::float8 <= extract(epoch from clock_timestamp())
        returning name`,
  );
  // The first one is due at once.
  if (claimed.length > 0) {
    await rows(
      db,
      sql`insert into ${installation} (name, value) values (${DUE}, ${later(0)}) on conflict (name) do nothing`,
    );
  }
  return claimed.length > 0;
}

const set = (db: Database, name: string, seconds: number) =>
  rows(db, sql`update ${installation} set value = ${later(seconds)} where name = ${name}`);

// Rounded down: what is due at once is due, not half a second later.
const later = (seconds: number) =>
  sql`floor(extract(epoch from clock_timestamp()) + ${seconds}::float8)::text`;

async function removeOldest(directory: string, keep: number): Promise<number> {
  // Their names are in order of time.
  const known = (await readdir(directory)).filter((name) => NAME.test(name)).sort();
  const oldest = known.slice(0, Math.max(0, known.length - keep));
  for (const name of oldest) await rm(join(directory, name), { force: true });
  return oldest.length;
}

/** Runs `npm run backup` in a process of its own, whose work delays nothing here. */
async function backUpInProcess(file: string): Promise<void> {
  await promisify(execFile)(process.execPath, [LAUNCH, 'backup', file], {
    env: { ...process.env, LOG_LEVEL: 'error' },
    timeout: LEASE_S * 1000,
    maxBuffer: 16 * 1024 * 1024,
  });
}

/** Returns the schedule of a configuration; undefined: no backups are scheduled. */
export const backupScheduleOf = ({ backups }: Pick<Config, 'backups'>): BackupSchedule | undefined =>
  backups.directory === undefined ? undefined : { ...backups, directory: backups.directory };
