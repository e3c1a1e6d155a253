import { expect, test } from 'vitest';
import { verdictOf } from '#server/domains/git/runs/compare.ts';

const base = { local: 'a', remote: 'A' };

test.each([
  // local, remote, base → push, pull
  ['x', 'x', null, 'none', 'none'],
  ['a', 'A', base, 'none', 'none'],
  ['b', 'A', base, 'update', 'skip'],
  ['a', 'B', base, 'skip', 'update'],
  ['b', 'B', base, 'conflict', 'conflict'],
  ['a', null, base, 'skip', 'remove'],
  [null, 'A', base, 'remove', 'skip'],
  ['b', null, base, 'conflict', 'conflict'],
  [null, 'B', base, 'conflict', 'conflict'],
  ['a', null, null, 'create', 'skip'],
  [null, 'A', null, 'skip', 'create'],
  ['a', 'A', null, 'conflict', 'conflict'],
  [null, null, base, 'none', 'none'],
] as const)(
  'with %j here, %j there and %j before, a push does %s and a pull %s',
  (local, remote, known, push, pull) => {
    const sides = { local, remote, base: known };
    expect(verdictOf('push', sides, false).action).toBe(push);
    expect(verdictOf('pull', sides, false).action).toBe(pull);
  },
);

test('a conflict that is settled writes what the run brings', () => {
  const sides = { local: 'b', remote: 'B', base };
  expect(verdictOf('push', sides, true)).toEqual({ action: 'update' });
  expect(verdictOf('pull', { ...sides, local: null }, true)).toEqual({ action: 'create' });
});
