const DAY_MS = 24 * 3600 * 1000;
const USUAL_DAYS = 90;
const MOST_DAYS = 366;

/**
 * Returns the time range of a trend.
 *
 * @param from, to times in ISO 8601, or days, both inclusive; absent: `to` is now, `from` the start of the day 90 days
 *   before it, as the reports of a partial day have to be counted
 * @returns the first moment, and the first one after the range; undefined when `from` is after `to` or the range exceeds
 *   366 days
 */
export function daysBetween(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  now: Date,
): { from: Date; until: Date } | undefined {
  const last = to === undefined ? now : new Date(to);
  const isDay = to !== undefined && !to.includes('T');
  const until = new Date(last.getTime() + (isDay ? DAY_MS : 1));
  const first = from === undefined ? startOfDay(until.getTime() - USUAL_DAYS * DAY_MS) : new Date(from);
  const span = until.getTime() - first.getTime();
  return span > 0 && span <= MOST_DAYS * DAY_MS + 1 ? { from: first, until } : undefined;
}

const startOfDay = (ms: number): Date => new Date(ms - (((ms % DAY_MS) + DAY_MS) % DAY_MS));
