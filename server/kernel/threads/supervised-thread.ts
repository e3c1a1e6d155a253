import { join } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import {
  clearDegraded,
  markDegraded,
  reportDegraded,
  type WatchedPart,
} from '../observability/part-status.ts';

/**
 * The work that runs in separate threads (thread-entries.ts): durable work, calculations that take long or run user
 * input, device sessions, and device connections that would block the other sessions.
 */
export type ThreadName = 'work' | 'calculations' | 'sessions' | 'connections';

/**
 * What every thread receives besides its own data: a counter that it increments every `BEAT_MS`, followed by the slot
 * in which it then reports its own degraded threads (`degradedBits`).
 */
export type Heartbeat = { beat: SharedArrayBuffer };

/** Interval between two heartbeats of a thread, in milliseconds. */
export const BEAT_MS = 500;
/** Missed heartbeats before health reports `degraded`, and before the thread is terminated: 3 s and 10 s. */
const DEGRADED_AFTER = 6;
const ENDED_AFTER = 20;

const heartbeats = new WeakMap<Worker, Int32Array>();

/**
 * Starts a thread. Its code is next to this file, bundled (compile.mjs) or not (thread.mjs); the bundler leaves
 * `import.meta.dirname` unchanged, unlike `import.meta.url`.
 *
 * @param options `workerData`: values that the thread starts with; `resourceLimits`: of its heap, in MiB
 */
export function startThread(
  name: ThreadName,
  options: { workerData?: object } & Pick<WorkerOptions, 'resourceLimits'> = {},
): Worker {
  const beat = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  const worker = new Worker(join(import.meta.dirname, 'thread.mjs'), {
    ...options,
    workerData: { ...options.workerData, beat } satisfies Heartbeat,
    argv: [name],
    execArgv: process.execArgv.filter((argument) => argument === '--enable-source-maps'),
  });
  heartbeats.set(worker, new Int32Array(beat));
  return worker;
}

/**
 * Terminates a thread whose event loop has been blocked for 10 s. It counts checks instead of time, so that a pause of
 * this process is not mistaken for one of the thread. The watch starts at the first heartbeat.
 *
 * @param part name in the health report, `degraded` while the thread does not answer
 * @param onSilent called before the thread is terminated
 */
export function watchThread(worker: Worker, part: WatchedPart, onSilent: () => void): void {
  const counter = heartbeats.get(worker);
  if (!counter) throw new Error('not a thread of startThread');
  let last = 0;
  let missed = 0;
  const look = setInterval(() => {
    const count = Atomics.load(counter, 0);
    reportDegraded(worker, Atomics.load(counter, 1));
    if (count !== last || count === 0) {
      if (missed >= DEGRADED_AFTER) clearDegraded(part);
      missed = 0;
    } else missed += 1;
    last = count;
    if (missed === DEGRADED_AFTER) markDegraded(part);
    if (missed < ENDED_AFTER) return;
    clearInterval(look);
    onSilent();
    void worker.terminate();
  }, BEAT_MS);
  look.unref();
  worker.once('exit', () => {
    clearInterval(look);
    reportDegraded(worker, 0);
  });
}
