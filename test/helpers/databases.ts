import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { openDatabase } from '#db/client.ts';
import type { Connection } from '#db/embedded.ts';

/** The database `name` on the server that `server` points at. */
export function databaseOn(server: Connection, name: string): Connection {
  if (typeof server !== 'string') return { ...server, database: name };
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Makes a database of a random name, as a copy of `template` when one is given: file by file, which takes a third of the
 * time that writing each page to the log takes. Resolves to its name.
 */
export async function createDatabase(server: Connection, template?: string): Promise<string> {
  const name = `switchyard_test_${randomBytes(6).toString('hex')}`;
  const copy = template ? sql` template ${sql.identifier(template)} strategy file_copy` : sql``;
  await onServer(server, sql`create database ${sql.identifier(name)}${copy}`);
  return name;
}

/** Drops a database, with whoever still uses it. */
export async function dropDatabase(server: Connection, name: string): Promise<void> {
  await onServer(server, sql`drop database if exists ${sql.identifier(name)} with (force)`);
}

async function onServer(server: Connection, statement: ReturnType<typeof sql>): Promise<void> {
  const { db, close } = openDatabase({ connection: server, max: 1 });
  await db.execute(statement).finally(close);
}
