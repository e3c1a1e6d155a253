export type { AdapterCall, AdapterTask } from './adapter-task.ts';
export type { ApiOperation, CompiledModel } from './api-operation.ts';
