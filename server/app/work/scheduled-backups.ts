import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eq, sql } from 'drizzle-orm';
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
const PARTIAL = /^switchyard-\d{8}T\d{6}Z\.backup\.partial$/;

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
  if (!(await claim(db, schedule))) return undefined;
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
    const removed = await removeOldest(file, schedule.keep);
    const counted = tables.reduce((sum, table) => sum + table.rows, 0);
    log.info({ file, rows: counted, removed, ms: Math.round(performance.now() - started) }, 'backup written');
    return file;
  } catch (error) {
    // The reason of the backup is the one to report; without a new time the next attempt follows in an hour.
    await set(db, NEXT, RETRY_S).catch(() => undefined);
    throw error;
  }
}

/**
 * Claims a backup that is due, so that no other process makes it. One that is due later than the interval allows is due as well:
 * the interval was longer before, or the clock of the database was wrong.
 */
async function claim(db: Database, { everyHours }: BackupSchedule): Promise<boolean> {
  const claimed = await rows<{ name: string }>(
    db,
    sql`insert into ${installation} as i (name, value) values (${NEXT}, ${later(LEASE_S)})
        on conflict (name) do update set value = ${later(LEASE_S)}
          where i.value::float8 not between extract(epoch from clock_timestamp())
            and extract(epoch from clock_timestamp()) + ${Math.max(everyHours * 3600, LEASE_S)}::float8
        returning name`,
  );
  // The first one is due at once.
  if (claimed.length > 0) {
    await rows(
      db,
      sql`insert into ${installation} as i (name, value) values (${DUE}, ${later(0)})
          on conflict (name) do update set value = least(i.value::float8, excluded.value::float8)::text`,
    );
  }
  return claimed.length > 0;
}

const set = (db: Database, name: string, seconds: number) =>
  rows(db, sql`update ${installation} set value = ${later(seconds)} where name = ${name}`);

// Rounded down: what is due at once is due, not half a second later.
const later = (seconds: number) =>
  sql`floor(extract(epoch from clock_timestamp()) + ${seconds}::float8)::text`;

/** Removes the oldest backups, never the one just made: its name is older than others when a clock was wrong. */
async function removeOldest(made: string, keep: number): Promise<number> {
  const directory = dirname(made);
  const names = await readdir(directory);
  // Their names are in order of time.
  const others = names.filter((name) => NAME.test(name) && name !== basename(made)).sort();
  const oldest = others.slice(0, Math.max(0, others.length + 1 - keep));
  for (const name of oldest) await rm(join(directory, name), { force: true });
  // What a backup left whose process was killed; that of another process is written to.
  for (const name of names.filter((each) => PARTIAL.test(each))) {
    const written = await stat(join(directory, name)).catch(() => undefined);
    if (written && Date.now() - written.mtimeMs > LEASE_S * 1000)
      await rm(join(directory, name), { force: true });
  }
  return oldest.length;
}

/** Removes the time at which the next backup is due, which a metric reports, where none are scheduled any more. */
export async function forgetSchedule(db: Database): Promise<void> {
  await db.delete(installation).where(eq(installation.name, DUE));
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
