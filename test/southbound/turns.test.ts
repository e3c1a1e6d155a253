import { expect, test } from 'vitest';
import { openKeyedSemaphore } from '#server/kernel/timing/keyed-semaphore.ts';

const forever = new AbortController().signal;

test('a limited number runs concurrently, the others wait in order of arrival, and a full queue rejects', async () => {
  const turns = openKeyedSemaphore(2);
  const order: string[] = [];
  const first = await turns('a', 1, forever);
  const second = turns('a', 1, forever).then((end) => {
    order.push('second');
    return end;
  });
  const third = turns('a', 1, forever).then((end) => {
    order.push('third');
    return end;
  });
  expect(await turns('a', 1, forever)).toBeNull();
  expect(await turns('b', 1, forever)).toEqual(expect.any(Function));
  first?.();
  first?.();
  (await second)?.();
  (await third)?.();
  expect(order).toEqual(['second', 'third']);
  expect(await turns('a', 1, forever)).toEqual(expect.any(Function));
});

test('a caller who cancels leaves the queue, and later callers move up', async () => {
  const turns = openKeyedSemaphore(2);
  const first = await turns('a', 1, forever);
  const impatient = new AbortController();
  const leaving = turns('a', 1, impatient.signal);
  const staying = turns('a', 1, forever);
  impatient.abort(new Error('too long'));
  await expect(leaving).rejects.toThrow('too long');
  first?.();
  expect(await staying).toEqual(expect.any(Function));
});
