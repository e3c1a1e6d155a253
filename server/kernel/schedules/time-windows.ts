import { Cron } from 'croner';
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
const SHORT = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Time zones whose clocks are kept: making one takes a millisecond. */
const MOST_CLOCKS = 200;
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  if (clocks.size >= MOST_CLOCKS) clocks.clear();
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
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

/** Returns the day of the week (0: Sunday) and the time of day (`HH:MM`) of a moment in a time zone. */
function localTime(at: number, timeZone: string): { weekday: number; time: string } {
  const parts = clockOf(timeZone).formatToParts(at);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  return { weekday: SHORT.indexOf(part('weekday')), time: `${part('hour')}:${part('minute')}` };
}

/** Returns the next time at which clocks of a time zone show a time of day, after a moment. */
function nextAt(time: string, timeZone: string, at: number): number | null {
  const [hour, minute] = time.split(':');
  const daily = new Cron(`${Number(minute)} ${Number(hour)} * * *`, { timezone: timeZone, paused: true });
  return daily.nextRun(new Date(at))?.getTime() ?? null;
}

/** Returns whether a period of each week contains a local time. */
function containsLocal(
  { weekdays, from, to }: Extract<TimeWindow, { weekdays: unknown }>,
  { weekday, time }: { weekday: number; time: string },
): boolean {
  const beginsOn = (day: number) => weekdays.includes(WEEKDAYS[(day + 7) % 7] as Weekday);
  if (from < to) return beginsOn(weekday) && time >= from && time < to;
  return (beginsOn(weekday) && time >= from) || (beginsOn(weekday - 1) && time < to);
}

/**
 * Returns when a period that contains a moment ends; the first such period of the list decides.
 *
 * @param at milliseconds since 1970
 * @param timeZone IANA name, for periods by weekday
 * @returns milliseconds since 1970; null when no period contains the moment
 */
export function endOfWindowAt(windows: readonly TimeWindow[], at: number, timeZone: string): number | null {
  if (windows.length === 0) return null;
  const local = localTime(at, timeZone);
  for (const window of windows) {
    if ('weekdays' in window) {
      if (containsLocal(window, local)) return nextAt(window.to, timeZone, at);
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
  const starts = windows.flatMap((window) => {
    if (!('weekdays' in window)) return Date.parse(window.from) > at ? [Date.parse(window.from)] : [];
    let start = nextAt(window.from, timeZone, at);
    for (let days = 0; start !== null && days < 8; days += 1) {
      if (containsLocal(window, localTime(start, timeZone))) return [start];
      start = nextAt(window.from, timeZone, start);
    }
    return [];
  });
  return starts.length > 0 ? Math.min(...starts) : null;
}
