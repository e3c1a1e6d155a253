/**
 * When a document that was last written at `stored` is written now: later than that in any case, so that two writes
 * within one millisecond, or a clock set back, still tell apart (contract/lifecycle#concurrency).
 *
 * @returns ISO 8601 UTC with milliseconds
 */
export function grownStamp(now: Date, stored: unknown): string {
  const last = typeof stored === 'string' ? Date.parse(stored) : Number.NaN;
  return new Date(Number.isNaN(last) ? now : Math.max(now.getTime(), last + 1)).toISOString();
}

/** Longest stamp that is kept: nanoseconds and some. What is longer is noise that sorts and casts would stumble over. */
const LONGEST = 32;

/**
 * A stamp that an import brings: kept when it tells of a moment that has been, else replaced by now
 * (contract/lifecycle#0.7).
 */
export function keptStamp(given: unknown, now: Date): string {
  const known = typeof given === 'string' && given.length <= LONGEST && Date.parse(given) <= now.getTime();
  return known ? given : now.toISOString();
}
