import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gradeOf, scoreOf, shownScore } from '#server/domains/golden-config/rules/score.ts';

type Four = [number, number, number, number];
const counted = ([errors, warnings, infos, passes]: Four) => ({ errors, warnings, infos, passes });

test.each<[Four, number, string]>([
  [[0, 0, 0, 10], 100, 'pass'],
  [[1, 0, 0, 18], 90, 'pass'],
  [[1, 2, 0, 7], 63.64, 'fail'],
  [[0, 2, 2, 12], 80, 'review'],
  [[0, 0, 0, 0], 100, 'pass'],
  [[1, 0, 0, 2], 50, 'fail'],
  [[3, 0, 0, 0], 0, 'fail'],
])('%j scores %d: %s', (totals, score, grade) => {
  expect(shownScore(scoreOf(counted(totals)))).toBe(score);
  expect(gradeOf(scoreOf(counted(totals)))).toBe(grade);
});

test('weights that are missing take their defaults, and may be any number', () => {
  expect(scoreOf(counted([1, 2, 0, 7]), { error: 0 })).toBeCloseTo((100 * 7) / 9);
  expect(scoreOf(counted([5, 5, 5, 10]), { error: 0, warning: 0, info: 0 })).toBe(100);
  expect(scoreOf(counted([1, 0, 0, 3]), { error: -1 })).toBe(150);
});

test('a denominator that is not above 0 results in 0, never in a division by it', () => {
  expect(scoreOf(counted([1, 0, 0, 2]), { error: -3 })).toBe(0);
  expect(scoreOf(counted([1, 0, 0, 2]), { error: -2 })).toBe(0);
  expect(scoreOf(counted([4, 0, 0, 0]), { error: 0, warning: 0, info: 0 })).toBe(0);
});

test('a score is compared unrounded', () => {
  const score = 89.996;
  expect(shownScore(score)).toBe(90);
  expect(gradeOf(score)).toBe('review');
  expect(gradeOf(90)).toBe('pass');
  expect(gradeOf(50, { pass: 60, review: 40 })).toBe('review');
  expect(gradeOf(85, { pass: 85 })).toBe('pass');
});

test('a score is shown with two decimals, and half a hundredth is rounded up', () => {
  expect(shownScore(3.125)).toBe(3.13);
});

const count = fc.integer({ min: 0, max: 2 ** 31 - 1 });
test('whatever finite weights are given, the score is a finite number that is not negative', () => {
  const weight = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(
      fc.tuple(count, count, count, count),
      weight,
      weight,
      weight,
      (totals, error, warning, info) => {
        const score = scoreOf(counted(totals), { error, warning, info });
        expect(Number.isFinite(score)).toBe(true);
        expect(score).toBeGreaterThanOrEqual(0);
      },
    ),
    {
      examples: [
        [[1, 1, 0, 1], 1e308, -1e308, 0],
        [[2_000_000_000, 0, 0, 5], Number.MAX_VALUE, 0, 0],
      ],
    },
  );
});
