/**
 * Work that is done along with other work, at most once in `ms` milliseconds: clearing away what has expired.
 *
 * @returns to be called at each opportunity; it works, and is waited for, only when the time has come
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
