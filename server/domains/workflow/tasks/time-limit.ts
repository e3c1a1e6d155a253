/** Longest time that a child job may be given, in seconds: a year. */
const LONGEST = 31_536_000;

/** What a time limit must be, for people to read. */
export const TIME_LIMIT_REFUSED = `must be a number of seconds, more than 0 and up to ${LONGEST}`;

/** Whether a childJob task may be given this as time limit: nothing, or seconds. */
export const isTimeLimit = (value: unknown): boolean => isNone(value) || secondsOf(value) !== undefined;

/** The seconds that each child job may take; undefined: as long as it likes. */
export const timeLimitOf = ({ timeLimit }: Record<string, unknown>): number | undefined =>
  isNone(timeLimit) ? undefined : secondsOf(timeLimit);

const isNone = (value: unknown): boolean => value === undefined || value === null || value === '';

function secondsOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' ? Number(value) : value;
  return typeof seconds === 'number' && seconds > 0 && seconds <= LONGEST ? seconds : undefined;
}
