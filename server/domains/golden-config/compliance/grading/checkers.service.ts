import { availableParallelism } from 'node:os';
import {
  CalculationError,
  type CalculationPool,
  CannotStart,
  openCalculationPool,
} from '#server/kernel/calculations/calculation-pool.ts';
import { batches } from '#server/kernel/documents/batches.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import type { CheckResult } from './check.ts';
import type { CheckTask, ProgramSource } from './program-source.ts';

/** Maximum number of tasks and characters per slice for a thread: small, so that all threads end at about the same time. */
const SLICE = { rows: 25, characters: 2_000_000 };

/** Time limit per device in milliseconds: the largest real configurations take tenths of a second. */
const BUDGET_MS = 10_000;
/** Memory of a thread for configurations, rules and results, in MiB. */
const HEAP_MIB = 512;

const pool = openCalculationPool(Math.max(1, availableParallelism() - 1), HEAP_MIB);

/** Tasks for a thread, and the sources of their programs. */
export type CheckOrder = { tasks: readonly CheckTask[]; sources: readonly ProgramSource[] };

/** Requests that may wait for a thread. */
const MOST_WAITING = 50;

/**
 * Returns the results of each task's programs, in the order of the tasks. Every check runs in a thread: a few rules with
 * expressions and a short text can take minutes.
 *
 * @throws CannotStart when no thread can be started
 */
export const checkAll = (
  tasks: readonly CheckTask[],
  sources: ReadonlyMap<string, ProgramSource>,
): Promise<readonly (readonly CheckResult[])[]> => checkInThreads(tasks, sources, pool, BUDGET_MS);

/**
 * Returns the results of the programs of a task that a request waits for.
 *
 * @throws ServiceError TOO_MANY_REQUESTS when too many wait
 * @throws CannotStart when no thread can be started
 */
export async function checkForRequest(
  task: CheckTask,
  sources: readonly ProgramSource[],
): Promise<readonly CheckResult[]> {
  const order: CheckOrder = { tasks: [task], sources };
  const limit = { ms: BUDGET_MS, waiting: MOST_WAITING };
  try {
    const [results = []] = (await pool.calculate('check', order, limit)) as CheckResult[][];
    return results;
  } catch (error) {
    if (error instanceof CannotStart) throw error;
    if (error instanceof CalculationError && error.reason === 'busy')
      throw new ServiceError('TOO_MANY_REQUESTS', error.message, { headers: { 'Retry-After': '2' } });
    return failed(task, error);
  }
}

/**
 * Checks the tasks in threads, in slices. A slice that crashes its thread or exceeds the limit of one task is repeated task
 * by task; a task that fails alone is an error for all its programs.
 *
 * @throws CannotStart when no thread can be started
 */
export async function checkInThreads(
  tasks: readonly CheckTask[],
  sources: ReadonlyMap<string, ProgramSource>,
  { calculate }: CalculationPool,
  budgetMs: number,
): Promise<CheckResult[][]> {
  const limit = { ms: budgetMs, waiting: Number.POSITIVE_INFINITY };
  const checkSlice = async (slice: readonly CheckTask[]): Promise<CheckResult[][]> => {
    const wanted = new Set(slice.flatMap(({ programs }) => programs));
    const order: CheckOrder = {
      tasks: slice,
      sources: [...wanted].flatMap((sha256) => sources.get(sha256) ?? []),
    };
    try {
      return (await calculate('check', order, limit)) as CheckResult[][];
    } catch (error) {
      if (error instanceof CannotStart) throw error;
      const [task] = slice;
      if (!task || slice.length > 1) return checkSlices(slice.map((one) => [one]));
      return [failed(task, error)];
    }
  };
  const checkSlices = async (slices: readonly (readonly CheckTask[])[]) =>
    (await Promise.all(slices.map(checkSlice))).flat();
  return checkSlices([...batches(tasks, ({ text }) => text, SLICE)]);
}

function failed({ programs }: CheckTask, error: unknown): CheckResult[] {
  const message = error instanceof Error ? error.message : String(error);
  const reason = error instanceof CalculationError ? message : `failed: ${message}`;
  return programs.map(() => ({ status: 'error', error: `checking it ${reason}` }));
}
