import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import { type Database, isUnavailable, openDatabase, rows } from './client.ts';
import type { Connection } from './embedded.ts';
import { indexNames } from './names.ts';

interface Options {
  /** Of generated SQL with its journal. */
  folder?: string;
  /** How long to wait for a database that cannot be reached. */
  patienceMs?: number;
  /** Told in one line what the database cannot do for us, and what that costs. */
  warn?: (line: string) => void;
}

const OWN_FOLDER = fileURLToPath(new URL('./migrations', import.meta.url));
/** PostgreSQL's name for "Switchyard migrates": any number will do, as long as it stays. */
const LOCK = 7_398_211_640;
const OLDEST_SERVER = 140_000;
const RETRY_MS = 250;

/**
 * Brings the database's tables up to what this version needs. Processes that start at once take turns; waits for a database that
 * cannot be reached yet. Throws one line that says why, with nothing changed: it cannot be reached, is older than PostgreSQL 14 or not
 * in UTF-8, was used by a newer version of ours, or a migration fails.
 */
export async function migrate(
  connection: Connection,
  { folder = OWN_FOLDER, patienceMs = 30_000, warn = () => undefined }: Options = {},
): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    // one connection, which holds the lock and does the work; a migration may take its time
    const { db, close } = openDatabase({ connection, max: 1, statementTimeoutMs: 0 });
    try {
      const shortcoming = await migrateLocked(db, folder);
      if (shortcoming !== undefined) warn(shortcoming);
      return;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (Date.now() > giveUpAt) {
        throw new Error(`The database cannot be reached: ${reasonOf(error)}`, { cause: error });
      }
    } finally {
      await close();
    }
    await sleep(RETRY_MS);
  }
}

/** @returns what the database cannot do for us */
async function migrateLocked(db: Database, folder: string): Promise<string | undefined> {
  await checkServer(db);
  await rows(db, sql`select pg_advisory_lock(${LOCK})`);
  await checkRecord(db, folder);
  try {
    // the migrator takes any database on postgres.js, and its type asks for the class that opens one
    await applyMigrations(db as Parameters<typeof applyMigrations>[0], { migrationsFolder: folder });
    return await indexNames(db);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    throw new Error(`The database's tables cannot be brought up to date: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

async function checkServer(db: Database): Promise<void> {
  const [server] = await rows<{ number: number; version: string; encoding: string }>(
    db,
    sql`select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
          current_setting('server_encoding') as encoding`,
  );
  if (!server || server.number < OLDEST_SERVER) {
    throw new Error(`The database is PostgreSQL ${server?.version}: version 14 or newer is needed`);
  }
  if (server.encoding !== 'UTF8') {
    throw new Error(`The database is encoded in ${server.encoding}: UTF8 is needed`);
  }
}

/** Holds what the database says it went through against what this version knows: the migrator looks at the newest only. */
async function checkRecord(db: Database, folder: string): Promise<void> {
  const known = readMigrationFiles({ migrationsFolder: folder }).map(({ folderMillis }) => folderMillis);
  const [table] = await rows<{ found: boolean }>(
    db,
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as found`,
  );
  if (!table?.found) return;
  const record = await rows<{ created_at: string }>(
    db,
    sql`select created_at from drizzle.__drizzle_migrations`,
  );
  const recorded = record.map(({ created_at }) => Number(created_at));
  const newest = Math.max(0, ...recorded);
  if (newest > Math.max(0, ...known)) {
    throw new Error(
      `The database was last started with a newer version of Switchyard (its tables are of ${dayOf(newest)}): start that one, or a newer one`,
    );
  }
  const missed = known.find((made) => made < newest && !recorded.includes(made));
  if (missed !== undefined) {
    throw new Error(
      `The migration of ${dayOf(missed)} never ran on this database, and a newer one did: generate it again`,
    );
  }
}

const dayOf = (millis: number) => new Date(millis).toISOString();

/** The innermost cause, which is what PostgreSQL or the network said. */
function reasonOf(error: unknown): string {
  let reason = error;
  while (reason instanceof Error && reason.cause) reason = reason.cause;
  return reason instanceof Error ? reason.message : String(reason);
}
