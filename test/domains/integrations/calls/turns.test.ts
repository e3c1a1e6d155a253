import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { listen } from '#db/connections/listen.ts';
import { SLOT_FREED, slotFreed, withSlot } from '#server/domains/integrations/calls/call-slots.service.ts';
import { isLong } from '../../../helpers/long.ts';
import { openTestDatabase } from '../../../helpers/postgres.ts';

const { db, connection } = await openTestDatabase();
for (const name of ['one', 'two', 'busy', 'silent'])
  await db.execute(sql`insert into adapters (id, doc) values (${name}, ${JSON.stringify({ name })}::jsonb)`);

let heard = 0;
const deafen = await listen(connection, {
  [SLOT_FREED]: () => {
    heard += 1;
    slotFreed(db);
  },
});
const limits = (adapter: string, maxConcurrent: number) => ({
  ...{ adapter, host: '127.0.0.1', maxConcurrent, requestMs: 20_000 },
});
const signal = new AbortController().signal;
const done = async () => 'done';

test('a freed turn is announced when it was the last one, and not while others are free', async () => {
  await withSlot(db, limits('one', 1), signal, done);
  await expect.poll(() => heard).toBeGreaterThan(1);
  const before = heard;
  await withSlot(db, limits('two', 2), signal, done);
  await db.execute(sql`select pg_notify(${SLOT_FREED}, '')`);
  await expect.poll(() => heard).toBeGreaterThan(before);
  expect(heard).toBe(before + 1);
});

test.skipIf(!isLong)(
  'a call that waits for a turn of another process has it as soon as that one is announced',
  async () => {
    await withSlot(db, limits('busy', 1), signal, done);
    const until = (moment: string) =>
      db.execute(sql`update integration_slots set until = ${moment}::timestamptz where adapter = 'busy'`);
    const waits: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await until('infinity');
      const call = withSlot(db, limits('busy', 1), signal, async () => performance.now());
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await until('-infinity');
      await db.execute(sql`select pg_notify(${SLOT_FREED}, '')`);
      const freed = performance.now();
      waits.push((await call) - freed);
    }
    // Without announcements a call that has waited so long looks every 500 to 1,500 ms.
    waits.sort((a, b) => a - b);
    expect(waits[1]).toBeLessThan(250);
  },
);

test('a turn that is freed without an announcement is found all the same', async () => {
  await deafen();
  await withSlot(db, limits('silent', 1), signal, done);
  await db.execute(
    sql`update integration_slots set until = now() + interval '300 ms' where adapter = 'silent'`,
  );
  expect(await withSlot(db, limits('silent', 1), signal, done)).toBe('done');
});
