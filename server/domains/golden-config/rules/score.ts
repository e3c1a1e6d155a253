import { DEFAULT_BENCHMARKS } from '#server/kernel/config.ts';

/** What was counted on one device. */
export type SeverityCounts = { errors: number; warnings: number; infos: number; passes: number };

/** What one issue of each severity weighs against one pass. */
export type ScoreOptions = { error: number; warning: number; info: number };

/** Lowest scores, in points, that pass or are up for review. */
export type Thresholds = { pass: number; review: number };

/** Some of them: what is not given takes its default. */
export type PartialFields<Members> = { [Name in keyof Members]?: Members[Name] | undefined };

/** Weights of issues against a pass (contract/endpoints#4.6). */
export const DEFAULT_WEIGHTS: ScoreOptions = { error: 2, warning: 1, info: 0.5 };

/** Weights beyond this could overflow once multiplied by counts and added. */
const LARGE = 2 ** 960;
const SHRUNK = 2 ** -64;

/**
 * Weights ready to multiply: those that are missing filled in, and all of them shrunk by one power of two, the weight
 * of a pass as well, when one is so large that a product could overflow. The score stays the same.
 */
export function weighingOf(weights: PartialFields<ScoreOptions> = {}): ScoreOptions & { pass: number } {
  const {
    error = DEFAULT_WEIGHTS.error,
    warning = DEFAULT_WEIGHTS.warning,
    info = DEFAULT_WEIGHTS.info,
  } = weights;
  const isLarge = [error, warning, info].some((weight) => Math.abs(weight) > LARGE);
  const by = isLarge ? SHRUNK : 1;
  return { error: error * by, warning: warning * by, info: info * by, pass: by };
}

/**
 * The score of a report, in points, not rounded: 100 · passes / (weighted issues + passes). Nothing evaluated: 100; a
 * denominator that is not above 0, which only negative or no weights give: 0 (contract/endpoints#4.6). Never negative.
 *
 * @param weights any finite numbers; those that are missing take their defaults
 * @see server/domains/golden-config/compliance/grading/score-sql.service.ts, which says the same in SQL, operation by operation
 */
export function scoreOf(
  { errors, warnings, infos, passes }: SeverityCounts,
  weights: PartialFields<ScoreOptions> = {},
): number {
  if (errors === 0 && warnings === 0 && infos === 0 && passes === 0) return 100;
  const { error, warning, info, pass } = weighingOf(weights);
  const denominator = error * errors + warning * warnings + info * infos + pass * passes;
  return denominator <= 0 ? 0 : (100 * (pass * passes)) / denominator;
}

/** The grade of a score that is not rounded: the lowest score of a grade earns it (contract/endpoints#4.6). */
export function gradeOf(
  score: number,
  benchmarks: PartialFields<Thresholds> = {},
): 'pass' | 'review' | 'fail' {
  const { pass = DEFAULT_BENCHMARKS.pass, review = DEFAULT_BENCHMARKS.review } = benchmarks;
  if (score >= pass) return 'pass';
  return score >= review ? 'review' : 'fail';
}

/** A score as it is shown: two decimals, half a hundredth up (contract/endpoints#4.6). */
export const shownScore = (score: number): number => Math.floor(score * 100 + 0.5) / 100;
