import { connect, type Socket } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { makePgArray } from 'drizzle-orm/pg-core';
import postgres, { type Sql, type TransactionSql } from 'postgres';
import type { Connection } from '../embedded.ts';

/** What drizzle and our own statements use of a postgres.js client, on connections that get replaced when they are lost. */
export interface Pool {
  unsafe: Unsafe;
  begin: <T>(run: (tx: TransactionSql) => Promise<T>) => Promise<T>;
  /** Waits some seconds for what is under way, then closes all connections. */
  end: () => Promise<void>;
}
type Unsafe = (
  text: string,
  params?: unknown[],
  options?: { prepare?: boolean; simple?: boolean },
) => ReturnType<Sql['unsafe']>;

type SentAs = (text: string, query: Parameters<Unsafe>[2]) => Parameters<Unsafe>[2];

interface PoolOptions {
  max: number;
  statementTimeoutMs: number;
}

/** One postgres.js client. It serves until it loses a connection. */
interface Generation {
  client: Sql;
  born: number;
  underWay: number;
  isRetired: boolean;
}

/** A client this young may have been made in the middle of an outage: it is not replaced again at once. */
const TOO_YOUNG_MS = 200;
const END_MS = 5000;

/**
 * A pool of connections that outlives the loss of its server.
 *
 * A postgres.js 3.4.9 client does not: a connection that is lost with a message still unsent stays in the pool and times out for ever
 * after, and a transaction that goes on after the loss ends the process, or writes outside of any transaction. So a client
 * that loses a connection gets no new work and is closed when its last statement has settled, and a lost
 * transaction's statements are refused before they reach it. Throws when a URL cannot be read; otherwise connects at first use.
 */
export function openPool(connection: Connection, options: PoolOptions): Pool {
  const isRepeated = repetitions();
  const generations = new Set<Generation>();
  let isClosed = false;

  // drizzle asks to prepare the statements of `rows` alone; without parameters the driver would take the simple
  // protocol, which prepares nothing
  const sentAs: SentAs = (text, query) => {
    if (text.startsWith(UNPREPARED)) return { prepare: false, simple: false };
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
    // one that the client will never settle must not keep the others' connections for ever
    const longest = (options.statementTimeoutMs || 600_000) + 30_000;
    setTimeout(() => void endNow(generation), longest).unref();
  };

  /** Keeps count of what is under way, so that a retired client is closed after it and not before. */
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
      if (isClosed) return refused();
      const generation = current;
      return track(generation, generation.client.unsafe(text, params as never[], sentAs(text, query)));
    },
    begin: (run) => {
      if (isClosed) return refused();
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

/** Begins a statement that is planned each time that it is sent. */
export const UNPREPARED = '/* unprepared */ ';

/** Statements that are prepared at most, on each connection: the server keeps a plan of every one. */
const MOST_PREPARED = 500;
/** A text longer than this lists its values, and hardly comes twice. */
const LONGEST_PREPARED = 8000;

/**
 * Tells whether a text has come before. Those are worth preparing: the driver asks for the types of any other's parameters
 * first, which is a round trip more, and the server parses and plans it again. Texts that callers vary without end stay out.
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

/** Closes a client's connections. Asked to wait for its statements, it would wait for lost ones as well. */
const endNow = ({ client }: Generation) => client.end({ timeout: 0 });

/**
 * Runs a transaction whose statements are refused once its connection is lost, or it is over. Left to itself postgres.js sends them,
 * its own ROLLBACK included, to whatever the connection is by then: nothing, or another caller's.
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
      // the driver has given up on us already: it must not go on to COMMIT
      return isOver ? await new Promise<never>(() => undefined) : result;
    } catch (error) {
      // a failure is often the first that is heard of a loss: the end of the connection is told within two turns of the loop
      await turn();
      await turn();
      if (isOver) return await new Promise<never>(() => undefined);
      throw error;
    }
  };
  const guard = (tx: TransactionSql) => {
    const unsafe: Unsafe = (text, params, query) =>
      isOver ? refused() : tx.unsafe(text, params as never[], sentAs(text, query));
    const savepoint = <R>(inner: (tx: TransactionSql) => Promise<R>) =>
      isOver ? refused() : tx.savepoint((deeper) => whileOurs(inner(guard(deeper))));
    // all that drizzle uses of it, and all that we let it use
    return { unsafe, savepoint } as unknown as TransactionSql;
  };

  const work = client.begin((tx) => whileOurs(run(guard(tx)))) as Promise<T>;
  const settled = () => {
    isOver = true;
  };
  work.then(settled, settled);
  return work;
}

/** A statement that was never sent: like postgres.js' own, it can be asked for its rows as arrays. */
function refused() {
  const statement = Promise.reject(connectionClosed());
  return Object.assign(statement, { values: () => statement }) as never;
}

const connectionClosed = () =>
  Object.assign(new Error('The connection to the database is closed'), { code: 'CONNECTION_CLOSED' });

function newClient(connection: Connection, options: PoolOptions, onLoss: () => void): Sql {
  const settings = {
    max: options.max,
    connect_timeout: 5,
    backoff: 0.2,
    // a connection that ends by itself is a lost one: nothing else ends before its time
    max_lifetime: 0,
    onclose: onLoss,
    onnotice: () => undefined,
    // its result comes with the first connection, and its failure is heard by no one
    fetch_types: false,
    types: { text: TEXT, array: ARRAY },
    connection: {
      application_name: 'switchyard',
      statement_timeout: options.statementTimeoutMs,
      // a process that stands still must not hold its locks for ever
      idle_in_transaction_session_timeout: options.statementTimeoutMs,
    },
  };
  const open = (more: object = {}) => {
    const all = { ...settings, ...more } as unknown as postgres.Options<Record<string, never>>;
    return typeof connection === 'string' ? postgres(connection, all) : postgres({ ...connection, ...all });
  };
  try {
    const { ssl, host } = open().options;
    // with TLS the driver brings its own socket, with several hosts it walks through them
    return ssl || host.length > 1 ? open() : open({ socket: openSocket });
  } catch {
    // the cause may hold the password
    throw new Error('DATABASE_URL is not a URL like postgres://user:password@host:5432/database');
  }
}

/** Dates and documents stay the text that PostgreSQL sends, and are sent as text: drizzle's columns convert, hot reads pass it on. */
const TEXT = {
  to: 1184,
  from: [114, 3802, 1082, 1083, 1114, 1184],
  serialize: (value: unknown) => {
    if (value instanceof Date) return value.toISOString();
    return typeof value === 'string' ? value : JSON.stringify(value);
  },
  parse: (text: string) => text,
};

/** Arrays of text, integers, uuids: sent as lists, read as PostgreSQL's text. */
const ARRAY = {
  to: 1009,
  from: [1007, 1009, 1015, 1016, 2951],
  serialize: (value: unknown) => (Array.isArray(value) ? makePgArray(value) : value),
  parse: (text: string) => text,
};

/**
 * A socket that tells its end in one piece, as an error and a close at once, whatever the cause. The driver takes the time between the two for
 * a working connection, and a close without an error during login for a reason to try again at once and for ever.
 */
function openSocket({ path, host, port }: { path: string | false; host: string[]; port: number[] }): Socket {
  const socket = path ? connect(path) : connect(port[0] ?? 5432, host[0]);
  const emit = socket.emit.bind(socket);
  let failure: unknown;
  socket.emit = (event: string, ...details: unknown[]) => {
    if (event === 'error') {
      failure = details[0];
      return true;
    }
    if (event === 'close') {
      emit('error', failure ?? connectionClosed());
      return emit('close', false);
    }
    return emit(event, ...details);
  };
  return socket;
}
