import { expect, test } from 'vitest';
import { differencesOf } from '#server/kernel/json/document-differences.ts';

const NONE = new Set<string>();

test('each place where two versions differ is reported once, as deep as possible', () => {
  const theirs = { a: 1, list: [1, { x: 1 }], gone: true, 'sl/ash': { '~': 1 } };
  const yours = { a: 2, list: [1, { x: 2, y: 3 }], fresh: [], 'sl/ash': { '~': 2 } };
  expect(differencesOf(theirs, yours, NONE)).toEqual([
    { path: '/a', difference: 'changed' },
    { path: '/list/1/x', difference: 'changed' },
    { path: '/list/1/y', difference: 'only yours' },
    { path: '/fresh', difference: 'only yours' },
    { path: '/sl~1ash/~0', difference: 'changed' },
    { path: '/gone', difference: 'only theirs' },
  ]);
});

test('a field that every write sets is a difference only inside of other fields', () => {
  const stamps = new Set(['stamp']);
  expect(differencesOf({ stamp: 1, in: { stamp: 1 } }, { stamp: 2, in: { stamp: 2 } }, stamps)).toEqual([
    { path: '/in/stamp', difference: 'changed' },
  ]);
});

test('a list is not an object, null is not an object, and equal versions do not differ', () => {
  expect(differencesOf({ a: [] }, { a: {} }, NONE)).toEqual([{ path: '/a', difference: 'changed' }]);
  expect(differencesOf({ a: null }, { a: {} }, NONE)).toEqual([{ path: '/a', difference: 'changed' }]);
  expect(differencesOf({ a: [{ b: null }] }, { a: [{ b: null }] }, NONE)).toEqual([]);
});

test('at most fifty places are reported', () => {
  const many = Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`m${n}`, n]));
  expect(differencesOf({}, many, NONE)).toHaveLength(50);
});

test('documents of a million fields are compared in a fraction of a second, the large list as a whole', () => {
  const list = Array.from({ length: 1_000_000 }, (_, at) => at);
  const began = process.cpuUsage();
  const found = differencesOf({ name: 'a', list }, { name: 'b', list: [...list, 1] }, new Set());
  const { user } = process.cpuUsage(began);
  expect(found).toEqual([
    { path: '/name', difference: 'changed' },
    { path: '/list', difference: 'changed' },
  ]);
  expect(user / 1e6).toBeLessThan(1);
});
