import { router } from '#server/kernel/procedures.ts';
import { backupSearch } from './backup-search.ts';
import { backups } from './backups.ts';
import { campaigns } from './campaigns.ts';
import { deviceGroups } from './device-groups.ts';
import { deviceTemplates } from './device-templates.ts';
import { devices } from './devices.ts';
import { fleetBackups } from './fleet-backups.ts';
import { liveDevices } from './live-devices.ts';
import { nodes } from './nodes.ts';
import { parsers } from './parsers.ts';
import { plans } from './plans.ts';
import { remediations } from './remediations.ts';
import { reports } from './reports.ts';
import { ruleReports } from './rule-reports.ts';
import { runs } from './runs.ts';
import { specs } from './specs.ts';
import { transfer } from './transfer.ts';
import { trees } from './trees.ts';

/** The procedures of the configuration manager (docs/configuration.md): one flat area, with a permission for each. */
export const configurationManager = router({
  ...trees,
  ...nodes,
  ...transfer,
  ...backups,
  ...fleetBackups,
  ...backupSearch,
  ...parsers,
  ...specs,
  ...reports,
  ...ruleReports,
  ...devices,
  ...liveDevices,
  ...deviceGroups,
  ...deviceTemplates,
  ...remediations,
  ...campaigns,
  ...runs,
  ...plans,
});
