import { type SQL, sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import type { HistoryRecord } from '#db/schemas/golden-config/compliance.ts';
import type { BackupHistoryRecord, GradedRun } from '#db/schemas/golden-config/compliance-report.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { assertVersion } from '../../trees/versions.service.ts';
import { benchmarksOf, type Grading, type GradingAs } from '../grading/grading.ts';
import { gradeIn, scoreIn, shownIn } from '../grading/score-sql.service.ts';
import { orderOf, pageOfReports, type ReportFilter, reportsWhere } from './report-filter.service.ts';
import { type ReportQuery, type ReportsRequest, readReportQuery } from './report-query.service.ts';
import { backupHistoryText, gradedRunText, historyText } from './report-text.service.ts';

/** Excludes reports of devices that could not be checked: they are listed as reports, but not in a history. */
const COMPLETE = sql`status = 'complete'`;

async function listOf<T>(
  { db, principal }: ReadContext,
  text: SQL,
  { filter, more, page }: ReportsRequest,
  besides: SQL = COMPLETE,
) {
  const where = more ? sql`${besides} and ${more}` : besides;
  const found = await rows<{ text: string }>(
    db,
    sql`select ${text} as text from ${pageOfReports(filter, principal, page, where)} as r order by ${orderOf(page)}`,
  );
  return json<T[]>(`[${found.map((one) => one.text).join(',')}]`);
}

/** Lists complete runs, newest first by default (contract/endpoints#4.11, contract/lifecycle#4.8). */
export const listHistory = (ctx: ReadContext, request: ReportsRequest): Promise<JsonText<HistoryRecord[]>> =>
  listOf<HistoryRecord>(ctx, historyText, request);

/** Lists runs over backups, newest first by default (contract/lifecycle#4.8). */
export const listBackupHistory = (
  ctx: ReadContext,
  request: ReportsRequest,
): Promise<JsonText<BackupHistoryRecord[]>> =>
  listOf<BackupHistoryRecord>(ctx, backupHistoryText, request, sql`${COMPLETE} and backup_id is not null`);

/** The runs of one device at a node of a tree version, or below it. */
export type DeviceRuns = { treeId: string; version: string; nodePath: string; deviceName: string };

/**
 * Returns the graded runs of one device, newest first (contract/lifecycle#grade-history).
 *
 * @throws ServiceError NOT_FOUND for tree or version
 */
export async function gradeHistory(
  ctx: ReadContext<'config'>,
  runs: DeviceRuns,
  { weights, benchmarks, ...query }: Grading & ReportQuery,
): Promise<JsonText<GradedRun[]>> {
  await assertVersion(ctx, runs.treeId, runs.version);
  const request = readReportQuery(query, filterOf(runs), 'options');
  return listOf<GradedRun>(ctx, gradedText(ctx, { weights, benchmarks }), request);
}

/**
 * Returns the graded runs of one device with their total number (contract/lifecycle#query-history).
 *
 * @throws ServiceError NOT_FOUND for tree or version
 */
export async function queryHistory(
  ctx: ReadContext<'config'>,
  runs: DeviceRuns,
  { weights, benchmarks, ...query }: Grading & ReportQuery,
): Promise<JsonText<{ total: number; history: GradedRun[] }>> {
  await assertVersion(ctx, runs.treeId, runs.version);
  const { filter, page } = readReportQuery(query, filterOf(runs), 'options');
  const text = gradedText(ctx, { weights, benchmarks });
  const [found] = await rows<{ total: string; history: string }>(
    ctx.db,
    sql`select
      (select count(*) from compliance_report where ${reportsWhere(filter, ctx.principal)} and ${COMPLETE})::text as total,
      (select coalesce(string_agg(${text}, ',' order by ${orderOf(page)}), '')
        from ${pageOfReports(filter, ctx.principal, page, COMPLETE)} as r) as history`,
  );
  return json(`{"total":${found?.total ?? 0},"history":[${found?.history ?? ''}]}`);
}

const filterOf = ({ deviceName, ...rest }: DeviceRuns): ReportFilter => ({ ...rest, devices: [deviceName] });

function gradedText(ctx: GradingAs, { weights, benchmarks }: Grading): SQL {
  const score = sql`(${scoreIn(weights)})`;
  return gradedRunText(shownIn(score), gradeIn(score, benchmarksOf(ctx, benchmarks)));
}
