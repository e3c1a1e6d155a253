import { drizzle } from 'drizzle-orm/postgres-js';
import type { Sql, TransactionSql } from 'postgres';
import { type Database, isUnavailable } from '../client.ts';
import { openClient } from '../connections/connect.ts';
import { beginSession, END_IF_UNHEARD } from '../connections/session-settings.ts';
import { watchSession } from '../connections/silence.ts';
import type { Connection } from '../embedded.ts';
import { BackupError } from './format.ts';

/** Opens one connection without time limits, because tables may be large. */
export function openSession(connection: Connection): Sql {
  const settings = {
    max: 1,
    connect_timeout: 10,
    fetch_types: false,
    onnotice: () => undefined,
    connection: { application_name: 'switchyard backup' },
  };
  return openClient(connection, settings);
}

/**
 * The first statement of a transaction, which has no time limits. The server ends a session that does not confirm what was sent to it,
 * which is how the watch finds out.
 */
const BEGIN = beginSession({
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  extra_float_digits: '3',
  ...END_IF_UNHEARD,
});

/**
 * Runs a transaction on a session, which ends when the server falls silent: without a watch a backup would wait for ever.
 *
 * @param connection of the session
 * @param options of BEGIN
 * @param run gets the transaction, and is lost with it
 * @returns the result of `run`
 * @throws BackupError with one line when the server is lost; any error of `run`
 */
export async function inSession<T>(
  connection: Connection,
  session: Sql,
  options: string,
  run: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  let endWatch = () => {};
  let lose = () => {};
  const lost = new Promise<never>((_, reject) => {
    lose = () => {
      reject(
        new BackupError(
          'The database has not answered for some time: look at its server and the network, then try again',
        ),
      );
      void session.end({ timeout: 0 });
    };
  });
  const work = session.begin(options, async (tx) => {
    await tx.unsafe(BEGIN);
    const [row] = await tx.unsafe('select pg_backend_pid() as pid');
    endWatch = watchSession(connection, Number(row?.pid), () => lose());
    return run(tx);
  }) as Promise<T>;
  try {
    return await Promise.race([work, lost]);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new BackupError(`The database cannot be reached: ${(error as Error).message}`, { cause: error });
  } finally {
    endWatch();
  }
}

/** Presents a transaction as the database that drizzle's migrator expects; the migrator's transaction is a savepoint. */
export function asDatabase(tx: TransactionSql): Database {
  const client = {
    unsafe: tx.unsafe.bind(tx),
    begin: (run: (inner: TransactionSql) => Promise<unknown>) => tx.savepoint(run),
    options: { parsers: {}, serializers: {} },
  };
  return drizzle({ client: client as unknown as Sql });
}

/** Returns a name, quoted for use in a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns `schema.table`, quoted for use in a statement. */
export const quotedTable = (table: string): string => table.split('.').map(quoted).join('.');
