import { type SQL, sql } from 'drizzle-orm';
import { type PartialFields, type ScoreOptions, type Thresholds, weighingOf } from '../../rules/score.ts';

/** Returns a number as a parameter of type double precision. */
const double = (value: number): SQL => sql`${String(value)}::float8`;

/**
 * Returns `scoreOf` (server/domains/golden-config/rules/score.ts) as SQL over the columns errors, warnings, infos and
 * passes of the current row: the same operations in the same order, so that both return the same double.
 */
export function scoreIn(weights: PartialFields<ScoreOptions> = {}): SQL {
  const { error, warning, info, pass } = weighingOf(weights);
  const passes = sql`(${double(pass)} * passes)`;
  const denominator = sql`(${double(error)} * errors + ${double(warning)} * warnings + ${double(info)} * infos + ${passes})`;
  return sql`case when errors | warnings | infos | passes = 0 then 100::float8
    when ${denominator} <= 0 then 0::float8 else 100::float8 * ${passes} / ${denominator} end`;
}

/** Returns `gradeOf` as SQL for a score expression. */
export const gradeIn = (score: SQL, { pass, review }: Thresholds): SQL =>
  sql`case when ${score} >= ${double(pass)} then 'pass' when ${score} >= ${double(review)} then 'review' else 'fail' end`;

/** Returns `shownScore` as SQL for a score expression. */
export const shownIn = (score: SQL): SQL => sql`(floor(${score} * 100 + 0.5::float8) / 100)`;
