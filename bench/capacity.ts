/** What one device costs a day, and what one machine of a kind can do. Times are of CPU, in milliseconds; sizes in bytes. */
export type Parameters = {
  /** CPU of workers for a backup over SSH, a compliance check, and a job of two tasks. */
  work: { backup: number; check: number; job: number };
  /** CPU of the database for the same. */
  database: { backup: number; check: number; job: number };
  /** Bytes that the primary writes ahead for the same. */
  log: { backup: number; check: number; job: number };
  /** Bytes that stay: a changed configuration, a backup without its text, a report, a job. */
  stored: { text: number; backup: number; report: number; job: number };
  /** A day of one device. */
  day: { backups: number; changed: number; checks: number; jobs: number };
  /** How many days each stays. */
  kept: { backups: number; reports: number; jobs: number };
  /** Hours in which the backups of all devices must end, and how long a session lasts, in seconds. */
  window: { hours: number; session: number };
  /** What one primary and one worker process can do; each is used to `share` at most. */
  limits: {
    databaseCores: number;
    logBytesPerSecond: number;
    disk: number;
    workers: number;
    coresPerWorker: number;
    sessionsPerWorker: number;
    share: number;
  };
};

/** Parameters of a device that is backed up and checked once a day. docs/scale.md names the source of each. */
export const PARAMETERS: Parameters = {
  work: { backup: 60, check: 0.6, job: 8.8 },
  database: { backup: 0.47, check: 0.12, job: 6 },
  log: { backup: 7_700, check: 1_700, job: 18_700 },
  stored: { text: 3_600, backup: 2_000, report: 1_500, job: 12_900 },
  day: { backups: 1, changed: 0.05, checks: 1, jobs: 0.2 },
  kept: { backups: 90, reports: 90, jobs: 90 },
  window: { hours: 8, session: 10 },
  limits: {
    databaseCores: 32,
    logBytesPerSecond: 100e6,
    disk: 8e12,
    workers: 200,
    coresPerWorker: 2,
    sessionsPerWorker: 200,
    share: 0.7,
  },
};

export type Use = { resource: string; share: number; saturatedAt: number };

const DAY_S = 86_400;

/**
 * Returns how much of each resource a fleet uses, the most used first: the first one with a share over 1 is the bottleneck.
 *
 * @param devices number of devices
 * @returns for each resource its use as a share of what may be used of it, and the number of devices at which it is used up
 */
export function usesOf(devices: number, parameters: Parameters = PARAMETERS): Use[] {
  const { work, database, log, stored, day, kept, window, limits } = parameters;
  const windowS = window.hours * 3600;
  // Backups and the checks after them fall into the window; jobs are spread over the day.
  const perSecond = (cost: Parameters['work']) =>
    (devices * (day.backups * cost.backup + day.checks * cost.check)) / windowS +
    (devices * day.jobs * cost.job) / DAY_S;
  const bytes =
    devices *
    (stored.text +
      kept.backups * (day.backups * stored.backup + day.changed * stored.text) +
      kept.reports * day.checks * stored.report +
      kept.jobs * day.jobs * stored.job);
  const sessions = (devices * day.backups * window.session) / windowS;
  const used: [string, number, number][] = [
    ['CPU of the primary', perSecond(database) / 1000, limits.databaseCores],
    ['write-ahead log of the primary', perSecond(log), limits.logBytesPerSecond],
    ['disk of the primary', bytes, limits.disk],
    ['CPU of workers', perSecond(work) / 1000, limits.workers * limits.coresPerWorker],
    ['sessions with devices', sessions, limits.workers * limits.sessionsPerWorker],
  ];
  return used
    .map(([resource, amount, limit]) => {
      const share = amount / (limit * limits.share);
      return { resource, share, saturatedAt: Math.floor(devices / share) };
    })
    .sort((a, b) => b.share - a.share);
}
