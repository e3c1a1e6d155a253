export type { AdapterCall, AdapterTask } from './adapter-task.ts';
export type { ApiOperation, CompiledModel } from './api-operation.ts';
export { type ApiAnswer, type CallContext, type CallOptions, callOperation } from './calls/call.service.ts';
