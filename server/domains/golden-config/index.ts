/**
 * Configurations: parsing, golden trees, rules, compliance, backups and remediation.
 * Other domains, routers and the service import only this file.
 */

export { importBackups } from './backups/backup-import.service.ts';
export * from './backups/backups.service.ts';
export { listCampaignDevices, listCampaignWaves } from './campaigns/campaign-devices.service.ts';
export {
  approveCampaign,
  cancelCampaign,
  createCampaign,
  getCampaign,
  listCampaigns,
  startCampaign,
} from './campaigns/campaigns.service.ts';
export { getCoverage } from './compliance/grading/coverage.service.ts';
export * from './compliance/grading/grades.service.ts';
export { gradeOfTotals } from './compliance/grading/grading.ts';
export {
  reportAsPdf,
  reportsAsCsv,
  reportsAsPdf,
  rulesAsCsv,
  rulesAsPdf,
} from './compliance/overview/report-files.service.ts';
export { listRules } from './compliance/overview/rule-overview.service.ts';
export { searchInstances } from './compliance/plans/plan-instances.service.ts';
export { runPlan } from './compliance/plans/plan-runs.service.ts';
export * from './compliance/plans/plans.service.ts';
export * from './compliance/reports/history.service.ts';
export { readReportQuery } from './compliance/reports/report-query.service.ts';
export * from './compliance/reports/reports.service.ts';
export { listTopIssues, summarize } from './compliance/reports/summaries.service.ts';
export { getTrend } from './compliance/reports/trend.service.ts';
export { cancelBatch } from './compliance/runs/batch-work.service.ts';
export { getBatchReports, getBatchStatus } from './compliance/runs/batches.service.ts';
export { checkConfiguration, startBackupRun, startRun } from './compliance/runs/runs.service.ts';
export {
  addGroupDevices,
  createGroup,
  getGroup,
  importGroups,
  listGroups,
  removeGroupDevices,
  searchGroups,
  updateGroup,
} from './devices/device-groups.service.ts';
export { listDeviceStates } from './devices/device-states.service.ts';
export {
  createTemplate,
  deleteTemplates,
  importTemplates,
  searchTemplates,
  updateTemplate,
} from './devices/device-templates.service.ts';
export { getDevice, searchDevices } from './devices/devices.service.ts';
export * from './devices/group-removal.service.ts';
export {
  getBackupPolicy,
  previewBackupPolicy,
  replaceBackupPolicy,
  runBackupPolicy,
} from './fleet/backup-policy.service.ts';
export {
  cancelBackupRun,
  getBackupRun,
  listBackupRuns,
  startFleetBackup,
} from './fleet/backup-runs.service.ts';
export {
  createBackupSchedule,
  deleteBackupSchedule,
  getBackupSchedule,
  listBackupSchedules,
  updateBackupSchedule,
} from './fleet/backup-schedules.service.ts';
export * from './fleet/find-in-backups.service.ts';
export { isAlive } from './live/alive.service.ts';
export { applyTemplate } from './live/apply-template.service.ts';
export { configureHost } from './live/host-lines.service.ts';
export * from './live/live-backup.service.ts';
export { diffWithLive, readConfiguration } from './live/live-configuration.service.ts';
export { notePushed, pushConfiguration } from './live/push.service.ts';
export * from './parsers/parser-import.service.ts';
export { testParser } from './parsers/parser-test.service.ts';
export * from './parsers/parsers.service.ts';
export * from './remediation/applying.service.ts';
export {
  countRemediations,
  getRemediation,
  previewRemediation,
  searchRemediations,
} from './remediation/remediation-reads.service.ts';
export {
  approveRemediation,
  deleteRemediation,
  proposeRemediations,
  rejectRemediation,
  selectChanges,
} from './remediation/remediations.service.ts';
export type { PartialFields, ScoreOptions, Thresholds } from './rules/score.ts';
export * from './specs/spec-changes.service.ts';
export { generateSpec, renderText, specTemplate, translateSpec } from './specs/spec-texts.service.ts';
export { getSpec } from './specs/specs.service.ts';
export { setNodeConfig } from './trees/node-config.service.ts';
export {
  addNodeDeviceGroups,
  addNodeDevices,
  createNode,
  deleteNode,
  getNode,
  removeNodeDeviceGroups,
  removeNodeDevices,
  updateNode,
} from './trees/nodes.service.ts';
export * from './trees/transfer.service.ts';
export { devicesOfTree } from './trees/tree-devices.service.ts';
export {
  createTree,
  deleteTree,
  deleteTrees,
  getTree,
  listTrees,
  searchTrees,
  updateTree,
} from './trees/trees.service.ts';
export {
  createVersion,
  deleteVariables,
  deleteVersion,
  getVersion,
  updateVersion,
} from './trees/versions.service.ts';
