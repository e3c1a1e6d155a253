import type { Sql } from 'postgres';
import { connectionClosed } from './connect.ts';
import type { Unanswered } from './silence.ts';

export type Unsafe = (
  text: string,
  params?: unknown[],
  options?: StatementOptions,
) => ReturnType<Sql['unsafe']>;
interface StatementOptions {
  prepare?: boolean;
  simple?: boolean;
  raw?: boolean;
  /** An INSERT without a result: in a transaction it is sent together with what follows it. */
  isInsertion?: boolean;
}

/** Returns the options with which the driver sends a statement. */
export type SentAs = (text: string, query: Parameters<Unsafe>[2]) => Parameters<Unsafe>[2];

/** A client of one connection, and what is under way on it. */
export type Wire = {
  client: Sql;
  unanswered: Unanswered;
  /** The statement that was sent last: the driver notes the server's process in it. */
  last: object | undefined;
};

/** Most parameters of a statement in the protocol. */
const MOST_PARAMS = 65_533;

const NONE: readonly never[] = [];

/**
 * Sends a statement.
 *
 * @param wire the connection
 * @param text the statement, with `$1`, `$2` …
 * @param params their values
 * @param options with `raw`, the rows are lists of the bytes that the server sends
 * @param sentAs returns the options of the driver
 * @returns the rows; rejected with a TypeError or RangeError for parameters that cannot be sent
 */
export function sent(
  wire: Wire,
  text: string,
  params: unknown[] | undefined,
  options: Parameters<Unsafe>[2],
  sentAs: SentAs,
): ReturnType<Unsafe> {
  let sendable: unknown[] | undefined;
  try {
    sendable = params?.map(asSendable);
    if (params && params.length > MOST_PARAMS)
      throw new RangeError(`${params.length} parameters are too many`);
  } catch (error) {
    return rejectedStatement(error);
  }
  const statement = wire.client.unsafe(text, sendable as never[], sentAs(text, options));
  noteSent(wire, statement);
  return forgottenAtEnd(options?.raw ? (statement.raw() as unknown as ReturnType<Unsafe>) : statement);
}

/**
 * Sends a statement that controls a transaction.
 *
 * @param wire the connection
 * @param text the statement: `begin`
 * @returns a promise of its end
 */
export function control(wire: Wire, text: string): PromiseLike<unknown> {
  const statement = wire.client.unsafe(text);
  noteSent(wire, statement);
  return statement;
}

function noteSent(wire: Wire, statement: PromiseLike<unknown>): void {
  const { sent, answered } = wire.unanswered;
  sent();
  wire.last = statement;
  statement.then(answered, answered);
}

/**
 * Returns the rows of a statement, and takes them and its parameters from the driver's object when it has ended: V8 keeps that object,
 * with all that it holds, until the next collection of all memory (decision 0178).
 */
function forgottenAtEnd(statement: ReturnType<Unsafe>): ReturnType<Unsafe> {
  const forget = () => Object.assign(statement, { args: NONE, parameters: NONE });
  const ended = statement.then(
    (result) => {
      forget();
      return result.splice(0);
    },
    (error: unknown) => {
      forget();
      throw error;
    },
  );
  const values = () => {
    statement.values();
    return ended;
  };
  return Object.assign(ended, { values }) as never;
}

/**
 * Returns a parameter as the driver sends it. When the driver itself finds that it cannot write one (postgres.js 3.4.9), it rejects the
 * statement before it on the connection instead, and then gives each answer to the wrong statement.
 *
 * @throws TypeError or RangeError when it has no text
 */
function asSendable(value: unknown): unknown {
  if (value === undefined) throw new TypeError('a parameter is undefined');
  if (value instanceof Date) value.toISOString();
  const isDocument = typeof value === 'object' && value !== null && value.constructor === Object;
  return isDocument ? JSON.stringify(value) : value;
}

/**
 * Returns a rejected statement that was never sent; like one of postgres.js, it has `values()` for rows as arrays.
 *
 * @param error why; absent: the connection is closed
 * @returns a rejected promise
 */
export function rejectedStatement(error: unknown = connectionClosed()) {
  const statement = Promise.reject(error);
  return Object.assign(statement, { values: () => statement }) as never;
}
