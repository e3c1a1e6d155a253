import type { EffectRun } from '../../tasks/outcome.ts';
import { runComplianceForTree } from '../compliance.service.ts';
import {
  getComplianceReportDetail,
  getDeviceBackupById,
  getGoldenConfigTrees,
  isAlive,
} from './configuration.service.ts';

/** The runs of tasks that imported workflows name, by application and name. */
export const APPLICATION_RUNS: Readonly<Record<string, EffectRun>> = {
  'ConfigurationManager.isAlive': isAlive,
  'ConfigurationManager.runComplianceForTree': runComplianceForTree,
  'ConfigurationManager.getComplianceReportDetail': getComplianceReportDetail,
  'ConfigurationManager.getGoldenConfigTrees': getGoldenConfigTrees,
  'ConfigurationManager.getDeviceBackupById': getDeviceBackupById,
};
