import { expect, test } from 'vitest';
import { Schedule } from '#db/schemas/schedule.ts';
import { nextMoments } from '#server/kernel/schedules/next-moments.ts';
import { scheduleIssues } from '#server/kernel/schedules/schedule-issues.ts';
import { endOfWindowAt, nextInside } from '#server/kernel/schedules/time-windows.ts';
import { cpuTime } from '../../helpers/cpu-time.ts';

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

test.each(['0,30 2 * * *', '0,30 2-2 * * *'])(
  'several times of day, in %s, are due once when the clocks change',
  (cron) => {
    const schedule = { cron, timeZone: BERLIN };
    expect(momentsOf(schedule, '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:00:00.000Z',
    ]);
    expect(momentsOf(schedule, '2026-10-24T12:00:00Z')).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:00:00.000Z',
    ]);
  },
);

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

test.each([
  // Clocks show 02:00 to 03:00 twice, and the period ends at the second 02:30.
  [BERLIN, 'saturday', '22:00', '02:30', '2026-10-25T01:10:00Z', '2026-10-25T01:30:00.000Z'],
  // Clocks go back by half an hour.
  ['Australia/Lord_Howe', 'saturday', '12:00', '01:45', '2026-04-04T15:01:00Z', '2026-04-04T15:15:00.000Z'],
  // Clocks skip the hour of midnight, with which Sunday begins.
  ['America/Santiago', 'saturday', '22:00', '00:30', '2026-09-06T03:30:00Z', '2026-09-06T04:00:00.000Z'],
  // Clocks show the last hour of Saturday twice.
  ['America/Santiago', 'saturday', '23:00', '23:30', '2026-04-05T03:10:00Z', '2026-04-05T03:30:00.000Z'],
  // Clocks skip the end of the period.
  ['Africa/Cairo', 'thursday', '23:00', '00:30', '2026-04-23T21:30:00Z', '2026-04-23T22:00:00.000Z'],
] as const)(
  'in %s, the period from %s, %s to %s ends when the clocks say so',
  (timeZone, day, from, to, at, end) => {
    const windows = [{ weekdays: [day], from, to }];
    expect(new Date(endOfWindowAt(windows, Date.parse(at), timeZone) ?? 0).toISOString()).toBe(end);
    const minutely: Schedule = { cron: '* * * * *', timeZone, blackouts: windows };
    expect(momentsOf(minutely, at, 1)).toEqual([end]);
  },
);

test('a period begins when the clocks move past its start, and in the second of two equal hours', () => {
  const begin = (timeZone: string, from: string, to: string, at: string) =>
    new Date(nextInside([{ weekdays: ['sunday'], from, to }], Date.parse(at), timeZone) ?? 0).toISOString();
  expect(begin(BERLIN, '02:30', '05:00', '2026-03-29T00:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
  expect(begin(BERLIN, '02:00', '02:30', '2026-10-25T00:40:00Z')).toBe('2026-10-25T01:00:00.000Z');
  expect(begin('America/Santiago', '00:00', '00:00', '2026-09-06T03:00:00Z')).toBe(
    '2026-09-06T04:00:00.000Z',
  );
});

test('a period of every hour of the week is left at no time', () => {
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
  const always = { weekdays: [...days], from: '08:00', to: '08:00' };
  const at = Date.parse('2026-01-01T00:00:00Z');
  expect(endOfWindowAt([always], at, BERLIN)).not.toBeNull();
  expect(nextInside([always], at, BERLIN)).toBe(at);
  const begun = cpuTime();
  for (let round = 0; round < 20; round++)
    expect(nextMoments({ everyMinutes: 1, blackouts: [always] }, at, 1)).toEqual([]);
  // each search passed a thousand weeks, and any account that is signed in may ask for one
  expect(cpuTime() - begun).toBeLessThan(500);
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
  const started = cpuTime();
  nextMoments(schedule, 0, 100);
  expect(cpuTime() - started).toBeLessThan(1000);
});
