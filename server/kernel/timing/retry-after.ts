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
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = text === '' ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
