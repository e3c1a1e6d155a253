import { readFileSync } from 'node:fs';

/** Time between checks, in milliseconds. */
const BEAT_MS = 5;

/** Returns the CPU that this thread has used since it began, in milliseconds; Linux counts it in nanoseconds. */
const threadCpu = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

/**
 * Watches the event loop of the main thread.
 *
 * @returns a function that returns the longest time, in milliseconds, that the loop was blocked since the last call: by
 *   the clock, which includes the time of other programs, and by the CPU that the thread itself used meanwhile
 */
export function watchLoop() {
  let worst = { clock: 0, cpu: 0 };
  let last = performance.now();
  let used = threadCpu();
  setInterval(() => {
    const now = performance.now();
    const cpu = threadCpu();
    worst = { clock: Math.max(worst.clock, now - last - BEAT_MS), cpu: Math.max(worst.cpu, cpu - used) };
    last = now;
    used = cpu;
  }, BEAT_MS).unref();
  return () => {
    const result = worst;
    worst = { clock: 0, cpu: 0 };
    return result;
  };
}
