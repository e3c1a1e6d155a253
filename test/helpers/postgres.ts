import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, inject } from 'vitest';
import { type OpenDatabase, openDatabase } from '#db/client.ts';
import type { Connection } from '#db/embedded.ts';
import { createDatabase, databaseOn, dropDatabase } from './lists/databases.ts';

/** A migrated, empty database of a test file's own. */
export interface TestDatabase extends OpenDatabase {
  connection: Connection;
}

/** A copy of the migrated template, dropped after the test file's last test. Call it outside of tests, or in `beforeAll`. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const { server, template } = inject('postgres');
  const name = await createDatabase(server, template);
  const connection = databaseOn(server, name);
  const opened = openDatabase({ connection, max: 5 });
  afterAll(async () => {
    await opened.close();
    await dropDatabase(server, name);
  });
  return { ...opened, connection };
}

/** A database as DATABASE_URL names it: the server of the tests listens on a socket of the file system, so that one is put before it. */
export async function databaseUrlOf(connection: Connection): Promise<string> {
  if (typeof connection === 'string') return connection;
  const { host, port, username, password, database } = connection;
  const proxy = createServer((near) => {
    const far = connect(`${host}/.s.PGSQL.${port}`);
    near.pipe(far).pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  afterAll(() => void proxy.close());
  return `postgres://${username}:${password}@127.0.0.1:${(proxy.address() as AddressInfo).port}/${database}`;
}
