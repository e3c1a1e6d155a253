import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import { find, insert, replace } from '#db/collection.ts';
import { publish } from '#db/connections/publish.ts';
import { newId } from '#db/ids.ts';
import type { EventTrigger } from '#db/schemas/workflow/trigger.ts';
import { sql } from '#db/statement.ts';
import { automations, triggers } from '#db/tables/assets/assets.ts';
import { eventTriggerWorker } from '#server/domains/workflow/events/starting.service.ts';
import { startEvents } from '#server/domains/workflow/events/work.service.ts';
import { startEngine } from '#server/durable/engine.ts';
import { durable } from '#server/durable/requests.ts';
import { storeAccount } from '../helpers/identity/stored-accounts.ts';
import { openTestDatabase } from '../helpers/postgres.ts';
import { until } from '../helpers/processes/processes.ts';

const { db, connection } = await openTestDatabase();
const log = pino({ level: 'silent' });
await rows(db, sql`create table starts (trigger_id text, dedup_id text, data jsonb)`);
const engine = await startEngine({
  connection,
  log,
  workers: [
    eventTriggerWorker(
      {
        log,
        admins: async () => [{ group: 'runner' }],
        // Stands where jobs are started: what a start leaves is part of its transaction.
        start: async (tx, trigger, { data, dedupId }) => {
          if (trigger.name === 'draft') return { rejected: 'The workflow is a draft' };
          await rows(
            tx,
            sql`insert into starts values (${trigger._id}, ${dedupId}, ${JSON.stringify(data)}::text::jsonb)`,
          );
          return {};
        },
      },
      8,
    ),
  ],
});
// As in several processes: each looks by itself.
const kept = { most: 10_000, hours: 24 };
const stops = await Promise.all([1, 2, 3].map(() => startEvents({ db, log, kept, durable })));
afterAll(async () => {
  for (const stop of stops) await stop();
  await engine.stop();
});

const automation = newId();
await insert(db, automations, automation, {
  _id: automation,
  name: 'Nightly',
  componentType: 'workflows',
} as never);

/** The account of every trigger: an admin by the active profile. */
const runner = await storeAccount(db, { username: 'runner' });

async function trigger(name: string, more: Partial<EventTrigger> = {}) {
  const doc: EventTrigger = {
    _id: newId(),
    name,
    type: 'eventSystem',
    enabled: true,
    source: 'test',
    topic: 'written',
    actionId: automation,
    created: new Date().toISOString(),
    runAs: runner,
    ...more,
  };
  await insert(db, triggers, doc._id, doc, { actionId: automation });
  return doc._id;
}

const happen = (n: number) =>
  inTransaction(db, (tx) =>
    publish(tx, [{ source: 'test', topic: 'written', subjects: ['x'], kind: 'job', payload: { n } }]),
  );

const startedBy = async (id: string) =>
  (
    await rows<{ n: string }>(
      db,
      sql`select data ->> 'n' as n from starts where trigger_id = ${id} order by (data ->> 'n')::int`,
    )
  ).map(({ n }) => Number(n));

test('an event starts each trigger that waits for it once, whichever process gets to it', async () => {
  const all = await trigger('all');
  const even = await trigger('even', { schema: { properties: { n: { multipleOf: 2 } } } });
  const off = await trigger('off', { enabled: false });
  const draft = await trigger('draft');
  const counted = Array.from({ length: 60 }, (_, n) => n);
  await Promise.all(counted.map(happen));
  await until('all are started', async () => (await startedBy(all)).length >= 60 || undefined);
  await until('the even are started', async () => (await startedBy(even)).length >= 30 || undefined);
  await sleep(300);
  expect(await startedBy(all)).toEqual(counted);
  expect(await startedBy(even)).toEqual(counted.filter((n) => n % 2 === 0));
  expect(await startedBy(off)).toEqual([]);
  expect(await startedBy(draft)).toEqual([]);
  const ids = await rows<{ n: string }>(db, sql`select count(distinct dedup_id) as n from starts`);
  expect(Number(ids[0]?.n)).toBe(90);
});

test('a trigger that is switched on later starts for what happens from then on', async () => {
  const id = await trigger('later', { enabled: false });
  await happen(1000);
  await sleep(600);
  const stored = await find(db, triggers, id);
  if (!stored) throw new Error('it is gone');
  await replace(db, triggers, stored, { ...stored.doc, enabled: true });
  await happen(1001);
  await until('it is started', async () => (await startedBy(id)).length > 0 || undefined);
  await sleep(300);
  expect(await startedBy(id)).toEqual([1001]);
});
