import { conflict } from '#server/errors.ts';

/**
 * When a document that was last written at `stored` is written now: later than that in any case, so that two writes
 * within one millisecond, or a clock set back, still tell apart (lifecycle §0.7, Concurrency).
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
 * A stamp that an import brings: kept when it tells of a moment that has been, else replaced by now (lifecycle §0.7).
 */
export function keptStamp(given: unknown, now: Date): string {
  const known = typeof given === 'string' && given.length <= LONGEST && Date.parse(given) <= now.getTime();
  return known ? given : now.toISOString();
}

/** Entity tags as a header lists them: quoted or bare, a weak mark before them means nothing here. */
const TAG = /(?:W\/)?"([^"]*)"|([^\s,"]+)/g;

/**
 * Refuse a write of a document that somebody else wrote since the caller read it.
 *
 * @param ifMatch the If-Match header: the `lastUpdated` that was read, quotes optional; null or `*` asks nothing
 * @param what names the document in the message
 * @throws ServiceError CONFLICT (lifecycle §0.7)
 */
export function assertUnchanged(ifMatch: string | null, lastUpdated: unknown, what: string): void {
  if (ifMatch === null) return;
  const tags = [...ifMatch.matchAll(TAG)].map(([, quoted, bare]) => quoted ?? bare);
  if (tags.some((tag) => tag === '*' || tag === lastUpdated)) return;
  throw conflict(`${what} was changed meanwhile: it was last updated ${String(lastUpdated)}`);
}
