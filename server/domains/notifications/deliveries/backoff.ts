import type { NotificationChannel } from '#db/schemas/notifications/channel.ts';
import { retryAfterMs } from '#server/kernel/timing/retry-after.ts';

/** Attempts of a delivery, and the pause after the first failure in seconds, unless the channel sets others. */
const ATTEMPTS = 10;
const FIRST_DELAY_S = 5;
/** Longest pause between two attempts, in seconds. */
const LONGEST_S = 3600;

/**
 * Returns the pause before the next attempt, which doubles with each failure.
 *
 * @param attempts attempts so far, including the one that failed
 * @returns seconds; null when the delivery is given up
 */
export function nextDelayS({ retry }: Pick<NotificationChannel, 'retry'>, attempts: number): number | null {
  if (attempts >= (retry?.attempts ?? ATTEMPTS)) return null;
  const first = retry?.firstDelaySeconds ?? FIRST_DELAY_S;
  return Math.min(LONGEST_S, first * 2 ** (attempts - 1));
}

/** Answers that say when the next request is welcome (RFC 6585 §4, RFC 9110 §15.6.4). */
const ASKS_TO_WAIT: ReadonlySet<number> = new Set([429, 503]);

/**
 * Returns how long a receiver asks to be left alone.
 *
 * @param headers of its answer
 * @param now in milliseconds since 1970
 * @returns seconds, at most an hour; 0 when it does not ask
 */
export function askedDelayS(
  status: number,
  headers: Parameters<typeof retryAfterMs>[0],
  now: number,
): number {
  const askedMs = ASKS_TO_WAIT.has(status) ? (retryAfterMs(headers, now) ?? 0) : 0;
  return Math.min(LONGEST_S, askedMs / 1000);
}
