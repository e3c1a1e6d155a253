import { setTimeout as sleep } from 'node:timers/promises';
import { type SQL, sql } from 'drizzle-orm';
import { type PgDatabase, PgTransaction } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js';
import type { Sql } from 'postgres';
import { openPool, type PoolClient } from './connections/pool.ts';
import { UNPREPARED } from './connections/prepared.ts';
import type { Connection } from './embedded.ts';
import { statementOf } from './statement.ts';

/** The database, or a transaction on it: every function that reads or writes accepts either. */
export type Database = PgDatabase<PostgresJsQueryResultHKT>;

/** An open database. */
export interface OpenDatabase {
  db: Database;
  /** Returns whether the database answers within two seconds. Never throws. */
  ping: () => Promise<boolean>;
  /** Waits a few seconds for running statements, then closes all connections. */
  close: () => Promise<void>;
}

interface ClientOptions {
  connection: Connection;
  /** URL of a pooler of the same database in transaction mode, which all statements use; absent: they use `connection`. */
  pooler?: string | undefined;
  /** Maximum number of connections. */
  max?: number;
  /** Time after which the server cancels a statement or ends an idle transaction; 0 means never. */
  statementTimeoutMs?: number;
}

const PING_MS = 2000;
const ATTEMPTS = 3;

/**
 * Opens the database behind a pool of connections, which are made at first use. The pool survives the loss of its server:
 * running statements fail (see `isUnavailable`), and later ones find the server within half a second of its return.
 * @throws Error when a URL cannot be parsed
 */
export function openDatabase({
  connection,
  pooler,
  max = 20,
  statementTimeoutMs = 120_000,
}: ClientOptions): OpenDatabase {
  const isPooled = pooler !== undefined;
  const pool = openPool(pooler ?? connection, { max, statementTimeoutMs, isPooled });
  // a separate connection: a busy pool does not mean that the database is unavailable
  const probe = openPool(pooler ?? connection, { max: 1, statementTimeoutMs: PING_MS, isPooled });
  const address = JSON.stringify(connection);
  const open = (client: PoolClient): Database => {
    // drizzle changes the options of its client, and uses nothing of a client that a pool does not have
    const opened = drizzle({
      client: { ...client, options: { parsers: {}, serializers: {} } } as unknown as Sql,
    });
    addresses.set(dialectOf(opened), address);
    return opened;
  };
  const db = open(pool);
  sharers.set(db, { known: new Map(), open: (user) => open(pool.clientOf(user)) });
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

/** Most users whose database is remembered: making one costs less than a statement. */
const MOST_USERS = 1000;
const sharers = new WeakMap<Database, { known: Map<string, Database>; open: (user: string) => Database }>();

/**
 * Returns a database for the statements of one user. While all connections are busy, the next free one is for the user who has
 * fewest, so that nobody waits for the requests of somebody else (decision 0181).
 *
 * @param db an open database; of any other, such as a transaction, the statements stay where they are
 * @param user id of the account
 */
export function databaseOf(db: Database, user: string): Database {
  const sharer = sharers.get(db);
  if (!sharer) return db;
  const known = sharer.known.get(user);
  if (known) return known;
  if (sharer.known.size >= MOST_USERS) sharer.known.clear();
  const opened = sharer.open(user);
  sharer.known.set(user, opened);
  return opened;
}

/** The address of each open database, by its dialect, which drizzle passes to transactions but omits from its types. */
const addresses = new WeakMap<object, string>();
const dialectOf = (db: Database) => (db as Database & { dialect: object }).dialect;

/**
 * Returns an accessor for process-wide state that belongs to one database: all pools to that database and their
 * transactions share it. The state is created at first use and kept for the life of the process.
 *
 * @param make makes the state of a database that has none
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
 * Runs a statement and returns its rows as the server sent them: json, jsonb, timestamps, dates and arrays as text
 * (`2026-11-20 10:39:24.952+00`, not ISO; `{a,b}`), bigint and numeric as text, so that a document can be passed on
 * unparsed. The statement is prepared once per connection, so its text must not contain values; texts that callers can
 * vary without limit must run with `prepare` false. Pass a document as `${JSON.stringify(doc)}::jsonb`.
 */
export async function rows<T>(db: Database, query: SQL, prepare = true): Promise<T[]> {
  // the caller knows the columns that its statement selects, and states them as T
  return (await send(db, query, { prepare })) as T[];
}

/**
 * Runs a statement that yields exactly one row, and returns its columns as the bytes that the server sent: long texts are
 * passed on without becoming strings, which would be copied by each garbage collection (decision 0139).
 *
 * @param prepare false: the statement is planned for its values alone, and not kept prepared
 * @returns the columns in order; null for NULL
 * @throws TypeError when there is no row
 */
export async function rowOfBytes(db: Database, query: SQL, prepare = true): Promise<(Buffer | null)[]> {
  const [row] = (await send(db, query, { prepare, raw: true })) as unknown as (Buffer | null)[][];
  if (!row) throw new TypeError('the statement yields no row');
  return row;
}

/**
 * Runs a statement whose result nobody reads. In a transaction it is not waited for, so that COMMIT can follow it in the same
 * message (decision 0157): if it fails, the transaction fails with its error and stores nothing.
 *
 * @throws outside of a transaction the error of the statement
 */
export async function runUnread(db: Database, query: SQL): Promise<void> {
  const sending = send(db, query, { prepare: true });
  if (!(db instanceof PgTransaction)) await sending;
}

/**
 * Runs an INSERT made by `insertion` (db/collection.ts) without reading a result. In a transaction it is not sent at once, but
 * together with the next statement; a transaction of one or two such INSERTs alone is sent as one statement (decision 0161). If it
 * fails, the transaction fails with its error, or with that of `failsWith`.
 *
 * @throws outside of a transaction the error of the statement
 */
export async function runInsertion(db: Database, query: SQL): Promise<void> {
  await send(db, query, { prepare: true, isInsertion: db instanceof PgTransaction });
}

/** What a transaction throws instead of the violation of a unique index, by the name of the index. */
type Violations = Map<string, (cause: unknown) => Error>;
const violations = new WeakMap<Database, Violations>();

/**
 * Sets the error with which a transaction of `inTransaction` fails when it violates a unique index: of statements that are not
 * waited for, nobody else can translate it.
 *
 * @param tx a transaction of `inTransaction`
 * @param index name of the unique index
 * @param made returns the error, given that of the driver
 * @returns false when this index has an error already, which is that of another document
 */
export function failsWith(tx: Database, index: string, made: (cause: unknown) => Error): boolean {
  const known = violations.get(tx);
  if (known?.has(index)) return false;
  known?.set(index, made);
  return true;
}

/** Sends a statement by the client of a session: Drizzle's own steps around it took as long as sending it. */
function send(
  db: Database,
  query: SQL,
  { prepare, ...options }: { prepare: boolean; raw?: boolean; isInsertion?: boolean },
) {
  const { text, params } = statementOf(query);
  const { client } = db._.session as unknown as { client: Pick<PoolClient, 'unsafe'> };
  return client.unsafe(prepare ? text : UNPREPARED + text, params, { prepare: true, ...options });
}

/**
 * Runs `run` in one transaction, and retries it up to twice after a serialisation failure or a deadlock: `run` must do
 * nothing but read and write `tx`. Inside another transaction it is a savepoint, and only the outer one is retried.
 *
 * @returns the result of `run`
 * @throws the error of the last attempt
 */
export async function inTransaction<T>(db: Database, run: (tx: Database) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const known: Violations = new Map();
    try {
      return await db.transaction((tx) => {
        violations.set(tx, known);
        return run(tx);
      });
    } catch (error) {
      const isVictim = ['40001', '40P01'].includes(codesOf(error).at(-1) ?? '');
      if (!isVictim || attempt === ATTEMPTS || db instanceof PgTransaction) throw translated(error, known);
      await sleep(Math.random() * 50 * attempt);
    }
  }
}

/** Returns the error of a violated index, also in place of the server's; an error that wraps that one is translated already. */
function translated(error: unknown, known: Violations): unknown {
  const { code, constraint_name: index = '' } = (error ?? {}) as DatabaseError;
  return code === '23505' ? (known.get(index)?.(error) ?? error) : error;
}

/** How long the reader of a snapshot may pause between two statements, in seconds: an old snapshot keeps deleted rows. */
const SNAPSHOT_PAUSE_S = 60;

/**
 * Reads parts from one snapshot of the database: all of them show the moment of the first. The transaction ends with the last
 * part, when the consumer stops, and when the consumer takes no part for a minute; the next part then fails.
 *
 * @param read returns the parts; it must not write
 */
export async function* fromSnapshot<Part>(
  db: Database,
  read: (tx: Database) => AsyncIterable<Part>,
): AsyncGenerator<Part> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let running: Promise<void> = Promise.resolve();
  const tx = await new Promise<Database>((resolve, reject) => {
    running = db.transaction(
      async (opened) => {
        await opened.execute(
          sql.raw(`set local idle_in_transaction_session_timeout = '${SNAPSHOT_PAUSE_S}s'`),
        );
        resolve(opened);
        await ended;
      },
      { isolationLevel: 'repeatable read', accessMode: 'read only' },
    );
    running.catch(reject);
  });
  try {
    yield* read(tx);
  } finally {
    end();
    // The statements of the reader have reported what failed, and nothing was written that its end could lose.
    await running.catch(() => undefined);
  }
}

/** Waits for the lock of this name, which all processes share, and holds it until the transaction ends. */
export async function acquireLock(tx: Database, name: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${name}))`);
}

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
  '25006', // the server is in recovery or read-only
  '53300', // too many connections
]);

/** Returns whether an error or one of its causes means that the database cannot be reached now; a retry may succeed. */
export const isUnavailable = (error: unknown): boolean => isAwayNow(error) || isRejected(error);

const isAwayNow = (error: unknown) =>
  codesOf(error).some((code) => UNAVAILABLE.has(code) || code.startsWith('08'));

/**
 * Returns whether the database cannot be used until somebody changes something: the role, its password or a right was changed, the
 * database has another name, or the certificate is not trusted. A process that runs continues as soon as that is undone.
 *
 * @param error of a statement or a connection, with its causes
 */
export const isRejected = (error: unknown): boolean =>
  !isAwayNow(error) &&
  causesOf(error).some(({ severity, isAtLogin }) => severity === 'FATAL' || isAtLogin === true);

/** Maps an SQLSTATE to a message about the resource that the database lacks. */
const EXHAUSTED: ReadonlyMap<string, string> = new Map([
  ['53000', 'has no resources left'],
  ['53100', 'has no room left on its disk'],
  ['53200', 'has no memory left'],
  ['53300', 'accepts no more connections'],
]);

/** Returns which resource the database lacks, as worded in messages; null for any other error. */
export const exhaustion = (error: unknown): string | null =>
  codesOf(error).flatMap((code) => EXHAUSTED.get(code) ?? [])[0] ??
  (causesOf(error).some(isUnwritable) ? 'cannot write to its disk' : null);

/** Checks for a disk that is read-only or faulty. For the first the server has no code of its own, but that of missing rights. */
const isUnwritable = ({ code, message }: DatabaseError) =>
  code === '58030' || (code === '42501' && /: read-only file system$/i.test(message ?? ''));

/** Returns the unique constraint or index that a write violates, also from a wrapped error; null for any other error. */
export function violates(error: unknown): string | null {
  for (const fault of causesOf(error)) {
    if (fault.code === '23505') return fault.constraint_name ?? '';
  }
  return null;
}

/**
 * Checks whether a write failed because a text is too long for an index; some 1,000 characters always fit.
 *
 * @param error of the write
 */
export const isTooLong = (error: unknown): boolean => codesOf(error).includes('54000');

interface DatabaseError {
  code?: string;
  message?: string;
  constraint_name?: string;
  syscall?: string;
  severity?: string;
  /** It is the answer to a login, or to the attempt to connect. */
  isAtLogin?: boolean;
}

/** Returns an error and its causes, outermost first. */
function causesOf(error: unknown): DatabaseError[] {
  const causes: DatabaseError[] = [];
  for (let next = error; next instanceof Error && causes.length < 10; next = next.cause)
    causes.push(next as DatabaseError);
  return causes;
}

function codesOf(error: unknown): string[] {
  return causesOf(error).flatMap(({ code, syscall }) => {
    if (typeof code !== 'string') return [];
    // the socket file does not exist: the embedded server is not running now
    return [code === 'ENOENT' && syscall === 'connect' ? 'ECONNREFUSED' : code];
  });
}
