import pg from 'pg';
import { parseAddress, tlsOf } from '#db/connections/address.ts';
import { type Hosts, hostsOf } from '#db/connections/hosts.ts';
import { beginSession } from '#db/connections/session-settings.ts';
import { type Answering, countUnanswered, watchForSilence } from '#db/connections/silence.ts';
import type { Connection } from '#db/embedded.ts';

type PoolOptions = {
  connection: Connection;
  max: number;
  /** The server ends a connection that is idle in a transaction for this long, in milliseconds. */
  hungMs: number;
  failed: (error: Error) => void;
};

/**
 * Opens the engine's own connections, on the driver that it requires. The engine retries after a connection loss that
 * it recognizes; it does not recognize a write to a connection that has just closed (`EPIPE`) and fails the work. Such
 * an error is reported here as a connection loss.
 */
export function openEnginePool({ connection, max, hungMs, failed }: PoolOptions): pg.Pool {
  const hosts = hostsOf(connection);
  const pool = new pg.Pool({
    ...addressOf(connection),
    Client: clientOf(connection, hosts),
    max,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    onConnect: (client: pg.ClientBase) =>
      client.query(beginSession({ idle_in_transaction_session_timeout: String(hungMs) })),
  } as pg.PoolConfig);
  const clients = new Map<pg.PoolClient, Answering>();
  pool.on('error', failed);
  pool.on('connect', (client) => {
    client.on('error', failed);
    const { query, answering } = answeringOf(client as Connected);
    clients.set(client, answering);
    // The driver's type has an overload for every call signature; this passes each one on.
    client.query = translateLoss(query) as typeof client.query;
  });
  pool.on('remove', (client) => void clients.delete(client));
  const endWatch = watchForSilence(connection, () => clients.values());
  const end = pool.end.bind(pool) as () => Promise<void>;
  pool.end = (() => {
    endWatch();
    return end();
  }) as typeof pool.end;
  return pool;
}

/** Returns where the driver connects, and as whom. The parts of a URL: the driver would read it in another way than the other one. */
function addressOf(connection: Connection): pg.ClientConfig {
  if (typeof connection !== 'string') {
    const { host, port, database, username, password } = connection;
    return { host, port, database, user: username, password };
  }
  const { hosts, user, password, database, settings } = parseAddress(connection);
  const { options = '', ...others } = settings;
  const given = Object.entries(others).map(
    ([name, value]) => ` -c ${name}=${value.replace(/[\\\s]/g, '\\$&')}`,
  );
  return { ...hosts[0], user, password, database, options: options + given.join('') };
}

/** Returns the class of clients. With several servers they connect to whichever accepts writes: the driver itself knows one. */
function clientOf(connection: Connection, hosts: Hosts | undefined): typeof pg.Client {
  const address = typeof connection === 'string' ? parseAddress(connection) : undefined;
  return class extends pg.Client {
    constructor(options?: pg.ClientConfig) {
      // The files of TLS are read for each connection. Without any, the driver would look for variables of the environment.
      // Pools hide the password from copies of their options.
      const password = options?.password;
      super({ ...options, password, ssl: address ? tlsOf(address, () => this.host) : false });
      if (!hosts) return;
      const connect = this.connect.bind(this) as () => Promise<pg.Client>;
      const toPrimary = async () => {
        const primary = await hosts.primary();
        Object.assign(this, primary);
        this.once('end', () => hosts.forget(primary));
        return connect();
      };
      // Pools connect with a callback.
      this.connect = ((callback?: (error?: Error) => void) =>
        callback ? void toPrimary().then(() => callback(), callback) : toPrimary()) as typeof this.connect;
    }
  };
}

type Query = (...given: unknown[]) => unknown;

/** A client of the driver (pg 8.23.1) that has connected, with what its types do not declare. */
type Connected = pg.PoolClient & {
  processID: number;
  connection: { stream: { destroy: (reason: Error) => void } };
};

/** Returns the function that sends statements of a client, and whether an answer to one is due. */
function answeringOf(client: Connected): { query: Query; answering: Answering } {
  const send = client.query.bind(client) as Query;
  const { sent, answered, since } = countUnanswered();
  const query: Query = (...given) => {
    const callback = given.at(-1);
    if (typeof callback !== 'function') {
      const answer = send(...given);
      if (answer instanceof Promise) {
        sent();
        answer.then(answered, answered);
      }
      return answer;
    }
    sent();
    return send(...given.slice(0, -1), (...results: unknown[]) => {
      answered();
      callback(...results);
    });
  };
  return {
    query,
    answering: {
      since,
      pid: () => client.processID,
      lose: () => client.connection.stream.destroy(new Error('Connection terminated unexpectedly')),
    },
  };
}

/** Wraps a query so that a lost connection is reported as such, both to promises and to callbacks, which pools use. */
export const translateLoss =
  (query: Query): Query =>
  (...given) => {
    const callback = given.at(-1);
    if (typeof callback === 'function') {
      return query(...given.slice(0, -1), (error: DatabaseError | null, ...more: unknown[]) =>
        callback(error && lossOf(error), ...more),
      );
    }
    const answer = query(...given);
    return answer instanceof Promise
      ? answer.catch((error: DatabaseError) => Promise.reject(lossOf(error)))
      : answer;
  };

type DatabaseError = Error & { code?: string };

function lossOf(error: DatabaseError): DatabaseError {
  if (error.code !== 'EPIPE') return error;
  return Object.assign(new Error('Connection terminated unexpectedly', { cause: error }), {
    code: 'ECONNRESET',
  });
}
