import { calculateInTime } from '#server/kernel/calculations/calculation-pool.ts';
import { type Issue, invalid, unprocessable } from '#server/kernel/errors.ts';
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

/** Maximum number of characters of rules and texts processed in this thread, which takes some milliseconds. */
const MOST_AT_ONCE = 4000;

/**
 * Returns the issues of a template's rules. Small ones are compiled in this thread, others in a separate one.
 *
 * @throws ServiceError BAD_REQUEST when that takes too much time or memory; TOO_MANY_REQUESTS
 */
export const checkRules = (check: RulesCheck): Promise<Issue[]> =>
  calculateInTime('rules of a template', check, ruleIssues, MOST_AT_ONCE, (reason) =>
    invalid(check.path, `could not be compiled: the compilation ${reason}`, 'too_big'),
  );

/** Applies rules to a device's responses, likewise. @throws ServiceError UNPROCESSABLE_CONTENT, TOO_MANY_REQUESTS */
export const holdAnswers = (asked: DeviceAnswers): Promise<CommandEntry[]> =>
  calculateInTime('answers of a device', asked, entriesOf, MOST_AT_ONCE, (reason) =>
    unprocessable(`Applying the rules to the response of ${asked.device} ${reason}`),
  );

/** Compares two runs, likewise. @throws ServiceError UNPROCESSABLE_CONTENT, TOO_MANY_REQUESTS */
export const compareInTime = (comparison: RunComparison): Promise<ComparedRuns> =>
  calculateInTime('comparison of runs', comparison, comparedRuns, MOST_AT_ONCE, (reason) =>
    unprocessable(`Comparing the runs ${reason}`),
  );
