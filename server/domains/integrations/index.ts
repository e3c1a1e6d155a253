export type { AdapterCall, AdapterTask } from './adapter-task.ts';
export type { ApiOperation, CompiledModel } from './api-operation.ts';
export { type ApiAnswer, type CallContext, type CallOptions, callOperation } from './calls/call.service.ts';
export { headerNameFault, headerValueFault } from './calls/header-rules.ts';
export { findAdapterType } from './instances/adapter-types.service.ts';
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
export { testAnyAdapter, testIntegration } from './instances/test.service.ts';
export {
  connectionOfModel,
  findOperations,
  listModelTypes,
  type ModelConnection,
  type ModelType,
  type OperationName,
  operationKey,
  operationsOfModel,
} from './models/lookup.service.ts';
