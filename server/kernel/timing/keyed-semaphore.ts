/** Waits for a free slot and returns the function that releases it; null when too many callers wait already. */
export type KeyedSemaphore = (key: string, most: number, signal: AbortSignal) => Promise<(() => void) | null>;

type Line = { busy: number; waiting: (() => void)[] };

/**
 * Returns a semaphore per key that admits callers in order of arrival, up to the limit given with each call.
 *
 * @param longest maximum number of callers that may wait for one key
 */
export function openKeyedSemaphore(longest: number): KeyedSemaphore {
  const lines = new Map<string, Line>();
  return async (key, most, signal) => {
    const line = lines.get(key) ?? { busy: 0, waiting: [] };
    lines.set(key, line);
    if (line.busy < most) line.busy += 1;
    else {
      if (line.waiting.length >= longest) return null;
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          line.waiting = line.waiting.filter((other) => other !== enter);
          reject(signal.reason);
        };
        // A released slot passes directly to the next caller, so `busy` does not change.
        const enter = () => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        signal.addEventListener('abort', leave, { once: true });
        line.waiting.push(enter);
      });
    }
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      const next = line.waiting.shift();
      if (next) return next();
      line.busy -= 1;
      if (line.busy === 0) lines.delete(key);
    };
  };
}
