import type { AdapterTask } from '../adapter-task.ts';

/** A method that comes with an adapter type, as roles name it. */
export type ProvidedMethod = { provenance: string; name: string; isRead: boolean };

/**
 * Returns the method whose rights a task of an adapter type needs. A model brings roles for its operations
 * (docs/adapter-tasks.md); behind a face it is the operation that is called.
 */
export function providedMethodOf({
  type,
  name,
  call,
  effect,
}: Pick<AdapterTask, 'type' | 'name' | 'call' | 'effect'>): ProvidedMethod {
  if (call.provider !== 'face') return { provenance: type, name, isRead: effect === 'read' };
  const { model, operation } = call;
  return { provenance: model, name: operation.name, isRead: operation.effect === 'read' };
}
