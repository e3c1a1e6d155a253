/**
 * Returns the stamp of a document written now, always later than `stored`, so that two writes within one millisecond,
 * or after a clock was set back, have different stamps (contract/lifecycle#concurrency).
 *
 * @returns ISO 8601 UTC with milliseconds
 */
export function grownStamp(now: Date, stored: unknown): string {
  const last = typeof stored === 'string' ? Date.parse(stored) : Number.NaN;
  return new Date(Number.isNaN(last) ? now : Math.max(now.getTime(), last + 1)).toISOString();
}

/** Longest stamp that is kept, in characters: enough for nanoseconds. Longer ones would break sorts and casts. */
const LONGEST = 32;

/**
 * Returns the stamp of an imported document when it is a time in the past, else the current time
 * (contract/lifecycle#0.7).
 *
 * @param given stamp in the imported document, of any type
 * @returns ISO 8601
 */
export function importedStamp(given: unknown, now: Date): string {
  const known = typeof given === 'string' && given.length <= LONGEST && Date.parse(given) <= now.getTime();
  return known ? given : now.toISOString();
}
