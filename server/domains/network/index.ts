/**
 * The public interface of the network domain (devices, hosts, adapters, templates): other modules import only this
 * file.
 */

export {
  createAdapter,
  deleteAdapter,
  exportAdapter,
  getAdapter,
  listAdapterChanges,
  listAdapters,
  replaceAdapter,
  setAdapterLogLevel,
  setAdapterRunning,
  updateConnection,
} from './adapters/adapters.service.ts';
export { isModel, MODELS } from './adapters/connection.ts';
export { getConnectionSchema, listModels, mapBrokers } from './adapters/models.service.ts';
export { readAdapters } from './adapters/rows.service.ts';
export { seedAdapters } from './adapters/seed.service.ts';
export { syncAdapter } from './adapters/sync.service.ts';
export {
  noteCall,
  probeStale,
  restAdapterNames,
  restTargetNamed,
  testAdapter,
} from './adapters/targets.service.ts';
export { devicesLike } from './command-templates/devices.service.ts';
export {
  createTemplate,
  deleteTemplate,
  exportTemplate,
  getTemplate,
  importTemplate,
  listTemplates,
  templateNamed,
  updateTemplate,
} from './command-templates/mop.service.ts';
export { evalIssues } from './command-templates/rules/rules.ts';
export {
  diffRuns,
  noteRun,
  type RunInput,
  runAnalyticTemplate,
  runCommand,
  runCommandOnDevices,
  runSingleCommand,
  runTemplate,
} from './command-templates/runs.service.ts';
export { runOnHost, testHost } from './gateway/cli.service.ts';
export { commandIssues } from './gateway/command-rules.ts';
export { listCalls } from './gateway/history.service.ts';
export { sendHttp } from './gateway/http.service.ts';
export { unknownHosts } from './gateway/known-hosts.service.ts';
export {
  createPolicy,
  deletePolicy,
  getPolicy,
  listPolicies,
  replacePolicy,
} from './gateway/policies.service.ts';
export { tellGrpcHost } from './gateway/reach.service.ts';
export { noteSent, sendCommand, sendToMany } from './gateway/send.service.ts';
export type { Overrides } from './gateway/targets.service.ts';
export type { TraceInput } from './gateway/trace-request.ts';
export { testGrpcHost, traceroute } from './gateway/traceroute.service.ts';
export {
  createCredential,
  deleteCredential,
  getCredential,
  listCredentials,
  replaceCredential,
} from './inventory/credentials.service.ts';
export { learnDeviceTypes } from './inventory/device-types.ts';
export { importHosts } from './inventory/host-import.service.ts';
export {
  createHost,
  deleteHost,
  exportHosts,
  getHost,
  listDeviceTypes,
  listHosts,
  patchHost,
  replaceHost,
  setHostKey,
} from './inventory/hosts.service.ts';
export {
  devicesOf,
  nodesOf,
  nodesWithGroups,
  treesOfDevice,
} from './inventory/tree-nodes-of-devices.service.ts';
export { actOnDevice, actOnDevices, type DeviceOutcome } from './orchestrator/device-actions.service.ts';
export { editOrchestrator, orchestratorOr, readInstance } from './orchestrator/edits.service.ts';
export {
  findDevices,
  listAllNeds,
  listNeds,
  listNedsById,
  restAction,
  restQuery,
  runAction,
  validateCommit,
} from './orchestrator/orchestrator.service.ts';
export { getTargets, listedTargets, replaceTargets } from './outgoing/targets.service.ts';
