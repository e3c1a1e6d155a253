/**
 * The public interface of the network domain (devices, hosts, adapters, templates): other modules import only this
 * file.
 */

export { type AdapterType, isIntegration, type MovedSecret } from './adapters/adapter-type.ts';
export {
  createAdapter,
  deleteAdapter,
  exportAdapter,
  type FindAdapterType,
  getAdapter,
  listAdapterChanges,
  listAdapters,
  listIntegrations,
  replaceAdapter,
  setAdapterLogLevel,
  setAdapterRunning,
  updateConnection,
  withConnection,
} from './adapters/adapters.service.ts';
export {
  connectionIssues,
  connectionOf,
  isModel,
  MODELS,
  movedBy,
  unchangedSecrets,
} from './adapters/connection.ts';
export {
  inConnection,
  movedSecretsWithHost,
  rowOf as rowOfSecrets,
  takeAdapter,
} from './adapters/document.service.ts';
export * from './adapters/models.service.ts';
export * from './adapters/rows.service.ts';
export { seedAdapters } from './adapters/seed.service.ts';
export { storeDevices, syncAdapter } from './adapters/sync.service.ts';
export {
  noteCall,
  noteState,
  probeStale,
  restAdapterNames,
  restTargetNamed,
  testAdapter,
} from './adapters/targets.service.ts';
export { devicesLike } from './command-templates/devices.service.ts';
export * from './command-templates/mop.service.ts';
export { evalIssues } from './command-templates/rules/rules.ts';

export * from './command-templates/runs.service.ts';
export { importCsv } from './csv/csv-import.service.ts';
export * from './gateway/cli.service.ts';
export { commandIssues } from './gateway/command-rules.ts';
export { withoutConfigurationSecrets, withoutSecretsOf } from './gateway/command-secrets.ts';
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
export { noteGrpcCall as tellGrpcHost } from './gateway/reach.service.ts';
export * from './gateway/send.service.ts';
export type { Overrides } from './gateway/targets.service.ts';
export type { TraceInput } from './gateway/trace-request.ts';
export * from './gateway/traceroute.service.ts';
export * from './inventory/credentials.service.ts';
export { deleteDevices } from './inventory/delete-devices.service.ts';
export { learnDeviceTypes } from './inventory/device-types.ts';
export { importHosts } from './inventory/host-import.service.ts';
export {
  createHost,
  deleteHost,
  exportHosts,
  getHost,
  hasHosts,
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
export * from './orchestrator/device-actions.service.ts';
export * from './orchestrator/edits.service.ts';
export * from './orchestrator/orchestrator.service.ts';
export * from './outgoing/targets.service.ts';
export * from './selection/selection.service.ts';
export { listSelectionValues } from './selection/selection-values.service.ts';
export { maskedNameIssues, shownSelection, shownSelections } from './selection/shown-selections.service.ts';
export { maySeeMember } from './selection/visible-members.service.ts';
export { getRun, listRuns, notePreview, previewSource, startSync } from './sources/runs.service.ts';
export {
  createSource,
  deleteSource,
  failingSources,
  getSource,
  listSources,
  updateSource,
} from './sources/sources.service.ts';
