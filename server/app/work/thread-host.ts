import { once } from 'node:events';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { clearDegraded, markDegraded } from '#server/kernel/observability/part-status.ts';
import { figureMemory } from '#server/kernel/observability/shared-figures.ts';
import { startThread, watchThread } from '#server/kernel/threads/supervised-thread.ts';
import type { Running } from '#server/kernel/timing/lifecycle.ts';
import type { WorkerThreadOptions } from './worker-thread.ts';

/** The name of this part in the health report. */
const PART = 'durable work';

/** How long the thread may take to release its work at a stop, in milliseconds; then it is terminated. */
const STOP_MS = 6000;

/** Shortest and longest pause between two attempts to replace a lost thread, in milliseconds. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** A running thread; `ended` resolves with the reason once it has ended. */
type RunningThread = { ended: Promise<Error> };

const MIB = 1024 * 1024;
/** Heap limit of the thread in MiB: exceeding it ends the thread, not this process. */
const HEAP_MIB = Math.max(512, Math.min(4096, Math.floor(os.totalmem() / MIB / 3)));

/**
 * Runs durable work in a separate thread. Requests neither wait for the work nor pay for it: the durable-work library
 * tracks every promise of its thread, which made each request a quarter slower (decision 0051).
 *
 * A thread that exits, runs out of memory or does not answer for 10 s is replaced (decision 0059). Its work is taken
 * over by whichever process checks next, as after the loss of a process.
 *
 * @returns a function that stops it, once its first thread works
 * @throws Error of the first thread, when it does not start
 */
export async function startExecutor(
  order: Omit<WorkerThreadOptions, 'figures'>,
  log: Pick<Logger, 'error'>,
): Promise<Running> {
  const stopping = new AbortController();
  let thread: Worker;

  const start = async (): Promise<RunningThread> => {
    thread = startThread('work', {
      workerData: { ...order, figures: figureMemory() },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    let silent = false;
    watchThread(thread, PART, () => {
      silent = true;
    });
    const ended = endOf(thread).then((error) =>
      silent ? new Error('the worker thread did not respond for 10 s') : error,
    );
    const early = await Promise.race([once(thread, 'message').then(() => undefined), ended]);
    if (early) throw early;
    clearDegraded(PART);
    return { ended };
  };

  const replace = async (): Promise<RunningThread> => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      await sleep(pause, undefined, { signal: stopping.signal });
      try {
        return await start();
      } catch (error) {
        if (!stopping.signal.aborted) log.error({ err: error }, 'the worker thread could not be restarted');
      }
    }
  };

  const supervise = async (first: RunningThread) => {
    for (let started = first; ; started = await replace()) {
      const error = await started.ended;
      if (stopping.signal.aborted) return;
      markDegraded(PART);
      log.error({ err: error }, 'the worker thread was lost: a new one replaces it');
    }
  };

  // Ends when the pause is aborted or the thread ends.
  const supervised = supervise(await start()).catch(() => undefined);
  const stop = async () => {
    stopping.abort();
    thread.postMessage('stop');
    const timer = setTimeout(() => void thread.terminate(), STOP_MS);
    await supervised;
    clearTimeout(timer);
    clearDegraded(PART);
  };
  let stopped: Promise<void> | undefined;
  return {
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Resolves with the reason once the thread has ended. */
const endOf = (thread: Worker): Promise<Error> =>
  new Promise((resolve) => {
    thread.once('error', (error: Error) => resolve(error));
    thread.once('exit', (code) => resolve(new Error(`the worker thread ended: ${code}`)));
  });
