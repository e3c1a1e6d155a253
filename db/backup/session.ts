import { drizzle } from 'drizzle-orm/postgres-js';
import type { Sql, TransactionSql } from 'postgres';
import type { Database } from '../client.ts';
import { openClient } from '../connections/connect.ts';
import { SESSION_SETTINGS } from '../connections/session-settings.ts';
import type { Connection } from '../embedded.ts';

/** Opens one connection without time limits, because tables may be large. */
export function openSession(connection: Connection): Sql {
  const settings = {
    max: 1,
    connect_timeout: 10,
    fetch_types: false,
    onnotice: () => undefined,
    connection: {
      application_name: 'switchyard backup',
      statement_timeout: 0,
      idle_in_transaction_session_timeout: 0,
      ...SESSION_SETTINGS,
      extra_float_digits: 3,
    },
  };
  return openClient(connection, settings);
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
