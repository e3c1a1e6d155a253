export type { AdapterCall, AdapterTask } from './adapter-task.ts';
export type { ApiOperation, CompiledModel } from './api-operation.ts';
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
