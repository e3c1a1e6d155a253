import { dayText, numberOf, textOf } from '../expressions/values.ts';
import { type RunState, spendText } from '../run.ts';
import { dateAt, eager, library } from './method.ts';

/**
 * Formats with a known zone: a bare day is in UTC, others name their zone. The rest is parsed as UTC
 * (contract/engines#transformation-choices).
 */
const DAY = /^[+-]?\d{4,6}(?:-\d\d(?:-\d\d)?)?$/;
const ZONED = /(?:\d\s*Z|GMT|UTC?|\b[ECMP][SD]T|\d:\d\d.*[+-]\d{2}:?\d{2})(?:\s*\([^)]*\))?\s*$/i;

/** Maximum length of a text that is parsed as a date. */
const LONGEST = 200;

/** Returns the milliseconds of a date in a text; NaN when it is not a date. The zone is UTC wherever the service runs. */
export function parsedTime(run: RunState, value: unknown): number {
  const text = textOf(run, value);
  spendText(run, text.length);
  if (text.length > LONGEST) return Number.NaN;
  const time = Date.parse(text);
  if (Number.isNaN(time) || DAY.test(text) || ZONED.test(text)) return time;
  const local = new Date(time);
  return Date.UTC(
    local.getFullYear(),
    local.getMonth(),
    local.getDate(),
    local.getHours(),
    local.getMinutes(),
    local.getSeconds(),
    local.getMilliseconds(),
  );
}

/** Returns the milliseconds of a year, a month from 0, and further optional parts. */
export function composedTime(run: RunState, parts: readonly unknown[]): number {
  const numbers = parts.map((one) => numberOf(run, one));
  const [year = Number.NaN, month = 0, day = 1, hours = 0, minutes = 0, seconds = 0, ms = 0] = numbers;
  return Date.UTC(year, month, day, hours, minutes, seconds, ms);
}

/** Methods of dates; their zone is UTC (contract/engines#transformation-methods). */
export const DATES = library('Date', {
  now: eager((_, { run }) => run.now()),
  parse: eager(([text], { run }) => parsedTime(run, text)),
  getTime: eager((args) => dateAt(args).getTime()),
  toISOString: eager((args) => dateAt(args).toISOString()),
  toDateString: eager((args) => dayText(dateAt(args))),
  getDate: eager((args) => dateAt(args).getUTCDate()),
  getMonth: eager((args) => dateAt(args).getUTCMonth()),
  getFullYear: eager((args) => dateAt(args).getUTCFullYear()),
});
