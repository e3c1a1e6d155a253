import { z } from 'zod';
import { count, text, texts } from '../fields.ts';
import { ObjectId, Severity, Timestamp } from '../primitives.ts';
import { Grade, HistoryRecord, Totals } from './compliance.ts';
import { Line } from './config-spec.ts';

const score = (of: string) =>
  z.number().meta({ description: `${of}, in points, two decimals`, examples: [63.64] });
const device = z.string().meta({ description: 'Device that was checked', examples: ['edge-1'] });
const nodePath = z.string().meta({
  description: 'Node of the golden tree: names from the root down, separated by slashes',
  examples: ['base/access'],
});

const IssueType = z
  .enum(['required', 'disallowed', 'ordering'])
  .describe(
    'Type of the issue: a required line is missing, a disallowed line is present, or a line is out of order',
  );
const message = z.string().meta({
  description: 'The issue, in words',
  examples: ['required line is missing: ntp server 192.0.2.9'],
});

/** One violation of a rule by a configuration (contract/lifecycle#4.8). */
export const ComplianceIssue = z
  .looseObject({
    severity: Severity,
    type: IssueType,
    message,
    spec: Line,
    specId: ObjectId.describe('Id of the spec that the rule belongs to'),
    parents: z
      .array(z.string())
      .describe('Parent lines of the rule, outermost first')
      .meta({ examples: [['interface GigabitEthernet0/1']] }),
    under: text('Missing parent line: the issue of that line covers both'),
    found: texts('Lines of the configuration that the rule disallows', ['ip http server']),
  })
  .meta({ id: 'ComplianceIssue', description: 'A rule that one device’s configuration violates.' });
export type ComplianceIssue = z.infer<typeof ComplianceIssue>;

/** Counts of one spec's findings on one device (contract/lifecycle#matrix). */
export const SpecTotals = Totals.extend({ specId: ObjectId.describe('Id of the spec') }).meta({
  id: 'SpecTotals',
  description: 'Counts of one spec on one device.',
});

/** A compliance report without its issues (contract/lifecycle#4.8). */
export const ReportHeader = z
  .looseObject({
    id: ObjectId.describe('Id of the report'),
    _id: ObjectId.describe('Id of the report'),
    batchId: ObjectId.nullable().describe('Batch that the report belongs to; null for one on its own'),
    treeId: ObjectId.describe('Golden tree against which the device was checked'),
    version: z.string().meta({ description: 'Version of that tree', examples: ['initial'] }),
    nodePath,
    deviceType: z.string().meta({ description: 'Config parser of the text', examples: ['cisco-ios'] }),
    specId: ObjectId.nullable().describe('Spec of the node itself; null when the node has none'),
    inheritedSpecIds: z.array(ObjectId).describe('Specs of the nodes above, the root’s first'),
    deviceName: device,
    backupId: ObjectId.optional().describe('Backup that was checked, when it was not the device itself'),
    variables: z
      .array(
        z.looseObject({
          name: text('Name of the variable', 'site'),
          type: text('literal or regex', 'literal'),
          value: z.unknown().describe('Its value'),
        }),
      )
      .describe('Variables of the rules, with their values'),
    timestamp: Timestamp.describe('Start of the run that checked the device'),
    totals: Totals,
    status: z
      .enum(['complete', 'error', 'notApplicable'])
      .describe(
        'error: the device could not be checked; notApplicable: the node has no rules for its platform. Such a report has no grade and is not counted',
      ),
    error: text('Why the device was not checked', 'variable site is not defined'),
    evaluated: count('rules that were decided'),
    parseWarnings: z
      .array(
        z.looseObject({
          line: z.int().optional().describe('Number of the line, from 1'),
          reason: text('The problem'),
        }),
      )
      .describe('Lines that the parser could not parse'),
  })
  .meta({ id: 'ReportHeader', description: 'A compliance report without its issues.' });
export type ReportHeader = z.infer<typeof ReportHeader>;

/** A compliance report (contract/lifecycle#4.8). */
export const Report = ReportHeader.extend({
  issues: z.array(ComplianceIssue).describe('Rules that the configuration violates'),
}).meta({ id: 'Report', description: 'The result of a compliance run for one device.' });
export type Report = z.infer<typeof Report>;

/** The result of checking a text at once: a report that is not stored. */
export const CheckedConfiguration = Report.extend({
  warnings: z
    .array(
      z.strictObject({
        line: z.int().min(1).describe('Line of the template'),
        column: z.int().min(1).describe('Column of that line'),
        message: z.string().describe('Likely mistake'),
      }),
    )
    .optional()
    .describe('Likely mistakes in the template of the request; absent without one'),
}).meta({ id: 'CheckedConfiguration', description: 'The result of checking a configuration text.' });
export type CheckedConfiguration = z.infer<typeof CheckedConfiguration>;

/** A report with its grade (contract/lifecycle#grade-single). */
export const GradedReport = Report.extend({ score: score('The report’s score'), grade: Grade }).meta({
  id: 'GradedReport',
  description: 'A compliance report with its score and grade.',
});
export type GradedReport = z.infer<typeof GradedReport>;

/** The status and progress of a compliance batch (contract/lifecycle#4.8). */
export const BatchStatus = z
  .looseObject({
    batchId: ObjectId.describe('Id of the batch'),
    status: z.enum(['running', 'complete', 'canceled', 'error']).describe('Status of the batch'),
    total: count('devices that the batch is to check'),
    done: count('reports stored so far'),
    errors: count('reports among them that could not check their device'),
    started: Timestamp.describe('Start of the batch'),
    finished: Timestamp.nullable().describe('End of the run; null while it is running'),
  })
  .meta({ id: 'BatchStatus', description: 'Progress of a compliance batch.' });
export type BatchStatus = z.infer<typeof BatchStatus>;

/** One graded run of a device (contract/lifecycle#grade-history). */
export const GradedRun = z
  .looseObject({
    id: ObjectId.describe('Id of the report'),
    nodePath,
    deviceName: device,
    timestamp: Timestamp.describe('Start of the run'),
    error: count('violated rules of severity error'),
    warning: count('violated rules of severity warning'),
    info: count('violated rules of severity info'),
    pass: count('rules that the configuration meets'),
    score: score('The run’s score'),
    grade: Grade,
  })
  .meta({ id: 'GradedRun', description: 'One compliance run of a device, graded.' });
export type GradedRun = z.infer<typeof GradedRun>;

/** A run over a backup (contract/lifecycle#history-backups). */
export const BackupHistoryRecord = HistoryRecord.extend({
  backupId: ObjectId.describe('Backup that was checked'),
}).meta({ id: 'BackupHistoryRecord', description: 'One compliance run over a backup, with its counts.' });
export type BackupHistoryRecord = z.infer<typeof BackupHistoryRecord>;

/** A summary of the newest reports below a node (contract/lifecycle#4.8). */
export const ComplianceSummary = z
  .looseObject({
    treeId: ObjectId.describe('Id of the golden tree'),
    nodePath: z.string().meta({
      description: 'Node that is summarized with the nodes below it; empty for the whole tree',
      examples: ['base/access'],
    }),
    error: count('violated rules of severity error'),
    warning: count('violated rules of severity warning'),
    info: count('violated rules of severity info'),
    pass: count('rules that are met'),
    errorDevices: count('devices with an error'),
    warningDevices: count('devices with a warning'),
    infoDevices: count('devices with an info'),
    compliantDevices: count('devices with no issue at all'),
    totalDevices: count('devices that were checked'),
  })
  .meta({
    id: 'ComplianceSummary',
    description: 'Summary of the newest report of each device at a node or below.',
  });
export type ComplianceSummary = z.infer<typeof ComplianceSummary>;

/** A rule that is violated often (contract/lifecycle#4.8, #12a). */
export const TopIssue = z
  .looseObject({
    message,
    severity: Severity,
    type: IssueType,
    spec: Line,
    count: count('violations in the newest reports'),
    devices: count('devices that violate it'),
    deviceNames: z
      .array(z.string())
      .describe('A page of the devices that violate it, by name: `deviceStart`, `deviceLimit`'),
  })
  .meta({ id: 'TopIssue', description: 'A rule that many devices violate.' });
export type TopIssue = z.infer<typeof TopIssue>;

/** A day in the trend of a tree (contract/lifecycle#12a). */
export const TrendDay = z
  .looseObject({
    date: z.string().meta({ description: 'Day, in UTC', examples: ['2026-02-03'] }),
    devices: count('devices that were checked that day'),
    pass: count('devices that passed'),
    review: count('devices graded review'),
    fail: count('devices that failed'),
    meanScore: score('Mean of the devices’ scores'),
  })
  .meta({ id: 'TrendDay', description: 'The newest report of each device on one day, graded and counted.' });
export type TrendDay = z.infer<typeof TrendDay>;

/** Devices against specs (contract/lifecycle#12a). */
export const ComplianceMatrix = z
  .looseObject({
    specs: z
      .array(z.looseObject({ specId: ObjectId.describe('Id of the spec'), nodePath }))
      .describe('Specs against which the devices were checked, by the path of their node'),
    list: z
      .array(
        z.looseObject({
          deviceName: device,
          reportId: ObjectId.describe('Id of its newest report'),
          timestamp: Timestamp.describe('When it was checked'),
          grade: Grade,
          score: score('The device’s score'),
          cells: z.array(SpecTotals).describe('Counts of each spec on the device'),
        }),
      )
      .describe('Devices of this page, by name'),
    total: count('devices in total'),
  })
  .meta({ id: 'ComplianceMatrix', description: 'Devices against specs, by their newest reports.' });
export type ComplianceMatrix = z.infer<typeof ComplianceMatrix>;

/** Devices with their newest reports. */
const CheckedDevices = z.looseObject({
  total: count('devices'),
  list: z
    .array(
      z.looseObject({
        deviceName: device,
        nodePath,
        reportId: ObjectId.describe('Id of its newest report'),
        timestamp: Timestamp.describe('When it was checked'),
      }),
    )
    .describe('A page of them, by name'),
});

/** Progress of the check of a tree version's devices (contract/lifecycle#12a). */
export const ComplianceCoverage = z
  .looseObject({
    assigned: count('devices that are assigned to the nodes'),
    grades: z
      .looseObject({ pass: count('devices'), review: count('devices'), fail: count('devices') })
      .describe('Devices by the grade of their newest report'),
    staleDays: count('days after which a report counts as stale'),
    unchecked: z
      .looseObject({
        total: count('devices'),
        list: z.array(z.looseObject({ deviceName: device, nodePath })).describe('A page of them, by name'),
      })
      .describe('Assigned devices without a report'),
    notApplicable: CheckedDevices.describe(
      'Devices whose newest report says that the node has no rules for their platform',
    ),
    stale: CheckedDevices.describe('Devices whose newest report is older than that'),
  })
  .meta({ id: 'ComplianceCoverage', description: 'Devices of a tree by grade, unchecked and stale ones.' });
export type ComplianceCoverage = z.infer<typeof ComplianceCoverage>;
