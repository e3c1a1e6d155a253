import { expect, test } from 'vitest';
import { gradeOf, score, shownScore } from '#server/engines/rules/score.ts';

const totals = (errors: number, warnings: number, infos: number, passes: number) => ({
  errors,
  warnings,
  infos,
  passes,
});

test.each<[number, number, number, number, number, string]>([
  [0, 0, 0, 10, 100, 'pass'],
  [1, 0, 0, 18, 90, 'pass'],
  [1, 2, 0, 7, 63.64, 'fail'],
  [0, 2, 2, 12, 80, 'review'],
  [0, 0, 0, 0, 100, 'pass'],
  [3, 0, 0, 0, 0, 'fail'],
])(
  '%i errors, %i warnings, %i infos, %i passes: %f, %s',
  (errors, warnings, infos, passes, points, grade) => {
    const scored = score(totals(errors, warnings, infos, passes));
    expect(shownScore(scored)).toBe(points);
    expect(gradeOf(scored)).toBe(grade);
  },
);

test('weights that are missing take their defaults; those of zero count nothing', () => {
  expect(score(totals(1, 2, 0, 7), { error: 0, warning: 0, info: 0 })).toBe(100);
  expect(shownScore(score(totals(1, 2, 0, 7), { warning: 0.5 }))).toBe(70);
});

test('what cannot be divided is 0 with issues, 100 without', () => {
  expect(score(totals(1, 0, 0, 7), { error: -20 })).toBe(0);
  expect(score(totals(1, 0, 0, 0), { error: 0 })).toBe(0);
  expect(score(totals(0, 0, 0, 0), { error: 0 })).toBe(100);
});

test('scores are compared as they are, not as they are shown', () => {
  expect(gradeOf(89.999)).toBe('review');
  expect(gradeOf(79.996)).toBe('fail');
  expect(gradeOf(50, { pass: 50 })).toBe('pass');
  expect(gradeOf(50, { review: 40 })).toBe('review');
});
