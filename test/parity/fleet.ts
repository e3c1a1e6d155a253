import { NOBODY, type Seen, type Step, step } from './step.ts';

const schedule = {
  name: 'Every night',
  enabled: false,
  schedule: { calendar: { every: 'day', at: '02:30' }, timeZone: 'Europe/Berlin' },
  selection: { pattern: 'edge-*' },
};
const policy = { keep: { count: 30 } };
const from = '2026-03-28T00:00:00.000Z';
const selection = { pattern: 'nothing-*' };

/** Schedules, backups of many devices, searches in configurations, rules of trees and campaigns. */
export const FLEET: Step[] = [
  step('operationsManager.previewSchedule', { schedule: schedule.schedule, from, count: 3 }),
  step('operationsManager.previewSchedule', { schedule: { cron: 'never' }, from }),
  step('configurationManager.createBackupSchedule', schedule, {
    keep: (body: { id: string }) => ({ backupSchedule: body.id }),
  }),
  step('configurationManager.createBackupSchedule', schedule),
  step('configurationManager.listBackupSchedules', { limit: 1 }),
  step('configurationManager.getBackupSchedule', (seen: Seen) => ({ id: seen.backupSchedule })),
  step('configurationManager.updateBackupSchedule', (seen: Seen) => ({
    id: seen.backupSchedule,
    schedule: { everyMinutes: 5, timeZone: 'Mars/Olympus' },
  })),
  step('configurationManager.updateBackupSchedule', (seen: Seen) => ({
    id: seen.backupSchedule,
    retries: 2,
  })),
  step('configurationManager.deleteBackupSchedule', (seen: Seen) => ({ id: seen.backupSchedule })),
  step('configurationManager.deleteBackupSchedule', { id: NOBODY }),
  step('configurationManager.startFleetBackup', { selection }),
  step('configurationManager.listBackupRuns'),
  step('configurationManager.getBackupRun', { runId: NOBODY }),
  step('configurationManager.cancelBackupRun', { runId: NOBODY }),
  step('configurationManager.getBackupPolicy'),
  step('configurationManager.previewBackupPolicy', policy),
  step('configurationManager.replaceBackupPolicy', policy),
  step('configurationManager.runBackupPolicy'),
  step('configurationManager.findInBackups', { text: 'hostname', limit: 2 }),
  step('configurationManager.findInBackups', { regex: '(' }),
  step('configurationManager.findInBackupsAsCsv', { regex: '^nothing$' }),
  step('configurationManager.listRules', (seen: Seen) => ({ treeId: seen.tree, version: 'initial' })),
  step('configurationManager.listRules', { treeId: NOBODY }),
  step('configurationManager.exportReportsAsCsv', (seen: Seen) => ({ treeId: seen.tree })),
  step('configurationManager.exportReportsAsPdf', { treeId: NOBODY }),
  step('configurationManager.exportRulesAsCsv', (seen: Seen) => ({ treeId: seen.tree, text: 'ntp' })),
  step('configurationManager.exportRulesAsPdf', { treeId: NOBODY }),
  step('configurationManager.exportReportAsPdf', { reportId: NOBODY }),
  step('configurationManager.createCampaign', (seen: Seen) => ({
    name: 'None',
    treeId: seen.tree,
    selection,
  })),
  step('configurationManager.listCampaigns'),
  step('configurationManager.getCampaign', { id: NOBODY }),
  step('configurationManager.listCampaignDevices', { id: NOBODY }),
  step('configurationManager.listCampaignWaves', { id: NOBODY }),
  step('configurationManager.approveCampaign', { id: NOBODY, digest: '0'.repeat(64) }),
  step('configurationManager.startCampaign', { id: NOBODY }),
  step('configurationManager.cancelCampaign', { id: NOBODY }),
];
