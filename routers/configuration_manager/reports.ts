import { z } from 'zod';
import { GradedGroup, HistoryRecord } from '#db/schemas/golden-config/compliance.ts';
import {
  BackupHistoryRecord,
  BatchStatus,
  ComplianceCoverage,
  ComplianceMatrix,
  ComplianceSummary,
  GradedReport,
  GradedRun,
  Report,
  ReportHeader,
  TopIssue,
  TrendDay,
} from '#db/schemas/golden-config/compliance-report.ts';
import { ObjectId } from '#db/schemas/primitives.ts';
import {
  getBatchReports,
  getBatchStatus,
  getCoverage,
  getMatrix,
  getReport,
  getReports,
  getTrend,
  gradeDevices,
  gradeHistory,
  gradeReport,
  listBackupHistory,
  listHistory,
  listReports,
  listTopIssues,
  queryHistory,
  readReportQuery,
  summarize,
} from '#server/domains/golden-config/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest } from '#server/kernel/procedures.ts';
import { CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import {
  BackupHistoryRequest,
  BatchReportsRequest,
  CoverageRequest,
  GradeHistoryRequest,
  GradeReportRequest,
  GradeRequest,
  HistoryRequest,
  MatrixRequest,
  NodeSummaryRequest,
  QueryHistoryRequest,
  ReportsRequest,
  TopIssuesRequest,
  TreeSummaryRequest,
  TrendRequest,
} from './report-requests.ts';

const PATH = '/configuration_manager/compliance_reports';

/** Reads the query of a GET list of reports: its own filters, and those of every list. */
const reportPageOf = ({
  deviceName,
  start,
  limit,
  queryOptions = {},
  ...filter
}: z.output<typeof ReportsRequest>) =>
  readReportQuery(
    { ...queryOptions, ...(start !== undefined && { start }), ...(limit !== undefined && { limit }) },
    { ...filter, ...(deviceName !== undefined && { devices: [deviceName] }) },
  );

/** Reads the options of a POST list, which hold filters of their own beside paging and order. */
const searchOf = ({ treeId, version, nodePath, devices, backupIds, ...query }: Search) =>
  readReportQuery(query, { treeId, version, nodePath, devices, backupIds }, 'options');

type Search = Omit<z.output<typeof HistoryRequest>['options'], 'devices'> & {
  devices?: string[] | undefined;
  backupIds?: string[] | undefined;
};

export const reports = {
  gradeDevices: allow(...CONFIG_WRITE)
    .meta(rest('POST', `${PATH}/grade`, 'Grade the newest report of each device on a tree'))
    .input(GradeRequest)
    .output(answer(z.array(GradedGroup)))
    .query(({ ctx, input: { options, ...part } }) =>
      gradeDevices(ctx, { ...part, nodePath: options.nodePath }, options),
    ),

  readGrades: allow(...CONFIG_READ)
    .meta(rest('POST', `${PATH}/grade/read`, 'The same grades, for callers who only read'))
    .input(GradeRequest)
    .output(answer(z.array(GradedGroup)))
    .query(({ ctx, input: { options, ...part } }) =>
      gradeDevices(ctx, { ...part, nodePath: options.nodePath }, options),
    ),

  gradeReport: allow(...CONFIG_READ)
    .meta(
      rest('POST', `${PATH}/grade/single`, 'One report with its score and grade', {
        errorResponses: { 422: 'The device could not be checked: the report has no grade.' },
      }),
    )
    .input(GradeReportRequest)
    .output(answer(GradedReport))
    .query(({ ctx, input }) => gradeReport(ctx, input.reportId, input.options ?? {})),

  gradeHistory: allow(...CONFIG_READ)
    .meta(rest('POST', `${PATH}/grade/history`, 'Runs of one device, graded, newest first'))
    .input(GradeHistoryRequest)
    .output(answer(z.array(GradedRun)))
    .query(({ ctx, input: { options = {}, ...run } }) => gradeHistory(ctx, run, options)),

  queryHistory: allow(...CONFIG_READ)
    .meta(rest('POST', `${PATH}/query/history`, 'Runs of one device, graded, page by page'))
    .input(QueryHistoryRequest)
    .output(answer(z.object({ total: z.int().min(0), history: z.array(GradedRun) })))
    .query(({ ctx, input: { options = {}, filter, ...run } }) =>
      queryHistory(ctx, { ...run, deviceName: filter.deviceName }, options),
    ),

  searchHistory: allow(...CONFIG_READ)
    .meta(rest('POST', `${PATH}/history`, 'Complete runs, newest first'))
    .input(HistoryRequest)
    .output(answer(z.array(HistoryRecord)))
    .query(({ ctx, input: { options } }) => listHistory(ctx, searchOf(options))),

  searchBackupHistory: allow(...CONFIG_READ)
    .meta(rest('POST', `${PATH}/history/backups`, 'Complete runs over backups, newest first'))
    .input(BackupHistoryRequest)
    .output(answer(z.array(BackupHistoryRecord)))
    .query(({ ctx, input: { options } }) => listBackupHistory(ctx, searchOf(options))),

  listHistory: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/history`, 'Complete runs, newest first, by query'))
    .input(ReportsRequest)
    .output(answer(z.array(HistoryRecord)))
    .query(({ ctx, input }) => listHistory(ctx, reportPageOf(input))),

  listReports: allow(...CONFIG_READ)
    .meta(rest('GET', PATH, 'Compliance reports without their issues, newest first'))
    .input(ReportsRequest)
    .output(answer(z.array(ReportHeader)))
    .query(({ ctx, input }) => listReports(ctx, reportPageOf(input))),

  getReport: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/details/:reportId`, 'One compliance report with its issues'))
    .input(z.strictObject({ reportId: z.string().describe('Id of the report') }))
    .output(answer(Report))
    .query(({ ctx, input }) => getReport(ctx, input.reportId)),

  getReports: allow(...CONFIG_READ)
    .meta(rest('POST', `${PATH}/details`, 'Several compliance reports with their issues'))
    .input(
      z.strictObject({
        reportIds: z
          .array(ObjectId)
          .max(1000)
          .describe('Ids of the reports, at most 1,000; missing reports are omitted'),
      }),
    )
    .output(answer(z.array(Report)))
    .query(({ ctx, input }) => getReports(ctx, input.reportIds)),

  getBatchReports: allow(...CONFIG_READ)
    .meta(
      rest('GET', `${PATH}/batch/:batchId`, 'Reports of a batch so far, without issues', {
        description:
          'X-Batch-Status has the status of the batch, X-Total-Count the number of its reports so far.',
      }),
    )
    .input(BatchReportsRequest)
    .output(answer(z.array(ReportHeader)))
    .query(({ ctx, input: { batchId, ...page } }) => getBatchReports(ctx, batchId, page)),

  getBatchStatus: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/batch/:batchId/status`, 'Progress of a compliance batch'))
    .input(z.strictObject({ batchId: z.string().describe('Id of the batch') }))
    .output(answer(BatchStatus))
    .query(({ ctx, input }) => getBatchStatus(ctx, input.batchId)),

  getTreeSummary: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/tree/:treeId`, 'Summary of the newest reports on a tree'))
    .input(TreeSummaryRequest)
    .output(answer(ComplianceSummary))
    .query(({ ctx, input }) => summarize(ctx, input)),

  getNodeSummary: allow(...CONFIG_READ)
    .meta(
      rest(
        'GET',
        `${PATH}/node/:treeId/:nodePath+`,
        'Summary of the newest reports of a node and the nodes below it',
      ),
    )
    .input(NodeSummaryRequest)
    .output(answer(ComplianceSummary))
    .query(({ ctx, input }) => summarize(ctx, input)),

  listTopIssues: allow(...CONFIG_READ)
    .meta(rest('POST', `${PATH}/topissues`, 'The rules that the newest reports violate most often'))
    .input(TopIssuesRequest)
    .output(answer(z.array(TopIssue)))
    .query(({ ctx, input: { limit = 10, deviceStart = 0, deviceLimit = 25, ...filter } }) =>
      listTopIssues(ctx, filter, { limit, deviceStart, deviceLimit }),
    ),

  getTrend: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/trend`, 'Grades and mean score of a tree, day by day'))
    .input(TrendRequest)
    .output(answer(z.array(TrendDay)))
    .query(({ ctx, input: { from, to, ...part } }) => getTrend(ctx, part, { from, to })),

  getMatrix: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/matrix`, 'Devices against specs, by their newest reports'))
    .input(MatrixRequest)
    .output(answer(ComplianceMatrix))
    .query(({ ctx, input: { treeId, version, nodePath, ...page } }) =>
      getMatrix(ctx, { treeId, version, nodePath }, page),
    ),

  getCoverage: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/coverage`, 'Devices of a tree by grade, with unchecked and stale ones'))
    .input(CoverageRequest)
    .output(answer(ComplianceCoverage))
    .query(({ ctx, input: { treeId, version, nodePath, ...page } }) =>
      getCoverage(ctx, { treeId, version, nodePath }, page),
    ),
};
