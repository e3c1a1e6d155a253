import { invalid } from '#server/errors.ts';
import { QueryRefused } from './query/parse.ts';
import { type EvaluationDetail, evaluate } from './tasks/runs/evaluation.ts';
import { ValueRefused } from './tasks/runs/given.ts';
import { query } from './tasks/runs/query.ts';

/**
 * Runs the comparisons of an evaluation task on the values given, without a job (lifecycle §2).
 *
 * @throws ServiceError BAD_REQUEST for groups that cannot be evaluated, and for operands that refer to a job
 */
export function tryEvaluation(
  groups: readonly unknown[],
  all: boolean,
): { return_value: boolean; details: EvaluationDetail[][] } {
  return refusing('evaluation_groups', () =>
    evaluate(groups, all, ({ task }) => {
      throw new ValueRefused(
        'evaluation_groups',
        `refers to ${task.slice(0, 100)}, but no job runs here: give the value itself, or {"task":"static","variable":value}`,
      );
    }),
  );
}

/**
 * Runs a query task on the value given, without a job (lifecycle §2).
 *
 * @throws ServiceError BAD_REQUEST for a query that cannot be read, or goes over too much
 */
export const tryQuery = (incoming: { query: string; obj: unknown }): { return_data: unknown } =>
  refusing('query', () => ({
    return_data: query(incoming, { variables: {}, resolve: () => undefined }).outgoing.return_data ?? null,
  }));

function refusing<Result>(member: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof ValueRefused) throw invalid(error.variable.split('.'), error.message);
    if (error instanceof QueryRefused) throw invalid([member], error.message);
    throw error;
  }
}
