import type { Schedule as CalendarSchedule } from '#db/schemas/schedule.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { nextMoment } from '#server/kernel/schedules/next-moments.ts';
import { scheduleIssues as calendarIssues } from '#server/kernel/schedules/schedule-issues.ts';

/** The fields of a schedule trigger that say when it starts (contract/lifecycle#6.2). */
export type Schedule = {
  /** Milliseconds since 1970. */
  firstRunAt?: number | null | undefined;
  repeatUnit?: 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year' | null | undefined;
  /** Units between two starts; absent: one. */
  repeatFrequency?: number | null | undefined;
  /** Milliseconds between two starts, when no unit is given. */
  repeatInterval?: number | null | undefined;
  /** Times of a cron expression or a calendar, in place of the repetition; not before `firstRunAt`. */
  schedule?: CalendarSchedule | null | undefined;
};

/** Units of fixed length, in milliseconds. */
const LENGTHS = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;
const MONTHS = { month: 1, year: 12 } as const;

/** The latest time that a Date can represent, in milliseconds since 1970. */
const LAST = 8.64e15;
/** Maximum number of units between two starts: larger values are certainly mistakes. */
const MOST_UNITS = 1_000_000;
const SHORTEST_MS = 1000;
const REPETITION = ['repeatUnit', 'repeatFrequency', 'repeatInterval'] as const;

/**
 * Returns the next due time of a schedule. Repetitions count in UTC. In a month without that day, the last day counts instead; the
 * following month uses the original day again.
 *
 * @param from milliseconds since 1970, inclusive
 * @returns milliseconds since 1970; null when it is never due again
 */
export function nextRun(schedule: Schedule, from: number): number | null {
  const { firstRunAt: first, repeatUnit: unit } = schedule;
  if (schedule.schedule) return nextMoment(schedule.schedule, Math.max(from, first ?? 0));
  if (first === null || first === undefined) return null;
  if (first >= from) return first;
  if (unit === 'month' || unit === 'year') {
    return nextInMonths(first, MONTHS[unit] * (schedule.repeatFrequency ?? 1), from);
  }
  const step = unit ? LENGTHS[unit] * (schedule.repeatFrequency ?? 1) : schedule.repeatInterval;
  if (step === null || step === undefined) return null;
  return orNever(first + Math.ceil((from - first) / step) * step);
}

function nextInMonths(first: number, months: number, from: number): number | null {
  const elapsed = monthOf(from) - monthOf(first);
  // The due time in the month of `from` may have passed; the one a step later has not.
  const steps = Math.max(0, Math.floor(elapsed / months));
  const due = monthsAfter(first, steps * months);
  return orNever(due >= from ? due : monthsAfter(first, (steps + 1) * months));
}

const orNever = (at: number): number | null => (at <= LAST ? at : null);

/** Returns the number of months since year 0. */
function monthOf(at: number): number {
  const date = new Date(Math.min(at, LAST));
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Returns the same day and time some months later, or the last day of that month; NaN beyond what a Date can represent. */
function monthsAfter(at: number, months: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.setUTCDate(Math.min(day, last));
}

/**
 * Returns the issues with the times of a schedule.
 *
 * @param path path of the trigger in the request
 */
export function scheduleIssues(schedule: Schedule, path: (string | number)[]): Issue[] {
  const { firstRunAt, repeatUnit, repeatFrequency, repeatInterval } = schedule;
  const issues: Issue[] = [];
  const report = (field: string, message: string) =>
    issues.push({ path: [...path, field], message, code: 'invalid_value' });
  const isFirstMissing = firstRunAt === null || firstRunAt === undefined;
  if (schedule.schedule) {
    issues.push(...calendarIssues(schedule.schedule, [...path, 'schedule'], Date.now()));
    for (const name of REPETITION) {
      if (schedule[name]) report(name, 'must be absent: schedule says when the trigger repeats');
    }
  } else if (isFirstMissing) report('firstRunAt', 'is required for a schedule');
  if (!isFirstMissing && !isWhole(firstRunAt, 0, LAST))
    report('firstRunAt', 'must be a time in milliseconds since 1970');
  if (!absentOr(repeatFrequency, 1, MOST_UNITS)) {
    report('repeatFrequency', `must be an integer from 1 to ${MOST_UNITS}`);
  }
  if (!repeatUnit && !absentOr(repeatInterval, SHORTEST_MS, LAST)) {
    report('repeatInterval', `must be an integer number of milliseconds, at least ${SHORTEST_MS}`);
  }
  return issues;
}

const isWhole = (value: number, least: number, most: number) =>
  Number.isInteger(value) && value >= least && value <= most;

const absentOr = (value: number | null | undefined, least: number, most: number) =>
  value === null || value === undefined || isWhole(value, least, most);
