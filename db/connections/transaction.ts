import { setImmediate as turn } from 'node:timers/promises';
import type { TransactionSql } from 'postgres';
import { connectionClosed } from './connect.ts';
import { asOne, type Insertion, MOST_HELD } from './insertions.ts';
import { control, rejectedStatement, type SentAs, sent, type Unsafe, type Wire } from './sent-statement.ts';

/** A connection that a transaction has for itself. */
export interface TransactionLine {
  wire: Wire;
  /** Called when the connection is lost. */
  lost: () => void;
}

/** `lost` of a connection without a transaction. Made once: a function of the last one would hold all that its request allocated. */
export const ignoreLoss = (): void => {};

/**
 * Runs a transaction on a connection that nobody else uses meanwhile. Its statements are rejected once the connection is lost or
 * the transaction has finished.
 *
 * A statement may still be under way when `run` has finished: COMMIT follows it, and when it fails, so does the transaction.
 * Insertions are held until the next statement or the end. Where nothing was sent before the end, they are one statement,
 * which needs neither BEGIN nor COMMIT.
 *
 * @param sentAs how statements are sent on this connection
 * @param run sends the statements of the transaction
 * @param lose called when the connection is lost and does not know it yet
 * @returns what `run` returns, once the transaction is committed
 * @throws Error the failure of `run` or of a statement, or that the connection was closed
 */
export async function transaction<T>(
  line: TransactionLine,
  sentAs: SentAs,
  run: (tx: TransactionSql) => Promise<T>,
  lose: () => void,
): Promise<T> {
  let isBegun = false;
  let isOver = false;
  let savepoints = 0;
  const held: Insertion[] = [];
  const lost = new Promise<never>((_, reject) => {
    // Not assigned where it is made (decision 0178).
    const onLoss = () => {
      isOver = true;
      reject(connectionClosed());
    };
    line.lost = onLoss;
  });

  /** Runs a part of the transaction behind a savepoint, or all of it. */
  const scope = async <R>(part: (tx: TransactionSql) => Promise<R>, savepoint?: string): Promise<R> => {
    let failure: unknown;
    let last: PromiseLike<unknown> | undefined;
    const noteFailure = (error: unknown) => {
      failure ??= error;
    };
    const send: Unsafe = (text, params, query) => {
      const statement = sent(line.wire, text, params, query, sentAs);
      last = statement.then(undefined, noteFailure);
      return statement;
    };
    const sendHeld = () => {
      const { text, params } = asOne(held.splice(0));
      return send(text, params, { prepare: true });
    };
    /** Sends what comes before a further statement. */
    const precede = () => {
      if (!isBegun) control(line.wire, 'begin').then(undefined, noteFailure);
      isBegun = true;
      if (held.length > 0) void sendHeld();
    };
    const unsafe: Unsafe = (text, params, query) => {
      if (isOver) return rejectedStatement();
      if (query?.isInsertion && savepoint === undefined) {
        if (held.length === MOST_HELD) precede();
        held.push({ text, params: params ?? [] });
        return Promise.resolve([]) as never;
      }
      precede();
      return send(text, params, query);
    };
    const nested = async <S>(inner: (tx: TransactionSql) => Promise<S>) => {
      if (isOver) return rejectedStatement();
      precede();
      // Behind a statement that has failed there would be no savepoint to return to.
      await last;
      if (failure !== undefined) throw failure;
      savepoints += 1;
      return scope(inner, `s${savepoints}`);
    };
    try {
      if (savepoint) control(line.wire, `savepoint ${savepoint}`).then(undefined, noteFailure);
      // the only methods that drizzle uses, and the only ones that callers may use
      const result = await part({ unsafe, savepoint: nested } as unknown as TransactionSql);
      if (isOver) throw connectionClosed();
      if (savepoint) await last;
      else if (isBegun) {
        precede();
        if (failure === undefined) await control(line.wire, 'commit');
        else await last;
      } else if (held.length > 0) await sendHeld();
      if (failure !== undefined) throw failure;
      return result;
    } catch (error) {
      // a failure is often the first sign of a loss: the driver reports the closed connection within two event loop turns
      await turn();
      await turn();
      if (!isOver && isBegun) {
        await control(line.wire, savepoint ? `rollback to ${savepoint}` : 'rollback').then(undefined, lose);
      }
      throw isAborted(error) ? (failure ?? error) : error;
    }
  };
  try {
    return await Promise.race([scope(run), lost]);
  } finally {
    isOver = true;
    line.lost = ignoreLoss;
  }
}

/** Returns whether an error is that of a statement that follows a failed one in its transaction. */
const isAborted = (error: unknown): boolean => {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return code === '25P02' || (cause !== undefined && isAborted(cause));
};
