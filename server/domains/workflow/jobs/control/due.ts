import { nextRun, type Schedule } from '../../triggers/schedule.ts';

/** Age from which a due time counts as missed, because nothing could start then. In milliseconds. */
export const GRACE_MS = 60_000;
/** Runs that one check starts for one trigger; the next check continues. */
const AT_ONCE = 100;
/** Maximum number of missed due times that are counted. */
const COUNTED = 100_000;
/** Maximum number of missed times of a calendar that are counted; each takes 0.2 ms. */
const COUNTED_OF_CALENDAR = 10_000;

export type Due = {
  /** Due times to start for now, in milliseconds since 1970. */
  runs: number[];
  /** When to check again; null: never. */
  next: number | null;
  /** Number of due times that passed without a start. */
  missed: number;
};

/**
 * Returns what a schedule starts now (contract/lifecycle#6.2): what is due, and missed runs according to `makeUp`.
 *
 * @param from the next due time
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
  const { moments: all, next } = momentsFrom(
    schedule,
    from,
    now,
    schedule.schedule ? COUNTED_OF_CALENDAR : COUNTED,
  );
  const isOpen = next !== null && next <= now;
  const recent = isOpen ? momentsFrom(schedule, now - GRACE_MS, now, AT_ONCE) : { moments: all, next };
  const fresh = recent.moments.filter((moment) => moment > now - GRACE_MS).slice(-AT_ONCE);
  const last = recent.moments.at(-1);
  const runs = fresh.length > 0 || makeUp !== 'last' || last === undefined ? fresh : [last];
  return { runs, next: nextRun(schedule, now + 1), missed: all.length - runs.length };
}

/** Returns the due times between `from` and `now`, in order, and the one after them. */
function momentsFrom(schedule: Schedule, from: number, now: number, most: number) {
  const moments: number[] = [];
  let next = nextRun(schedule, from);
  while (next !== null && next <= now && moments.length < most) {
    moments.push(next);
    next = nextRun(schedule, next + 1);
  }
  return { moments, next };
}
