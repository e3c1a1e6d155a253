import { calculateInTime } from '#server/kernel/calculations/calculation-pool.ts';
import { invalid } from '#server/kernel/errors.ts';
import {
  type EvaluationResult,
  type EvaluationTrial,
  type QueryTrial,
  type TrialResult,
  triedEvaluation,
  triedQuery,
} from './trial.ts';

/** Characters of a request that is processed on the event loop: this takes a few milliseconds. */
const MOST_AT_ONCE = 4000;

/**
 * Runs the comparisons of an evaluation task on the given values, without a job (contract/lifecycle#2), large ones in a
 * worker thread.
 *
 * @throws ServiceError BAD_REQUEST for groups that cannot be evaluated, for operands that refer to a job, and beyond the
 *   limit of time and memory; TOO_MANY_REQUESTS
 */
export const tryEvaluation = (trial: EvaluationTrial): Promise<EvaluationResult> =>
  inTime('evaluation trial', 'evaluation_groups', trial, triedEvaluation);

/**
 * Runs a query task on the given value, without a job (contract/lifecycle#2); a large one in a thread.
 *
 * @returns `return_data`: the value that the task would return
 * @throws ServiceError BAD_REQUEST for a query that cannot be parsed, or exceeds the limits; TOO_MANY_REQUESTS
 */
export const tryQuery = (trial: QueryTrial): Promise<{ return_data: unknown }> =>
  inTime('query trial', 'query', trial, triedQuery);

async function inTime<Trial extends object, Result>(
  name: string,
  field: string,
  trial: Trial,
  run: (trial: Trial) => TrialResult<Result>,
): Promise<Result> {
  const tried = await calculateInTime(name, trial, run, MOST_AT_ONCE, (reason) =>
    invalid([field], `could not be calculated: it ${reason}`),
  );
  if ('result' in tried) return tried.result;
  throw invalid(tried.error.path, tried.error.message);
}
