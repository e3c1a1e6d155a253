import pg from 'pg';
import { type Hosts, hostsOf } from '#db/connections/hosts.ts';
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
  const where =
    typeof connection === 'string'
      ? { connectionString: hosts?.url ?? connection }
      : {
          host: connection.host,
          port: connection.port,
          database: connection.database,
          user: connection.username,
          password: connection.password,
        };
  const pool = new pg.Pool({
    ...where,
    ...(hosts && { Client: clientOfPrimary(hosts) }),
    max,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    idle_in_transaction_session_timeout: hungMs,
  });
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

/** Returns a client that connects to whichever server of several accepts writes: the driver itself knows one. */
function clientOfPrimary(hosts: Hosts): typeof pg.Client {
  return class extends pg.Client {
    constructor(options?: pg.ClientConfig) {
      super(options);
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
