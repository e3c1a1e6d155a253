import type { PlannedAdapterTask } from '#server/domains/integrations/index.ts';
import { isOurs, taskTypeOf } from '../tasks/catalogue.ts';
import type { TaskType } from '../tasks/task-type.ts';

/** Finds a task by the name of its application or adapter type, and its own. */
export type TaskLookup = (app: string, name: string) => TaskType | undefined;

/** Identifies a task. */
type TaskName = { type: string; name: string };

const keyOf = (type: string, name: string) => JSON.stringify([type, name]);

/** Returns a lookup of the tasks of this platform and of these adapter types. */
export function lookupWith(adapterTasks: readonly TaskType[]): TaskLookup {
  if (adapterTasks.length === 0) return taskTypeOf;
  const known = new Map(adapterTasks.map((task) => [keyOf(task.app, task.name), task]));
  return (app, name) => taskTypeOf(app, name) ?? known.get(keyOf(app, name));
}

/** Returns whether a task is carried out by an adapter, as far as its name shows. */
export const isAdapters = <
  Named extends { app?: string | null | undefined; location?: string | null | undefined },
>(
  task: Named,
): task is Named & { app: string } => {
  const { app, location } = task;
  return Boolean(app) && (location === 'Adapter' || location === 'Broker') && !isOurs(app ?? '');
};

/** The adapter tasks that a job keeps. */
export type PlannedLookup = (task: {
  app?: string | null | undefined;
  name: string;
}) => PlannedAdapterTask | undefined;

/** Returns a lookup of the adapter tasks that a job keeps. */
export function plannedLookup(planned: readonly PlannedAdapterTask[]): PlannedLookup {
  if (planned.length === 0) return () => undefined;
  const known = new Map(
    planned.map((one: TaskName & PlannedAdapterTask) => [keyOf(one.type, one.name), one]),
  );
  return ({ app, name }) => known.get(keyOf(app ?? '', name));
}
