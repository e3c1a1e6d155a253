import type { Callers } from '#server/kernel/access.ts';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import type { Caller } from '#server/kernel/principal.ts';

/** How long a caller is cached before the database is queried again, in milliseconds. */
const CACHED_MS = 1000;
/** How long a caller stays known while the database is away, in milliseconds (docs/decisions/0197). */
const LAST_KNOWN_MS = 3_600_000;
/** Maximum number of cached callers; beyond it the oldest are removed. */
const MOST = 10_000;

type CachedCaller = { caller: Caller; until: number };

/** Returns an empty cache of callers. */
export function openCallers(): Callers {
  const entries = new Map<string, CachedCaller>();
  const within = (key: string, now: number, more: number) => {
    const entry = entries.get(key);
    return entry && entry.until + more > now ? entry.caller : undefined;
  };
  let epoch = 0;
  return {
    get: (key, now) => within(key, now, 0),
    last: (key, now) => within(key, now, LAST_KNOWN_MS),
    set(key, caller, now) {
      keepLatest(entries, MOST, key, { caller, until: now + CACHED_MS });
    },
    drop: (key) => void entries.delete(key),
    forget() {
      epoch += 1;
      entries.clear();
    },
    epoch: () => epoch,
  };
}
