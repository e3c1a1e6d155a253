import { isAbsent } from '#server/kernel/json/objects.ts';

/** Maximum time limit of a child job, in seconds: a year. */
const LONGEST = 31_536_000;

/** The requirement for a time limit, for messages. */
export const INVALID_TIME_LIMIT = `must be a number of seconds, more than 0 and up to ${LONGEST}`;

/** Returns whether a childJob task accepts this as time limit: nothing, or seconds. */
export const isTimeLimit = (value: unknown): boolean => isAbsent(value) || secondsOf(value) !== undefined;

/** Returns the time limit of each child job in seconds; undefined when there is none. */
export const timeLimitOf = ({ timeLimit }: Record<string, unknown>): number | undefined =>
  isAbsent(timeLimit) ? undefined : secondsOf(timeLimit);

function secondsOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' ? Number(value) : value;
  return typeof seconds === 'number' && seconds > 0 && seconds <= LONGEST ? seconds : undefined;
}
