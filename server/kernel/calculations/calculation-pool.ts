import type { Worker } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import { sizeOf } from '../json/value-size.ts';
import { startThread } from '../threads/supervised-thread.ts';

/** A thread with nothing to do for this long ends. */
const IDLE_MS = 30_000;
/** Time to hear an answer that came while this process itself was held up. */
const HEARING_MS = 50;
/** Times its limit that a calculation may take by the clock, where the process gets too little of the machine. */
const MOST_WAIT = 4;

/** What a calculation may take. */
export type CalculationLimit = {
  /** Milliseconds from when a thread begins with it. */
  ms: number;
  /** Calculations that may wait before it; beyond, it is refused at once. */
  waiting: number;
};

/** What a calculation whose steps are counted may take: the time is there in case that the count is not right. */
export const CALCULATION_LIMIT: CalculationLimit = { ms: 10_000, waiting: 50 };

/** A calculation that was given up: it took too long or too much memory, or too many waited. The message names the limit. */
export class CalculationRefused extends Error {
  readonly reason: 'time' | 'memory' | 'busy';
  constructor(reason: CalculationRefused['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A request to a thread: the name of a calculation and its input. */
export type CalculationRequest = { name: string; input: unknown };
/** What a thread tells: that it has loaded, what came out, or why nothing did. */
export type CalculationMessage = 'ready' | { output: unknown } | { fault: string };

type PendingCalculation = CalculationRequest & {
  limit: CalculationLimit;
  resolve: (output: unknown) => void;
  reject: (error: Error) => void;
};

type Thread = { worker: Worker; isReady: boolean; at: PendingCalculation | null; timer?: NodeJS.Timeout };

/** Threads that start when there is work and end when there is none for a while; they keep no process alive. */
export type CalculationPool = {
  /**
   * Runs a calculation in a thread, without blocking the event loop. A thread that exceeds its time or memory is ended and
   * replaced.
   *
   * @param name one of those in calculation-thread.ts
   * @param input what can be sent to a thread
   * @throws CalculationRefused beyond the limit; CannotStart
   */
  calculate: (name: string, input: unknown, limit: CalculationLimit) => Promise<unknown>;
};

/** No thread can be started. */
export class CannotStart extends Error {}

/**
 * @param most threads at once
 * @param heapMiB what one may keep in memory
 */
export function openCalculationPool(most: number, heapMiB: number): CalculationPool {
  const threads = new Set<Thread>();
  const queue: PendingCalculation[] = [];

  const giveWork = () => {
    for (const thread of threads) {
      if (queue.length === 0) return;
      if (!thread.isReady || thread.at) continue;
      const next = queue.shift();
      if (next) give(thread, next);
    }
    const starting = [...threads].filter(({ isReady }) => !isReady).length;
    for (let count = Math.min(queue.length - starting, most - threads.size); count > 0; count--) start();
  };

  const give = (thread: Thread, next: PendingCalculation) => {
    thread.at = next;
    clearTimeout(thread.timer);
    const { name, input, limit } = next;
    const isOver = () =>
      leave(thread, new CalculationRefused('time', `took longer than ${shownTime(limit.ms)}`));
    const began = performance.now();
    const cpuBefore = process.cpuUsage();
    const look = () => {
      const { user, system } = process.cpuUsage(cpuBefore);
      const leftMs = limit.ms - (user + system) / 1000;
      // On a machine that is busy with others the thread has not had its time yet: the whole process had less.
      const isStarved = leftMs > 1 && performance.now() - began < MOST_WAIT * limit.ms;
      // An answer may have come while this process was busy: it is heard first.
      thread.timer = isStarved ? setTimeout(look, leftMs) : setTimeout(isOver, HEARING_MS);
    };
    thread.timer = setTimeout(look, limit.ms);
    thread.worker.postMessage({ name, input } satisfies CalculationRequest);
  };

  const start = () => {
    const worker = startThread('calculations', { resourceLimits: { maxOldGenerationSizeMb: heapMiB } });
    const thread: Thread = { worker, isReady: false, at: null };
    threads.add(thread);
    worker.unref();
    worker.on('message', (told: CalculationMessage) => {
      if (told === 'ready') thread.isReady = true;
      else hear(thread, told);
      if (!thread.at) rest(thread);
      giveWork();
    });
    worker.on('error', (error) => {
      const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      leave(thread, isMemory ? new CalculationRefused('memory', `needed more than ${heapMiB} MiB`) : error);
    });
    worker.on('exit', () => leave(thread, new Error('the thread of a calculation ended')));
  };

  const rest = (thread: Thread) => {
    clearTimeout(thread.timer);
    thread.timer = setTimeout(() => leave(thread), IDLE_MS);
    thread.timer.unref();
  };

  /** Ends a thread; what it was at fails, what waits goes to another one. */
  const leave = (thread: Thread, error?: Error) => {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    const { at, isReady } = thread;
    thread.at = null;
    if (error) at?.reject(error);
    // A thread that never began would fail for the next as well.
    if (error && !isReady) {
      for (const one of queue.splice(0)) one.reject(new CannotStart(error.message, { cause: error }));
    }
    giveWork();
  };

  return {
    calculate: (name, input, limit) =>
      new Promise((resolve, reject) => {
        if (queue.length >= limit.waiting) {
          const message = `${queue.length} calculations wait for their turn; try again in 2 s`;
          reject(new CalculationRefused('busy', message));
          return;
        }
        queue.push({ name, input, limit, resolve, reject });
        giveWork();
      }),
  };
}

const shownTime = (ms: number) => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`);

function hear(thread: Thread, told: Exclude<CalculationMessage, 'ready'>): void {
  const { at } = thread;
  thread.at = null;
  if ('output' in told) at?.resolve(told.output);
  else at?.reject(new Error(told.fault));
}

/** Calculations of requests, or of jobs where this process works. */
export const calculateInThread = openCalculationPool(2, 256).calculate;

/**
 * Runs a calculation of a request in a thread.
 *
 * @param refused returns what a calculation that went beyond its limit comes to, or throws; `reason` names the limit
 * @throws ServiceError TOO_MANY_REQUESTS when too many wait
 */
export async function calculateOr<Result>(
  name: string,
  input: unknown,
  refused: (reason: string) => Result,
  limit = CALCULATION_LIMIT,
): Promise<Result> {
  try {
    return (await calculateInThread(name, input, limit)) as Result;
  } catch (error) {
    if (!(error instanceof CalculationRefused)) throw error;
    if (error.reason !== 'busy') return refused(error.message);
    throw new ServiceError('TOO_MANY_REQUESTS', error.message, { headers: { 'Retry-After': '2' } });
  }
}

/**
 * The same with input and output as JSON: many objects take seconds otherwise.
 *
 * @param refusal makes the error of a calculation that went beyond its limit; `reason` names that
 * @returns the output, as JSON text
 * @throws ServiceError TOO_MANY_REQUESTS when too many wait; what `refusal` returns
 */
export const calculateText = (
  name: string,
  input: object,
  refusal: (reason: string) => Error,
): Promise<string> =>
  calculateOr<string>(name, JSON.stringify(input), (reason) => {
    throw refusal(reason);
  });

/** Runs the same and reads its output. @throws ServiceError as calculateText */
export const calculateForRequest = async (...asked: Parameters<typeof calculateText>): Promise<unknown> =>
  JSON.parse(await calculateText(...asked));

/**
 * Calculates what is small where the caller is, and the rest in a thread.
 *
 * @param calculate what the thread runs under this name
 * @param most characters of the input that count as small: some milliseconds of work
 * @throws ServiceError as calculateText
 */
export async function calculateInTime<Asked extends object, Result>(
  name: string,
  asked: Asked,
  calculate: (asked: Asked) => Result,
  most: number,
  refusal: (reason: string) => Error,
): Promise<Result> {
  if (sizeOf(asked, most) <= most) return calculate(asked);
  return (await calculateForRequest(name, asked, refusal)) as Result;
}
