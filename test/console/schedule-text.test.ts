import { expect, test } from 'vitest';
import { cronText } from '../../web/src/ui/schedule/cron-text.ts';
import { dayListText, momentText, weekdaysText } from '../../web/src/ui/schedule/day-text.ts';

test.each([
  ['0 3 * * *', 'each day at 03:00'],
  ['15 4 * * 1-5', 'Monday to Friday at 04:15'],
  ['15 4 * * MON,thu', 'each Monday and Thursday at 04:15'],
  ['0 22 * * 0', 'each Sunday at 22:00'],
  ['0 22 * * 6,7', 'each Saturday and Sunday at 22:00'],
  ['0 8,12,17 * * *', 'each day at 08:00, 12:00 and 17:00'],
  ['*/15 * * * *', 'every 15 minutes'],
  ['* * * * *', 'every minute'],
  ['*/15 8-17 * * 1-5', 'Monday to Friday every 15 minutes from 08:00 to 17:59'],
  ['0 */6 * * *', 'each day at 00:00, 06:00, 12:00 and 18:00'],
  ['30 */2 * * *', 'every 2 hours from 00:30'],
  ['5 * * * *', 'every hour at minute 5'],
  ['30 2 1 1,4,7,10 *', 'on day 1 of January, April, July and October at 02:30'],
  ['0 0 1,15 * *', 'on days 1 and 15 of each month at 00:00'],
  ['0 1 L * *', 'on the last day of each month at 01:00'],
  ['0 1 * * 1#2', 'on the second Monday of each month at 01:00'],
  ['0 3 * DEC *', 'each day in December at 03:00'],
])('the cron expression %s means %s', (expression, text) => {
  expect(cronText(expression)).toBe(text);
});

test.each([
  // Every seven minutes of an hour, from its first: the distance over the hour is another one.
  '*/7 * * * *',
  // Either of both days counts.
  '0 3 1 * 1',
  '0 3 1 * 0-6',
  '0 3 */2 * *',
  '5/15 * * * *',
  '0 3 * * 5L',
  '0 3 15W * *',
  '0 3 * *',
  '0 0 3 * * *',
  '61 3 * * *',
  '0 3 * * MONDAY',
  '17-3 * * * *',
  '@daily',
  '',
])('the cron expression "%s" has no description', (expression) => {
  expect(cronText(expression)).toBeUndefined();
});

test('days of calendars are described as those of cron expressions are', () => {
  expect(weekdaysText([0, 3])).toBe('each Monday and Thursday');
  expect(weekdaysText([0, 1, 2, 3, 4])).toBe('Monday to Friday');
  expect(dayListText([1, 'last'])).toBe('day 1 and the last day');
  expect(dayListText([1, 15])).toBe('days 1 and 15');
});

test.each([
  ['2026-10-25T00:30:00Z', 'Europe/Berlin', '02:30 Europe/Berlin, UTC+2'],
  ['2026-10-25T01:30:00Z', 'Europe/Berlin', '02:30 Europe/Berlin, UTC+1'],
  ['2026-11-01T04:15:00Z', 'America/St_Johns', '01:45 America/St_Johns, UTC-2:30'],
  ['2026-11-01T05:15:00Z', 'America/St_Johns', '01:45 America/St_Johns, UTC-3:30'],
  ['2026-10-25T01:30:00Z', 'UTC', '01:30 UTC'],
])('hours that come twice can be told apart: %s in %s is %s', (moment, zone, text) => {
  expect(momentText(moment, zone)).toMatch(/^Sunday,? /);
  expect(momentText(moment, zone).split(' at ')[1]).toBe(text);
});
