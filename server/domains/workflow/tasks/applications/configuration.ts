import { CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';
import { operation } from '../operations.ts';
import { LIST, needs, OBJECT, outgoingSchema, TEXT, takes, taskOf } from '../task-type.ts';

const APP = 'ConfigurationManager';

const PAGE = { start: 0, limit: 100 };

/** Tasks on devices, golden trees, plans, reports and backups that imported workflows name. */
export const CONFIGURATION = [
  taskOf(APP, 'getDevicesFiltered', {
    summary: 'List devices',
    description: 'Lists the devices that match a filter and that the account of the job may see, by page',
    incoming: {
      options: takes(OBJECT, 'Filter, page and order, as in a search for devices', {
        filter: { name: 'edge' },
        ...PAGE,
      }),
    },
    outgoing: {
      devices: outgoingSchema(
        OBJECT,
        'The page: `list` with the devices, `total` with the number of matches',
      ),
    },
    effect: 'read',
    requires: [operation('ConfigurationManager.searchDevices', CONFIG_READ)],
  }),
  taskOf(APP, 'searchCompliancePlans', {
    summary: 'Search for compliance plans',
    description: 'Lists compliance plans by name',
    incoming: {
      name: takes(TEXT, 'Regular expression that the name matches (RE2 syntax)', '^Nightly$'),
      options: takes(OBJECT, 'Page and order', PAGE),
    },
    outgoing: {
      compliancePlans: outgoingSchema(
        OBJECT,
        'The page: `plans`, and `totalCount` with the number of matches',
      ),
    },
    effect: 'read',
    requires: [operation('ConfigurationManager.searchPlans', CONFIG_READ)],
  }),
  taskOf(APP, 'searchCompliancePlanInstances', {
    summary: 'Search for runs of compliance plans',
    description: 'Lists runs of compliance plans, the newest first',
    incoming: {
      searchParams: takes(OBJECT, '`instanceId`, `planId`, `planName` or `jobStatus`, with page and order', {
        planName: 'Nightly',
        ...PAGE,
      }),
    },
    outgoing: {
      compliancePlanInstances: outgoingSchema(
        OBJECT,
        'The page: `plans` with `jobStatus` and `batchId` of each run, and `totalCount` with the number of matches',
      ),
    },
    effect: 'read',
    requires: [operation('ConfigurationManager.searchPlanInstances', CONFIG_READ)],
  }),
  taskOf(APP, 'getComplianceReportsByBatch', {
    summary: 'List the reports of a batch',
    description: 'Lists the compliance reports of a batch so far, without their issues',
    incoming: { batchId: needs(TEXT, 'Id of the batch', '65f0c1d2e3a4b5c6d7e8f901') },
    outgoing: { complianceHistory: outgoingSchema(LIST, 'A report for each device') },
    effect: 'read',
    requires: [operation('ConfigurationManager.getBatchReports', CONFIG_READ)],
  }),
  taskOf(APP, 'isAlive', {
    summary: 'Check whether a device responds',
    description:
      'Opens a session on a device; one that does not respond is no error, but a response of false',
    incoming: { name: needs(TEXT, 'Name of the device', 'edge-1') },
    outgoing: {
      status: outgoingSchema(OBJECT, 'Whether it responds (`response`), and why not', { response: true }),
    },
    effect: 'read',
    requires: [operation('ConfigurationManager.isDeviceAlive', CONFIG_READ)],
  }),
  taskOf(APP, 'runComplianceForTree', {
    summary: 'Check all devices of a golden configuration',
    description: 'Checks the devices of all nodes of a golden configuration tree and waits for the result',
    incoming: {
      treeId: needs(TEXT, 'Id of the tree', '65f0c1d2e3a4b5c6d7e8f901'),
      version: takes(TEXT, 'Version of the tree', 'initial'),
      variables: takes(OBJECT, 'Values for the templates of this run', {}),
      grading: takes(OBJECT, 'Weights of issues and benchmarks of grades', { weights: { error: 2 } }),
    },
    outgoing: {
      runComplianceBatchResult: outgoingSchema(
        OBJECT,
        'The batch, with `reports` (each with `reportId` and `score`) and `erroredDevices`',
      ),
    },
    effect: 'keyed',
    requires: [
      operation('ConfigurationManager.runCompliance', CONFIG_WRITE),
      operation('ConfigurationManager.getBatchStatus', CONFIG_READ),
      operation('ConfigurationManager.getBatchReports', CONFIG_READ),
    ],
  }),
  taskOf(APP, 'getComplianceReportDetail', {
    summary: 'Read a compliance report',
    description: 'Reads a compliance report with its issues',
    incoming: { reportId: needs(TEXT, 'Id of the report', '65f0c1d2e3a4b5c6d7e8f901') },
    outgoing: { complianceReportDetail: outgoingSchema(OBJECT, 'The report') },
    effect: 'read',
    requires: [operation('ConfigurationManager.getReport', CONFIG_READ)],
  }),
  taskOf(APP, 'getGoldenConfigTrees', {
    summary: 'List golden configurations',
    description: 'Lists the golden configuration trees that the account may see',
    incoming: {},
    outgoing: { goldenConfigTrees: outgoingSchema(LIST, 'A summary of each tree, with id and name') },
    effect: 'read',
    requires: [operation('ConfigurationManager.listTrees', CONFIG_READ)],
  }),
  taskOf(APP, 'getDeviceBackupById', {
    summary: 'Read a backup',
    description: 'Reads a backup of a device with the text of its configuration',
    incoming: { id: needs(TEXT, 'Id of the backup', '65f0c1d2e3a4b5c6d7e8f901') },
    outgoing: { backup: outgoingSchema(OBJECT, 'The backup; `rawConfig` is the configuration') },
    effect: 'read',
    requires: [operation('ConfigurationManager.getBackup', CONFIG_READ)],
  }),
];
