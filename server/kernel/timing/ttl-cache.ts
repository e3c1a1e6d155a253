/** A cached value that is derived from the database and needed by every request. */
export type TtlCache<Value> = {
  get: () => Promise<Value>;
  /** Drops the cached value: the next call loads it again. */
  forget: () => void;
};

/**
 * Caches the result of `load` for at most `ms` milliseconds. Concurrent calls share one load; a load that began before
 * `forget` is returned to its waiting callers but not kept.
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
