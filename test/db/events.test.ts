import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Database, inTransaction, openDatabase, rows } from '#db/client.ts';
import { type Happening, publish } from '#db/connections/publish.ts';
import { sql } from '#db/statement.ts';
import { startSequencer } from '#server/domains/workflow/events/sequencer.service.ts';
import { lawRuns } from '../helpers/long.ts';
import { openTestDatabase } from '../helpers/postgres.ts';
import { until } from '../helpers/processes/processes.ts';

const { connection } = await openTestDatabase();
const opened = openDatabase({ connection, max: 12 });
const { db } = opened;
const log = { debug: () => undefined };

const happened = (subject: string, n: number): Happening => ({
  source: 'test',
  topic: 'written',
  subjects: [subject],
  kind: 'job',
  payload: { n },
});

type Read = { id: number; subject: string; n: number };

const after = async (reader: Database, id: number, most = 7): Promise<Read[]> =>
  (
    await rows<{ id: string; subject: string; n: string }>(
      reader,
      sql`select id, subjects[1] as subject, payload ->> 'n' as n from events
          where id > ${String(id)}::bigint order by id limit ${String(most)}::int`,
    )
  ).map((row) => ({ id: Number(row.id), subject: row.subject, n: Number(row.n) }));

test('a reader that resumes after the last id it saw misses no event of transactions that commit late, and reads each subject in order', async () => {
  await rows(db, sql`create table counters (subject text primary key, n int not null)`);
  const write = fc.record({
    subjects: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 3 }),
    before: fc.integer({ min: 0, max: 6 }),
    between: fc.integer({ min: 0, max: 6 }),
    late: fc.integer({ min: 0, max: 25 }),
    fails: fc.boolean(),
  });
  const stops = [startSequencer({ db, log }), startSequencer({ db, log })];
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 3, maxLength: 14 }), async (writes) => {
      await rows(db, sql`delete from counters`);
      await rows(db, sql`insert into counters select unnest(array['a', 'b', 'c', 'd']), 0`);
      const [start] = await rows<{ id: string }>(db, sql`select coalesce(max(id), 0) as id from events`);
      const seen: Read[] = [];
      const reading = { on: true };
      const reader = (async () => {
        let last = Number(start?.id);
        while (reading.on) {
          const found = await after(db, last);
          seen.push(...found);
          last = found.at(-1)?.id ?? last;
          await sleep(1);
        }
      })();
      const committed: string[] = [];
      await Promise.all(
        writes.map(async ({ subjects, before, between, late, fails }) => {
          await sleep(before);
          await inTransaction(db, async (tx) => {
            const reported: string[] = [];
            // In one order for all, or they would wait for each other.
            for (const subject of [...subjects].sort()) {
              const [row] = await rows<{ n: number }>(
                tx,
                sql`update counters set n = n + 1 where subject = ${subject} returning n`,
              );
              const n = row?.n ?? 0;
              await publish(tx, [happened(subject, n)]);
              reported.push(`${subject}${n}`);
              await sleep(between);
            }
            await sleep(late);
            if (fails) throw new Error('it fails');
            return reported;
          }).then(
            (reported) => committed.push(...reported),
            () => undefined,
          );
        }),
      );
      await until('all are read', () => seen.length >= committed.length || undefined);
      await sleep(20);
      reading.on = false;
      await reader;
      expect(seen.map(({ subject, n }) => `${subject}${n}`).sort()).toEqual(committed.sort());
      for (const subject of ['a', 'b', 'c', 'd']) {
        const ns = seen.filter((one) => one.subject === subject).map(({ n }) => n);
        expect(ns, subject).toEqual(ns.map((_, at) => at + 1));
      }
    }),
    lawRuns(25),
  );
  for (const stop of stops) await stop();
  await opened.close();
});
