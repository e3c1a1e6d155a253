import { expect, test } from 'vitest';
import { dueRuns } from '#server/domains/workflow/jobs/control/due.ts';

const at = Date.UTC(2026, 0, 31, 3, 0, 0);
const minute = 60_000;
const hour = 60 * minute;
const hourly = { firstRunAt: at, repeatUnit: 'hour' } as const;

test('starts due schedules and returns the next due time', () => {
  expect(dueRuns(hourly, 'none', at, at + 1500)).toEqual({ runs: [at], next: at + hour, missed: 0 });
  expect(dueRuns({ firstRunAt: at }, null, at, at + 10)).toEqual({ runs: [at], next: null, missed: 0 });
});

test('starts none, the last or all of the missed times, as the schedule specifies', () => {
  const late = at + 3 * hour + 5 * minute;
  const next = at + 4 * hour;
  expect(dueRuns(hourly, 'none', at, late)).toEqual({ runs: [], next, missed: 4 });
  expect(dueRuns(hourly, 'last', at, late)).toEqual({ runs: [at + 3 * hour], next, missed: 3 });
  expect(dueRuns(hourly, 'all', at, late)).toEqual({
    runs: [0, 1, 2, 3].map((n) => at + n * hour),
    next,
    missed: 0,
  });
});

test('months clamp to their last day', () => {
  const monthly = { firstRunAt: at, repeatUnit: 'month' } as const;
  expect(dueRuns(monthly, 'none', at, at + 1).next).toBe(Date.UTC(2026, 1, 28, 3));
});

test('a schedule that was missed too often to count continues from now', () => {
  const often = { firstRunAt: at, repeatInterval: 1000 };
  const { runs, next } = dueRuns(often, 'none', at, at + 365 * 24 * hour);
  expect(runs).toHaveLength(60);
  expect(next).toBe(at + 365 * 24 * hour + 1000);
});
