import { request } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { inTransaction, rows } from '#db/client.ts';
import { publish } from '#db/connections/publish.ts';
import { sql } from '#db/statement.ts';
import { type Event, listenTo } from '../../helpers/jobs/events.ts';
import { until } from '../../helpers/processes/processes.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService({ EVENT_STREAMS: '2000' });
const cuts: (() => void)[] = [];
afterAll(() => {
  for (const cut of cuts) cut();
});

const happen = (subject: string, ...ns: number[]) =>
  inTransaction(service.db, (tx) =>
    publish(
      tx,
      ns.map((n) => ({
        source: '@vendor/operations-manager',
        topic: 'jobStarted',
        subjects: [subject],
        kind: 'job',
        payload: { n },
      })),
    ),
  );

const listening = async (more: { query?: string; lastEventId?: string } = {}) => {
  const { token } = await service.callerWith('admin');
  const reader = await listenTo(service.url, { token, ...more });
  cuts.push(reader.cut);
  return reader;
};

test('tRPC sends the same over its own server-sent events, and resumes after the last id', async () => {
  const { token } = await service.callerWith('admin');
  const wire = (input: object, headers: Record<string, string> = {}) => {
    const reported: { id: string; event: Event }[] = [];
    const seen = { text: '', type: '' };
    const sent = request(
      `${service.url}/trpc/events.stream?input=${encodeURIComponent(JSON.stringify(input))}`,
      {
        headers: { Accept: 'text/event-stream', Authorization: `Bearer ${token}`, ...headers },
        agent: false,
      },
      (answer) => {
        seen.type = String(answer.headers['content-type']);
        answer.setEncoding('utf8').on('error', () => undefined);
        answer.on('data', (part: string) => {
          seen.text += part;
          reported.length = 0;
          for (const found of seen.text.matchAll(/^data: (\{"id".*)\nid: (\d+)$/gm)) {
            reported.push({ id: found[2] ?? '', event: JSON.parse(found[1] ?? '') as Event });
          }
        });
      },
    );
    sent.on('error', () => undefined);
    sent.end();
    cuts.push(() => sent.destroy());
    return { reported, seen, cut: () => sent.destroy() };
  };
  const first = wire({ topics: ['jobStarted'] });
  await until('it is connected', () => first.seen.text.includes('event: connected') || undefined);
  expect(first.seen.type).toContain('text/event-stream');
  await happen('x', 1, 2);
  await until('both came', () => first.reported.length === 2 || undefined);
  expect(first.reported.map(({ event }) => event.payload.n)).toEqual([1, 2]);
  expect(first.reported[0]?.id).toBe(first.reported[0]?.event.id);
  first.cut();
  await happen('x', 3);
  const header = wire({ topics: ['jobStarted'] }, { 'Last-Event-ID': first.reported[0]?.id ?? '' });
  await until('the rest came', () => header.reported.length === 2 || undefined);
  expect(header.reported.map(({ event }) => event.payload.n)).toEqual([2, 3]);
  const input = wire({ topics: null, lastEventId: first.reported[1]?.id });
  await until('the last came', () => input.reported.length === 1 || undefined);
  header.cut();
  input.cut();
  // Those who left are forgotten, or an account would run out of streams.
  await until('nobody listens', () => service.platform.events.count() === 0 || undefined);
});

test('many streams are one read for each batch of events, and none at all while nothing happens', async () => {
  const streams = await Promise.all(Array.from({ length: 200 }, () => listening()));
  for (const one of streams) await one.begun();
  const reads = async () => {
    await rows(service.db, sql`select pg_stat_force_next_flush()`).catch(() => undefined);
    const [found] = await rows<{ n: string }>(
      service.db,
      sql`select coalesce(seq_scan, 0) + coalesce(idx_scan, 0) as n from pg_stat_user_tables where relname = 'events'`,
    );
    return Number(found?.n);
  };
  const before = await reads();
  await happen('y', 1, 2, 3);
  for (const one of streams)
    expect((await one.reported(3)).map(({ payload }) => payload.n)).toEqual([1, 2, 3]);
  await until('it is counted', async () => (await reads()) > before || undefined);
  expect((await reads()) - before).toBeLessThan(streams.length / 2);
  for (const one of streams) one.cut();
  await until('nobody listens', () => service.platform.events.count() === 0 || undefined);
});

test('events that happen while the service has lost its database are sent once it is connected again', async () => {
  const reader = await listening({ query: '?subjects=w' });
  await reader.begun();
  const cut = () =>
    rows(
      service.db,
      sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query ilike 'listen%'`,
    );
  expect((await cut()).length).toBeGreaterThan(0);
  await happen('w', 1, 2);
  expect((await reader.reported(2)).map(({ payload }) => payload.n)).toEqual([1, 2]);
  await happen('w', 3);
  expect((await reader.reported(3)).at(-1)?.payload.n).toBe(3);
  reader.cut();
});

test('when the service stops, its streams end in order and no new one begins', async () => {
  const reader = await listening();
  await reader.begun();
  await happen('z', 1);
  await reader.reported(1);
  service.platform.events.close();
  await until('it has ended', () => reader.ended() || undefined);
  const rejected = await listening();
  expect(rejected).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
});
