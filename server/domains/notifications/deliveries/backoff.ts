import type { NotificationChannel } from '#db/schemas/notifications/channel.ts';

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
