import { setTimeout as sleep } from 'node:timers/promises';
import { makePgArray } from 'drizzle-orm/pg-core';
import postgres, { type Sql, type TransactionSql } from 'postgres';
import type { Connection } from '../embedded.ts';
import { addressFault } from './address.ts';
import { closedSocket, connectionClosed, openClient, openSocket } from './connect.ts';
import { hostsOf } from './hosts.ts';
import { repetitions, UNPREPARED } from './prepared.ts';
import { control, rejectedStatement, type SentAs, sent, type Unsafe, type Wire } from './sent-statement.ts';
import { beginSession, POOLED_SETTINGS } from './session-settings.ts';
import { type Answering, countUnanswered, pidOf, watchForSilence } from './silence.ts';
import { ignoreLoss, type TransactionLine, transaction } from './transaction.ts';
import { openTurns } from './turns.ts';

/** The part of a postgres.js client that drizzle and `rows` use, on connections that are replaced when they are lost. */
export interface PoolClient {
  unsafe: Unsafe;
  begin: <T>(run: (tx: TransactionSql) => Promise<T>) => Promise<T>;
}

/** A pool: who uses it itself is one user among others. */
export interface Pool extends PoolClient {
  /** Returns the same connections for one user: while all are busy, each user gets one in turn (decision 0181). */
  clientOf: (user: string) => PoolClient;
  /** Waits a few seconds for running statements, then closes all connections. */
  end: () => Promise<void>;
}
interface PoolOptions {
  max: number;
  statementTimeoutMs: number;
  /** A pooler in transaction mode is between: no statement outlives its transaction, and no setting of a session applies. */
  isPooled?: boolean;
}

/**
 * One connection: a postgres.js client of one connection, which sends statements in the order in which it receives them. It
 * has one statement or transaction at a time: a second one would wait for the first, however long that takes.
 */
interface Line extends TransactionLine {
  /** Its session has begun. */
  isOpen: boolean;
  isBusy: boolean;
  answering: Answering;
}

/** Uses a connection; without one, the error says why there is none. */
type Use = (line: Line | undefined, failure?: unknown) => void;

const END_MS = 5000;
/** An unreachable server is asked this often, not once for each statement. */
const PAUSE_MS = 200;

/**
 * Opens a pool of connections that survives the loss of its server. Connects at first use.
 *
 * A postgres.js 3.4.9 client does not survive it: a connection lost with an unsent message stays in the client and times out on
 * every later use, and a transaction that continues after the loss ends the process or writes outside of any transaction. So
 * each connection is a client of its own, which ends with it.
 *
 * Nothing waits for an answer that it does not need (decision 0157): BEGIN leaves together with the first statement of its
 * transaction and COMMIT with the last one. A transaction of insertions alone is one statement (decision 0161).
 * @throws Error when a URL cannot be parsed
 */
export function openPool(connection: Connection, options: PoolOptions): Pool {
  const isRepeated = repetitions();
  const lines = new Set<Line>();
  /** Those who wait for a connection: all are busy, or none can be made. */
  const turns = openTurns<Use>();
  /** Set after the loss of a connection, while no new one is made. */
  let pause: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** A pooler in transaction mode has no session: the role has the settings there (docs/high-availability.md). */
  const begin = options.isPooled
    ? 'select 1'
    : beginSession({
        statement_timeout: String(options.statementTimeoutMs),
        // a process that hangs must not hold its locks for ever
        idle_in_transaction_session_timeout: String(options.statementTimeoutMs),
      });

  // drizzle requests preparation only for the statements of `rows`; for statements without parameters the driver would
  // use the simple protocol, which prepares nothing
  const sentAs: SentAs = (text, query) => {
    if (options.isPooled || text.startsWith(UNPREPARED)) return { prepare: false, simple: false };
    return query?.prepare ? { prepare: true, simple: false } : { prepare: isRepeated(text) };
  };

  /** Removes a lost connection, so that it gets no further statements, and ends its client. */
  const lose = (line: Line) => {
    if (!lines.delete(line)) return;
    line.lost();
    void endNow(line.wire.client);
    if (!isClosed) pause ??= setTimeout(endPause, PAUSE_MS);
  };
  /**
   * Reports that a connection cannot be made. Where the server says so (it has no place for one more, or a password was changed), those
   * who wait are served by the connections that are open, as when the pool is full. Where it does not answer, or no other connection
   * exists, they fail: connections that are open may be silent.
   */
  const cannotOpen = (failure: unknown) => {
    if (lines.size > 0 && failure instanceof postgres.PostgresError) return;
    const error = failure instanceof Error ? Object.assign(failure, { isAtLogin: true }) : failure;
    for (const use of turns.clear()) use(undefined, error);
  };
  /** Makes a connection, which serves those who wait once its session has begun: a login that fails costs no statement. */
  const open = () => {
    let client: Sql;
    try {
      client = newClient(connection, options, () => lose(line));
    } catch (failure) {
      pause ??= setTimeout(endPause, PAUSE_MS);
      return cannotOpen(failure);
    }
    const wire: Wire = { client, unanswered: countUnanswered(), last: undefined };
    const answering: Answering = {
      // A login has a time limit of its own.
      since: () => (line.isOpen ? wire.unanswered.since() : undefined),
      pid: () => wire.last && pidOf(wire.last),
      lose: () => lose(line),
    };
    const line: Line = { wire, isOpen: false, isBusy: true, lost: ignoreLoss, answering };
    lines.add(line);
    control(wire, begin).then(
      () => {
        line.isOpen = true;
        line.isBusy = false;
        serve();
      },
      (failure: unknown) => {
        lose(line);
        cannotOpen(failure);
      },
    );
  };
  const idle = (): Line | undefined => {
    for (const line of lines) if (!line.isBusy) return line;
    return undefined;
  };
  const serve = () => {
    while (turns.size() > 0 && !isClosed) {
      const line = idle();
      if (!line) break;
      turns.next()?.use(line);
    }
    if (isClosed || turns.size() === 0) return;
    let opening = 0;
    for (const { isOpen } of lines) if (!isOpen) opening += 1;
    for (; opening < turns.size() && lines.size < options.max && !pause; opening += 1) open();
  };
  const endPause = () => {
    pause = undefined;
    serve();
  };
  /** Calls `use` with a connection: at once, or in turn. */
  const take = (user: string, use: Use) => {
    turns.wait(user, use);
    serve();
  };

  /** Keeps a connection for this work until it has settled. */
  const occupy = (line: Line, user: string, work: PromiseLike<unknown>) => {
    line.isBusy = true;
    turns.occupy(user);
    const settled = () => {
      line.isBusy = false;
      turns.release(user);
      serve();
    };
    work.then(settled, settled);
  };

  if (typeof connection === 'string') checkUrl(connection);
  const endWatch = watchForSilence(connection, () => Array.from(lines, ({ answering }) => answering));
  const clientOf = (user: string): PoolClient => ({
    unsafe: (text, params, query) => {
      if (isClosed) return rejectedStatement();
      const send = (line: Line) => {
        const statement = sent(line.wire, text, params, query, sentAs);
        // The driver rejects a statement some turns before it says that the connection is lost.
        statement.then(undefined, (error: unknown) => isAnswer(error) || lose(line));
        occupy(line, user, statement);
        return statement;
      };
      const line = turns.size() === 0 && idle();
      return line ? send(line) : laterStatement((use) => take(user, use), send);
    },
    begin: (run) => {
      if (isClosed) return rejectedStatement();
      return new Promise((resolve, reject) => {
        take(user, (line, failure) => {
          if (!line) return reject(failure);
          // `run` begins at once, and may itself ask for a connection.
          line.isBusy = true;
          const work = transaction(line, sentAs, run, () => lose(line));
          work.then(resolve, reject);
          occupy(line, user, work);
        });
      });
    },
  });
  return {
    ...clientOf(''),
    clientOf,
    end: async () => {
      isClosed = true;
      endWatch();
      clearTimeout(pause);
      for (const use of turns.clear()) use(undefined, connectionClosed());
      const until = Date.now() + END_MS;
      for (const line of lines) {
        while (line.isOpen && line.isBusy && Date.now() < until) await sleep(5);
      }
      await Promise.all([...lines].map(({ wire }) => endNow(wire.client)));
    },
  };
}

/** Closes a client's connection at once, and for good: the driver would send what it still has over another one. */
function endNow(client: Sql): Promise<void> {
  Object.assign(client.options, { socket: () => closedSocket() });
  return client.end({ timeout: 0 });
}

/** Returns whether an error is the answer of the server to a statement, or one of this module, and not of the connection. */
const isAnswer = (error: unknown): boolean =>
  error instanceof postgres.PostgresError || error instanceof TypeError || error instanceof RangeError;

/** Returns a statement that is sent once there is a connection; like one of postgres.js, it has `values()` for rows as arrays. */
function laterStatement(
  take: (use: Use) => void,
  send: (line: Line) => ReturnType<Unsafe>,
): ReturnType<Unsafe> {
  let hasNames = true;
  const statement = new Promise<unknown>((resolve) => {
    take((line, failure) => {
      const sending = line ? send(line) : rejectedStatement(failure);
      resolve(hasNames ? sending : sending.values());
    });
  });
  const values = () => {
    hasNames = false;
    return statement;
  };
  return Object.assign(statement, { values }) as never;
}

function newClient(connection: Connection, options: PoolOptions, onLoss: () => void): Sql {
  const settings = {
    max: 1,
    connect_timeout: 5,
    backoff: 0.2,
    // connections must not expire by age, so that every closed connection counts as lost
    max_lifetime: 0,
    onclose: onLoss,
    onnotice: () => undefined,
    // its result arrives with the first connection, and nothing handles its failure
    fetch_types: false,
    types: { text: TEXT, array: ARRAY },
    connection: {
      application_name: 'switchyard',
      ...(options.isPooled && POOLED_SETTINGS),
    },
  };
  if (hostsOf(connection)) return openClient(connection, settings);
  // with TLS the driver creates its own socket
  const { ssl } = openClient(connection, settings).options;
  return openClient(connection, ssl ? settings : { ...settings, socket: openSocket });
}

/** @throws Error when a URL cannot be parsed, without the URL */
function checkUrl(url: string): void {
  const fault = addressFault(url);
  if (fault !== null) throw new Error(`DATABASE_URL ${fault}`);
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
