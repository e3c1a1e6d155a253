import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextRun, type Schedule, scheduleIssues } from '#server/domains/workflow/triggers/schedule.ts';
import { lawRuns } from '../../../helpers/long.ts';

const at = (text: string) => Date.parse(text);
const shown = (time: number | null) => (time === null ? null : new Date(time).toISOString());

test.each([
  { unit: 'minute', from: '2026-01-31T10:00:01.000Z', next: '2026-01-31T10:01:00.000Z' },
  { unit: 'hour', from: '2026-01-31T10:00:01.000Z', next: '2026-01-31T11:00:00.000Z' },
  { unit: 'day', from: '2026-03-29T10:00:01.000Z', next: '2026-03-30T10:00:00.000Z' },
  { unit: 'week', from: '2026-02-01T00:00:00.000Z', next: '2026-02-07T10:00:00.000Z' },
  { unit: 'month', from: '2026-02-01T00:00:00.000Z', next: '2026-02-28T10:00:00.000Z' },
  { unit: 'month', from: '2026-02-28T10:00:00.001Z', next: '2026-03-31T10:00:00.000Z' },
  { unit: 'month', from: '2028-02-01T00:00:00.000Z', next: '2028-02-29T10:00:00.000Z' },
  { unit: 'month', from: '2026-04-30T10:00:00.000Z', next: '2026-04-30T10:00:00.000Z' },
  { unit: 'year', from: '2026-01-31T10:00:00.001Z', next: '2027-01-31T10:00:00.000Z' },
] as const)('a $unit after the end of January is due at $next, seen from $from', ({ unit, from, next }) => {
  const schedule = { firstRunAt: at('2026-01-31T10:00:00.000Z'), repeatUnit: unit };
  expect(shown(nextRun(schedule, at(from)))).toBe(next);
});

test('a yearly run on a leap day falls on the last of February in other years', () => {
  const schedule = { firstRunAt: at('2024-02-29T00:00:00.000Z'), repeatUnit: 'year' } as const;
  expect(shown(nextRun(schedule, at('2025-01-01T00:00:00.000Z')))).toBe('2025-02-28T00:00:00.000Z');
  expect(shown(nextRun(schedule, at('2028-01-01T00:00:00.000Z')))).toBe('2028-02-29T00:00:00.000Z');
});

test('without a repetition it is due once; without a first time never', () => {
  expect(nextRun({ firstRunAt: 5000 }, 4000)).toBe(5000);
  expect(nextRun({ firstRunAt: 5000 }, 5000)).toBe(5000);
  expect(nextRun({ firstRunAt: 5000 }, 5001)).toBeNull();
  expect(nextRun({ repeatUnit: 'day' }, 0)).toBeNull();
  expect(nextRun({ firstRunAt: null }, 0)).toBeNull();
});

test('an interval counts only where no unit is given', () => {
  expect(nextRun({ firstRunAt: 1000, repeatInterval: 1500 }, 1001)).toBe(2500);
  const both = { firstRunAt: 1000, repeatUnit: 'minute', repeatInterval: 1500 } as const;
  expect(nextRun(both, 1001)).toBe(61_000);
});

test('a moment beyond the range of dates is never due', () => {
  expect(nextRun({ firstRunAt: 0, repeatUnit: 'year', repeatFrequency: 1_000_000 }, 1)).toBeNull();
  expect(nextRun({ firstRunAt: 8.64e15, repeatUnit: 'month' }, 8.64e15 + 1)).toBeNull();
});

const UNITS = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const;
const moment = fc.integer({ min: 0, max: at('2200-01-01T00:00:00.000Z') });
const schedule: fc.Arbitrary<Schedule> = fc.oneof(
  fc.record({
    firstRunAt: moment,
    repeatUnit: fc.constantFrom(...UNITS),
    repeatFrequency: fc.option(fc.integer({ min: 1, max: 60 })),
  }),
  fc.record({ firstRunAt: moment, repeatInterval: fc.integer({ min: 1000, max: 4e10 }) }),
);

/** The occurrences in order from the first on, computed in the plainest possible manner. */
function occurrence({ firstRunAt, repeatUnit, repeatFrequency, repeatInterval }: Schedule, index: number) {
  const first = new Date(firstRunAt ?? 0);
  const count = index * (repeatFrequency ?? 1);
  if (!repeatUnit) return first.getTime() + index * (repeatInterval ?? 0);
  if (repeatUnit !== 'month' && repeatUnit !== 'year') {
    const seconds = { minute: 60, hour: 3600, day: 86_400, week: 604_800 }[repeatUnit];
    return first.getTime() + count * seconds * 1000;
  }
  const months = first.getUTCMonth() + count * (repeatUnit === 'year' ? 12 : 1);
  const [year, month] = [first.getUTCFullYear() + Math.floor(months / 12), months % 12];
  for (let lastDay = first.getUTCDate(); ; lastDay--) {
    const tried = new Date(first);
    tried.setUTCFullYear(year, month, lastDay);
    if (tried.getUTCMonth() === month) return tried.getTime();
  }
}

test('the next run is an occurrence, not before the requested moment, and none lies between', () => {
  fc.assert(
    fc.property(schedule, fc.nat({ max: 300 }), fc.integer({ min: -3, max: 3 }), (given, index, beside) => {
      const from = occurrence(given, index) + beside;
      const due = nextRun(given, from);
      // The plainest search: from the first on.
      let expected = 0;
      while (occurrence(given, expected) < from) expected++;
      expect(due).toBe(occurrence(given, expected));
    }),
    lawRuns(500),
  );
});

test('from one run on, the next is later, and starting from a run returns that run', () => {
  fc.assert(
    fc.property(schedule, moment, (given, from) => {
      const due = nextRun(given, from);
      if (due === null) throw new Error('a repetition ends');
      expect(nextRun(given, due)).toBe(due);
      expect(nextRun(given, due + 1)).toBeGreaterThan(due);
    }),
  );
});

test.each([
  [{}, ['firstRunAt']],
  [{ firstRunAt: null }, ['firstRunAt']],
  [{ firstRunAt: -1 }, ['firstRunAt']],
  [{ firstRunAt: 1.5 }, ['firstRunAt']],
  [{ firstRunAt: 9e15 }, ['firstRunAt']],
  [{ firstRunAt: 0, repeatFrequency: 0 }, ['repeatFrequency']],
  [{ firstRunAt: 0, repeatUnit: 'day', repeatFrequency: 1.5 }, ['repeatFrequency']],
  [{ firstRunAt: 0, repeatInterval: 999 }, ['repeatInterval']],
  [{ firstRunAt: 0, repeatUnit: 'day', repeatInterval: 0 }, []],
  [{ firstRunAt: 0, repeatUnit: null, repeatFrequency: null, repeatInterval: null }, []],
  [{ repeatFrequency: 0, repeatInterval: 0 }, ['firstRunAt', 'repeatFrequency', 'repeatInterval']],
] as const)('of %j these fields are rejected: %j', (given, members) => {
  const issues = scheduleIssues(given, ['trigger']);
  expect(issues.map(({ path }) => path)).toEqual(members.map((member) => ['trigger', member]));
});

test('a cron expression or a calendar replaces the repetition, from the first time on', () => {
  const schedule = { cron: '0 3 * * *', timeZone: 'Europe/Berlin' };
  expect(shown(nextRun({ schedule }, at('2026-03-29T00:00:00.000Z')))).toBe('2026-03-29T01:00:00.000Z');
  const later = { schedule, firstRunAt: at('2026-06-01T00:00:00.000Z') };
  expect(shown(nextRun(later, at('2026-03-29T00:00:00.000Z')))).toBe('2026-06-01T01:00:00.000Z');
  expect(scheduleIssues({ schedule }, [])).toEqual([]);
  const both = scheduleIssues({ schedule, repeatUnit: 'day', repeatFrequency: 2 }, ['trigger']);
  expect(both.map(({ path }) => path.join('.'))).toEqual(['trigger.repeatUnit', 'trigger.repeatFrequency']);
  const wrong = scheduleIssues({ schedule: { cron: '0 3 * *' } }, ['trigger']);
  expect(wrong.map(({ path }) => path.join('.'))).toEqual(['trigger.schedule.cron']);
});
