import { isAbsent, isObject } from '#server/kernel/json/objects.ts';
import type { EffectRun, PureRun } from '../../tasks/outcome.ts';
import { succeeded } from '../finish.ts';
import { optional, required, type TaskInput, TaskInputError, text } from '../task-input.ts';
import { addDuration, durationOf, UNITS } from './durations.ts';
import { assertFormat, formatted, isoText, momentAt, readTime } from './time-format.ts';

/** Returns the offset in minutes of `+02:00`, `-0400`, `Z`, or of a named zone at a moment. */
function offsetOf(zone: string, at: Date): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  if (hours !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  if (zone === '' || zone === 'Z' || zone === 'UTC') return 0;
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      timeZoneName: 'longOffset',
    }).formatToParts(at);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    return name === 'GMT' ? 0 : offsetOf(name.replace('GMT', ''), at);
  } catch {
    throw new TaskInputError(
      'timezone',
      `must be an offset such as +02:00 or a zone such as Europe/Oslo, but is ${zone.slice(0, 50)}`,
    );
  }
}

/** Returns the current time: in a zone, with an offset duration, in a format. */
const getTime: EffectRun = async (incoming, { now }) => succeeded({ time: timeAt(now(), incoming) });

function timeAt(now: Date, incoming: TaskInput): string {
  const away = incoming.offsetDuration;
  const utc = isAbsent(away) ? now : addDuration(now, durationOf('offsetDuration', away));
  const wall = { utc, offset: offsetOf(optional(text, incoming, 'timezone', ''), utc) };
  const format = optional(text, incoming, 'format', '');
  assertFormat('format', format);
  return format === '' ? isoText(wall) : formatted(wall, format);
}

/** ISO 8601; without a zone it is UTC. */
const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Parses a time: ISO 8601, or `{time, formatString}`. @returns milliseconds since 1970 */
function momentOf(incoming: TaskInput, name: string): number {
  const value = required(incoming, name);
  const time = isObject(value) ? value.time : value;
  const format = isObject(value) ? value.formatString : undefined;
  if (typeof time !== 'string') throw new TaskInputError(name, 'must be a time, or {time, formatString}');
  if (typeof format === 'string' && format !== '') return readTime(name, time, format);
  const [, date = '', clock = '00:00', zone = 'Z'] = ISO.exec(time.trim()) ?? [];
  const moment = momentAt(date, clock, zone);
  if (Number.isNaN(moment)) throw new TaskInputError(name, `is not an ISO 8601 time: ${time.slice(0, 50)}`);
  return moment;
}

const calculateTimeDiff: PureRun = (incoming) => {
  const milliseconds = momentOf(incoming, 'firstTime') - momentOf(incoming, 'secondTime');
  const units = Object.entries(UNITS).map(([unit, size]): [string, number] => [unit, milliseconds / size]);
  return succeeded({ timeDiff: Object.fromEntries(units) });
};

/** The runs of these tasks, by name. */
export const TIME_RUNS: Readonly<Record<string, PureRun>> = { calculateTimeDiff };

/** The runs of these tasks, by application and name. */
export const TIME_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'WorkFlowEngine.getTime': getTime,
};
