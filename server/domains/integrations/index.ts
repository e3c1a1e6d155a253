export type { AdapterCall, AdapterTask } from './adapter-task.ts';
export type { ApiOperation, CompiledModel } from './api-operation.ts';
export { type ApiAnswer, type CallContext, type CallOptions, callOperation } from './calls/call.service.ts';
export { headerNameFault, headerValueFault } from './calls/request/header-rules.ts';
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
export { type TaskModel, taskOf } from './models/task.ts';
