import type { SQL } from 'drizzle-orm';
import type { PgDatabase } from 'drizzle-orm/pg-core';
import { PgDialect } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsDatabase, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';

export type Database = PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>;
const dialect = new PgDialect();
export function openDatabase({ connection }: { connection: string; log?: unknown }) {
  const client = postgres(connection, { onnotice: () => {} });
  const db: Database = drizzle(client);
  return {
    db,
    close: () => client.end({ timeout: 5 }),
    listen: async (c: string, f: () => void) => {
      await client.listen(c, f);
    },
  };
}
export async function rows<T>(db: Database, query: SQL): Promise<T[]> {
  const { sql, params } = dialect.sqlToQuery(query);
  if ('$client' in db)
    return (await (db as PostgresJsDatabase & { $client: postgres.Sql }).$client.unsafe(
      sql,
      params as never[],
      { prepare: true },
    )) as unknown as T[];
  return (await db.execute(query)) as unknown as T[];
}
export function inTransaction<T>(db: Database, run: (tx: Database) => Promise<T>): Promise<T> {
  return db.transaction((tx) => run(tx as unknown as Database));
}
export const isUnavailable = (_e: unknown) => false;
export const violates = (_e: unknown): string | null => null;
