import { QuerySyntaxError } from '../query/parse.ts';
import { TaskInputError } from '../task-runs/task-input.ts';
import { type EvaluationDetail, evaluate } from '../task-runs/values/evaluation.ts';
import { query } from '../task-runs/values/query.ts';

export type EvaluationTrial = { groups: readonly unknown[]; all: boolean };
export type QueryTrial = { query: string; obj: unknown };

/** The result of a trial, or the rejected variable and the reason: a thread cannot throw our errors. */
export type TrialResult<Result> = { result: Result } | { error: { path: string[]; message: string } };

export type EvaluationResult = { return_value: boolean; details: EvaluationDetail[][] };

/** Runs the comparisons of an evaluation task on the given values, without a job. */
export const triedEvaluation = ({ groups, all }: EvaluationTrial): TrialResult<EvaluationResult> =>
  tried('evaluation_groups', () =>
    evaluate(groups, all, ({ task }) => {
      throw new TaskInputError(
        'evaluation_groups',
        `refers to ${task.slice(0, 100)}, but no job is running: send the value itself, or {"task":"static","variable":value}`,
      );
    }),
  );

/** Runs a query task on the given value, without a job. */
export const triedQuery = (incoming: QueryTrial): TrialResult<{ return_data: unknown }> =>
  tried('query', () => ({
    return_data: query(incoming, { variables: {}, resolve: () => undefined }).outgoing.return_data ?? null,
  }));

function tried<Result>(variable: string, run: () => Result): TrialResult<Result> {
  try {
    return { result: run() };
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof TaskInputError) return { error: { path: error.variable.split('.'), message } };
    if (error instanceof QuerySyntaxError) return { error: { path: [variable], message } };
    throw error;
  }
}
