import { readFileSync } from 'node:fs';

/** Time between looks, in milliseconds. */
const BEAT_MS = 5;

/** CPU that this thread has used since it began, in milliseconds; Linux counts it in nanoseconds. */
const threadCpu = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

/**
 * Watch the event loop of the main thread.
 *
 * @returns tells the longest time, in milliseconds, that the loop came to nothing else since it was last asked: by the clock,
 * which counts what other programs took as well, and by the CPU that the thread itself used meanwhile
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
    const told = worst;
    worst = { clock: 0, cpu: 0 };
    return told;
  };
}
