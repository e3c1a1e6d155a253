/**
 * Runs a function at most once in `ms`: at once for the first request, and once more after the last one.
 *
 * @returns `soon` requests a run, `now` runs it at once, `stop` forgets what was requested
 */
export function throttled(ms: number, run: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = Number.NEGATIVE_INFINITY;
  const now = () => {
    clearTimeout(timer);
    timer = undefined;
    last = performance.now();
    run();
  };
  return {
    now,
    soon: () => {
      if (timer !== undefined) return;
      const wait = Math.max(0, last + ms - performance.now());
      if (wait === 0) now();
      else timer = setTimeout(now, wait);
    },
    stop: () => clearTimeout(timer),
  };
}
