/**
 * Limits work that is triggered by other work to once in `ms` milliseconds: deleting expired rows, for example.
 *
 * @param work runs at most once in the interval
 * @returns a function to call at each opportunity; it runs and awaits the work only when the interval has passed
 */
export function throttleCall(ms: number, work: () => Promise<unknown>): () => Promise<void> {
  let next = 0;
  return async () => {
    const now = performance.now();
    if (now < next) return;
    next = now + ms;
    await work();
  };
}
