/**
 * Runs a task at intervals, one run at a time: an interval that elapses during a run is skipped.
 *
 * @param ms interval in milliseconds
 * @param work the task; the signal aborts when it should end
 * @param failed receives the error of a failed run; the next run follows
 * @returns a function that stops the task and waits for a current run
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
