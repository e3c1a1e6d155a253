import { expect, test } from 'vitest';
import { percentDone } from '../../web/src/ui/quantities.ts';

test.each([
  [0, 0, 0],
  [0, 3, 0],
  [1, 3, 33],
  [199, 200, 99],
  [0.9999, 1, 99],
  [0.29, 1, 29],
  [0.57, 1, 57],
  [3, 3, 100],
  [4, 3, 100],
])('%d of %d are %d percent: only what has ended is 100', (done, total, percent) => {
  expect(percentDone(done, total)).toBe(percent);
});
