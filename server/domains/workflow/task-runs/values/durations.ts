import { jsonOr } from '#server/kernel/json/json-or.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { numberIn } from '../../query/values.ts';
import { type TaskInput, TaskInputError } from '../task-input.ts';

/** The distance between two times: calendar months, and the rest in milliseconds. */
export type Duration = { months: number; milliseconds: number };

/** Units of constant length, in milliseconds. */
export const UNITS = {
  weeks: 604_800_000,
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1000,
  milliseconds: 1,
} as const;

/** Maximum duration: 10,000 years, beyond which no date has a four-digit year. */
const LONGEST = { months: 120_000, milliseconds: 120_000 * 31 * UNITS.days };

const ISO =
  /^([+-])?P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/**
 * Parses a duration: milliseconds, ISO 8601 (`-P7D`), or fields by unit (`{"days": 7}`), also as JSON text.
 *
 * @throws TaskInputError
 */
export function durationOf(variable: string, value: unknown): Duration {
  const duration = read(variable, value);
  const isShort =
    Math.abs(duration.months) <= LONGEST.months && Math.abs(duration.milliseconds) <= LONGEST.milliseconds;
  if (!isShort) throw new TaskInputError(variable, 'is longer than 10,000 years');
  return duration;
}

function read(variable: string, value: unknown): Duration {
  if (typeof value === 'number' && Number.isFinite(value)) return { months: 0, milliseconds: value };
  if (isObject(value)) return durationOfFields(variable, value);
  if (typeof value !== 'string')
    throw new TaskInputError(variable, 'must be a duration: -P7D, {"days": 7}, or milliseconds');
  const milliseconds = numberIn(value);
  if (milliseconds !== undefined) return { months: 0, milliseconds };
  const [, sign, ...parts] = ISO.exec(value.trim()) ?? [];
  if (parts.some((part) => part !== undefined)) {
    const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map(
      (part) => Number(part ?? 0),
    );
    return durationOfFields(
      variable,
      { years, months, weeks, days, hours, minutes, seconds },
      sign === '-' ? -1 : 1,
    );
  }
  const fields = jsonOr(value, null);
  if (isObject(fields)) return durationOfFields(variable, fields);
  throw new TaskInputError(
    variable,
    `must be a duration: -P7D, {"days": 7}, or milliseconds; got ${value.slice(0, 50)}`,
  );
}

function durationOfFields(variable: string, fields: TaskInput, sign = 1): Duration {
  const duration: Duration = { months: 0, milliseconds: 0 };
  for (const [name, value] of Object.entries(fields)) {
    const amount = typeof value === 'string' ? numberIn(value) : value;
    if (typeof amount !== 'number' || !Number.isFinite(amount))
      throw new TaskInputError(`${variable}.${name}`, 'must be a number');
    const unit = name.toLowerCase().replace(/s?$/, 's');
    if (unit === 'years' || unit === 'months') duration.months += sign * amount * (unit === 'years' ? 12 : 1);
    else if (isUnit(unit)) duration.milliseconds += sign * amount * UNITS[unit];
    else
      throw new TaskInputError(
        `${variable}.${name}`,
        `must be one of years, months, ${Object.keys(UNITS).join(', ')}`,
      );
  }
  return duration;
}

const isUnit = (name: string): name is keyof typeof UNITS => Object.hasOwn(UNITS, name);

/** Returns a time plus a duration: months first, with the day limited to the length of the month. */
export function addDuration(from: Date, { months, milliseconds }: Duration): Date {
  const moved = new Date(from);
  const whole = Math.trunc(months);
  const day = moved.getUTCDate();
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + whole + 1, 0);
  moved.setUTCDate(Math.min(day, moved.getUTCDate()));
  return new Date(moved.getTime() + milliseconds);
}
