/** A value that is derived from the database and asked for with every request. */
export type TtlCache<Value> = {
  get: () => Promise<Value>;
  /** What was remembered is no longer true: the next call asks again. */
  forget: () => void;
};

/**
 * Remember what `load` gives for at most `ms` milliseconds. Calls that come together share one load; a load that
 * began before `forget` is given to those who waited for it, but not kept.
 */
export function cacheFor<Value>(load: () => Promise<Value>, ms: number): TtlCache<Value> {
  let kept: { value: Promise<Value>; until: number } | undefined;
  return {
    get() {
      const now = Date.now();
      if (kept && kept.until > now) return kept.value;
      const value = load();
      const entry = { value, until: now + ms };
      kept = entry;
      value.catch(() => {
        if (kept === entry) kept = undefined;
      });
      return value;
    },
    forget() {
      kept = undefined;
    },
  };
}
