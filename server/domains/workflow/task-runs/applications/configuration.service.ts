import * as golden from '#server/domains/golden-config/index.ts';
import type { EffectRun } from '../../tasks/outcome.ts';
import { succeeded } from '../finish.ts';
import { callerFor, deviceContextOf } from '../task-contexts.service.ts';
import { named, object, optional, text } from '../task-input.ts';

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

const getDevicesFiltered: EffectRun = async (incoming, world) => {
  const ctx = { db: world.db, principal: await callerFor(world) };
  const devices = await golden.searchDevices(ctx, optional(object, incoming, 'options', {}));
  return succeeded({ devices: devices.parse() });
};

const searchCompliancePlans: EffectRun = async (incoming, world) => {
  const ctx = { db: world.db, principal: await callerFor(world) };
  const name = optional(text, incoming, 'name', '');
  const options = { ...optional(object, incoming, 'options', {}), regex: true };
  const plans = await golden.searchPlans(ctx, { name, options });
  return succeeded({ compliancePlans: plans.parse() });
};

/** Lists runs of plans, the newest first unless another order is given. */
const searchCompliancePlanInstances: EffectRun = async (incoming, world) => {
  const ctx = { db: world.db, principal: await callerFor(world) };
  const search = optional(object, incoming, 'searchParams', {});
  const found = await golden.searchInstances(ctx, { sort: 'started', order: -1, ...search });
  return succeeded({ compliancePlanInstances: found.parse() });
};

const getComplianceReportsByBatch: EffectRun = async (incoming, world) => {
  const ctx = { db: world.db, principal: await callerFor(world), answer: { headers: {} } };
  const reports = await golden.getBatchReports(ctx, named(incoming, 'batchId'), {});
  return succeeded({ complianceHistory: reports.parse() });
};

/** The runs of these tasks, by application and name. */
export const CONFIGURATION_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'ConfigurationManager.getComplianceReportDetail': getComplianceReportDetail,
  'ConfigurationManager.getComplianceReportsByBatch': getComplianceReportsByBatch,
  'ConfigurationManager.getDeviceBackupById': getDeviceBackupById,
  'ConfigurationManager.getDevicesFiltered': getDevicesFiltered,
  'ConfigurationManager.getGoldenConfigTrees': getGoldenConfigTrees,
  'ConfigurationManager.isAlive': isAlive,
  'ConfigurationManager.searchCompliancePlanInstances': searchCompliancePlanInstances,
  'ConfigurationManager.searchCompliancePlans': searchCompliancePlans,
};
