import { type Bounds, compileExpression } from '#server/kernel/documents/list-filter.ts';
import { literalExpression } from '#server/kernel/text/literal-expression.ts';
import { TaskInputError } from '../task-input.ts';

/** A moment with its offset from UTC, in minutes. */
export type WallTime = { utc: Date; offset: number };

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

const two = (value: number) => String(value).padStart(2, '0');

/** Returns an offset in minutes as `+02:00`, or without the colon. */
export function offsetText(minutes: number, colon: string): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}${colon}${two(size % 60)}`;
}

const ordinal = (day: number) => {
  const last = day % 10;
  const isTeen = day > 10 && day < 14;
  return `${day}${isTeen || last === 0 || last > 3 ? 'th' : ['st', 'nd', 'rd'][last - 1]}`;
};

/** Formatters of the tokens; the UTC fields of `wall` hold the local time. */
const TOKENS: Readonly<Record<string, (wall: Date, offset: number) => string>> = {
  YYYY: (wall) => String(wall.getUTCFullYear()).padStart(4, '0'),
  YY: (wall) => two(wall.getUTCFullYear() % 100),
  MMMM: (wall) => MONTHS[wall.getUTCMonth()] ?? '',
  MMM: (wall) => (MONTHS[wall.getUTCMonth()] ?? '').slice(0, 3),
  MM: (wall) => two(wall.getUTCMonth() + 1),
  M: (wall) => String(wall.getUTCMonth() + 1),
  Do: (wall) => ordinal(wall.getUTCDate()),
  DD: (wall) => two(wall.getUTCDate()),
  D: (wall) => String(wall.getUTCDate()),
  dddd: (wall) => DAYS[wall.getUTCDay()] ?? '',
  ddd: (wall) => (DAYS[wall.getUTCDay()] ?? '').slice(0, 3),
  d: (wall) => String(wall.getUTCDay()),
  HH: (wall) => two(wall.getUTCHours()),
  H: (wall) => String(wall.getUTCHours()),
  hh: (wall) => two(wall.getUTCHours() % 12 || 12),
  h: (wall) => String(wall.getUTCHours() % 12 || 12),
  mm: (wall) => two(wall.getUTCMinutes()),
  m: (wall) => String(wall.getUTCMinutes()),
  ss: (wall) => two(wall.getUTCSeconds()),
  s: (wall) => String(wall.getUTCSeconds()),
  A: (wall) => (wall.getUTCHours() < 12 ? 'AM' : 'PM'),
  a: (wall) => (wall.getUTCHours() < 12 ? 'am' : 'pm'),
  ZZ: (_, offset) => offsetText(offset, ''),
  Z: (_, offset) => offsetText(offset, ':'),
  X: (wall, offset) => String(Math.floor((wall.getTime() - offset * 60_000) / 1000)),
  x: (wall, offset) => String(wall.getTime() - offset * 60_000),
};

/** Tokens that stand for a whole format. */
const LONG: Readonly<Record<string, string>> = {
  LLLL: 'dddd, MMMM D, YYYY h:mm A',
  LLL: 'MMMM D, YYYY h:mm A',
  LL: 'MMMM D, YYYY',
  LTS: 'h:mm:ss A',
  LT: 'h:mm A',
  L: 'MM/DD/YYYY',
};

const PIECE =
  /\[([^\]]*)\]|LLLL|LLL|LL|LTS|LT|L|YYYY|YY|MMMM|MMM|MM|M|Do|DD|D|dddd|ddd|d|HH|H|hh|h|mm|m|ss|s|S{1,9}|A|a|ZZ|Z|X|x/g;

/** Formats a moment by tokens (`YYYY-MM-DDTHH:mm:ss.SSSZ`); text in brackets is literal. */
export function formatted({ utc, offset }: WallTime, format: string): string {
  const wall = new Date(utc.getTime() + offset * 60_000);
  return format.replace(PIECE, (token, literal?: string) => {
    if (literal !== undefined) return literal;
    const long = LONG[token];
    if (long !== undefined) return formatted({ utc, offset }, long);
    if (token.startsWith('S')) {
      return String(wall.getUTCMilliseconds()).padStart(3, '0').padEnd(9, '0').slice(0, token.length);
    }
    return TOKENS[token]?.(wall, offset) ?? token;
  });
}

/** Returns a moment in ISO 8601, with `Z` for UTC. */
export const isoText = ({ utc, offset }: WallTime): string =>
  offset === 0 ? utc.toISOString() : formatted({ utc, offset }, 'YYYY-MM-DDTHH:mm:ss.SSSZ');

/** Maximum number of characters of a format. */
const LONGEST_FORMAT = 2000;

/** The limits of the regular expression that a format is translated to. */
const BOUNDS: Bounds = { longest: LONGEST_FORMAT, steps: 2000 };

/**
 * Rejects a format that is too long.
 *
 * @param variable where it is, for the message
 * @throws TaskInputError
 */
export function assertFormat(variable: string, format: string): void {
  if (format.length > LONGEST_FORMAT)
    throw new TaskInputError(variable, `must have at most ${LONGEST_FORMAT} characters`);
}

/** The regular expressions of the tokens that can be parsed. */
const READS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  MMM: '(?<monthName>[A-Za-z]{3})',
  MMMM: '(?<monthName>[A-Za-z]{3,9})',
  DD: '(?<day>\\d{2})',
  D: '(?<day>\\d{1,2})',
  HH: '(?<hour>\\d{2})',
  H: '(?<hour>\\d{1,2})',
  mm: '(?<minute>\\d{2})',
  m: '(?<minute>\\d{1,2})',
  ss: '(?<second>\\d{2})',
  s: '(?<second>\\d{1,2})',
  ZZ: '(?<zone>Z|[+-]\\d{2}:?\\d{2})',
  Z: '(?<zone>Z|[+-]\\d{2}:?\\d{2})',
  X: '(?<seconds>\\d{1,12})',
  x: '(?<milliseconds>\\d{1,15})',
};

/**
 * Parses a time by a format. @returns milliseconds since 1970
 *
 * @throws TaskInputError when the format cannot be used for parsing, or the time does not match it
 */
export function readTime(variable: string, written: string, format: string): number {
  assertFormat(`${variable}.formatString`, format);
  const parts: string[] = [];
  let from = 0;
  const plain = (text: string) => parts.push(literalExpression(text));
  for (const found of format.matchAll(PIECE)) {
    plain(format.slice(from, found.index));
    from = found.index + found[0].length;
    const reads = found[0].startsWith('S') ? `(?<fraction>\\d{${found[0].length}})` : READS[found[0]];
    if (found[1] !== undefined) plain(found[1]);
    else if (reads === undefined)
      throw new TaskInputError(variable, `cannot be parsed by ${found[0]} in its format`);
    else parts.push(reads);
  }
  plain(format.slice(from));
  const names = parts.join('').match(/\?<(\w+)>/g) ?? [];
  if (new Set(names).size < names.length)
    throw new TaskInputError(variable, 'has a format with the same part twice');
  const matcher = compileExpression(`^${parts.join('')}$`, BOUNDS).matcher(written);
  const groups = matcher.find() ? matcher.getNamedGroups() : null;
  if (!groups) throw new TaskInputError(variable, `does not match the format ${format.slice(0, 100)}`);
  return momentOf(variable, groups);
}

function momentOf(variable: string, read: Readonly<Record<string, string | null>>): number {
  if (read.milliseconds) return Number(read.milliseconds);
  if (read.seconds) return Number(read.seconds) * 1000;
  const part = (name: string, absent: string) => (read[name] ?? absent).padStart(2, '0');
  const wanted = read.monthName?.toLowerCase();
  const named = wanted && MONTHS.findIndex((name) => name.toLowerCase().startsWith(wanted));
  const month = typeof named === 'number' ? two(named + 1) : part('month', '1');
  const fraction = (read.fraction ?? '').padEnd(3, '0').slice(0, 3);
  const clock = `${part('hour', '0')}:${part('minute', '0')}:${part('second', '0')}.${fraction}`;
  const date = `${read.year ?? '1970'}-${month}-${part('day', '1')}`;
  const moment = momentAt(date, clock, read.zone ?? 'Z');
  if (Number.isNaN(moment)) throw new TaskInputError(variable, 'is not a date of the calendar');
  return moment;
}

/**
 * Returns milliseconds since 1970; NaN for a time that does not exist, such as February 30, which JavaScript reads as a day
 * of March.
 *
 * @param date such as 2026-02-03
 * @param clock such as 04:05:06.789
 * @param zone `Z`, or an offset with or without its colon
 */
export function momentAt(date: string, clock: string, zone: string): number {
  const midnight = new Date(`${date}T00:00Z`);
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date)) return Number.NaN;
  return Date.parse(`${date}T${clock}${zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')}`);
}
