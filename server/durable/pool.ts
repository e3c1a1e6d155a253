import pg from 'pg';
import type { Connection } from '#db/embedded.ts';

type PoolOptions = {
  connection: Connection;
  max: number;
  /** A connection that hangs in a transaction is ended by the server after this time. */
  hungMs: number;
  failed: (error: Error) => void;
};

/**
 * The connections of the engine itself, on the driver that it needs. The engine tries again after a loss that it knows as
 * one; a write to a connection that has just gone (`EPIPE`) it does not, and fails the work. Here that is told as the loss
 * it is.
 */
export function openEnginePool({ connection, max, hungMs, failed }: PoolOptions): pg.Pool {
  const where =
    typeof connection === 'string'
      ? { connectionString: connection }
      : {
          host: connection.host,
          port: connection.port,
          database: connection.database,
          user: connection.username,
          password: connection.password,
        };
  const pool = new pg.Pool({
    ...where,
    max,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    idle_in_transaction_session_timeout: hungMs,
  });
  pool.on('error', failed);
  pool.on('connect', (client) => {
    client.on('error', failed);
    // The driver's own type has an overload for every way to call it; this passes each one on.
    client.query = tellingLoss(client.query.bind(client) as Query) as typeof client.query;
  });
  return pool;
}

type Query = (...given: unknown[]) => unknown;

/** A query that tells a lost connection as such, to whoever waits for a promise and to who gave a callback, as pools do. */
export const tellingLoss =
  (query: Query): Query =>
  (...given) => {
    const told = given.at(-1);
    if (typeof told === 'function') {
      return query(...given.slice(0, -1), (error: DatabaseError | null, ...more: unknown[]) =>
        told(error && lossOf(error), ...more),
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
