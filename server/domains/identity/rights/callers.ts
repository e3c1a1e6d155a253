import type { Callers } from '#server/kernel/access.ts';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import type { Caller } from '#server/kernel/principal.ts';

/** How long a caller is cached before the database is queried again, in milliseconds. */
const CACHED_MS = 1000;
/** Maximum number of cached callers; beyond it the oldest are removed. */
const MOST = 10_000;

type CachedCaller = { caller: Caller; until: number };

/** Returns an empty cache of callers. */
export function openCallers(): Callers {
  const entries = new Map<string, CachedCaller>();
  let epoch = 0;
  return {
    get(key, now) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      if (entry.until > now) return entry.caller;
      entries.delete(key);
      return undefined;
    },
    set(key, caller, now) {
      keepLatest(entries, MOST, key, { caller, until: now + CACHED_MS });
    },
    forget() {
      epoch += 1;
      entries.clear();
    },
    epoch: () => epoch,
  };
}
