import { clockText, dayListText, inWords, MONTHS, ORDINALS, WEEKDAYS, weekdaysText } from './day-text.ts';

/** More times or days than these are no longer easier to read than the expression. */
const MOST_LISTED = 6;

/**
 * Returns a cron expression of five fields in words, such as `each day at 03:00`.
 *
 * @param expression minute, hour, day of month, month and day of week
 * @returns undefined for what has no short description, and for what is no expression: then it is shown as it is
 */
export function cronText(expression: string): string | undefined {
  const [minute, hour, day, month, weekday, ...more] = expression.trim().toUpperCase().split(/\s+/);
  if (!minute || !hour || !day || !month || !weekday || more.length > 0) return undefined;
  const minutes = valuesOf(minute, 0, 59);
  const hours = valuesOf(hour, 0, 23);
  const months = valuesOf(month, 1, 12, MONTHS);
  if (!minutes || !hours || !months) return undefined;
  const times = timesText(minutes, hours);
  const days = daysText(day, weekday, months);
  if (!times || !days) return undefined;
  return days === EACH_DAY && times.startsWith('every ') ? times : `${days} ${times}`;
}

const EACH_DAY = 'each day';

/** Returns the values of a field in their order; undefined: it has another form. Names count by their first three letters. */
function valuesOf(
  field: string,
  least: number,
  most: number,
  names: readonly string[] = [],
): number[] | undefined {
  const numberOf = (text: string) => {
    const place = names.findIndex((name) => name.slice(0, 3).toUpperCase() === text);
    return place >= 0 ? place + least : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  };
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [, range = '', step = '1'] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
    const [from = '', to] = range.split('-');
    const [first, last] =
      range === '*' ? [least, most] : [numberOf(from), to === undefined ? numberOf(from) : numberOf(to)];
    // A single number with a step means different things to different programs.
    const isClear = range === '*' || to !== undefined || step === '1';
    if (!(isClear && first >= least && last <= most && first <= last && Number(step) > 0)) return undefined;
    for (let value = first; value <= last; value += Number(step)) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

/** Returns the distance between values that all have the same; undefined: they do not, or there is one alone. */
function stepOf(values: readonly number[]): number | undefined {
  const [first, second] = values;
  if (first === undefined || second === undefined) return undefined;
  const step = second - first;
  return values.every((value, place) => value === first + place * step) ? step : undefined;
}

function timesText(minutes: readonly number[], hours: readonly number[]): string | undefined {
  const [minute = 0] = minutes;
  const [first = 0] = hours;
  const last = hours.at(-1) ?? first;
  const between = hours.length === 24 ? '' : ` from ${clockText(first, 0)} to ${clockText(last, 59)}`;
  const areHoursInRow = hours.length > 1 && stepOf(hours) === 1;
  const step = stepOf(minutes);
  if (step && minute < step && minute + minutes.length * step >= 60 && 60 % step === 0) {
    const isWhole = hours.length === 24 || areHoursInRow || hours.length === 1;
    if (!isWhole || minute !== 0) return undefined;
    return `every ${step === 1 ? 'minute' : `${step} minutes`}${between}`;
  }
  if (minutes.length * hours.length <= MOST_LISTED) {
    return `at ${inWords(hours.flatMap((hour) => minutes.map((one) => clockText(hour, one))))}`;
  }
  if (minutes.length > 1) return undefined;
  if (hours.length === 24 || areHoursInRow) return `every hour at minute ${minute}${between}`;
  const hourStep = stepOf(hours);
  const isAllDay = hourStep && first < hourStep && last + hourStep >= 24 && 24 % hourStep === 0;
  return isAllDay ? `every ${hourStep} hours from ${clockText(first, minute)}` : undefined;
}

function daysText(day: string, weekday: string, months: readonly number[]): string | undefined {
  const named = inWords(months.map((month) => MONTHS[month - 1] ?? ''));
  const isAnyMonth = months.length === 12;
  const inMonths = isAnyMonth ? '' : ` in ${named}`;
  const ofMonths = isAnyMonth ? 'each month' : named;
  if (!isAnyMonth && months.length > MOST_LISTED) return undefined;
  if (day !== '*') {
    // With both, a day counts when either fits: such an expression is rarely what its author meant, and is shown as it is.
    if (weekday !== '*') return undefined;
    const days = day === 'L' ? (['last'] as const) : valuesOf(day, 1, 31);
    return days && days.length <= MOST_LISTED ? `on ${dayListText(days)} of ${ofMonths}` : undefined;
  }
  if (weekday === '*') return `${EACH_DAY}${inMonths}`;
  const [, name = '', which] = /^(\w+)#([1-5])$/.exec(weekday) ?? [];
  if (which) {
    const [place] = weekdayPlaces(name) ?? [];
    if (place === undefined) return undefined;
    return `on the ${ORDINALS[Number(which) - 1]} ${WEEKDAYS[place]} of ${ofMonths}`;
  }
  const places = weekdayPlaces(weekday);
  return places && `${weekdaysText(places)}${inMonths}`;
}

/** Returns days of the week counted from Monday as 0; in an expression Sunday is 0 and 7. */
function weekdayPlaces(field: string): number[] | undefined {
  const names = ['Sunday', ...WEEKDAYS];
  const values = valuesOf(field, 0, 7, names);
  return values && [...new Set(values.map((value) => (value + 6) % 7))].sort((a, b) => a - b);
}
