import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import { type Database, isRejected, isUnavailable, openDatabase, rows } from './client.ts';
import { namesOf, parseAddress } from './connections/address.ts';
import { indexNames } from './counting/names.ts';
import type { Connection } from './embedded.ts';
import { findMissingIndexes } from './missing-indexes.ts';
import { checkServer } from './server-check.ts';

interface MigrationOptions {
  /** Folder of the generated SQL with its journal. */
  folder?: string;
  /** How long to wait for a database that cannot be reached. */
  patienceMs?: number;
  /** Called at once, and every few seconds, while the database cannot be reached; once where the migrations take longer. */
  waiting?: (line: string) => void;
  /** Stops waiting. */
  signal?: AbortSignal | undefined;
  /** Called with one line about a feature that the database lacks, and its consequences. */
  warn?: (line: string) => void;
}

const OWN_FOLDER = fileURLToPath(new URL('./migrations', import.meta.url));
/** Id of the advisory lock for migrations: an arbitrary number that must never change. */
export const MIGRATION_LOCK = 7_398_211_640;
const RETRY_MS = 250;
/** Connection attempts that take longer are reported. */
const SLOW_MS = 500;
const REPORT_AFTER_MS = 5000;

/**
 * Brings the database's tables up to the level of this version. Processes that start at once migrate sequentially; a
 * database that cannot be reached yet is waited for. Failures change nothing.
 * @throws Error with one line that says why: the database cannot be reached, rejects this process, is not as `checkServer` needs
 *   it, was used by a newer version of Switchyard, or a migration fails
 */
export async function migrate(
  connection: Connection,
  {
    folder = OWN_FOLDER,
    patienceMs = 30_000,
    waiting = () => undefined,
    signal,
    warn = () => undefined,
  }: MigrationOptions = {},
): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  let reason = '';
  const report = () => waiting(`waiting for the database at ${addressOf(connection)}${reason}`);
  let telling: NodeJS.Timeout | undefined;
  let migrating: NodeJS.Timeout | undefined;
  // Reports a host that never answers before the connection attempt times out.
  const slow = setTimeout(() => {
    telling ??= startReporting(report);
  }, SLOW_MS);
  try {
    for (;;) {
      if (signal?.aborted) throw new Error('Stopped while waiting for the database');
      const failure = await attempt(connection, folder, {
        signal,
        warn,
        connected: () => {
          clearTimeout(slow);
          clearInterval(telling);
          telling = undefined;
          migrating ??= setTimeout(
            waiting,
            REPORT_AFTER_MS,
            'bringing the tables up to date, here or in another process',
          );
        },
      });
      if (failure === undefined) return;
      if (Date.now() > giveUpAt) {
        throw new Error(`The database cannot be reached: ${reasonOf(failure)}`, { cause: failure });
      }
      reason = answerOf(failure);
      telling ??= startReporting(report);
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    clearTimeout(slow);
    clearTimeout(migrating);
    clearInterval(telling);
  }
}

function startReporting(report: () => void): NodeJS.Timeout {
  report();
  return setInterval(report, REPORT_AFTER_MS);
}

type MigrationAttempt = Required<Pick<MigrationOptions, 'warn'>> & {
  signal: AbortSignal | undefined;
  connected: () => void;
};

/** @returns the error when the database cannot be reached; undefined on success */
async function attempt(
  connection: Connection,
  folder: string,
  { signal, warn, connected }: MigrationAttempt,
): Promise<unknown> {
  // one connection holds the lock and does the work; migrations have no time limit
  const { db, close } = openDatabase({ connection, max: 1, statementTimeoutMs: 0 });
  // Many attempts share the signal of the caller: each removes its listener.
  const over = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => reject(new Error('Stopped while waiting for the database'));
    signal?.addEventListener('abort', stop, { signal: over.signal });
  });
  // Prevents an unhandled rejection when nothing awaits this promise.
  stopped.catch(() => undefined);
  let isConnected = false;
  const work = async () => {
    const shortage = await checkServer(db);
    if (shortage !== undefined) warn(shortage);
    isConnected = true;
    connected();
    return migrateLocked(db, folder);
  };
  const working = work();
  working.catch(() => undefined);
  try {
    // A shutdown stops the wait for the database; a migration that has begun runs to its end.
    const untilConnected = Promise.race([
      working,
      stopped.catch((error) => (isConnected ? working : Promise.reject(error))),
    ]);
    for (const shortcoming of await untilConnected) warn(shortcoming);
    return undefined;
  } catch (error) {
    if (isRejected(error)) throw rejection(connection, error);
    if (!isUnavailable(error)) throw error;
    return error;
  } finally {
    over.abort();
    if (signal?.aborted && !isConnected) void close();
    else await close();
  }
}

/**
 * Returns the address of a database without credentials: `HOST:PORT`, or the folder of its socket.
 *
 * @throws Error when a URL cannot be parsed
 */
export const addressOf = (connection: Connection): string =>
  typeof connection === 'string' ? namesOf(parseAddress(connection)) : connection.host;

/** Returns the creation times of the migrations that this version knows. */
export const migrationTimes = (): number[] =>
  readMigrationFiles({ migrationsFolder: OWN_FOLDER }).map(({ folderMillis }) => folderMillis);

/**
 * Migrates a database to a level, in the caller's transaction.
 *
 * @param level creation time of the newest migration to apply; all are applied by default
 */
export async function migrateTo(tx: Database, level = Number.POSITIVE_INFINITY): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-migrations-'));
  try {
    const journal = JSON.parse(await readFile(join(OWN_FOLDER, 'meta/_journal.json'), 'utf8')) as {
      entries: { when: number; tag: string }[];
    };
    const entries = journal.entries.filter(({ when }) => when <= level);
    await mkdir(join(folder, 'meta'));
    await writeFile(join(folder, 'meta/_journal.json'), JSON.stringify({ ...journal, entries }));
    for (const { tag } of entries) await copyFile(join(OWN_FOLDER, `${tag}.sql`), join(folder, `${tag}.sql`));
    await applyMigrations(tx as Parameters<typeof applyMigrations>[0], { migrationsFolder: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns warnings about what the database lacks */
async function migrateLocked(db: Database, folder: string): Promise<string[]> {
  await rows(db, sql`select pg_advisory_lock(${MIGRATION_LOCK})`);
  const before = await checkRecord(db, folder);
  try {
    // the migrator works with any postgres.js database, but its type requires the class that opens one
    await applyMigrations(db as Parameters<typeof applyMigrations>[0], { migrationsFolder: folder });
    // A migration may change which documents a filter matches.
    if ((await checkRecord(db, folder)) !== before) await deleteStoredTotals(db);
    const unnamed = await indexNames(db);
    const missing = await findMissingIndexes(db, readMigrationFiles({ migrationsFolder: folder }));
    return unnamed === undefined ? missing : [unnamed, ...missing];
  } catch (error) {
    if (isUnavailable(error)) throw error;
    throw new Error(`The database's tables cannot be brought up to date: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * Compares all applied migrations with those that this version knows; the migrator checks only the newest.
 *
 * @returns the creation time of the newest migration that was applied; 0 before the first
 */
async function checkRecord(db: Database, folder: string): Promise<number> {
  const known = readMigrationFiles({ migrationsFolder: folder }).map(({ folderMillis }) => folderMillis);
  const [table] = await rows<{ found: boolean }>(
    db,
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as found`,
  );
  if (!table?.found) return 0;
  const record = await rows<{ created_at: string }>(
    db,
    sql`select created_at from drizzle.__drizzle_migrations`,
  );
  const recorded = record.map(({ created_at }) => Number(created_at));
  const newest = Math.max(0, ...recorded);
  if (newest > Math.max(0, ...known)) {
    throw new Error(
      `The database was last started with a newer version of Switchyard (its tables are of ${dayOf(newest)}): start that version, or a newer one`,
    );
  }
  const missed = known.find((made) => made < newest && !recorded.includes(made));
  if (missed !== undefined) {
    throw new Error(
      `The migration of ${dayOf(missed)} did not run on this database, but a newer one did: generate it again`,
    );
  }
  return newest;
}

/** Deletes the totals that processes have stored (db/counting/shared-totals.ts), if this level has them. */
async function deleteStoredTotals(db: Database): Promise<void> {
  const [table] = await rows<{ found: boolean }>(
    db,
    sql`select to_regclass('public.list_totals') is not null as found`,
  );
  if (table?.found) await rows(db, sql`delete from list_totals`);
}

const dayOf = (millis: number) => new Date(millis).toISOString();

/** Errors of a server that does not answer: the line with its address says enough. */
const NO_ANSWER = new Set(['ECONNREFUSED', 'CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'ENOENT']);
/** Error of TLS when the server has no TLS and ends the connection. */
const TLS_CLOSED = /before secure TLS connection|wrong version number|packet length too long/i;

/** Errors of certificates that an authority has signed which is not trusted. */
const UNTRUSTED = /self.signed certificate|unable to (verify|get).*certificate/i;

/** Returns the error of a start that waiting would not help. */
function rejection(connection: Connection, error: unknown): Error {
  const reason = reasonOf(error);
  const remedy = UNTRUSTED.test(reason)
    ? ': name the file of the authority that signed its certificate (sslrootcert=…)'
    : /pg_hba.conf.*no encryption/.test(reason)
      ? ': encrypt connections (sslmode=verify-full), or let pg_hba.conf accept it'
      : '';
  return new Error(`The database at ${addressOf(connection)} rejects this process: ${reason}${remedy}`, {
    cause: error,
  });
}

/** Returns why a server that answers cannot be used yet, to be added to a line; empty for one that does not answer. */
function answerOf(error: unknown): string {
  let answer = error;
  while (answer instanceof Error && answer.cause) answer = answer.cause;
  if (!(answer instanceof Error)) return '';
  if (!('severity' in answer)) {
    const code = 'code' in answer ? String(answer.code) : '';
    if (TLS_CLOSED.test(answer.message)) return `: it does not accept TLS, which sslmode requires`;
    return NO_ANSWER.has(code) ? '' : `: ${reasonOf(answer)}`;
  }
  const isReadOnly = 'code' in answer && answer.code === '25006';
  return `: ${isReadOnly ? 'it is in recovery, or read-only' : answer.message}`;
}

/** Returns the message of the innermost cause, which is that of PostgreSQL or the network. */
function reasonOf(error: unknown): string {
  let reason = error;
  while (reason instanceof Error && reason.cause) reason = reason.cause;
  // Of a name with several addresses, each has an error of its own.
  if (reason instanceof AggregateError) return reason.errors.map(reasonOf).join('; ');
  return reason instanceof Error ? reason.message : String(reason);
}
