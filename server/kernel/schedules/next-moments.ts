import { Cron } from 'croner';
import type { CalendarRule, Schedule, Weekday } from '#db/schemas/schedule.ts';
import { endOfWindowAt } from './time-windows.ts';

const MINUTE_MS = 60_000;
/** Periods that a search for the next moment passes: a schedule that starts only within them never starts. */
const MOST_BLOCKED = 1000;
/** Compiled schedules that are kept. */
const MOST_COMPILED = 1000;

/** Returns the first moment not before `from`, in milliseconds since 1970; null: never. */
type Search = (from: number) => number | null;

const NUMBERS: Readonly<Record<Weekday, number>> = {
  sunday: 0,
  monday: 1,
  tuesday: 2,
  wednesday: 3,
  thursday: 4,
  friday: 5,
  saturday: 6,
};
const CRON_POSITIONS = { first: '1', second: '2', third: '3', fourth: '4', last: 'L' } as const;

/** Returns the cron expressions that together are a calendar rule. */
function expressionsOf(rule: CalendarRule): string[] {
  const [hour, minute] = rule.at.split(':').map(Number);
  const at = `${minute} ${hour}`;
  switch (rule.every) {
    case 'day':
      return [`${at} * * *`];
    case 'week':
      return [`${at} * * ${[...new Set(rule.weekdays.map((day) => NUMBERS[day]))].join(',')}`];
    case 'month':
      return [...new Set(rule.days)].flatMap((day) => daysOfMonth(at, day));
    case 'monthly weekday':
      return [`${at} * * ${NUMBERS[rule.weekday]}#${CRON_POSITIONS[rule.which]}`];
  }
}

/** A month without the day uses its last day. */
function daysOfMonth(at: string, day: number | 'last'): string[] {
  if (day === 'last' || day === 31) return [`${at} L * *`];
  return day > 28 ? [`${at} ${day} 1,3-12 *`, `${at} L 2 *`] : [`${at} ${day} * *`];
}

/**
 * Returns a search over the times of a cron expression.
 *
 * @throws Error when it is malformed, or the time zone is unknown
 */
function searchOf(expression: string, timezone: string): Search {
  // Several times of day, such as `30 2,14 * * *`, are times of day when the clocks change, like a single one.
  const options = { mode: '5-part', fixedTimeRule: 'no-wildcard' } as const;
  const cron = new Cron(expression, { timezone, paused: true, ...options });
  // The library returns what is after a moment, to the second.
  return (from) => cron.nextRun(new Date(from - 1))?.getTime() ?? null;
}

function compile({ everyMinutes, cron, calendar, timeZone = 'UTC' }: Schedule): Search {
  if (everyMinutes !== undefined) {
    const step = everyMinutes * MINUTE_MS;
    return (from) => Math.ceil(from / step) * step;
  }
  const expressions = cron === undefined ? (calendar ? expressionsOf(calendar) : []) : [cron];
  const searches = expressions.map((expression) => searchOf(expression, timeZone));
  return (from) => {
    const moments = searches.map((search) => search(from)).filter((moment) => moment !== null);
    return moments.length > 0 ? Math.min(...moments) : null;
  };
}

const compiled = new Map<string, Search>();

function compiledOf(schedule: Schedule): Search {
  const { blackouts: _, ...times } = schedule;
  const key = JSON.stringify(times);
  const known = compiled.get(key);
  if (known) return known;
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  const made = compile(schedule);
  compiled.set(key, made);
  return made;
}

/**
 * Returns the next moment of a schedule, in its time zone with daylight saving time: a time that the clock skips is due when
 * the clock has moved, and a time of day that it repeats is due once.
 *
 * @param from milliseconds since 1970, inclusive
 * @returns milliseconds since 1970; null when it never starts again, or only within its blackouts
 * @throws Error for a schedule with issues (`scheduleIssues`)
 */
export const nextMoment = (schedule: Schedule, from: number): number | null =>
  findMoment(schedule, from, { left: MOST_BLOCKED });

/** @param passes how many periods the search may still pass */
function findMoment(schedule: Schedule, from: number, passes: { left: number }): number | null {
  const search = compiledOf(schedule);
  const { blackouts = [], timeZone = 'UTC' } = schedule;
  let moment = search(from);
  for (; moment !== null && passes.left > 0; passes.left -= 1) {
    const until = endOfWindowAt(blackouts, moment, timeZone);
    if (until === null) return moment;
    moment = Number.isFinite(until) ? search(until) : null;
  }
  return null;
}

/**
 * Returns the next moments of a schedule, in order.
 *
 * @param from milliseconds since 1970, inclusive
 * @param count maximum number of moments
 * @returns milliseconds since 1970; fewer than `count` when it ends before, or after a thousand blackouts
 */
export function nextMoments(schedule: Schedule, from: number, count: number): number[] {
  const moments: number[] = [];
  const passes = { left: MOST_BLOCKED };
  let next = findMoment(schedule, from, passes);
  while (next !== null && moments.length < count) {
    moments.push(next);
    next = findMoment(schedule, next + 1, passes);
  }
  return moments;
}
