import { isObject } from '#server/kernel/json/objects.ts';
import { counted, countedTogether, queryValue, type Visit } from '../../query/find.ts';
import { COMPARISONS } from '../../tasks/flow.ts';
import type { JobView, PureRun } from '../../tasks/outcome.ts';
import { negative, succeeded } from '../finish.ts';
import { flag, list, optional, required, TaskInputError } from '../task-input.ts';
import { comparisonHolds, isComparison } from './compare.ts';
import { valueBehind } from './reference.ts';

/** The result of one comparison. */
export type EvaluationDetail = { left: unknown; operator: string; right: unknown; result: boolean };

/**
 * Evaluates groups of comparisons (contract/engines#task-details): a group holds when one of its comparisons does, or all
 * of them with its `all_true_flag`; the same applies to the whole and its groups.
 *
 * @param resolve returns the value of an operand `{task, variable}`
 * @returns whether it holds, and the details of each comparison, by group
 * @throws TaskInputError, QuerySyntaxError
 */
export function evaluate(
  groups: readonly unknown[],
  all: boolean,
  resolve: JobView['resolve'],
): { return_value: boolean; details: EvaluationDetail[][] } {
  if (groups.length === 0) throw new TaskInputError('evaluation_groups', 'must have at least one group');
  // One counter for all queries: there may be many over one large value.
  const visit = countedTogether();
  const found = groups.map((group, at) => evaluateGroup(group, `evaluation_groups.${at}`, resolve, visit));
  const results = found.map(({ result }) => result);
  return {
    return_value: all ? results.every(Boolean) : results.some(Boolean),
    details: found.map(({ details }) => details),
  };
}

function evaluateGroup(group: unknown, place: string, resolve: JobView['resolve'], visit: Visit) {
  if (!isObject(group)) throw new TaskInputError(place, 'must be an object');
  const { evaluations, all_true_flag: all } = group;
  if (!Array.isArray(evaluations) || evaluations.length === 0) {
    throw new TaskInputError(`${place}.evaluations`, 'must have at least one comparison');
  }
  const details = evaluations.map((one: unknown, at) =>
    evaluateOne(one, `${place}.evaluations.${at}`, resolve, visit),
  );
  const results = details.map(({ result }) => result);
  return { result: isTrue(all) ? results.every(Boolean) : results.some(Boolean), details };
}

const isTrue = (value: unknown) => value === true || value === 'true';

function evaluateOne(
  one: unknown,
  place: string,
  resolve: JobView['resolve'],
  visit: Visit,
): EvaluationDetail {
  if (!isObject(one)) throw new TaskInputError(place, 'must be an object');
  const { operand_1, operand_2, operator, query, rightQuery } = one;
  if (!isComparison(operator)) {
    throw new TaskInputError(`${place}.operator`, `must be one of ${COMPARISONS.join(' ')}`);
  }
  const left = part(query, valueBehind(operand_1, resolve), visit);
  const right = part(rightQuery, valueBehind(operand_2, resolve), visit);
  return { left, operator, right, result: comparisonHolds(left, operator, right) };
}

const part = (query: unknown, value: unknown, visit: Visit) =>
  typeof query === 'string' ? queryValue(query, value, counted(value, visit)) : value;

/** Compares values in groups; the result decides between the success and the failure transition. */
export const evaluation: PureRun = (incoming, { resolve }) => {
  const all = optional(flag, incoming, 'all_true_flag', false);
  const { return_value } = evaluate(list(incoming, 'evaluation_groups'), all, resolve);
  return return_value ? succeeded({ return_value }) : negative({ return_value });
};

const decision: PureRun = (incoming) => {
  const operator = required(incoming, 'operator');
  if (!isComparison(operator))
    throw new TaskInputError('operator', `must be one of ${COMPARISONS.join(' ')}`);
  const return_value = comparisonHolds(incoming.operand_1, operator, incoming.operand_2);
  return return_value ? succeeded({ return_value }) : negative({ return_value });
};

/** The runs of these tasks, by name. */
export const EVALUATION_RUNS: Readonly<Record<string, PureRun>> = { decision, evaluation };
