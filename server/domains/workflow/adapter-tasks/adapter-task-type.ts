import { type AdapterTask, providedMethodOf } from '#server/domains/integrations/index.ts';
import { OWN_DATA } from '../tasks/operations.ts';
import type { TaskType } from '../tasks/task-type.ts';

/** Returns a task of an adapter type in the form of the tasks of this platform. */
export const typeOfAdapterTask = (task: AdapterTask): TaskType => ({
  name: task.name,
  app: task.type,
  canvasName: task.name,
  displayName: task.displayName,
  location: 'Adapter',
  type: 'automatic',
  summary: task.summary,
  description: task.description,
  ...(task.deprecated && { deprecated: true }),
  incoming: { ...task.incoming },
  outgoing: { ...task.outgoing },
  effect: task.effect,
  requires: OWN_DATA,
  provided: providedMethodOf(task),
});
