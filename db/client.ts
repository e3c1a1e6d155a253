import { setTimeout as sleep } from 'node:timers/promises';
import { type SQL, sql } from 'drizzle-orm';
import { type PgDatabase, PgTransaction } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js';
import type { Sql } from 'postgres';
import { openPool, UNPREPARED } from './connections/pool.ts';
import type { Connection } from './embedded.ts';
import { statementOf } from './statement.ts';

/** The database, or a transaction on it: what every function that reads or writes takes. */
export type Database = PgDatabase<PostgresJsQueryResultHKT>;

/** An open database. */
export interface OpenDatabase {
  db: Database;
  /** Whether it answers within two seconds. Never throws. */
  ping: () => Promise<boolean>;
  /** Lets statements under way end for some seconds, then closes all connections. */
  close: () => Promise<void>;
}

interface ClientOptions {
  connection: Connection;
  /** Connections at most. */
  max?: number;
  /** After this time the server ends a statement, or a transaction in which nothing happens; 0 is never. */
  statementTimeoutMs?: number;
}

const PING_MS = 2000;
const ATTEMPTS = 3;

/**
 * The database behind one pool of connections, which are made at first use. It outlives the loss of its server: what is under way
 * fails (see `isUnavailable`), and what comes after finds the server again within half a second of its return.
 * Throws when a URL cannot be read.
 */
export function openDatabase({
  connection,
  max = 20,
  statementTimeoutMs = 120_000,
}: ClientOptions): OpenDatabase {
  const pool = openPool(connection, { max, statementTimeoutMs });
  // its own connection: a pool that is busy is no database that is gone
  const probe = openPool(connection, { max: 1, statementTimeoutMs: PING_MS });
  // drizzle changes the options it is given, and asks a client for no more than a pool has
  const client = { ...pool, options: { parsers: {}, serializers: {} } } as unknown as Sql;
  const db = drizzle({ client });
  addresses.set(dialectOf(db), JSON.stringify(connection));
  const ping = () => {
    const answer = probe.unsafe('select 1').then(
      () => true,
      () => false,
    );
    return Promise.race([answer, sleep(PING_MS, false, { ref: false })]);
  };
  const close = async () => {
    await Promise.all([pool.end(), probe.end()]);
  };
  return { db, ping, close };
}

/** Where each open database is, by its dialect, which drizzle hands on to transactions and hides in its types. */
const addresses = new WeakMap<object, string>();
const dialectOf = (db: Database) => (db as Database & { dialect: object }).dialect;

/**
 * Returns state of this process that belongs to one database: the same for every pool that leads there and for their
 * transactions, another for each other database. It is made at first use and kept as long as the process runs.
 */
export function perDatabase<State extends object>(make: () => State): (db: Database) => State {
  const states = new Map<string, State>();
  return (db) => {
    const address = addresses.get(dialectOf(db));
    const state = states.get(address ?? '') ?? make();
    if (address !== undefined) states.set(address, state);
    return state;
  };
}

/**
 * Runs a statement and gives its rows as the server sent them: json, jsonb, timestamps, dates and arrays as text (`2026-11-20
 * 10:39:24.952+00`, not ISO; `{a,b}`), bigint and numeric as text, so that a document can be passed on unread. It is prepared once per
 * connection, so its text must not hold values; a text that callers can vary without end is run with `prepare` false.
 * A document goes in as `${JSON.stringify(doc)}::jsonb`.
 */
export async function rows<T>(db: Database, query: SQL, prepare = true): Promise<T[]> {
  const { text, params } = statementOf(query);
  const statement = { sql: prepare ? text : UNPREPARED + text, params };
  // of the name Drizzle's session asks only whether there is one: then the statement is prepared
  const prepared = db._.session.prepareQuery(statement, undefined, 'rows', false);
  // what the statement selects is the caller's to know, as T
  return (await prepared.execute()) as T[];
}

/**
 * Runs `run` in one transaction, and once or twice again when it fell victim to others (serialisation failure, deadlock): it must do
 * nothing but read and write `tx`. Inside another transaction it is a savepoint, and the outer one is what runs again.
 */
export async function inTransaction<T>(db: Database, run: (tx: Database) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(run);
    } catch (error) {
      const isVictim = ['40001', '40P01'].includes(codesOf(error).at(-1) ?? '');
      if (!isVictim || attempt === ATTEMPTS || db instanceof PgTransaction) throw error;
      await sleep(Math.random() * 50 * attempt);
    }
  }
}

/** Waits for the lock of this name, which all processes share, and holds it until the transaction ends. */
export const acquireLock = (tx: Database, name: string) =>
  tx.execute(sql`select pg_advisory_xact_lock(hashtext(${name}))`);

const UNAVAILABLE = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01', // the server stops
  '57P02', // the server crashes
  '57P03', // the server starts or stops
  '57P05', // idle for too long
  '25P03', // idle in a transaction for too long
  '53300', // too many connections
]);

/** Whether an error, or what caused it, says that the database cannot be reached now: the same may work later. */
export function isUnavailable(error: unknown): boolean {
  return codesOf(error).some((code) => UNAVAILABLE.has(code) || code.startsWith('08'));
}

/** The resource that the database lacks, by SQLSTATE. */
const EXHAUSTED: ReadonlyMap<string, string> = new Map([
  ['53000', 'has no resources left'],
  ['53100', 'has no room left on its disk'],
  ['53200', 'has no memory left'],
  ['53300', 'takes no more connections'],
]);

/** Returns the resource that the database lacks, as a message names it; null for any other error. */
export const exhaustion = (error: unknown): string | null =>
  codesOf(error).flatMap((code) => EXHAUSTED.get(code) ?? [])[0] ?? null;

/** The unique constraint or index that a write violates, also when the error was wrapped; null for any other error. */
export function violates(error: unknown): string | null {
  for (const fault of causesOf(error)) {
    if (fault.code === '23505') return fault.constraint_name ?? '';
  }
  return null;
}

/** Whether a write failed because a text is longer than what an index can hold: some 1,000 characters are always fine. */
export const isTooLong = (error: unknown): boolean => codesOf(error).includes('54000');

interface DatabaseError {
  code?: string;
  constraint_name?: string;
  syscall?: string;
}

/** An error and what caused it, outermost first. */
function causesOf(error: unknown): DatabaseError[] {
  const causes: DatabaseError[] = [];
  for (let next = error; next instanceof Error && causes.length < 10; next = next.cause)
    causes.push(next as DatabaseError);
  return causes;
}

function codesOf(error: unknown): string[] {
  return causesOf(error).flatMap(({ code, syscall }) => {
    if (typeof code !== 'string') return [];
    // no file at all for a socket: the embedded server is not there now
    return [code === 'ENOENT' && syscall === 'connect' ? 'ECONNREFUSED' : code];
  });
}
