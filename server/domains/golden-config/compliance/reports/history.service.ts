import { type SQL, sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import type { HistoryRecord } from '#db/schemas/golden-config/compliance.ts';
import type { BackupHistoryRecord, GradedRun } from '#db/schemas/golden-config/compliance-report.ts';
import type { Reading } from '#server/kernel/documents/documents.service.ts';
import { json } from '#server/kernel/json-text.ts';
import { assertVersion } from '../../trees/versions.service.ts';
import { benchmarksOf, type Grading, type GradingAs } from '../grading/grading.ts';
import { gradeIn, scoreIn, shownIn } from '../grading/score-sql.service.ts';
import { newestReports, type Page, type ReportFilter, reportsWhere } from './report-filter.service.ts';
import { backupHistoryText, gradedRunText, historyText } from './report-text.service.ts';
import { type Asked, USUAL } from './reports.service.ts';

/** A report of a device that could not be checked found nothing: it is listed as a report, and is no part of a history. */
const COMPLETE = sql`status = 'complete'`;

const pageOf = ({ start = 0, limit = USUAL }: Asked): Page => ({ start, limit });

async function listOf<T>(
  { db, principal }: Reading,
  text: SQL,
  filter: ReportFilter,
  asked: Asked,
  more: SQL,
) {
  const found = await rows<{ text: string }>(
    db,
    sql`select ${text} as text from ${newestReports(filter, principal, pageOf(asked), more)} as r
      order by r.ts desc, r.id desc`,
  );
  return json<T[]>(`[${found.map((one) => one.text).join(',')}]`);
}

/** Runs that were complete, the newest first (contract/endpoints#4.11, contract/lifecycle#4.8). */
export const listHistory = (ctx: Reading, filter: ReportFilter, asked: Asked): Promise<HistoryRecord[]> =>
  listOf<HistoryRecord>(ctx, historyText, filter, asked, COMPLETE);

/** Runs over backups, the newest first (contract/lifecycle#4.8). */
export const listBackupHistory = (
  ctx: Reading,
  filter: ReportFilter,
  asked: Asked,
): Promise<BackupHistoryRecord[]> =>
  listOf<BackupHistoryRecord>(
    ctx,
    backupHistoryText,
    filter,
    asked,
    sql`${COMPLETE} and backup_id is not null`,
  );

/** The runs of one device at a node of a tree version, or below it. */
export type DeviceRuns = { treeId: string; version: string; nodePath: string; deviceName: string };

/**
 * Runs of one device, graded, the newest first (contract/lifecycle#grade-history).
 *
 * @throws ServiceError NOT_FOUND for tree or version
 */
export async function gradeHistory(
  ctx: Reading & GradingAs,
  runs: DeviceRuns,
  { start, limit, ...grading }: Grading & Asked,
): Promise<GradedRun[]> {
  await assertVersion(ctx, runs.treeId, runs.version);
  return listOf<GradedRun>(ctx, gradedText(ctx, grading), filterOf(runs), { start, limit }, COMPLETE);
}

/**
 * The same with how many there are in all (contract/lifecycle#query-history).
 *
 * @throws ServiceError NOT_FOUND for tree or version
 */
export async function queryHistory(
  ctx: Reading & GradingAs,
  runs: DeviceRuns,
  options: Grading & Asked,
): Promise<{ total: number; history: GradedRun[] }> {
  await assertVersion(ctx, runs.treeId, runs.version);
  const { start = 0, limit = USUAL, ...grading } = options;
  const page = newestReports(filterOf(runs), ctx.principal, { start, limit }, COMPLETE);
  const [found] = await rows<{ total: string; history: string }>(
    ctx.db,
    sql`select
      (select count(*) from compliance_report where ${reportsWhere(filterOf(runs), ctx.principal)} and ${COMPLETE})::text
        as total,
      (select coalesce(string_agg(${gradedText(ctx, grading)}, ',' order by r.ts desc, r.id desc), '') from ${page} as r)
        as history`,
  );
  return json(`{"total":${found?.total ?? 0},"history":[${found?.history ?? ''}]}`);
}

const filterOf = ({ deviceName, ...rest }: DeviceRuns): ReportFilter => ({ ...rest, devices: [deviceName] });

function gradedText(ctx: GradingAs, { weights, benchmarks }: Grading): SQL {
  const score = sql`(${scoreIn(weights)})`;
  return gradedRunText(shownIn(score), gradeIn(score, benchmarksOf(ctx, benchmarks)));
}
