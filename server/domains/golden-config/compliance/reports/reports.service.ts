import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { GradedReport, Report, ReportHeader } from '#db/schemas/golden-config/compliance-report.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { notFound, unprocessable } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { gradeOf, scoreOf, shownScore } from '../../rules/score.ts';
import { benchmarksOf, type Grading } from '../grading/grading.ts';
import { ofReadableTrees, orderOf, pageOfReports } from './report-filter.service.ts';
import type { ReportsRequest } from './report-query.service.ts';
import { headerText, reportText } from './report-text.service.ts';

const KIND = 'Compliance report';

type ReportRow = {
  n: string;
  text: string;
  status: string;
  errors: number;
  warnings: number;
  infos: number;
  passes: number;
};

/** Returns the reports with these ids that the caller may see, in this order. */
const findReports = ({ db, principal }: ReadContext, ids: readonly string[]) =>
  rows<ReportRow>(
    db,
    sql`select ${reportText} as text, r.status, r.errors, r.warnings, r.infos, r.passes
      from unnest(${textArray(ids)}) with ordinality as asked (id, n)
      cross join lateral (select * from compliance_report
        where id = asked.id and ${ofReadableTrees(principal)} order by ts desc limit 1) as r
      left join compliance_finding f on f.sha256 = r.finding
      order by asked.n`,
  );

/**
 * Returns a report with its issues (contract/lifecycle#4.8).
 *
 * @throws ServiceError NOT_FOUND
 */
export async function getReport(ctx: ReadContext, reportId: string): Promise<JsonText<Report>> {
  const [found] = await findReports(ctx, [reportId]);
  if (!found) throw notFound(KIND, reportId);
  return json(found.text);
}

/** Returns reports with their issues, in the order of the ids; leaves out missing ones (contract/lifecycle#4.8). */
export async function getReports(
  ctx: ReadContext,
  reportIds: readonly string[],
): Promise<JsonText<Report[]>> {
  const found = await findReports(ctx, reportIds);
  return json(`[${found.map(({ text }) => text).join(',')}]`);
}

/** Lists reports without their issues, newest first by default (contract/lifecycle#4.8). */
export async function listReports(
  { db, principal }: ReadContext,
  { filter, more, page }: ReportsRequest,
): Promise<JsonText<ReportHeader[]>> {
  const found = await rows<{ text: string }>(
    db,
    sql`select ${headerText} as text from ${pageOfReports(filter, principal, page, more)} as r
      order by ${orderOf(page)}`,
  );
  return json(`[${found.map(({ text }) => text).join(',')}]`);
}

/**
 * Returns a report with its score and grade (contract/lifecycle#4.8).
 *
 * @throws ServiceError NOT_FOUND, UNPROCESSABLE_CONTENT when the device could not be checked
 */
export async function gradeReport(
  ctx: ReadContext<'config'>,
  reportId: string,
  { weights, benchmarks }: Grading,
): Promise<JsonText<GradedReport>> {
  const [found] = await findReports(ctx, [reportId]);
  if (!found) throw notFound(KIND, reportId);
  if (found.status !== 'complete') {
    throw unprocessable(`${KIND} ${reportId} has no grade: the device could not be checked`);
  }
  const score = scoreOf(found, weights);
  const grade = gradeOf(score, benchmarksOf(ctx, benchmarks));
  return json(`${found.text.slice(0, -1)},"score":${shownScore(score)},"grade":"${grade}"}`);
}
