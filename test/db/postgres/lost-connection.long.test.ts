import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { isUnavailable, openDatabase, rows } from '#db/client.ts';
import { databaseUrlOf, openTestDatabase } from '../../helpers/postgres.ts';

const { connection } = await openTestDatabase();

test('a statement that follows one whose connection was given up is sent on another one', async () => {
  const url = new URL(await databaseUrlOf(connection));
  const { port } = url;
  let connections = 0;
  const proxy = createServer((near) => {
    connections += 1;
    // Time passes until the driver gives up.
    if (connections === 1) return near.resume();
    const far = connect(Number(port), '127.0.0.1');
    return near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  url.port = String((proxy.address() as AddressInfo).port);
  const { db, close } = openDatabase({ connection: url.href, max: 1 });
  onTestFinished(async () => {
    await close();
    proxy.close();
  });
  const follow = async (error: unknown) => ({ error, next: await rows(db, sql`select 2 as n`) });
  const found = await rows(db, sql`select 1 as n`).then(() => undefined, follow);
  expect(found?.next).toEqual([{ n: 2 }]);
  expect(isUnavailable(found?.error)).toBe(true);
});
