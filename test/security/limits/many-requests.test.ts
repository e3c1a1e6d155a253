import { sql } from 'drizzle-orm';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { inTransaction, openDatabase, rows } from '#db/client.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const { db: beside, close } = openDatabase({ connection: service.connection, max: 2 });
afterAll(close);

/** Requests of one account at once: many times the connections to the database. */
const MANY = 300;

const waitingForLock = async () => {
  const [row] = await rows<{ n: number }>(
    beside,
    sql`select count(*)::int as n from pg_locks where not granted and relation = 'golden_trees'::regclass`,
  );
  return row?.n ?? 0;
};

test('a request waits for its turn among accounts, not for hundreds that another account sent before', async () => {
  const ended: string[] = [];
  const list = (as: 'admin' | 'apiread', path: string) =>
    service.send(as, 'GET', path).then(({ status }) => {
      expect(status).toBe(200);
      ended.push(as);
    });
  await Promise.all([list('admin', '/whoami'), list('apiread', '/whoami')]);
  ended.length = 0;
  let arrived = 0;
  const count = () => {
    arrived += 1;
  };
  service.server.on('request', count);
  onTestFinished(() => void service.server.off('request', count));
  let flood: Promise<void>[] = [];
  let other: Promise<void> | undefined;
  await inTransaction(beside, async (tx) => {
    await tx.execute(sql`lock table golden_trees in access exclusive mode`);
    flood = Array.from({ length: MANY }, () => list('apiread', '/configuration_manager/configs'));
    // From now on each connection of the service waits for the table, and the requests for a connection.
    await expect.poll(waitingForLock, { timeout: 20_000 }).toBeGreaterThanOrEqual(5);
    await expect.poll(() => arrived, { timeout: 20_000 }).toBe(MANY);
    other = list('admin', '/prebuilts');
    await expect.poll(() => arrived).toBe(MANY + 1);
  });
  await Promise.all([...flood, other]);
  // After those that had a connection, and some that got one while this one sent its statements.
  expect(ended.indexOf('admin')).toBeLessThan(MANY / 2);
});
