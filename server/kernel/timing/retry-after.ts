/** The three forms of a date in a header (RFC 9110 §5.6.7). Of other texts, the parser of dates makes some date: `-2090`, `in 3600.5`. */
const DATE =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun),\s\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day,\s\d|(?:mon|tue|wed|thu|fri|sat|sun)\s[a-z])/i;

/**
 * Returns how long another system asks to wait before the next request: `Retry-After`, as seconds or a date (RFC 9110 §10.2.3).
 *
 * @param headers of its answer, by names in lower case
 * @param now in milliseconds since 1970
 * @returns milliseconds, 0 for a date in the past; null when it does not ask
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  now: number,
): number | null {
  const text = String(headers['retry-after'] ?? '').trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  // The oldest form names no time zone; all of them mean UTC.
  const at = DATE.test(text) ? Date.parse(/\bGMT$/i.test(text) ? text : `${text} GMT`) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
