export type { AdapterCall, AdapterProvider, AdapterTask } from './adapter-task.ts';
export type { ApiOperation, CompiledModel } from './api-operation.ts';
export { type ApiAnswer, callOperation } from './calls/call.service.ts';
export { SLOT_FREED, slotFreed } from './calls/call-slots.service.ts';
export { headerNameFault, headerValueFault } from './calls/request/header-rules.ts';
export * from './catalogues/catalogues.service.ts';
export {
  createAnyAdapter,
  createIntegration,
  deleteIntegration,
  getAnyConnectionSchema,
  getIntegration,
  getIntegrationSchema,
  replaceAnyAdapter,
  replaceIntegration,
  updateAnyConnection,
  updateIntegration,
} from './instances/instances.service.ts';
export { runTask } from './instances/tasks.service.ts';
export * from './instances/test.service.ts';
export * from './models/lookup.service.ts';
export { readSentModel } from './models/model-reader.service.ts';
export { getTaskSchemas, listTasks as listModelTasks } from './models/model-tasks.service.ts';
export {
  createModel,
  deleteModel,
  describeModel,
  exportModel,
  getModel,
  getSecuritySchemes,
  listModels as listIntegrationModels,
  replaceModel,
} from './models/models.service.ts';
export { callPackage } from './packages/call-package.service.ts';
export * from './packages/devices.service.ts';
export * from './packages/install.service.ts';
export type { PackageResult } from './packages/package-outcome.ts';
export { followPackages, openStateRecord, startPackages } from './packages/package-state.service.ts';
export * from './packages/package-views.service.ts';
export { listPackages, packageTypes } from './packages/packages.service.ts';
export {
  chooseInstance,
  NO_ADAPTERS,
  type PlannedAdapterTask,
} from './types/adapter-type.ts';
export { faceValues } from './types/face.ts';
export { faceFailureOf, faceResultOf } from './types/face-outcome.ts';
export { instanceFor } from './types/instances.service.ts';
export { type ProvidedMethod, providedMethodOf } from './types/provided-method.ts';
export * from './types/tasks.service.ts';
