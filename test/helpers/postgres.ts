import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, inject } from 'vitest';
import { type Database, type OpenDatabase, openDatabase, rows } from '#db/client.ts';
import type { Connection } from '#db/embedded.ts';
import { sql } from '#db/statement.ts';
import { createDatabase, databaseOn, dropDatabase } from './lists/databases.ts';

/** A migrated, empty database of a test file's own. */
export interface TestDatabase extends OpenDatabase {
  connection: Connection;
}

/** On this connection this worker creates and drops databases. It is kept: another one for each statement costs half as much again. */
let administration: Database | undefined;

/**
 * Opens a copy of a template, dropped after the test file's last test. Call it outside of tests, or in `beforeAll`.
 *
 * @param template name of a database; absent: the migrated one without documents
 */
export async function openTestDatabase(template = inject('postgres').template): Promise<TestDatabase> {
  const { server } = inject('postgres');
  administration ??= openDatabase({ connection: server, max: 1 }).db;
  const admin = administration;
  const name = await createDatabase(admin, template);
  const connection = databaseOn(server, name);
  const opened = openDatabase({ connection, max: 5 });
  afterAll(async () => {
    await opened.close();
    await dropDatabase(admin, name);
  });
  return { ...opened, connection };
}

let seeded: Promise<string> | undefined;

/**
 * Returns a template with what a service stores at its first start, made at the first call in each worker. The global set-up
 * drops it by the beginning of its name.
 *
 * @param store writes what the first start writes
 */
export function seededTemplate(store: (db: Database) => Promise<void>): Promise<string> {
  const make = async () => {
    const { server, template } = inject('postgres');
    const name = await createDatabase(server, template, `${template}_${process.pid}`);
    const { db, close } = openDatabase({ connection: databaseOn(server, name), max: 1 });
    await store(db).finally(close);
    return name;
  };
  seeded ??= make();
  return seeded;
}

/**
 * A database as DATABASE_URL names it: the server of the tests listens on a socket of the file system, so that one is put before it.
 *
 * @param heard called for each piece of bytes that either side sends
 */
export async function databaseUrlOf(
  connection: Connection,
  heard?: (from: 'client' | 'server') => void,
): Promise<string> {
  const url = new URL(
    typeof connection === 'string'
      ? connection
      : `postgres://${connection.username}:${connection.password}@127.0.0.1/${connection.database}`,
  );
  if (typeof connection === 'string' && !heard) return connection;
  const target =
    typeof connection === 'string'
      ? { host: url.hostname, port: Number(url.port || 5432) }
      : { path: `${connection.host}/.s.PGSQL.${connection.port}` };
  const proxy = createServer((near) => {
    const far = connect(target);
    near.pipe(far).pipe(near);
    if (heard) {
      near.on('data', () => heard('client'));
      far.on('data', () => heard('server'));
    }
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  afterAll(() => void proxy.close());
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return url.href;
}

/** Returns how many rows of a table this connection has read so far. A transaction keeps the connection: compare two counts in one. */
export async function rowsReadOf(db: Database, table: string): Promise<number> {
  const [counted] = await rows<{ read: string }>(
    db,
    sql`select (seq_tup_read + idx_tup_fetch)::text as read from pg_stat_xact_user_tables where relname = ${table}`,
  );
  return Number(counted?.read);
}
