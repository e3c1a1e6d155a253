import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { makePgArray } from 'drizzle-orm/pg-core';
import type { Sql, TransactionSql } from 'postgres';
import type { Connection } from '../embedded.ts';
import { connectionClosed, openClient, openSocket } from './connect.ts';
import { hostsOf } from './hosts.ts';

/** The part of a postgres.js client that drizzle and `rows` use, on connections that are replaced when they are lost. */
export interface Pool {
  unsafe: Unsafe;
  begin: <T>(run: (tx: TransactionSql) => Promise<T>) => Promise<T>;
  /** Waits a few seconds for running statements, then closes all connections. */
  end: () => Promise<void>;
}
type Unsafe = (
  text: string,
  params?: unknown[],
  options?: { prepare?: boolean; simple?: boolean; raw?: boolean },
) => ReturnType<Sql['unsafe']>;

type SentAs = (text: string, query: Parameters<Unsafe>[2]) => Parameters<Unsafe>[2];

interface PoolOptions {
  max: number;
  statementTimeoutMs: number;
  /** A pooler in transaction mode is between: no statement outlives its transaction, and no setting of a session applies. */
  isPooled?: boolean;
}

/** One postgres.js client, used until it loses a connection. */
interface Generation {
  client: Sql;
  born: number;
  underWay: number;
  isRetired: boolean;
}

/** A client younger than this may have been made during an outage, so it is not replaced again at once. */
const TOO_YOUNG_MS = 200;
const END_MS = 5000;

/**
 * Opens a pool of connections that survives the loss of its server.
 *
 * A postgres.js 3.4.9 client does not: a connection lost with an unsent message stays in the pool and times out on every
 * later use, and a transaction that continues after the loss ends the process or writes outside of any transaction. So a
 * client that loses a connection gets no new work and is closed when its last statement has settled, and the statements
 * of a lost transaction are rejected before they reach it. Connects at first use.
 * @throws Error when a URL cannot be parsed
 */
export function openPool(connection: Connection, options: PoolOptions): Pool {
  const isRepeated = repetitions();
  const generations = new Set<Generation>();
  let isClosed = false;

  // drizzle requests preparation only for the statements of `rows`; for statements without parameters the driver would
  // use the simple protocol, which prepares nothing
  const sentAs: SentAs = (text, query) => {
    if (options.isPooled || text.startsWith(UNPREPARED)) return { prepare: false, simple: false };
    return query?.prepare ? { prepare: true, simple: false } : { prepare: isRepeated(text) };
  };
  const begin = (): Generation => {
    const client = newClient(connection, options, () => retire(generation));
    const generation = { client, born: Date.now(), underWay: 0, isRetired: false };
    generations.add(generation);
    return generation;
  };
  let current = begin();

  const endIfIdle = (generation: Generation) => {
    if (!generation.isRetired || generation.underWay > 0 || isClosed) return;
    generations.delete(generation);
    void endNow(generation);
  };
  const retire = (generation: Generation) => {
    if (isClosed || generation.isRetired || Date.now() - generation.born < TOO_YOUNG_MS) return;
    generation.isRetired = true;
    if (generation === current) current = begin();
    endIfIdle(generation);
    // statements that the client never settles must not keep its other connections open for ever
    const longest = (options.statementTimeoutMs || 600_000) + 30_000;
    setTimeout(() => void endNow(generation), longest).unref();
  };

  /** Counts running work, so that a retired client is closed only after it has finished. */
  const track = <Work extends PromiseLike<unknown>>(generation: Generation, work: Work): Work => {
    generation.underWay += 1;
    const settled = () => {
      generation.underWay -= 1;
      endIfIdle(generation);
    };
    work.then(settled, settled);
    return work;
  };

  return {
    unsafe: (text, params, query) => {
      if (isClosed) return rejectedStatement();
      const generation = current;
      return track(generation, sent(generation.client, text, params, query, sentAs));
    },
    begin: (run) => {
      if (isClosed) return rejectedStatement();
      const generation = current;
      return track(generation, guardedTransaction(generation.client, sentAs, run));
    },
    end: async () => {
      isClosed = true;
      const until = Date.now() + END_MS;
      for (const generation of generations) {
        while (generation.underWay > 0 && Date.now() < until) await sleep(5);
      }
      await Promise.all([...generations].map(endNow));
    },
  };
}

/** Sends a statement; with `raw` its rows are lists of the bytes that the server sends. */
function sent(
  client: Sql | TransactionSql,
  text: string,
  params: unknown[] | undefined,
  options: Parameters<Unsafe>[2],
  sentAs: SentAs,
): ReturnType<Unsafe> {
  const statement = client.unsafe(text, params as never[], sentAs(text, options));
  return options?.raw ? (statement.raw() as unknown as ReturnType<Unsafe>) : statement;
}

/** Prefix of a statement that is planned again each time it is sent. */
export const UNPREPARED = '/* unprepared */ ';

/** Maximum number of prepared statements per connection: the server keeps a plan for each. */
const MOST_PREPARED = 500;
/** A text longer than this lists its values, and is unlikely to be repeated. */
const LONGEST_PREPARED = 8000;

/**
 * Returns a function that checks whether a text was seen before. Repeated texts are worth preparing: for any other the
 * driver first requests the parameter types, which costs a round trip, and the server parses and plans it again. Texts
 * that callers vary without limit are not kept.
 */
function repetitions(): (text: string) => boolean {
  const once = new Set<string>();
  const again = new Set<string>();
  return (text) => {
    if (again.has(text)) return true;
    if (text.length > LONGEST_PREPARED || again.size >= MOST_PREPARED) return false;
    if (once.delete(text)) {
      again.add(text);
      return true;
    }
    if (once.size >= MOST_PREPARED) once.clear();
    once.add(text);
    return false;
  };
}

/** Closes a client's connections at once: a client that waits for its statements would also wait for lost ones. */
const endNow = ({ client }: Generation) => client.end({ timeout: 0 });

/**
 * Runs a transaction whose statements are rejected once its connection is lost or the transaction has finished.
 * Otherwise postgres.js sends them, including its own ROLLBACK, to whatever uses the connection by then: nothing, or
 * another caller's transaction.
 */
function guardedTransaction<T>(
  client: Sql,
  sentAs: SentAs,
  run: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  let isOver = false;

  const whileOurs = async <R>(work: Promise<R>): Promise<R> => {
    try {
      const result = await work;
      // the driver has already given up on this transaction: it must not continue to COMMIT
      return isOver ? await new Promise<never>(() => undefined) : result;
    } catch (error) {
      // a failure is often the first sign of a loss: the driver reports the closed connection within two event loop turns
      await turn();
      await turn();
      if (isOver) return await new Promise<never>(() => undefined);
      throw error;
    }
  };
  const guard = (tx: TransactionSql) => {
    const unsafe: Unsafe = (text, params, query) =>
      isOver ? rejectedStatement() : sent(tx, text, params, query, sentAs);
    const savepoint = <R>(inner: (tx: TransactionSql) => Promise<R>) =>
      isOver ? rejectedStatement() : tx.savepoint((deeper) => whileOurs(inner(guard(deeper))));
    // the only methods that drizzle uses, and the only ones that callers may use
    return { unsafe, savepoint } as unknown as TransactionSql;
  };

  const work = client.begin((tx) => whileOurs(run(guard(tx)))) as Promise<T>;
  const settled = () => {
    isOver = true;
  };
  work.then(settled, settled);
  return work;
}

/** Returns a rejected statement that was never sent; like one of postgres.js, it has `values()` for rows as arrays. */
function rejectedStatement() {
  const statement = Promise.reject(connectionClosed());
  return Object.assign(statement, { values: () => statement }) as never;
}

function newClient(connection: Connection, options: PoolOptions, onLoss: () => void): Sql {
  const settings = {
    max: options.max,
    connect_timeout: 5,
    backoff: 0.2,
    // connections must not expire by age, so that every closed connection counts as lost
    max_lifetime: 0,
    onclose: onLoss,
    onnotice: () => undefined,
    // its result arrives with the first connection, and nothing handles its failure
    fetch_types: false,
    types: { text: TEXT, array: ARRAY },
    // The driver's own COMMIT as well: prepared on one connection of the pooler and sent on another, it would fail, be sent again
    // in the transaction that failed by it, and so roll back while it succeeds.
    ...(options.isPooled && { prepare: false }),
    connection: {
      application_name: 'switchyard',
      // poolers reject these: the role has them there (docs/high-availability.md)
      ...(!options.isPooled && {
        statement_timeout: options.statementTimeoutMs,
        // a process that hangs must not hold its locks for ever
        idle_in_transaction_session_timeout: options.statementTimeoutMs,
      }),
    },
  };
  try {
    if (hostsOf(connection)) return openClient(connection, settings);
    // with TLS the driver creates its own socket
    const { ssl } = openClient(connection, settings).options;
    return openClient(connection, ssl ? settings : { ...settings, socket: openSocket });
  } catch {
    // the cause may contain the password
    throw new Error('DATABASE_URL is not a URL like postgres://user:password@host:5432/database');
  }
}

/** Keeps dates and documents as text in both directions: drizzle's columns convert them, frequent reads pass them on. */
const TEXT = {
  to: 1184,
  from: [114, 3802, 1082, 1083, 1114, 1184],
  serialize: (value: unknown) => {
    if (value instanceof Date) return value.toISOString();
    return typeof value === 'string' ? value : JSON.stringify(value);
  },
  parse: (text: string) => text,
};

/** Arrays of text, integers and uuids: sent as lists, read as PostgreSQL's text. */
const ARRAY = {
  to: 1009,
  from: [1007, 1009, 1015, 1016, 2951],
  serialize: (value: unknown) => (Array.isArray(value) ? makePgArray(value) : value),
  parse: (text: string) => text,
};
