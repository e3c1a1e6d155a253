import type { EffectRun } from '../../tasks/outcome.ts';
import { runComplianceForTree } from '../compliance.service.ts';
import { componentDiscovery, gatherInternalGet } from './artifacts.service.ts';
import {
  getComplianceReportDetail,
  getDeviceBackupById,
  getGoldenConfigTrees,
  isAlive,
} from './configuration.service.ts';
import { itentialCli, itentialNetmikoSetConfig } from './host-commands.service.ts';
import { sendRequest } from './http-hosts.service.ts';
import { addDeviceToDeviceGroup, connectDevice, createDeviceRaw } from './inventory.service.ts';
import {
  addDevice,
  checkSyncDevices,
  fetchSshKey,
  runAction,
  syncFrom,
  syncFromDevices,
} from './orchestrator-devices.service.ts';
import {
  dryRunXml,
  getInstance,
  provisionXml,
  saveInstances,
  testInstances,
} from './service-instances.service.ts';

/** The runs of tasks that imported workflows name, by application and name. */
export const APPLICATION_RUNS: Readonly<Record<string, EffectRun>> = {
  'AGManager.itential_cli': itentialCli,
  'AGManager.itential_netmiko_set_config': itentialNetmikoSetConfig,
  'AppArtifacts.componentDiscovery': componentDiscovery,
  'AppArtifacts.gatherInternalGET': gatherInternalGet,
  'AutomationGateway.sendRequest': sendRequest,
  'AutomationGateway.createDeviceRaw': createDeviceRaw,
  'AutomationGateway.addDeviceToDeviceGroup': addDeviceToDeviceGroup,
  'AutomationGateway.connectDevice': connectDevice,
  'ConfigurationManager.isAlive': isAlive,
  'ConfigurationManager.runComplianceForTree': runComplianceForTree,
  'ConfigurationManager.getComplianceReportDetail': getComplianceReportDetail,
  'ConfigurationManager.getGoldenConfigTrees': getGoldenConfigTrees,
  'ConfigurationManager.getDeviceBackupById': getDeviceBackupById,
  'NSO.syncFrom': syncFrom,
  'NSO.syncFromDevices': syncFromDevices,
  'NSO.checkSyncDevices': checkSyncDevices,
  'NSO.fetchSSHKey': fetchSshKey,
  'NSO.addDevice': addDevice,
  'NSO.runAction': runAction,
  'NSO.dryRunXML': dryRunXml,
  'NSO.provisionXML': provisionXml,
  'ServiceCog.getInstance': getInstance,
  'ServiceCog.testInstances': testInstances,
  'ServiceCog.saveInstances': saveInstances,
};
