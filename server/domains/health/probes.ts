/** The result of checking one part. */
type Check = 'ok' | 'degraded' | 'unavailable';

/** The parts that a probe checks. */
export type Checks = { database: Check; migrations: Check; workers: Check };

/** The response of a probe. */
export type Probe = { status: Check; checks: Checks };

/**
 * Returns the worst of the checks as the status; a process that is stopping is always unavailable.
 *
 * @param stops whether the process is stopping
 */
export function probeOf(checks: Checks, stops: boolean): Probe {
  const all = Object.values(checks);
  if (stops || all.includes('unavailable')) return { status: 'unavailable', checks };
  return { status: all.includes('degraded') ? 'degraded' : 'ok', checks };
}
