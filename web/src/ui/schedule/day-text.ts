/** Days of the week, of which Monday is the first. */
export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

export const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];

const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** Returns a list in words: `a, b and c`. */
export const inWords = (texts: readonly string[]): string => LIST.format(texts);

const digits = (value: number) => String(value).padStart(2, '0');

/** Returns a time of day: `03:00`. */
export const clockText = (hour: number, minute: number): string => `${digits(hour)}:${digits(minute)}`;

/** Returns days of the month: `days 1 and 15`, `day 3 and the last day`. */
export function dayListText(days: readonly (number | 'last')[]): string {
  const numbers = days.filter((day) => day !== 'last');
  const counted =
    numbers.length > 0 ? `${numbers.length === 1 ? 'day' : 'days'} ${inWords(numbers.map(String))}` : '';
  if (numbers.length === days.length) return counted;
  return counted ? `${counted} and the last day` : 'the last day';
}

/**
 * Returns days of the week: `each Monday and Thursday`, `Monday to Friday`.
 *
 * @param places counted from Monday as 0, in their order
 */
export function weekdaysText(places: readonly number[]): string {
  const names = places.map((place) => WEEKDAYS[place] ?? '');
  const [first = 0] = places;
  const isRow = places.length > 2 && places.every((place, index) => place === first + index);
  return isRow ? `${names[0]} to ${names.at(-1)}` : `each ${inWords(names)}`;
}

/**
 * Returns a moment in a time zone, with its distance to UTC: in the night in which summer time ends, an hour comes twice.
 *
 * @param moment ISO 8601
 */
export function momentText(moment: string, timeZone: string): string {
  const date = new Date(moment);
  const text = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone }).format(
    date,
  );
  if (timeZone === 'UTC') return `${text} UTC`;
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'shortOffset', timeZone }).formatToParts(
    date,
  );
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${text} ${timeZone}, ${offset.replace('GMT', 'UTC')}`;
}
