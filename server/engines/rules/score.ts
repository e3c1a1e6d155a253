import type { Benchmarks, Grade, Totals, Weights } from '#db/schemas/compliance.ts';

/** What one issue weighs against one pass unless a caller says otherwise (decisions §4, 4.6). */
export const WEIGHTS: Record<keyof Weights, number> = { error: 2, warning: 1, info: 0.5 };

/** The lowest scores that pass, or are up for review. */
export const BENCHMARKS: Record<keyof Benchmarks, number> = { pass: 90, review: 80 };

/**
 * The score of a report in points: 100·P / (wE·E + wW·W + wI·I + P), neither rounded nor clamped. Nothing evaluated, or
 * nothing that weighs: 100. A denominator of 0 or less with issues that weigh: 0.
 *
 * @param weights missing members take their defaults; any finite numbers, so a score may be negative
 * @see decisions §4 (4.6)
 */
export function score({ errors, warnings, infos, passes }: Totals, weights: Partial<Weights> = {}): number {
  const weighed =
    errors * (weights.error ?? WEIGHTS.error) +
    warnings * (weights.warning ?? WEIGHTS.warning) +
    infos * (weights.info ?? WEIGHTS.info);
  const whole = weighed + passes;
  if (whole > 0) return (100 * passes) / whole;
  return errors + warnings + infos === 0 ? 100 : 0;
}

/** The grade of a score, which must not be rounded before (decisions §4, 4.6). */
export function gradeOf(points: number, benchmarks: Partial<Benchmarks> = {}): Grade {
  if (points >= (benchmarks.pass ?? BENCHMARKS.pass)) return 'pass';
  return points >= (benchmarks.review ?? BENCHMARKS.review) ? 'review' : 'fail';
}

/** A score as it is shown: two decimals. */
export const shownScore = (points: number): number => Math.round(points * 100) / 100;
