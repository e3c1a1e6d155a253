import type { Schedule, TimeWindow } from '#db/schemas/schedule.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { nextMoment } from './next-moments.ts';
import { isTimeZone } from './time-windows.ts';

type Path = (string | number)[];

const KINDS = ['everyMinutes', 'cron', 'calendar'] as const;
/** The library has shorthands and more fields, which other implementations of cron do not know. */
const FIVE_FIELDS = /^[0-9A-Za-z*,/#?-]+( +[0-9A-Za-z*,/#?-]+){4}$/;

const issue = (path: Path, message: string): Issue => ({ path, message, code: 'invalid_value' });

/**
 * Returns the issues with a schedule whose fields have the right types.
 *
 * @param path path of the schedule in the request
 * @param now milliseconds since 1970
 */
export function scheduleIssues(schedule: Schedule, path: Path, now: number): Issue[] {
  const set = KINDS.filter((kind) => schedule[kind] !== undefined);
  const issues = [
    ...timeZoneIssues(schedule.timeZone, [...path, 'timeZone']),
    ...(schedule.blackouts ?? []).flatMap((window, at) => windowIssues(window, [...path, 'blackouts', at])),
  ];
  if (set.length !== 1) {
    const found = set.length === 0 ? 'none' : set.join(' and ');
    issues.push(issue(path, `must have exactly one of everyMinutes, cron and calendar (got ${found})`));
  }
  if (schedule.cron !== undefined) issues.push(...cronIssues(schedule.cron, [...path, 'cron']));
  if (issues.length > 0 || nextMoment(schedule, now) !== null) return issues;
  const message = schedule.blackouts?.length
    ? 'never starts outside of its blackouts: shorten them, or choose other times'
    : 'never starts: choose days that exist';
  return [issue(schedule.cron === undefined ? path : [...path, 'cron'], message)];
}

/**
 * Returns an issue with the name of a time zone that does not exist.
 *
 * @param timeZone name such as Europe/Berlin; undefined: none is given, which is no issue
 */
export const timeZoneIssues = (timeZone: string | undefined, path: Path): Issue[] =>
  timeZone === undefined || isTimeZone(timeZone)
    ? []
    : [issue(path, 'must be the name of an IANA time zone, such as Europe/Berlin')];

/** Returns an issue with a period that ends before it begins. */
export const windowIssues = (window: TimeWindow, path: Path): Issue[] =>
  'weekdays' in window || Date.parse(window.from) < Date.parse(window.to)
    ? []
    : [issue([...path, 'to'], 'must be later than from')];

function cronIssues(cron: string, path: Path): Issue[] {
  if (!FIVE_FIELDS.test(cron)) {
    return [
      issue(path, 'must have five fields: minute, hour, day of month, month, day of week (`30 2 * * 1-5`)'),
    ];
  }
  try {
    nextMoment({ cron }, 0);
    return [];
  } catch (error) {
    const detail = error instanceof Error ? error.message.replace(/^Cron\w+: /, '') : 'is malformed';
    return [issue(path, `is no cron expression: ${detail.slice(0, 200)}`)];
  }
}
