import { calculateForRequest } from '#server/kernel/calculations/calculation-pool.ts';
import { invalid } from '#server/kernel/errors.ts';
import { AT_ONCE } from '#server/kernel/jinja/rendered.ts';
import { sizeOf } from '#server/kernel/json/value-size.ts';
import {
  type CheckedLines,
  checkedLines,
  type DerivedSpec,
  derivedSpec,
  type LinesCheck,
  type SpecDerivation,
  type StaleCheck,
  type StaleCheckResult,
  staleChecked,
} from './derivation-calculations.ts';

/** Maximum number of characters to derive from on the event loop. */
const MOST_AT_ONCE = 10_000;

const isSmall = ({ source, ...given }: { source: { lexRules?: unknown } }): boolean =>
  source.lexRules === undefined && sizeOf(given, MOST_AT_ONCE) <= MOST_AT_ONCE;

/**
 * Derives the lines of a spec from its template: on the event loop when that is fast, otherwise in a thread.
 *
 * @throws ServiceError BAD_REQUEST when it takes too long or too much memory; TOO_MANY_REQUESTS
 */
export async function deriveInTime(derivation: SpecDerivation): Promise<DerivedSpec> {
  if (isSmall(derivation) && !derivation.spec.template.includes('{%')) {
    const derived = derivedSpec(derivation, AT_ONCE.steps);
    if (derived.issues.length === 0) return derived;
  }
  return (await calculateForRequest('spec', derivation, tooCostly(['data', 'template']))) as DerivedSpec;
}

/** Checks the lines that a caller sent, on the event loop or in a thread. @throws ServiceError as deriveInTime */
export async function checkLinesInTime(check: LinesCheck): Promise<CheckedLines> {
  if (isSmall(check)) return checkedLines(check);
  return (await calculateForRequest('lines of a spec', check, tooCostly(['data', 'lines']))) as CheckedLines;
}

/**
 * Finds the nodes with stale lines, likewise; beyond the step limit nothing is flagged.
 *
 * @throws ServiceError TOO_MANY_REQUESTS
 */
export async function staleInTime(check: StaleCheck): Promise<StaleCheckResult> {
  if (check.steps <= 0) return { root: check.root, steps: 0 };
  if (isSmall(check) && !check.specs.some(({ template }) => template.includes('{%')))
    return staleChecked(check);
  class Beyond extends Error {}
  try {
    return (await calculateForRequest('stale lines', check, () => new Beyond())) as StaleCheckResult;
  } catch (error) {
    if (error instanceof Beyond) return { root: check.root, steps: 0 };
    throw error;
  }
}

const tooCostly = (path: string[]) => (reason: string) =>
  invalid(path, `could not be processed: the calculation ${reason}`, 'too_big');
