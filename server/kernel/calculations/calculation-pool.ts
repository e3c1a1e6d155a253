import type { Worker } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import { sizeOf } from '../json/value-size.ts';
import { startThread } from '../threads/supervised-thread.ts';

/** Idle time after which a thread ends, in milliseconds. */
const IDLE_MS = 30_000;
/** Grace period for a result that arrived while this process was blocked, in milliseconds. */
const MESSAGE_DELAY_MS = 50;
/** Most wall-clock time of a calculation when the process gets too little CPU time: a multiple of its limit, at least milliseconds. */
const MOST_WAIT = 4;
const LEAST_WAIT_MS = 5000;

/** The limits of a calculation. */
export type CalculationLimit = {
  /** Milliseconds, from when a thread starts the calculation. */
  ms: number;
  /** Most calculations that may wait before it; beyond that it is rejected at once. */
  waiting: number;
};

/** The limits of a calculation that counts its steps: the time limit applies only should that count be wrong. */
export const CALCULATION_LIMIT: CalculationLimit = { ms: 10_000, waiting: 50 };

/** Thrown when a calculation exceeds its time or memory, or when too many wait. The message names the limit. */
export class CalculationError extends Error {
  readonly reason: 'time' | 'memory' | 'busy';
  constructor(reason: CalculationError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A request to a thread: the name of a calculation and its input. */
export type CalculationRequest = { name: string; input: unknown };
/** A message from a thread: that it has loaded, its output, or why it failed, and whether a text was too long for a regular expression. */
export type CalculationMessage = 'ready' | { output: unknown } | { fault: string; isTooLong: boolean };

type PendingCalculation = CalculationRequest & {
  limit: CalculationLimit;
  resolve: (output: unknown) => void;
  reject: (error: Error) => void;
};

type Thread = { worker: Worker; isReady: boolean; at: PendingCalculation | null; timer?: NodeJS.Timeout };

/** A pool of threads that start on demand and end when idle; they do not keep the process alive. */
export type CalculationPool = {
  /**
   * Runs a calculation in a thread, without blocking the event loop. A thread that exceeds its time or memory is
   * terminated and replaced.
   *
   * @param name one of those in calculations.ts
   * @param input a value that can be sent to a thread
   * @throws CalculationError beyond the limit; CannotStart
   */
  calculate: (name: string, input: unknown, limit: CalculationLimit) => Promise<unknown>;
};

/** Thrown when no thread can be started. */
export class CannotStart extends Error {}

/**
 * Opens a pool of threads for calculations; a thread starts when work needs it.
 *
 * @param most threads at once
 * @param heapMiB heap limit of each thread
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
      leave(thread, new CalculationError('time', `took longer than ${shownTime(limit.ms)}`));
    const began = performance.now();
    const mostMs = Math.max(MOST_WAIT * limit.ms, LEAST_WAIT_MS);
    const cpuBefore = process.cpuUsage();
    const look = () => {
      const { user, system } = process.cpuUsage(cpuBefore);
      const leftMs = limit.ms - (user + system) / 1000;
      // On a busy machine the thread has not had its time yet: the whole process had less CPU time than the limit.
      const isStarved = leftMs > 1 && performance.now() - began < mostMs;
      // A result may have arrived while this process was busy: it is read first.
      thread.timer = isStarved ? setTimeout(look, leftMs) : setTimeout(isOver, MESSAGE_DELAY_MS);
    };
    thread.timer = setTimeout(look, limit.ms);
    thread.worker.postMessage({ name, input } satisfies CalculationRequest);
  };

  const start = () => {
    const worker = startThread('calculations', { resourceLimits: { maxOldGenerationSizeMb: heapMiB } });
    const thread: Thread = { worker, isReady: false, at: null };
    threads.add(thread);
    worker.unref();
    worker.on('message', (message: CalculationMessage) => {
      if (message === 'ready') thread.isReady = true;
      else settle(thread, message);
      if (!thread.at) rest(thread);
      giveWork();
    });
    worker.on('error', (error) => {
      const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      leave(thread, isMemory ? new CalculationError('memory', `needed more than ${heapMiB} MiB`) : error);
    });
    worker.on('exit', () => leave(thread, new Error('the thread of a calculation ended')));
  };

  const rest = (thread: Thread) => {
    clearTimeout(thread.timer);
    thread.timer = setTimeout(() => leave(thread), IDLE_MS);
    thread.timer.unref();
  };

  /** Terminates a thread: its calculation fails, waiting ones go to another thread. */
  const leave = (thread: Thread, error?: Error) => {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    const { at, isReady } = thread;
    thread.at = null;
    if (error) at?.reject(error);
    // When a thread could not start, the next one would fail as well.
    if (error && !isReady) {
      for (const one of queue.splice(0)) one.reject(new CannotStart(error.message, { cause: error }));
    }
    giveWork();
  };

  return {
    calculate: (name, input, limit) =>
      new Promise((resolve, reject) => {
        if (queue.length >= limit.waiting) {
          const message = `${queue.length} calculations are queued; retry in 2 s`;
          reject(new CalculationError('busy', message));
          return;
        }
        queue.push({ name, input, limit, resolve, reject });
        giveWork();
      }),
  };
}

const shownTime = (ms: number) => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`);

/** What a calculation whose regular expression ran out of stack did. */
const TOO_LONG = 'met a text of millions of characters, which is too long for it';

function settle(thread: Thread, message: Exclude<CalculationMessage, 'ready'>): void {
  const { at } = thread;
  thread.at = null;
  if ('output' in message) at?.resolve(message.output);
  else if (message.isTooLong) at?.reject(new CalculationError('memory', TOO_LONG));
  else at?.reject(new Error(message.fault));
}

/** Runs calculations of requests, and of jobs in processes that do durable work. */
export const calculateInThread = openCalculationPool(2, 256).calculate;

/**
 * Runs a calculation of a request in a thread.
 *
 * @param name one of those in calculations.ts
 * @param input a value that can be sent to a thread
 * @param rejected returns the result of a calculation that exceeded its limit, or throws; `reason` names the limit
 * @param limit time in milliseconds and number of waiting calculations
 * @throws ServiceError TOO_MANY_REQUESTS when too many wait
 */
export async function calculateOr<Result>(
  name: string,
  input: unknown,
  rejected: (reason: string) => Result,
  limit = CALCULATION_LIMIT,
): Promise<Result> {
  try {
    return (await calculateInThread(name, input, limit)) as Result;
  } catch (error) {
    if (!(error instanceof CalculationError)) throw error;
    if (error.reason !== 'busy') return rejected(error.message);
    throw new ServiceError('TOO_MANY_REQUESTS', error.message, { headers: { 'Retry-After': '2' } });
  }
}

/**
 * Runs a calculation like `calculateOr`, with input and output as JSON text: sending many objects takes seconds.
 *
 * @param name one of those in calculations.ts
 * @param input what JSON can express; it is sent as text
 * @param rejection returns the error for a calculation that exceeded its limit; `reason` names the limit
 * @returns the output, as JSON text
 * @throws ServiceError TOO_MANY_REQUESTS when too many wait; the error that `rejection` returns
 */
export const calculateText = (
  name: string,
  input: object,
  rejection: (reason: string) => Error,
): Promise<string> =>
  calculateOr<string>(name, JSON.stringify(input), (reason) => {
    throw rejection(reason);
  });

/** Runs a calculation like `calculateText`, and returns its parsed output. @throws ServiceError as calculateText */
export const calculateForRequest = async (...args: Parameters<typeof calculateText>): Promise<unknown> =>
  JSON.parse(await calculateText(...args));

/**
 * Runs a small calculation in the calling thread, and any other in a pool thread.
 *
 * @param calculate the function that the thread runs under this name
 * @param most characters of a small input: some milliseconds of work
 * @param rejection returns the error for a calculation that exceeded its limit; `reason` names the limit
 * @throws ServiceError as calculateText
 */
export async function calculateInTime<Request extends object, Result>(
  name: string,
  request: Request,
  calculate: (request: Request) => Result,
  most: number,
  rejection: (reason: string) => Error,
): Promise<Result> {
  if (sizeOf(request, most) <= most) return calculate(request);
  return (await calculateForRequest(name, request, rejection)) as Result;
}
