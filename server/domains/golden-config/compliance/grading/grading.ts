import {
  gradeOf,
  type PartialFields,
  type ScoreOptions,
  type SeverityCounts,
  scoreOf,
  shownScore,
  type Thresholds,
} from '../../rules/score.ts';

/** A caller's options for grading reports; missing ones have defaults (contract/endpoints#4.6). */
export type Grading = {
  weights?: PartialFields<ScoreOptions> | undefined;
  benchmarks?: PartialFields<Thresholds> | undefined;
};

/** The part of a request's context that holds the configuration of this service. */
export type GradingAs = { platform: { config: { benchmarks: Thresholds } } };

/** Returns the scores that separate the grades: the caller's, otherwise those of this service. */
export const benchmarksOf = (
  { platform }: GradingAs,
  {
    pass = platform.config.benchmarks.pass,
    review = platform.config.benchmarks.review,
  }: PartialFields<Thresholds> = {},
): Thresholds => ({ pass, review });

/** Returns score and grade of a report by its counts, as `gradeReport` does. */
export function gradeOfTotals(
  ctx: GradingAs,
  { errors, warnings, infos, passes }: SeverityCounts,
  { weights, benchmarks }: Grading,
) {
  const score = scoreOf({ errors, warnings, infos, passes }, weights);
  return { score: shownScore(score), grade: gradeOf(score, benchmarksOf(ctx, benchmarks)) };
}
