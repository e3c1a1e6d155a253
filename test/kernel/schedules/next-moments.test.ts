import { expect, test } from 'vitest';
import { Schedule } from '#db/schemas/schedule.ts';
import { nextMoments } from '#server/kernel/schedules/next-moments.ts';
import { scheduleIssues } from '#server/kernel/schedules/schedule-issues.ts';
import { nextInside } from '#server/kernel/schedules/time-windows.ts';

const momentsOf = (schedule: Schedule, from: string, count = 3) =>
  nextMoments(Schedule.parse(schedule), Date.parse(from), count).map((at) => new Date(at).toISOString());

const BERLIN = 'Europe/Berlin';

test('an interval counts from 1970, so that all processes agree on its times', () => {
  expect(momentsOf({ everyMinutes: 90 }, '2026-01-01T00:10:00Z', 2)).toEqual([
    '2026-01-01T01:30:00.000Z',
    '2026-01-01T03:00:00.000Z',
  ]);
});

test('the first moment that counts is the given one', () => {
  expect(momentsOf({ cron: '0 0 * * *' }, '2026-01-01T00:00:00.000Z', 1)).toEqual([
    '2026-01-01T00:00:00.000Z',
  ]);
  expect(momentsOf({ cron: '0 0 * * *' }, '2026-01-01T00:00:00.001Z', 1)).toEqual([
    '2026-01-02T00:00:00.000Z',
  ]);
});

test('a time of day that the clock skips in spring is due when the clock has moved', () => {
  const nightly: Schedule = { calendar: { every: 'day', at: '02:30' }, timeZone: BERLIN };
  expect(momentsOf(nightly, '2026-03-28T00:00:00Z')).toEqual([
    '2026-03-28T01:30:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
});

test('a time of day that the clock repeats in autumn is due once', () => {
  expect(momentsOf({ cron: '30 2 * * *', timeZone: BERLIN }, '2026-10-24T12:00:00Z', 2)).toEqual([
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
});

test('an hourly schedule is due in both of the repeated hours', () => {
  expect(momentsOf({ cron: '0 * * * *', timeZone: BERLIN }, '2026-10-25T00:00:00Z')).toEqual([
    '2026-10-25T00:00:00.000Z',
    '2026-10-25T01:00:00.000Z',
    '2026-10-25T02:00:00.000Z',
  ]);
});

test('a month without the day uses its last day, once', () => {
  const rule: Schedule = { calendar: { every: 'month', days: [29, 30, 31, 'last'], at: '00:00' } };
  expect(momentsOf(rule, '2026-02-01T00:00:00Z', 2)).toEqual([
    '2026-02-28T00:00:00.000Z',
    '2026-03-29T00:00:00.000Z',
  ]);
  expect(momentsOf(rule, '2028-02-01T00:00:00Z', 2)).toEqual([
    '2028-02-29T00:00:00.000Z',
    '2028-03-29T00:00:00.000Z',
  ]);
});

test('a weekday of the month and days of the week are those of the time zone', () => {
  const patchDay: Schedule = {
    calendar: { every: 'monthly weekday', which: 'second', weekday: 'tuesday', at: '01:00' },
    timeZone: 'Asia/Tokyo',
  };
  expect(momentsOf(patchDay, '2026-01-01T00:00:00Z', 2)).toEqual([
    '2026-01-12T16:00:00.000Z',
    '2026-02-09T16:00:00.000Z',
  ]);
  const weekend: Schedule = { calendar: { every: 'week', weekdays: ['saturday', 'sunday'], at: '12:00' } };
  expect(momentsOf(weekend, '2026-01-05T00:00:00Z', 2)).toEqual([
    '2026-01-10T12:00:00.000Z',
    '2026-01-11T12:00:00.000Z',
  ]);
});

test('skips due times within a blackout, also overnight and when the clocks change', () => {
  const hourly: Schedule = {
    cron: '0 * * * *',
    timeZone: BERLIN,
    blackouts: [{ weekdays: ['saturday'], from: '22:00', to: '04:00' }],
  };
  expect(momentsOf(hourly, '2026-03-28T20:00:00Z', 2)).toEqual([
    '2026-03-28T20:00:00.000Z',
    '2026-03-29T02:00:00.000Z',
  ]);
  const freeze: Schedule = {
    everyMinutes: 60,
    blackouts: [{ from: '2026-12-20T00:00:00Z', to: '2027-01-04T00:00:00Z' }],
  };
  expect(momentsOf(freeze, '2026-12-20T00:00:00Z', 1)).toEqual(['2027-01-04T00:00:00.000Z']);
});

test('the next moment inside a period is found from outside of it', () => {
  const windows = [{ weekdays: ['monday' as const], from: '01:00', to: '02:00' }];
  const at = Date.parse('2026-01-06T00:00:00Z');
  expect(new Date(nextInside(windows, at, 'UTC') ?? 0).toISOString()).toBe('2026-01-12T01:00:00.000Z');
  expect(nextInside([], at, 'UTC')).toBe(at);
  expect(nextInside([{ from: '2025-01-01T00:00:00Z', to: '2025-01-02T00:00:00Z' }], at, 'UTC')).toBeNull();
});

test.each<[Schedule, string[]]>([
  [{}, ['']],
  [{ everyMinutes: 5, cron: '* * * * *' }, ['']],
  [{ cron: '@daily' }, ['cron']],
  [{ cron: '* * * * * *' }, ['cron']],
  [{ cron: '61 * * * *' }, ['cron']],
  [{ cron: '0 0 30 2 *' }, ['cron']],
  [{ cron: '0 25 * * *', timeZone: 'Mars/Olympus' }, ['timeZone', 'cron']],
  [{ everyMinutes: 5, timeZone: '+02:00' }, ['timeZone']],
  [
    { everyMinutes: 5, blackouts: [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }] },
    ['blackouts.0.to'],
  ],
  [
    {
      calendar: { every: 'day', at: '12:00' },
      blackouts: [
        {
          weekdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
          from: '11:00',
          to: '13:00',
        },
      ],
    },
    [''],
  ],
])('the issues of the schedule %j name their fields', (schedule, paths) => {
  const issues = scheduleIssues(Schedule.parse(schedule), [], Date.parse('2026-01-01T00:00:00Z'));
  expect(issues.map(({ path }) => path.join('.'))).toEqual(paths);
});

test('the widest schedule is answered within a second', () => {
  const day = { weekdays: ['monday' as const], from: '00:00', to: '00:00' };
  const schedule: Schedule = { everyMinutes: 1, blackouts: Array.from({ length: 50 }, () => day) };
  const started = performance.now();
  nextMoments(schedule, 0, 100);
  expect(performance.now() - started).toBeLessThan(1000);
});
