import * as golden from '#server/domains/golden-config/index.ts';
import type { EffectRun } from '../../tasks/outcome.ts';
import { succeeded } from '../finish.ts';
import { callerFor, deviceContextOf } from '../task-contexts.service.ts';
import { named } from '../task-input.ts';

/** Checks whether a device responds. One that does not is data: `status.response` is false, and the task succeeds. */
const isAlive: EffectRun = async (incoming, world) => {
  const { isAlive: response, ...found } = await golden.isAlive(
    await deviceContextOf(world),
    named(incoming, 'name'),
  );
  return succeeded({ status: { response, isAlive: response, ...found } });
};

const getComplianceReportDetail: EffectRun = async (incoming, world) => {
  const ctx = { db: world.db, principal: await callerFor(world) };
  const report = await golden.getReport(ctx, named(incoming, 'reportId'));
  return succeeded({ complianceReportDetail: report.parse() });
};

const getGoldenConfigTrees: EffectRun = async (_, world) => {
  const trees = await golden.listTrees({ db: world.db, principal: await callerFor(world) });
  return succeeded({ goldenConfigTrees: trees.parse() });
};

const getDeviceBackupById: EffectRun = async (incoming, world) => {
  const ctx = { db: world.db, principal: await callerFor(world) };
  return succeeded({ backup: (await golden.getBackup(ctx, named(incoming, 'id'))).parse() });
};

/** The runs of these tasks, by application and name. */
export const CONFIGURATION_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'ConfigurationManager.getComplianceReportDetail': getComplianceReportDetail,
  'ConfigurationManager.getDeviceBackupById': getDeviceBackupById,
  'ConfigurationManager.getGoldenConfigTrees': getGoldenConfigTrees,
  'ConfigurationManager.isAlive': isAlive,
};
