import { join } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import {
  clearDegraded,
  markDegraded,
  reportDegraded,
  type WatchedPart,
} from '../observability/part-status.ts';

/**
 * What is done in threads of their own (thread-entries.ts): durable work, calculations that take long or that a user shapes,
 * sessions with devices, and connections to those of them that would hold up the other sessions.
 */
export type ThreadName = 'work' | 'calculations' | 'sessions' | 'connections';

/**
 * What every thread is given beside its own data: a counter that it raises every `BEAT_MS`, and beside it the place where it
 * then reports which threads of its own are degraded (`degradedBits`).
 */
export type Heartbeat = { beat: SharedArrayBuffer };

/** Time between two heartbeats of a thread, in milliseconds. */
export const BEAT_MS = 500;
/** Heartbeats that may be missed before health says `degraded`, and before the thread is ended: 3 s and 10 s. */
const DEGRADED_AFTER = 6;
const ENDED_AFTER = 20;

const heartbeats = new WeakMap<Worker, Int32Array>();

/**
 * Start a thread. Its code lies beside ours, compiled (compile.mjs) or not (thread.mjs); the compiler leaves this way to
 * ask for our folder as it is, unlike that by URL.
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
 * Ends a thread whose event loop has not turned for 10 s: whatever blocks it would block it for ever. Counts looks instead
 * of time, so that a pause of this process itself is not taken for one of the thread. The first heartbeat starts the watch.
 *
 * @param part what health calls it, `degraded` while the thread does not answer
 * @param onSilent called before the thread is ended
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
