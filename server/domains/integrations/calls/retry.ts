import type { CallEffect } from '../api-operation.ts';

/** How often and when a call is repeated (`retry` of a connection). */
export type RetrySettings = { attempts: number; statuses: readonly number[]; maxDelayMs: number };

export const DEFAULT_RETRY: RetrySettings = {
  attempts: 3,
  statuses: [429, 502, 503, 504],
  maxDelayMs: 30_000,
};

/** How an attempt ended: with a response, or with a failure at a stage. */
export type Attempt =
  | { status: number; retryAfterMs: number | null }
  | { stage: string; reason: string; retryable: boolean };

/** Statuses by which a server that names a time says that it did nothing. */
const NOT_PROCESSED = new Set([429, 503]);
const FIRST_DELAY_MS = 500;

/**
 * Returns the delay in milliseconds before a call is repeated, or null when it is not. A call that is unsafe to repeat is
 * repeated only if the other system cannot have carried it out: the connection was never made, or it answered 429 or
 * 503 with `Retry-After`.
 *
 * @param made number of attempts so far, from 1
 * @param random from 0 to 1, for the delay's jitter
 */
export function retryDelay(
  attempt: Attempt,
  made: number,
  effect: CallEffect,
  { attempts, statuses, maxDelayMs }: RetrySettings,
  random: number,
): number | null {
  if (made >= attempts) return null;
  const jittered = random * Math.min(maxDelayMs, FIRST_DELAY_MS * 2 ** (made - 1));
  if ('stage' in attempt) {
    const isUnsent = attempt.stage === 'connect' && attempt.retryable;
    return isUnsent || (effect !== 'unsafe' && attempt.retryable && attempt.stage === 'request')
      ? jittered
      : null;
  }
  const { status, retryAfterMs } = attempt;
  if (!statuses.includes(status)) return null;
  if (effect === 'unsafe' && !(NOT_PROCESSED.has(status) && retryAfterMs !== null)) return null;
  if (retryAfterMs === null) return jittered;
  return retryAfterMs <= maxDelayMs ? retryAfterMs : null;
}
