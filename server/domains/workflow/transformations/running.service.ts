import { CALCULATION_LIMIT, calculateOr } from '#server/kernel/calculations/calculation-pool.ts';
import { sizeOf } from '#server/kernel/json/value-size.ts';
import type { TaskOutcome } from '../tasks/outcome.ts';
import { QUICK } from './run.ts';
import { failed, type TransformationTaskInputs, transformationOutcome } from './task.ts';
import { type RunInputs, runTransformation, type TransformationResult } from './transformation.ts';

/** Maximum number of characters of a document and its inputs that are processed on the event loop. */
const MOST_AT_ONCE = 500_000;

/** A job can wait: it is not rejected because others wait as well. */
const TASK_LIMIT = { ...CALCULATION_LIMIT, waiting: 100_000 };

const isSmall = (given: object): boolean => sizeOf(given, MOST_AT_ONCE) <= MOST_AT_ONCE;

/**
 * Runs a transformation: on the event loop when it is quick, in a worker thread when it takes longer or fails.
 *
 * @throws ServiceError TOO_MANY_REQUESTS when too many others wait
 */
export async function runInTime(given: RunInputs): Promise<TransformationResult> {
  if (isSmall(given)) {
    const quick = runTransformation(given.document, given.inputs, given.options, undefined, QUICK);
    if (!('error' in quick)) return quick;
  }
  return calculateOr<TransformationResult>('transformation', given, (reason) => ({
    error: { code: 'step', message: `running the transformation ${reason}` },
  }));
}

/**
 * Runs a transformation for a task of a job, like `runInTime`.
 *
 * @returns an outcome with finish error when it takes too long
 */
export async function outcomeInTime(given: TransformationTaskInputs): Promise<TaskOutcome> {
  if (isSmall(given)) {
    const quick = transformationOutcome(given.document, given.incoming, undefined, QUICK);
    if (quick.finish === 'success') return quick;
  }
  const rejected = (reason: string) => failed(`running the transformation ${reason}`);
  return calculateOr('transformation task', given, rejected, TASK_LIMIT);
}
