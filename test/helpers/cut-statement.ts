import { sql } from 'drizzle-orm';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { until } from './processes/processes.ts';

/** Begins something, and cuts the connection of its first statement on a table: it is kept waiting until then. */
export const withCutOn = <Result>(
  db: Database,
  table: string,
  begin: () => Promise<Result>,
): Promise<Result> =>
  inTransaction(db, async (tx) => {
    await tx.execute(sql`lock table ${sql.identifier(table)} in access exclusive mode`);
    const begun = await begin();
    const cut = () =>
      rows(
        tx,
        sql`select pg_terminate_backend(pid) from pg_locks
            where relation = ${table}::regclass and not granted and pid <> pg_backend_pid()`,
      );
    await until(`a statement on ${table}`, async () => (await cut()).length > 0);
    return begun;
  });
