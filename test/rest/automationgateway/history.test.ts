import { expect, test } from 'vitest';
import {
  clearHistory,
  type FinishedCall,
  noteCall,
} from '#server/domains/network/gateway/history.service.ts';
import { openGateway } from '../../helpers/gateway.ts';

const { db, done, send, platform } = await openGateway();

type Page = { total: number; results: Record<string, unknown>[] };

const call = (minute: number, more: Partial<FinishedCall> = {}): FinishedCall => ({
  kind: 'cli',
  host: 'edge-1',
  user: 'bar',
  started: new Date(Date.UTC(2026, 1, 3, 4, minute)),
  durationMs: 12.345,
  status: 'success',
  commands: ['show version'],
  requestId: 'r-1',
  ...more,
});
const note = (more: FinishedCall) => noteCall({ db, log: platform.log }, more);

test('calls are listed newest first, commands kept, secrets masked', async () => {
  // The clock of the database decides what is old: these are.
  await note(
    call(0, {
      started: new Date(),
      commands: ['enable secret Lantern-9', 'show Open-Sesame'],
      secrets: ['Open-Sesame'],
    }),
  );
  await note({
    kind: 'traceroute',
    host: 'leaf-1',
    user: 'bar',
    started: new Date(Date.now() + 1000),
    durationMs: 5,
    status: 'failed',
    reason: 'REFUSED',
    destination: '198.51.100.9',
  });
  const page = await done<Page>('GET', '/history');
  expect(page.total).toBe(2);
  expect(page.results[0]).toMatchObject({
    kind: 'traceroute',
    status: 'failed',
    reason: 'REFUSED',
    destination: '198.51.100.9',
    requestId: null,
  });
  expect(page.results[1]).toMatchObject({
    host: 'edge-1',
    durationMs: 12.3,
    commands: ['enable secret ********', 'show ********'],
    requestId: 'r-1',
  });
  expect(await done('GET', '/history?equals=leaf-1&equalsField=host')).toMatchObject({ total: 1 });
  expect(await done('GET', '/history?greaterThan=10&greaterThanField=durationMs')).toMatchObject({
    total: 1,
  });
  expect(await done('GET', '/history?equals=cli&equalsField=kind&limit=1')).toMatchObject({ total: 1 });
});

test('it is for admin alone', async () => {
  for (const as of ['apiread', 'apiwrite', 'support'] as const) {
    expect((await send('GET', '/history', undefined, { as })).status).toBe(403);
  }
  expect((await send('GET', '/history?equals=x&equalsField=output')).status).toBe(400);
});

test('deletes calls beyond the retention period and beyond the maximum number', async () => {
  await clearHistory(db, { days: 36_500, most: 1_000_000 });
  const before = (await done<Page>('GET', '/history')).total;
  for (const minute of [1, 2, 3, 4])
    await note(call(minute, { started: new Date(Date.now() - minute * 60_000) }));
  await note(call(5, { started: new Date(Date.now() - 100 * 86_400_000) }));
  expect((await done<Page>('GET', '/history')).total).toBe(before + 5);
  await clearHistory(db, { days: 90 });
  expect((await done<Page>('GET', '/history')).total).toBe(before + 4);
  await clearHistory(db, { days: 90, most: 3 });
  const left = await done<Page>('GET', '/history?limit=10');
  expect(left.total).toBe(3);
  expect(left.results.map(({ started }) => started)).toEqual(
    left.results
      .map(({ started }) => started)
      .toSorted()
      .toReversed(),
  );
});

test('a call that cannot be stored in the history still succeeds: the log reports it', async () => {
  const reported: unknown[] = [];
  const broken = {
    insert: () => {
      throw new Error('gone');
    },
  } as never;
  await noteCall(
    { db: broken, log: { error: (...line: unknown[]) => void reported.push(line) } as never },
    call(0),
  );
  expect(reported).toHaveLength(1);
});
