import { calculateForRequest } from '#server/kernel/calculations/calculation-pool.ts';
import { type Issue, invalid, unprocessable } from '#server/kernel/errors.ts';
import { sizeOf } from '#server/kernel/json/value-size.ts';
import type { CommandEntry } from '../results.ts';
import {
  type ComparedRuns,
  comparedRuns,
  type DeviceAnswers,
  entriesOf,
  type RulesCheck,
  type RunComparison,
  ruleIssues,
} from './calculate.ts';

/** Characters of rules and texts that are worked on here: some milliseconds. */
const MOST_AT_ONCE = 4000;

/**
 * Returns what is wrong with the rules of a template: small ones are compiled here, others in a thread.
 *
 * @throws ServiceError BAD_REQUEST when that takes too long or too much memory; TOO_MANY_REQUESTS
 */
export const checkRules = (check: RulesCheck): Promise<Issue[]> =>
  inTime('rules of a template', check, ruleIssues, (reason) =>
    invalid(check.path, `could not be compiled: that ${reason}`, 'too_big'),
  );

/** Holds the answers of a device against rules, likewise. @throws ServiceError UNPROCESSABLE_CONTENT, TOO_MANY_REQUESTS */
export const holdAnswers = (asked: DeviceAnswers): Promise<CommandEntry[]> =>
  inTime('answers of a device', asked, entriesOf, (reason) =>
    unprocessable(`Applying the rules to what ${asked.device} answered ${reason}`),
  );

/** Compares two runs, likewise. @throws ServiceError UNPROCESSABLE_CONTENT, TOO_MANY_REQUESTS */
export const compareInTime = (comparison: RunComparison): Promise<ComparedRuns> =>
  inTime('comparison of runs', comparison, comparedRuns, (reason) =>
    unprocessable(`Comparing the runs ${reason}`),
  );

async function inTime<Given extends object, Result>(
  name: string,
  given: Given,
  run: (given: Given) => Result,
  refusal: (reason: string) => Error,
): Promise<Result> {
  if (sizeOf(given, MOST_AT_ONCE) <= MOST_AT_ONCE) return run(given);
  return (await calculateForRequest(name, given, refusal)) as Result;
}
