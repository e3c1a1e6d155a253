import { nextRun, type Schedule } from '../../triggers/schedule.ts';

/** A moment that is longer past than this was missed: nothing could start then. Milliseconds. */
export const GRACE_MS = 60_000;
/** Runs that one look starts for one trigger; the next look goes on. */
const AT_ONCE = 100;
/** Moments that are counted before it is taken that there are too many. */
const COUNTED = 100_000;

export type Due = {
  /** Moments to start for now, in milliseconds since 1970. */
  runs: number[];
  /** When to look again; null: never. */
  next: number | null;
  /** Moments that passed and that nothing is started for. */
  missed: number;
};

/**
 * What a schedule starts now (contract/lifecycle#6.2): what is due, and of what was missed as much as it says.
 *
 * @param from the moment that is due next
 */
export function dueRuns(
  schedule: Schedule,
  makeUp: 'none' | 'last' | 'all' | null | undefined,
  from: number,
  now: number,
): Due {
  if (makeUp === 'all') {
    const { moments, next } = momentsFrom(schedule, from, now, AT_ONCE);
    return { runs: moments, next, missed: 0 };
  }
  const { moments: all, next } = momentsFrom(schedule, from, now, COUNTED);
  const isOpen = next !== null && next <= now;
  const recent = isOpen ? momentsFrom(schedule, now - GRACE_MS, now, AT_ONCE) : { moments: all, next };
  const fresh = recent.moments.filter((moment) => moment > now - GRACE_MS).slice(-AT_ONCE);
  const last = recent.moments.at(-1);
  const runs = fresh.length > 0 || makeUp !== 'last' || last === undefined ? fresh : [last];
  return { runs, next: nextRun(schedule, now + 1), missed: all.length - runs.length };
}

/** Moments from one on that have come, in order, and the one after them. */
function momentsFrom(schedule: Schedule, from: number, now: number, most: number) {
  const moments: number[] = [];
  let next = nextRun(schedule, from);
  while (next !== null && next <= now && moments.length < most) {
    moments.push(next);
    next = nextRun(schedule, next + 1);
  }
  return { moments, next };
}
