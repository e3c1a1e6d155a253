import { z } from 'zod';

const ClockTime = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day from 00:00 to 23:59')
  .meta({ description: 'Time of day in the time zone of the schedule', examples: ['02:30'] });

const Weekday = z.enum(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']);
export type Weekday = z.infer<typeof Weekday>;

const Weekdays = z.array(Weekday).min(1).max(7);

const Moment = z.iso
  .datetime({ error: 'must be an ISO 8601 time in UTC, ending in Z' })
  .meta({ examples: ['2026-12-24T00:00:00.000Z'] });

const CalendarRule = z
  .discriminatedUnion('every', [
    z.strictObject({ every: z.literal('day').describe('Each day'), at: ClockTime }),
    z.strictObject({
      every: z.literal('week').describe('Each week'),
      weekdays: Weekdays.meta({ description: 'Days of the week', examples: [['monday', 'thursday']] }),
      at: ClockTime,
    }),
    z.strictObject({
      every: z.literal('month').describe('Each month, on days of the month'),
      days: z
        .array(z.union([z.int().min(1).max(31), z.literal('last')]))
        .min(1)
        .max(31)
        .meta({
          description: 'Days of the month, and `last`; a month without one of them uses its last day',
          examples: [[1, 15, 'last']],
        }),
      at: ClockTime,
    }),
    z.strictObject({
      every: z.literal('monthly weekday').describe('Each month, on one of its weekdays'),
      which: z
        .enum(['first', 'second', 'third', 'fourth', 'last'])
        .describe('Which of these weekdays of the month'),
      weekday: Weekday.describe('Day of the week'),
      at: ClockTime,
    }),
  ])
  .meta({ id: 'CalendarRule', description: 'Times of a calendar: on days, at a time of day.' });
export type CalendarRule = z.infer<typeof CalendarRule>;

/** A period in which a schedule does not start, or, elsewhere, the only period in which something may run. */
export const TimeWindow = z
  .union([
    z.strictObject({
      from: Moment.describe('Start of the period, inclusive'),
      to: Moment.describe('End of the period, exclusive'),
    }),
    z.strictObject({
      weekdays: Weekdays.meta({
        description: 'Days on which the period begins',
        examples: [['saturday', 'sunday']],
      }),
      from: ClockTime.describe('Start, inclusive'),
      to: ClockTime.describe(
        'End, exclusive; not after `from`: on the following day, so that equal times are 24 hours',
      ),
    }),
  ])
  .meta({ id: 'TimeWindow', description: 'A period: once, or on days of each week.' });
export type TimeWindow = z.infer<typeof TimeWindow>;

/** The name of a time zone; `scheduleIssues` rejects unknown ones. */
export const TimeZone = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'IANA time zone; absent: UTC', examples: ['Europe/Berlin'] });

/** Fields of a schedule; exactly one of `everyMinutes`, `cron` and `calendar` is set (`scheduleIssues`). */
export const Schedule = z
  .strictObject({
    everyMinutes: z
      .int()
      .min(1)
      .max(525_600)
      .optional()
      .meta({
        description: 'Minutes between two starts, counted from 1970-01-01T00:00Z',
        examples: [60],
      }),
    cron: z
      .string()
      .max(200)
      .optional()
      .meta({
        description:
          'Cron expression of five fields: minute, hour, day of month, month, day of week; `L` is the last day, `1#2` the second Monday',
        examples: ['30 2 * * 1-5'],
      }),
    calendar: CalendarRule.optional().describe('Days and a time of day'),
    timeZone: TimeZone.optional(),
    blackouts: z
      .array(TimeWindow)
      .max(50)
      .optional()
      .describe('Periods without starts: what is due in one of them is left out'),
  })
  .meta({
    id: 'Schedule',
    description: 'When something starts: exactly one of `everyMinutes`, `cron` and `calendar`.',
    examples: [{ calendar: { every: 'day', at: '02:30' }, timeZone: 'Europe/Berlin' }],
  });
export type Schedule = z.infer<typeof Schedule>;
