/**
 * Do a piece of work again and again, one at a time: a moment that comes while it is under way passes.
 *
 * @param ms time between two moments, in milliseconds
 * @param work is told by the signal that it is to end
 * @param failed is told what it fails with; the next moment follows
 * @returns ends it, and waits for what is under way
 */
export function runAtIntervals(
  ms: number,
  work: (ending: AbortSignal) => Promise<unknown>,
  failed: (error: unknown) => void,
): () => Promise<void> {
  const ending = new AbortController();
  let underWay: Promise<void> | null = null;
  const timer = setInterval(() => {
    underWay ??= work(ending.signal)
      .then(() => undefined, failed)
      .finally(() => {
        underWay = null;
      });
  }, ms);
  timer.unref();
  return async () => {
    clearInterval(timer);
    ending.abort();
    await underWay;
  };
}
