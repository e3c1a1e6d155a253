import { expect, test } from 'vitest';
import { translateLoss } from '#server/durable/pool.ts';

const broken = () => Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
const loss = expect.objectContaining({ code: 'ECONNRESET', message: 'Connection terminated unexpectedly' });

test('a statement on a lost connection rejects the awaiting promise with the loss', async () => {
  await expect(translateLoss(() => Promise.reject(broken()))('select 1')).rejects.toEqual(loss);
});

test('a statement on a lost connection passes the loss to a callback', () => {
  const reported: unknown[] = [];
  const query = translateLoss((...given) => {
    const [, , callback] = given as [string, unknown[], (error: Error) => void];
    callback(broken());
  });
  query('select 1', [], (error: Error) => reported.push(error));
  expect(reported).toEqual([loss]);
});

test('passes results and other errors on unchanged', async () => {
  const other = new Error('no such table');
  await expect(translateLoss(() => Promise.reject(other))('select 1')).rejects.toBe(other);
  const reported: unknown[] = [];
  const query = translateLoss((...given) =>
    (given.at(-1) as (error: null, answer: string) => void)(null, 'one'),
  );
  query('select 1', (...given: unknown[]) => reported.push(...given));
  expect(reported).toEqual([null, 'one']);
});
