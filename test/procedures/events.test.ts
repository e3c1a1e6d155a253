import { expect, test } from 'vitest';
import type { JsonText } from '#server/kernel/json-text.ts';
import { issuePathsOf, rejectionOf, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

type Event = { id: string; topic: string; payload: Record<string, unknown> };
type Request = { topics?: string[]; subjects?: string[]; lastEventId?: string };

const service = await openService();
const { configurationManager } = await service.as('admin');

/** Opens a stream for a role; the function that is returned waits for that many events, and ends the stream. */
async function listen(request: Request, role: 'admin' | 'other' = 'admin') {
  const stream = await (await service.as(role)).events.stream(request);
  return async (count: number): Promise<Event[]> => {
    const events: Event[] = [];
    for await (const [id, text] of stream as AsyncIterable<[string, JsonText<Event>]>) {
      const event = text.parse();
      expect(event.id).toBe(id);
      // Built-in parsers are stored when configurations are first read.
      if (event.payload.kind === 'parser') continue;
      events.push(event);
      if (events.length === count) break;
    }
    return events;
  };
}
const createTree = () => configurationManager.createTree({ name: unique('Tree'), deviceType: 'cisco-ios' });
const kinds = (events: Event[]) => events.map(({ payload }) => `${payload.kind} ${payload.change}`).sort();

test('a write is sent to listeners, and a rejected one is not', async () => {
  const received = await listen({ topics: ['configurationChanged'] });
  await rejectionOf(configurationManager.createTree({ name: 'T', deviceType: 'no-such-system' }));
  await createTree();
  expect(kinds(await received(3))).toEqual(['spec created', 'tree created', 'version created']);
});

test('a stream is limited to the requested topics and subjects', async () => {
  const all = await listen({ topics: ['configurationChanged'] });
  const tree = await createTree();
  await all(3);
  const received = await listen({ topics: ['configurationChanged'], subjects: [tree.id] });
  await createTree();
  await configurationManager.deleteTrees({ treeIds: [tree.id] });
  const [first] = await received(1);
  expect(first?.payload.change).toBe('deleted');
});

test('a stream resumes after the id of the last event that was received', async () => {
  const received = await listen({ topics: ['configurationChanged'] });
  await createTree();
  const [first, second] = await received(3);
  const resumed = await listen({ topics: ['configurationChanged'], lastEventId: first?.id ?? '' });
  expect((await resumed(1))[0]).toEqual(second);
});

test('an event about a document is withheld from accounts that may not read it', async () => {
  const received = await listen({ topics: ['configurationChanged'] });
  const denied = await (await service.as('other')).events.stream({ topics: ['configurationChanged'] });
  const iterator = (denied as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  const next = iterator.next().then(() => 'received');
  await createTree();
  await received(3);
  expect(await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 300, 'nothing'))])).toBe(
    'nothing',
  );
  await iterator.return?.();
});

test.each([
  [{ lastEventId: 'x' }, 'lastEventId'],
  [{ topics: 'jobCompleted' }, 'topics'],
  [{ subjects: ['x'.repeat(501)] }, 'subjects.0'],
  [{ colour: 'red' }, 'colour'],
])('a stream of %j is rejected and the field named', async (input, path) => {
  const admin = await service.as('admin');
  expect(await issuePathsOf(admin.events.stream(input as never))).toEqual([path]);
});

test('a stream is for accounts that have signed in', async () => {
  expect(await rejectionOf((await service.as(null)).events.stream({}))).toMatchObject({
    code: 'UNAUTHORIZED',
  });
});
