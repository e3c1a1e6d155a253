import { z } from 'zod';
import { optional } from '#db/schemas/fields.ts';
import { Grade } from '#db/schemas/golden-config/compliance.ts';
import { ObjectId, Timestamp } from '#db/schemas/primitives.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import { paging, Sort } from '#db/schemas/requests/paging.ts';

const treeId = ObjectId.describe('Golden tree against which devices were checked');
const version = z.string().meta({ description: 'Version of that tree', examples: ['initial'] });
const nodePath = z
  .string()
  .meta({ description: 'This node and the nodes below it; absent: all', examples: ['base/access'] });
const deviceName = z.string().meta({ description: 'Reports of this device', examples: ['edge-1'] });
const start = optional(z.int().min(0)).describe('Number of records to skip; absent: 0');
const limit = optional(z.int().min(1).max(1000)).describe('Maximum number of records to return; absent: 100');
/** Paging and order of a search for reports, in either form (docs/lists.md). */
const search = {
  start,
  skip: optional(z.int().min(0)).describe('The same as start'),
  limit,
  sort: optional(z.union([z.string(), Sort]), 'timestamp').describe(
    'timestamp, deviceName or id; absent: timestamp, newest first',
  ),
  order: paging.order,
};

const weight = (of: string, absent: number) =>
  optional(z.number()).describe(`Weight of one ${of} relative to one pass; absent: ${absent}`);
const weights = optional(
  z.strictObject({ error: weight('error', 2), warning: weight('warning', 1), info: weight('info', 0.5) }),
).describe('Weights of issues: any finite numbers');
const benchmarks = optional(
  z.strictObject({
    pass: optional(z.number()).describe(
      'Lowest score that passes; absent: 90, or the value configured at the start of the service',
    ),
    review: optional(z.number()).describe(
      'Lowest score that is graded review; absent: 80, or the configured value',
    ),
  }),
).describe('Scores that separate the grades');

/** Request of contract/endpoints#4.6 and of its read-only variant. */
export const GradeRequest = z.strictObject({
  treeId,
  version,
  options: z
    .strictObject({ weights, nodePath: optional(nodePath), benchmarks })
    .describe('How to grade, and which part of the tree'),
});

/** Request of contract/endpoints#4.11. */
export const HistoryRequest = z.strictObject({
  options: z
    .strictObject({
      treeId: optional(treeId),
      version: optional(version),
      nodePath: optional(nodePath),
      devices: optional(z.array(z.string()).max(10_000)).describe(
        'Only runs of these devices; at most 10,000',
      ),
      ...search,
    })
    .describe('Which runs to return; every given field must match'),
});

/** Request of the history of backups. */
export const BackupHistoryRequest = z.strictObject({
  options: z
    .strictObject({
      treeId: optional(treeId),
      version: optional(version),
      nodePath: optional(nodePath),
      backupIds: optional(z.array(ObjectId).max(10_000)).describe(
        'Only runs over these backups; at most 10,000',
      ),
      ...search,
    })
    .describe('Which runs to return; every given field must match'),
});

const run = { treeId, version, nodePath };

/** Request of the graded runs of one device. */
export const GradeHistoryRequest = z.strictObject({
  ...run,
  deviceName,
  options: optional(z.strictObject({ weights, benchmarks, ...search })).describe(
    'How to grade, and which page',
  ),
});

/** Request of the graded runs of one device, with a total and paging. */
export const QueryHistoryRequest = z.strictObject({
  ...run,
  filter: z.strictObject({ deviceName }).describe('Which runs to return'),
  options: optional(z.strictObject({ weights, benchmarks, ...search })).describe(
    'How to grade, and which page',
  ),
});

/** Request of one graded report. */
export const GradeReportRequest = z.strictObject({
  reportId: ObjectId.describe('Id of the report'),
  options: optional(z.strictObject({ weights, benchmarks })).describe('How to grade'),
});

/** Query of the lists of reports and of runs. */
export const ReportsRequest = z.strictObject({
  treeId: optional(treeId),
  version: optional(version),
  nodePath: optional(nodePath),
  deviceName: optional(deviceName),
  start,
  limit,
  queryOptions: listQuery({}).optional().describe('Filters, page and order'),
});

/** Query of a batch's reports. */
export const BatchReportsRequest = z.strictObject({
  batchId: z.string().describe('Id of the batch'),
  start,
  limit: optional(z.int().min(1).max(10_000)).describe('Maximum number of reports to return; absent: 10,000'),
});

const deviceGroupId = optional(ObjectId).describe('Only devices of this device group');

/** Request of the rules violated most often. */
export const TopIssuesRequest = z.strictObject({
  treeId: optional(treeId),
  version: optional(version),
  nodePath: optional(nodePath),
  limit: optional(z.int().min(1).max(1000)).describe('Maximum number of rules to return; absent: 10'),
  deviceStart: optional(z.int().min(0).max(1_000_000)).describe(
    'Number of device names to skip in each rule; absent: 0',
  ),
  deviceLimit: optional(z.int().min(0).max(1000)).describe(
    'Maximum number of device names to return in each rule; absent: 25',
  ),
  deviceGroupId,
});

const Moment = z.union([Timestamp, z.iso.date()]);

/** Query of a tree's trend. */
export const TrendRequest = z.strictObject({
  treeId,
  version: optional(version),
  nodePath: optional(nodePath),
  from: optional(Moment).describe(
    'Start time, or first day; absent: the start of the day (UTC) 90 days before `to`',
  ),
  to: optional(Moment).describe('End time, or last day; absent: now'),
  deviceGroupId,
});

/** Which devices to list, and which page of them. */
const devices = {
  deviceName: optional(z.string().max(255), 'edge').describe('Text in the name of the device'),
  deviceGroupId,
  start,
  limit: optional(z.int().min(1).max(1000)).describe('Maximum number of devices to return; absent: 25'),
};

/** Query of the matrix of devices and specs. */
export const MatrixRequest = z.strictObject({
  treeId,
  version,
  nodePath: optional(nodePath),
  ...devices,
  grade: optional(Grade).describe('Only devices with this grade'),
});

/** Query of the coverage of a tree version. */
export const CoverageRequest = z.strictObject({
  treeId,
  version,
  nodePath: optional(nodePath),
  ...devices,
  staleDays: optional(z.int().min(1).max(366)).describe(
    'Days after which the report of a device counts as stale; absent: 7',
  ),
});

const Tree = z.strictObject({
  treeId: z.string().describe('Id of the tree'),
  version: optional(version).describe(
    'Reports on this version; absent: the version against which each device was checked last',
  ),
});

/** Query of a tree's summary. */
export const TreeSummaryRequest = Tree;

/** Query of a node's summary. */
export const NodeSummaryRequest = Tree.extend({
  nodePath: z.string().describe('Names from the root to the node, joined by slashes'),
});
