/** At most `requests` within any period of `perSeconds`. */
export type RateLimit = { requests: number; perSeconds: number };

/** The pace of a rate limit: an even interval in milliseconds, and how many requests may be sent at once. */
export type Pace = { intervalMs: number; burst: number };

/** The share of a limit that may be used at once. */
const BURST_SHARE = 0.1;

/**
 * Returns the pace that never exceeds a limit: a burst of B followed by one request each interval T makes at most
 * B - 1 + period / T requests in any period, so T is the period divided by `requests - B + 1`.
 */
export function paceOf({ requests, perSeconds }: RateLimit): Pace {
  const burst = Math.max(1, Math.ceil(requests * BURST_SHARE));
  return { intervalMs: (perSeconds * 1000) / (requests - burst + 1), burst };
}
