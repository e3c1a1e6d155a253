import type { Inputs } from '~/api/client.ts';
import { cronText } from './cron-text.ts';
import { dayListText, WEEKDAYS as NAMES, weekdaysText } from './day-text.ts';

/** A schedule in the form that the service accepts. */
export type Schedule = Inputs['operationsManager']['previewSchedule']['schedule'];
export type TimeWindow = NonNullable<Schedule['blackouts']>[number];
type CalendarRule = NonNullable<Schedule['calendar']>;
export type Weekday = Extract<CalendarRule, { every: 'week' }>['weekdays'][number];
export type Which = Extract<CalendarRule, { every: 'monthly weekday' }>['which'];

export const WEEKDAYS: readonly Weekday[] = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
];

/** A schedule while it is edited: the fields of every form are kept, and `kind` says which of them count. */
export type ScheduleDraft = {
  kind: 'none' | 'interval' | 'cron' | 'day' | 'week' | 'month' | 'monthly weekday';
  minutes: string;
  cron: string;
  at: string;
  weekdays: readonly Weekday[];
  days: string;
  which: Which;
  weekday: Weekday;
  timeZone: string;
  blackouts: readonly TimeWindow[];
};

const NONE: ScheduleDraft = {
  kind: 'none',
  minutes: '60',
  cron: '30 2 * * *',
  at: '02:30',
  weekdays: ['monday'],
  days: '1',
  which: 'first',
  weekday: 'monday',
  timeZone: '',
  blackouts: [],
};

/** Returns what a form shows of a schedule; absent or null: no schedule. */
export function draftOf(schedule: Schedule | null | undefined): ScheduleDraft {
  if (!schedule) return NONE;
  const { everyMinutes, cron, calendar, timeZone = '', blackouts = [] } = schedule;
  const common = { ...NONE, timeZone, blackouts };
  if (everyMinutes !== undefined) return { ...common, kind: 'interval', minutes: String(everyMinutes) };
  if (cron !== undefined) return { ...common, kind: 'cron', cron };
  if (!calendar) return common;
  const { every: kind, at } = calendar;
  if (calendar.every === 'week') return { ...common, kind, at, weekdays: calendar.weekdays };
  if (calendar.every === 'month') return { ...common, kind, at, days: calendar.days.join(', ') };
  if (calendar.every === 'monthly weekday') {
    return { ...common, kind, at, which: calendar.which, weekday: calendar.weekday };
  }
  return { ...common, kind, at };
}

/** Returns the schedule of a form; undefined: none. Values that no schedule may have are left to the service, which names them. */
export function scheduleOf(draft: ScheduleDraft): Schedule | undefined {
  const { kind, at, timeZone, blackouts } = draft;
  const common = {
    ...(timeZone && { timeZone }),
    ...(blackouts.length > 0 && { blackouts: [...blackouts] }),
  };
  switch (kind) {
    case 'none':
      return undefined;
    case 'interval':
      return { ...common, everyMinutes: Number(draft.minutes) };
    case 'cron':
      return { ...common, cron: draft.cron };
    case 'day':
      return { ...common, calendar: { every: 'day', at } };
    case 'week':
      return { ...common, calendar: { every: 'week', weekdays: [...draft.weekdays], at } };
    case 'month': {
      const days = draft.days
        .split(/[\s,]+/)
        .filter(Boolean)
        .map((day) => (day === 'last' ? day : Number(day)));
      return { ...common, calendar: { every: 'month', days, at } };
    }
    case 'monthly weekday':
      return {
        ...common,
        calendar: { every: 'monthly weekday', which: draft.which, weekday: draft.weekday, at },
      };
  }
}

/** Returns a schedule in words, such as `each day at 02:30 (Europe/Berlin)`. */
export function scheduleText(schedule: Schedule | null | undefined): string {
  if (!schedule) return 'not scheduled';
  const zone = schedule.timeZone ?? 'UTC';
  const periods = schedule.blackouts?.length ?? 0;
  const without = periods > 0 ? `, without ${periods} blackout ${periods === 1 ? 'period' : 'periods'}` : '';
  if (schedule.everyMinutes !== undefined) return `every ${schedule.everyMinutes} minutes${without}`;
  if (schedule.cron !== undefined) {
    return `${cronText(schedule.cron) ?? `cron ${schedule.cron}`} (${zone})${without}`;
  }
  if (!schedule.calendar) return 'not scheduled';
  return `${daysText(schedule.calendar)} at ${schedule.calendar.at} (${zone})${without}`;
}

function daysText(rule: CalendarRule): string {
  if (rule.every === 'week') return weekdaysText(rule.weekdays.map((day) => WEEKDAYS.indexOf(day)).sort());
  if (rule.every === 'month') return `on ${dayListText(rule.days)} of each month`;
  if (rule.every === 'monthly weekday') {
    return `on the ${rule.which} ${weekdayName(rule.weekday)} of each month`;
  }
  return 'each day';
}

const weekdayName = (day: Weekday) => NAMES[WEEKDAYS.indexOf(day)] ?? day;
