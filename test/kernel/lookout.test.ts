import { afterAll, beforeAll, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { sql } from '#db/statement.ts';
import { type Concern, lookOut } from '#server/kernel/timing/lookout.ts';
import { openTestDatabase } from '../helpers/postgres.ts';
import { until } from '../helpers/processes/processes.ts';

const { db } = await openTestDatabase();
beforeAll(() => rows(db, sql`create table due (name text)`));

const make = (name: string) => rows(db, sql`insert into due values (${name})`);
const done: string[] = [];
const failures: string[] = [];
const concern = (name: string, attend: Concern['attend']): Concern => ({
  isDue: () => sql`exists(select 1 from due where name = ${name})`,
  attend,
  failed: (error) => failures.push(`${name}: ${String(error)}`),
});
const remove = async (name: string) => {
  await rows(db, sql`delete from due where name = ${name}`);
  done.push(name);
};
const slow = { runs: 0, end: () => {}, isEnding: () => false };
const stop = lookOut(
  db,
  [
    concern('slow', async (ending) => {
      slow.runs += 1;
      slow.isEnding = () => ending.aborted;
      await new Promise<void>((resolve) => {
        slow.end = resolve;
      });
      await remove('slow');
    }),
    concern('broken', async () => {
      throw new Error('out of order');
    }),
    concern('quick', () => remove('quick')),
    concern('never', () => remove('never')),
  ],
  (error) => failures.push(String(error)),
);
afterAll(() => stop());

test('runs each task that is due, one run of it at a time, while another task is slow and another fails', async () => {
  await make('slow');
  await make('broken');
  await until('the slow run', async () => slow.runs === 1 || undefined);
  for (const _ of [1, 2]) {
    await make('quick');
    await until('the quick run', async () => done.pop() === 'quick' || undefined);
  }
  expect(slow.runs).toBe(1);
  expect(done).toEqual([]);
  expect(new Set(failures)).toEqual(new Set(['broken: Error: out of order']));
  await until('another attempt', async () => failures.length > 1 || undefined);
});

test('a stop waits for running work, and asks it to end', async () => {
  const stopped = stop();
  await until('the signal', async () => slow.isEnding() || undefined);
  slow.end();
  await stopped;
  expect(done).toEqual(['slow']);
});
