import { DEFAULT_BENCHMARKS } from '#server/kernel/config.ts';

/** Counts of issues and passes on one device. */
export type SeverityCounts = { errors: number; warnings: number; infos: number; passes: number };

/** Weights of one issue of each severity, compared with one pass. */
export type ScoreOptions = { error: number; warning: number; info: number };

/** Lowest scores, in points, for the grades pass and review. */
export type Thresholds = { pass: number; review: number };

/** Some of the fields; missing ones take their defaults. */
export type PartialFields<Members> = { [Name in keyof Members]?: Members[Name] | undefined };

/** Default weights of issues, compared with a pass (contract/endpoints#4.6). */
export const DEFAULT_WEIGHTS: ScoreOptions = { error: 2, warning: 1, info: 0.5 };

/** Weights beyond this could overflow once multiplied by counts and added. */
const LARGE = 2 ** 960;
const SHRUNK = 2 ** -64;

/**
 * Returns weights ready to multiply: missing ones take their defaults, and if one is so large that a product could
 * overflow, all, including that of a pass, are scaled down by one power of two. The score stays the same.
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
 * Returns the score of a report, in points, not rounded: 100 · passes / (weighted issues + passes). It is 100 when
 * nothing was evaluated, and 0 when the denominator is not above 0, which only negative or zero weights cause
 * (contract/endpoints#4.6).
 *
 * @param weights any finite numbers; missing ones take their defaults
 * @see server/domains/golden-config/compliance/grading/score-sql.service.ts, the same in SQL, operation by operation
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

/** Returns the grade of a score that is not rounded: the lowest score of a grade earns it (contract/endpoints#4.6). */
export function gradeOf(
  score: number,
  benchmarks: PartialFields<Thresholds> = {},
): 'pass' | 'review' | 'fail' {
  const { pass = DEFAULT_BENCHMARKS.pass, review = DEFAULT_BENCHMARKS.review } = benchmarks;
  if (score >= pass) return 'pass';
  return score >= review ? 'review' : 'fail';
}

/** Rounds a score for display: two decimals, half a hundredth up (contract/endpoints#4.6). */
export const shownScore = (score: number): number => Math.floor(score * 100 + 0.5) / 100;
