import type { TimeWindow, Weekday } from '#db/schemas/schedule.ts';

const WEEKDAYS: readonly Weekday[] = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
];
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
/** When a period of every hour of the week ends. */
const NO_END = Number.POSITIVE_INFINITY;

/** Time zones whose clocks are kept: making one takes a millisecond. */
const MOST_CLOCKS = 200;
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  if (clocks.size >= MOST_CLOCKS) clocks.clear();
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  clocks.set(timeZone, made);
  return made;
}

/** Returns whether an IANA time zone of this name exists. */
export function isTimeZone(name: string): boolean {
  try {
    clockOf(name);
    // Offsets such as +02:00 are accepted by some runtimes and have no daylight saving time.
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

type WeeklyWindow = Extract<TimeWindow, { weekdays: unknown }>;

/** Local time in a time zone: the day of the week (0: Sunday), the minute of the day, and the offset from UTC. */
type LocalTime = { weekday: number; minute: number; aheadMs: number };

function localTime(at: number, timeZone: string): LocalTime {
  const parts = clockOf(timeZone).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  const start = at - (at % MINUTE_MS);
  return {
    weekday: new Date(shown).getUTCDay(),
    minute: part('hour') * 60 + part('minute'),
    aheadMs: shown - start,
  };
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Returns whether a period of each week contains a local time. */
function containsLocal({ weekdays, from, to }: WeeklyWindow, { weekday, minute }: LocalTime): boolean {
  const beginsOn = (day: number) => weekdays.includes(WEEKDAYS[(day + 7) % 7] as Weekday);
  const [start, end] = [minuteOf(from), minuteOf(to)];
  if (start < end) return beginsOn(weekday) && minute >= start && minute < end;
  return (beginsOn(weekday) && minute >= start) || (beginsOn(weekday - 1) && minute < end);
}

/** Steps after which a period of each week has begun and ended: two of each day, and those of moved clocks. */
const MOST_STEPS = 24;

/** Returns the first moment from `at` on at which a period of each week contains the local time, or does not. */
function firstMoment(window: WeeklyWindow, isInside: boolean, at: number, timeZone: string): number | null {
  let moment = at;
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    const local = localTime(moment, timeZone);
    if (containsLocal(window, local) === isInside) return moment;
    moment = nextStep([window.from, window.to], moment, local, timeZone);
  }
  return null;
}

/** Returns the next moment at which the clocks show one of the times of day, or are moved, which may skip or repeat such a time. */
function nextStep(times: readonly string[], at: number, local: LocalTime, timeZone: string): number {
  const start = at - (at % MINUTE_MS);
  const until = (time: string) => (minuteOf(time) - local.minute + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;
  const isMoved = (moment: number) => localTime(moment, timeZone).aheadMs !== local.aheadMs;
  let [before, after] = [0, Math.min(...times.map(until))];
  if (!isMoved(start + after * MINUTE_MS)) return start + after * MINUTE_MS;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isMoved(start + middle * MINUTE_MS)) after = middle;
    else before = middle;
  }
  return start + after * MINUTE_MS;
}

/**
 * Returns when a period that contains a moment ends; the first such period of the list decides.
 *
 * @param at milliseconds since 1970
 * @param timeZone IANA name, for periods by weekday
 * @returns milliseconds since 1970, infinity for a period of every hour of the week; null when no period contains the moment
 */
export function endOfWindowAt(windows: readonly TimeWindow[], at: number, timeZone: string): number | null {
  if (windows.length === 0) return null;
  const local = localTime(at, timeZone);
  for (const window of windows) {
    if ('weekdays' in window) {
      if (containsLocal(window, local)) return firstMoment(window, false, at, timeZone) ?? NO_END;
    } else if (at >= Date.parse(window.from) && at < Date.parse(window.to)) return Date.parse(window.to);
  }
  return null;
}

/**
 * Returns the first moment not before `at` that one of the periods contains.
 *
 * @param at milliseconds since 1970
 * @param timeZone IANA name, for periods by weekday
 * @returns milliseconds since 1970; `at` itself without periods; null when none of them comes again
 */
export function nextInside(windows: readonly TimeWindow[], at: number, timeZone: string): number | null {
  if (windows.length === 0 || endOfWindowAt(windows, at, timeZone) !== null) return at;
  const starts = windows
    .map((window) => {
      if ('weekdays' in window) return firstMoment(window, true, at, timeZone);
      return Date.parse(window.from) > at ? Date.parse(window.from) : null;
    })
    .filter((start) => start !== null);
  return starts.length > 0 ? Math.min(...starts) : null;
}
