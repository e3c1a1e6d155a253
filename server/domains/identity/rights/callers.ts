import type { Caller } from '#server/kernel/principal.ts';

/** How long a caller is believed without asking the database again, in milliseconds. */
const BELIEVED_MS = 1000;
/** Most callers remembered; beyond it the oldest go. */
const MOST = 10_000;

type Entry = { caller: Caller; until: number };

/**
 * Callers that were looked up a moment ago. It spares the look-up of a session on each of many requests a second.
 * Every change of access empties it, in this process at once and in the others by a notification, so a session
 * that ended is refused everywhere; the second is the bound should a notification be lost.
 */
export type Callers = {
  get: (key: string, now: number) => Caller | undefined;
  set: (key: string, caller: Caller, now: number) => void;
  forget: () => void;
  /** Counts how often it was emptied: a look-up that began before a change must not be remembered after it. */
  epoch: () => number;
};

export function openCallers(): Callers {
  const entries = new Map<string, Entry>();
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
      if (entries.size >= MOST) {
        const oldest = entries.keys().next().value;
        if (oldest !== undefined) entries.delete(oldest);
      }
      entries.set(key, { caller, until: now + BELIEVED_MS });
    },
    forget() {
      epoch += 1;
      entries.clear();
    },
    epoch: () => epoch,
  };
}
