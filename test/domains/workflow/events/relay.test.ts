import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Stream } from '#server/domains/workflow/events/streams.service.ts';
import { openTransientRelay } from '#server/domains/workflow/events/transient-relay.service.ts';
import { openTestDatabase } from '../../../helpers/postgres.ts';

const { db } = await openTestDatabase();
const JOB = 'aaaaaaaaaaaaaaaaaaaaaaaa';

const progressed = (place: number) =>
  JSON.stringify({
    source: '@vendor/operations-manager',
    topic: 'jobProgressed',
    subjects: [JOB],
    kind: 'job',
    documents: [JOB],
    readers: ['-'],
    time: '2026-12-01T00:00:00Z',
    payload: { _id: JOB, place },
  });

test('an event that arrives while earlier ones are read follows them', async () => {
  const places: number[] = [];
  const stream = {
    progress: new Set([JOB]),
    pass: (events) => {
      places.push(
        ...events.map(({ text }) => (JSON.parse(text) as { payload: { place: number } }).payload.place),
      );
    },
  } as Pick<Stream, 'progress' | 'pass'> as Stream;
  const relay = openTransientRelay({ db, log: pino({ level: 'silent' }) }, new Set([stream]));
  const many = Array.from({ length: 3000 }, (_, place) => place);
  // Many take longer to read than the one behind them.
  for (const place of many) relay.pass(progressed(place));
  await nextTurn();
  await nextTurn();
  relay.pass(progressed(many.length));
  await expect.poll(() => places.length).toBe(many.length + 1);
  expect(places).toEqual([...many, many.length]);
  relay.close();
});
