import { expect, test } from 'vitest';
import { earliest, latest } from '#server/kernel/documents/moments.ts';

test.each([
  ['2026-02-03T04:05:06.000Z', '2026-02-03T04:05:06'],
  ['2026-02-03T04:05:06Z', '2026-02-03T04:05:06'],
  ['2026-02-03T04:05:10Z', '2026-02-03T04:05:10'],
  ['2026-02-03T04:05:06.780Z', '2026-02-03T04:05:06.78'],
  ['2026-02-03T04:10Z', '2026-02-03T04:10:00'],
  ['2026-02-03', '2026-02-03'],
])('reads the bound %s as %s', (bound, moment) => {
  expect(earliest(bound)).toBe(moment);
  if (bound.includes('T')) expect(latest(bound)).toBe(moment);
});

test('a day as the last one holds all its moments, and none of the next', () => {
  expect(earliest('2026-02-03T23:59:59.999Z') <= latest('2026-02-03')).toBe(true);
  expect(earliest('2026-02-04T00:00:00Z') <= latest('2026-02-03')).toBe(false);
});
