import type { PartialFields, ScoreOptions, Thresholds } from '../../rules/score.ts';

/** How a caller wants reports graded; what is missing takes its default (contract/endpoints#4.6). */
export type Grading = {
  weights?: PartialFields<ScoreOptions> | undefined;
  benchmarks?: PartialFields<Thresholds> | undefined;
};

/** The part of a request's context that knows what this service was started with. */
export type GradingAs = { platform: { config: { benchmarks: Thresholds } } };

/** The scores that separate the grades: the caller's, then those of this service. */
export const benchmarksOf = (
  { platform }: GradingAs,
  {
    pass = platform.config.benchmarks.pass,
    review = platform.config.benchmarks.review,
  }: PartialFields<Thresholds> = {},
): Thresholds => ({ pass, review });
