/** What a check of one part says. */
type Check = 'ok' | 'degraded' | 'unavailable';

/** The parts that a probe looks at. */
export type Checks = { database: Check; migrations: Check; workers: Check };

/** What a probe answers. */
export type Probe = { status: Check; checks: Checks };

/**
 * Returns the worst of the checks as the status; a process that stops is unavailable whatever they say.
 *
 * @param stops whether the process is about to end
 */
export function probeOf(checks: Checks, stops: boolean): Probe {
  const all = Object.values(checks);
  if (stops || all.includes('unavailable')) return { status: 'unavailable', checks };
  return { status: all.includes('degraded') ? 'degraded' : 'ok', checks };
}
