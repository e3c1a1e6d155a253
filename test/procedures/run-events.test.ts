import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { workOnRetention } from '#server/domains/operations/retention/work.service.ts';
import { liveDevices } from '../helpers/devices/live-devices.ts';
import { makeFolder } from '../helpers/folder.ts';
import { eventsOfRun } from '../helpers/jobs/events.ts';
import { isLong } from '../helpers/long.ts';
import { unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService({}, { works: true });
const { configurationManager, inventory, git, retention } = await service.as('admin');
const device = liveDevices(async (method, path, body) => {
  const { status, text, json } = await service.send('admin', method, path, body);
  if (status !== 200) throw new Error(`${method} ${path}: ${text}`);
  return json;
}, service.platform.cli);

const topicsOf = (events: readonly { topic: string }[]) => [...new Set(events.map(({ topic }) => topic))];

test('a backup run publishes its progress and its end, to those who may read it', async () => {
  const names = [(await device(['hostname edge-1'])).name, (await device(['hostname edge-2'])).name];
  const { runId } = await configurationManager.startFleetBackup({ selection: { names } });
  const events = await eventsOfRun(service, runId, ['engineering', 'support']);
  expect(topicsOf(events)).toEqual(['backupRunProgressed', 'backupRunFinished']);
  expect(events[0]?.payload).toMatchObject({ runId, status: 'running', total: 2, waiting: 2 });
  expect(events.at(-1)?.payload).toEqual({
    runId,
    scheduleId: null,
    status: 'complete',
    total: 2,
    stored: 2,
    unchanged: 0,
    failed: 0,
    waiting: 0,
  });
});

test.skipIf(!isLong)('a run over many devices publishes its progress once a second at most', async () => {
  const names = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => (await device([`hostname edge-${n}`])).name),
  );
  const began = performance.now();
  const { runId } = await configurationManager.startFleetBackup({ selection: { names }, concurrency: 4 });
  const events = await eventsOfRun(service, runId, []);
  const seconds = (performance.now() - began) / 1000;
  // One at the start and at the beginning of its pass, then one a second.
  expect(events.length).toBeLessThanOrEqual(3 + seconds);
});

test('a run of an inventory source publishes its progress and its end, to admins', async () => {
  const { data } = await inventory.createSource({
    source: {
      name: unique('source').replace(' ', '-'),
      type: 'ansible',
      content: 'told-1 ansible_host=192.0.2.11 ansible_network_os=ios\n',
    },
  });
  const { runId } = await inventory.syncSource({ id: data._id });
  const events = await eventsOfRun(service, runId, ['apiread', 'engineering']);
  expect(topicsOf(events)).toEqual(['inventoryRunProgressed', 'inventoryRunFinished']);
  expect(events.at(-1)?.payload).toMatchObject({ source: data.name, status: 'complete', done: 1, new: 1 });
});

test.skipIf(!isLong)(
  'a push to a repository that does not answer publishes its beginning and its failure, to admins',
  async () => {
    const { data } = await git.createRemote({
      remote: {
        name: unique('Remote'),
        url: 'https://127.0.0.1:1/config.git',
        branch: 'main',
        kinds: ['workflows'],
        direction: 'both',
        credential: { token: 'a-secret-token' },
      },
    });
    const { runId } = await git.push({ id: data._id });
    const events = await eventsOfRun(service, runId, ['apiread', 'designer']);
    expect(topicsOf(events)).toEqual(['gitRunStarted', 'gitRunFinished']);
    expect(events.at(-1)?.payload).toMatchObject({ remote: data.name, action: 'push', status: 'error' });
    expect(JSON.stringify(events)).not.toContain('a-secret-token');
  },
);

test.skipIf(!isLong)(
  'the progress of a run of a source or of retention is published once a second at most, and its end always',
  async () => {
    const countOf = async (topic: string) => {
      const [{ published } = { published: 0 }] = await rows<{ published: number }>(
        service.db,
        sql`select (select count(*) from events where topic = ${topic})::int
            + (select count(*) from event_outbox o, jsonb_array_elements(o.events) e where e ->> 'topic' = ${topic})::int as published`,
      );
      return published;
    };
    const [before, ended] = [await countOf('inventoryRunProgressed'), await countOf('inventoryRunFinished')];
    const began = performance.now();
    const doc = (done: number) =>
      JSON.stringify({ _id: 'busy', status: 'running', progress: { done, total: 20 } });
    await service.db.execute(
      sql`insert into inventory_runs (id, source, doc, account, status) values ('busy', 'busy', ${doc(0)}::text::jsonb, 'a', 'running')`,
    );
    for (let done = 1; done <= 20; done += 1) {
      await service.db.execute(
        sql`update inventory_runs set doc = ${doc(done)}::text::jsonb where id = 'busy'`,
      );
      await sleep(100);
    }
    await service.db.execute(sql`update inventory_runs set status = 'complete' where id = 'busy'`);
    const seconds = (performance.now() - began) / 1000;
    const published = (await countOf('inventoryRunProgressed')) - before;
    expect(published).toBeGreaterThanOrEqual(2);
    expect(published).toBeLessThanOrEqual(1 + seconds);
    expect((await countOf('inventoryRunFinished')) - ended).toBe(1);
    await service.db.execute(sql`delete from inventory_runs where id = 'busy'`);
  },
);

test('a retention run publishes its progress and its end, to admins', async () => {
  await retention.replaceSettings({ audit: { days: 3650 } });
  const { runId } = await retention.run({});
  const work = {
    db: service.db,
    directory: await makeFolder(),
    log: pino({ level: 'silent' }),
    now: () => new Date(),
  };
  await workOnRetention(work);
  const events = await eventsOfRun(service, runId, ['apiread']);
  expect(topicsOf(events)).toEqual(['retentionRunProgressed', 'retentionRunFinished']);
  expect(events.at(-1)?.payload).toMatchObject({ _id: runId, trigger: 'manual', status: 'complete' });
});
