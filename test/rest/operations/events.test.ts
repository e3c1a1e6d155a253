import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import { publish } from '#db/connections/publish.ts';
import { sql } from '#db/statement.ts';
import { pruneEvents } from '#server/domains/workflow/events/reading.service.ts';
import { EVENTS } from '#server/domains/workflow/triggers/events.ts';
import type { JsonText } from '#server/kernel/json-text.ts';
import { compileSchema } from '#server/kernel/validation/json-schema.ts';
import { type Event, listenTo } from '../../helpers/jobs/events.ts';
import { isLong } from '../../helpers/long.ts';
import { openOperations } from '../../helpers/operations.ts';
import { rowsReadOf } from '../../helpers/postgres.ts';
import { until } from '../../helpers/processes/processes.ts';
import { openSibling } from '../../helpers/processes/sibling.ts';
import { openService } from '../../helpers/service.ts';

const service = await openOperations();
const sibling = await openSibling(service);
const narrow = await openService({ EVENT_STREAMS: '2' });
const { db } = service;

type Reader = Awaited<ReturnType<typeof listenTo>>;
const readers: Reader[] = [];
type Options = {
  as?: Parameters<typeof service.callerWith>[0];
  query?: string;
  lastEventId?: string;
  url?: string;
};

const listening = async ({ as = 'admin', url = service.url, ...more }: Options = {}) => {
  const { token } = await service.callerWith(as);
  const reader = await listenTo(url, { token, ...more });
  readers.push(reader);
  if (reader.status === 200) await reader.begun();
  return reader;
};

afterEach(() => {
  for (const reader of readers.splice(0)) reader.cut();
});

/** As jobs will. */
const happen = (subject: string, ...ns: number[]) =>
  inTransaction(db, (tx) =>
    publish(
      tx,
      ns.map((n) => ({
        source: '@vendor/operations-manager',
        topic: 'jobStarted',
        subjects: [subject],
        kind: 'job',
        payload: { _id: subject, n },
      })),
    ),
  );

const nsOf = (events: readonly Event[]) => events.map(({ payload }) => payload.n);

const backup = (id: string, name: string, more = {}) => ({
  id,
  name,
  rawConfig: `hostname ${name}\n`,
  date: '2026-02-03T04:05:06.000Z',
  ...more,
});

test('a write through one process is sent to the listeners at another', async () => {
  const here = await listening();
  const there = await listening({ url: sibling.url });
  const made = await service.sendAt('admin', 'POST', '/configuration_manager/import/backups', {
    backups: [backup('65a000000000000000000b01', 'edge-1'), backup('65a000000000000000000b02', 'edge-2')],
  });
  expect(made.status).toBe(200);
  for (const reader of [here, there]) {
    const reported = await reader.reported(2);
    expect(reported).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        source: '@vendor/configuration-manager',
        topic: 'backupStored',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        payload: { _id: '65a000000000000000000b01', name: 'edge-1', date: '2026-02-03T04:05:06.000Z' },
      },
      expect.objectContaining({ payload: expect.objectContaining({ name: 'edge-2' }) }),
    ]);
    expect(reader.blocks.map(({ id }) => id)).toEqual(reported.map(({ id }) => id));
  }
  expect(here.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
  });
});

test('a rejected write sends no event, a successful one sends the new document', async () => {
  const reader = await listening({ query: '?topics=configurationChanged' });
  const rejected = await service.sendAt('admin', 'POST', '/configuration_manager/configs', { name: 'T' });
  expect(rejected.status).toBe(400);
  const made = await service.sendAt('admin', 'POST', '/configuration_manager/configs', {
    name: 'Edge routers',
    deviceType: 'cisco-ios',
  });
  expect(made.status).toBe(200);
  const reported = await reader.reported(3);
  expect(reported.map(({ payload }) => `${payload.kind} ${payload.change}`).sort()).toEqual([
    'spec created',
    'tree created',
    'version created',
  ]);
  const tree = reported.find(({ payload }) => payload.kind === 'tree')?.payload;
  const ofTree = await listening({ query: `?subjects=${tree?._id}` });
  const typed = await service.as('admin');
  const place = { treeId: String(tree?._id), version: 'initial' };
  await typed.configurationManager.createNode({ ...place, parentNodePath: 'base', name: 'core' });
  const grown = await ofTree.reported(1, ({ payload }) => payload.kind === 'node');
  expect(grown[0]?.payload).toMatchObject({ name: 'base/core', change: 'created' });
  const gone = await service.sendAt('admin', 'DELETE', '/configuration_manager/configs', {
    treeIds: [tree?._id],
  });
  expect(gone.status, gone.text).toBe(200);
  const end = await ofTree.reported(
    1,
    ({ payload }) => payload.kind === 'tree' && payload.change === 'deleted',
  );
  expect(end[0]?.payload).toMatchObject({ _id: tree?._id, name: 'Edge routers' });
});

test('each event is sent only to callers who may read its document', async () => {
  const group = await service.groupOf(['apiread', 'support']);
  const [inside, outside, otherRole, admin] = [
    await listening({ as: ['apiread', 'support'] }),
    await listening({ as: 'apiread' }),
    await listening({ as: 'other' }),
    await listening(),
  ];
  const made = await service.sendAt('admin', 'POST', '/configuration_manager/import/backups', {
    backups: [
      backup('65a000000000000000000b11', 'closed', { gbac: { read: [group], write: [group] } }),
      backup('65a000000000000000000b12', 'open'),
    ],
  });
  expect(made.status, made.text).toBe(200);
  const names = (events: readonly Event[]) => events.map(({ payload }) => payload.name);
  expect(names(await admin.reported(2))).toEqual(['closed', 'open']);
  expect(names(await inside.reported(2))).toEqual(['closed', 'open']);
  expect(names(await outside.reported(1))).toEqual(['open']);
  await happen('65a0000000000000000000c1', 1);
  await admin.reported(3);
  expect(names(outside.events())).toEqual(['open', undefined]);
  expect(otherRole.events()).toEqual([]);
  // Resuming requires the same.
  const first = admin.events()[0]?.id;
  const again = await listening({ as: 'apiread', lastEventId: String(Number(first) - 1) });
  expect(names(await again.reported(2))).toEqual(['open', undefined]);
  const nobody = await service.sendAt(null, 'GET', '/events');
  expect(nobody.status).toBe(401);
});

test.skipIf(!isLong)(
  'a reader whose connection is cut repeatedly receives every event exactly once',
  async () => {
    const first = await listening({ query: '?topics=jobStarted' });
    let lastId = first.lastId();
    first.cut();
    const got: unknown[] = [];
    const writing = (async () => {
      for (let n = 0; n < 300; n += 3) {
        await happen('65a0000000000000000000c2', n, n + 1, n + 2);
        if (n % 30 === 0) await sleep(10);
      }
    })();
    for (let round = 0; got.length < 300; round += 1) {
      const url = round % 2 ? sibling.url : service.url;
      const reader = await listening({
        query: '?topics=jobStarted&subjects=65a0000000000000000000c2',
        lastEventId: lastId,
        url,
      });
      await sleep(25);
      reader.cut();
      await sleep(5);
      got.push(...nsOf(reader.events()));
      lastId = reader.lastId();
      if (round > 200) throw new Error(`only ${got.length} came`);
    }
    await writing;
    expect(got).toEqual(Array.from({ length: 300 }, (_, n) => n));
  },
);

test.skipIf(!isLong)(
  'a slow reader buffers a bounded part and receives the rest when it reads on',
  async () => {
    const slow = await listening({ query: '?topics=jobStarted' });
    slow.pause();
    const filler = 'x'.repeat(2000);
    for (let n = 0; n < 40; n += 1) {
      await inTransaction(db, (tx) =>
        publish(
          tx,
          Array.from({ length: 50 }, (_, at) => ({
            source: '@vendor/operations-manager',
            topic: 'jobStarted',
            subjects: ['65a0000000000000000000c3'] as const,
            kind: 'job',
            payload: { n: n * 50 + at, filler },
          })),
        ),
      );
    }
    await sleep(300);
    slow.resume();
    const reported = await slow.reported(2000);
    expect(nsOf(reported)).toEqual(Array.from({ length: 2000 }, (_, n) => n));
  },
);

test('resuming from an id that is no longer stored yields one gap and then the stored events', async () => {
  for (let n = 0; n < 5; n += 1) await happen('65a0000000000000000000c4', n);
  const all = await listening({ lastEventId: '0' });
  const reported = await all.reported(5, ({ payload }) => payload._id === '65a0000000000000000000c4');
  expect(all.blocks.filter(({ event }) => event === 'gap')).toEqual([]);
  expect(await pruneEvents(db, { most: 3, hours: 24 })).toBeGreaterThan(0);
  const late = await listening({ lastEventId: '1' });
  const kept = await late.reported(3);
  expect(kept).toEqual(reported.slice(-3));
  expect(late.blocks[0]).toMatchObject({
    event: 'gap',
    data: JSON.stringify({ topic: 'gap', oldestId: kept[0]?.id }),
  });
  // The id that a gap comes with is one to resume at.
  const after = await listening({ lastEventId: late.blocks[0]?.id ?? '' });
  expect(await after.reported(3)).toEqual(kept);
  expect(after.blocks.filter(({ event }) => event === 'gap')).toEqual([]);
  const future = await listening({ lastEventId: '999999999' });
  await happen('65a0000000000000000000c4', 9);
  expect(nsOf(await future.reported(1))).toEqual([9]);
  expect(future.blocks[0]?.event).toBe('gap');
});

test('events that stay are not read to find those to delete', async () => {
  await inTransaction(db, async (tx) => {
    await tx.execute(sql`insert into events (source, topic, subjects, kind, time, payload)
      select 'trial', 'trial', '{}', 'jobs', now(), '{}' from generate_series(1, 2000)`);
    await tx.execute(sql`analyze events`);
    // A table this small may be read whole, whatever an index saves.
    await tx.execute(sql`set local enable_seqscan = off`);
    const before = await rowsReadOf(tx, 'events');
    expect(await pruneEvents(tx, { most: 10_000, hours: 24 })).toBe(0);
    expect((await rowsReadOf(tx, 'events')) - before).toBeLessThan(500);
    await tx.execute(sql`delete from events where source = 'trial'`);
  });
});

test('an invalid request is rejected, every issue named', async () => {
  const answer = await service.sendAt(
    'admin',
    'GET',
    '/events?topics=jobStarted&topics=nonsense&lastEventId=-1',
  );
  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({ code: 'BAD_REQUEST', issues: [{ path: ['lastEventId'] }] });
  const topics = await service.sendAt('admin', 'GET', '/events?topics=jobStarted&topics=nonsense');
  expect(topics.json).toMatchObject({
    issues: [{ path: ['topics', 1], message: 'no event is named nonsense' }],
  });
  const header = await service.sendAt('admin', 'GET', '/events', undefined, {
    headers: { 'Last-Event-ID': 'x' },
  });
  expect(header.status).toBe(400);
  const head = await service.sendAt('admin', 'HEAD', '/events');
  expect(head).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  });
});

test('an open stream does not extend its session, and ends with it', async () => {
  const { token } = await service.callerWith('support');
  const reader = await listening({ as: 'support' });
  const [before] = await rows<{ at: string }>(
    db,
    sql`select last_used_at::text as at from sessions s join accounts a on a.id = s.account_id where a.username like 'support-%'`,
  );
  await rows(db, sql`update sessions set last_used_at = last_used_at - interval '10 minutes'`);
  const again = await listenTo(service.url, { token });
  readers.push(again);
  await again.begun();
  const [after] = await rows<{ kept: boolean }>(
    db,
    sql`select last_used_at < ${before?.at}::timestamptz - interval '5 minutes' as kept
        from sessions s join accounts a on a.id = s.account_id where a.username like 'support-%'`,
  );
  expect(after?.kept).toBe(true);
  await service.sendAt('support', 'POST', '/logout');
  await until('both have ended', () => (reader.ended() && again.ended()) || undefined);
  const rejected = await listenTo(service.url, { token });
  expect(rejected.status).toBe(401);
});

test('rights that change reach streams that are open', async () => {
  const reader = await listening({ as: ['apiread', 'engineering'] });
  const { caller } = await service.callerWith(['apiread', 'engineering']);
  await happen('65a0000000000000000000c5', 1);
  await reader.reported(1);
  const changed = await service.sendAt('admin', 'PATCH', `/authorization/accounts/${caller.id}`, {
    updates: { assignedRoles: [] },
  });
  expect(changed.status, changed.text).toBe(200);
  await sleep(300);
  const admin = await listening();
  await happen('65a0000000000000000000c5', 2);
  await admin.reported(1);
  expect(nsOf(reader.events())).toEqual([1]);
});

test('typed callers receive the same events, with an id to resume at', async () => {
  const typed = await service.as('admin');
  const stream = await typed.events.stream({
    topics: ['jobStarted'],
    subjects: ['65a0000000000000000000c6'],
  });
  await happen('65a0000000000000000000c6', 1, 2);
  const got = [];
  for await (const [id, text] of stream as AsyncIterable<[string, JsonText<Event>]>) {
    got.push({ id, event: text.parse() });
    if (got.length === 2) break;
  }
  expect(got.map(({ event }) => event.payload.n)).toEqual([1, 2]);
  expect(got[0]?.id).toBe(got[0]?.event.id);
  const resumed = await typed.events.stream({ topics: ['jobStarted'], lastEventId: got[0]?.id });
  for await (const [, text] of resumed as AsyncIterable<[string, JsonText<Event>]>) {
    expect(text.parse()).toEqual(got[1]?.event);
    break;
  }
});

test('one account has a limited number of streams; those that ended leave room', async () => {
  const { token } = await narrow.callerWith('designer');
  const { token: another } = await narrow.callerWith('admin');
  const attempt = async (as: string) => {
    const reader = await listenTo(narrow.url, { token: as });
    readers.push(reader);
    return reader;
  };
  const open = [await attempt(token), await attempt(token)];
  const over = await attempt(token);
  expect(over).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
  expect((await attempt(another)).status).toBe(200);
  open[0]?.cut();
  await until('there is room', async () => (await attempt(token)).status === 200 || undefined);
});

test('adapters publish events as they go up and down', async () => {
  const reader = await listening({ query: '?topics=adapterUp&topics=adapterDown' });
  await service.sendAt('admin', 'POST', '/adapters', {
    properties: {
      name: 'orch-east',
      type: 'Adapter',
      model: '@vendor/adapter-orchestrator',
      properties: {
        id: 'orch-east',
        type: 'Orchestrator',
        brokers: [],
        groups: [],
        properties: {
          protocol: 'http',
          host: '127.0.0.1',
          port: 1,
          authentication: { auth_method: 'basic', username: 'svc', password: 'Lantern-1' },
        },
      },
    },
  });
  await service.sendAt('admin', 'PUT', '/adapters/orch-east/stop');
  await service.sendAt('admin', 'PUT', '/adapters/orch-east/start');
  await service.sendAt('admin', 'DELETE', '/adapters/orch-east');
  const reported = await reader.reported(4);
  expect(reported.map(({ topic, payload }) => `${topic} ${payload.state}`)).toEqual([
    'adapterUp RUNNING',
    'adapterDown STOPPED',
    'adapterUp RUNNING',
    'adapterDown DELETED',
  ]);
});

test('every payload matches the definition of its topic', async () => {
  const reported = await rows<{ source: string; topic: string; payload: string }>(
    db,
    sql`select source, topic, payload::text as payload from events where not (payload ? 'n')`,
  );
  expect(reported.length).toBeGreaterThan(0);
  for (const { source, topic, payload } of reported) {
    const event = EVENTS.find((one) => one.source === source && one.topic === topic);
    expect(event, `${source} ${topic}`).toBeDefined();
    expect(compileSchema(event?.definition ?? false)(JSON.parse(payload)), payload).toEqual([]);
  }
});
