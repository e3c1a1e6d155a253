import type { Database } from '#db/client.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { chooseInstance, findAdapterTasks, NO_ADAPTERS } from '#server/domains/integrations/index.ts';
import { isAbsent } from '#server/kernel/json/objects.ts';
import type { TaskType } from '../tasks/task-type.ts';
import { incomingOf, sourceOf, tasksOf } from '../validation/variables.ts';
import { typeOfAdapterTask } from './adapter-task-type.ts';
import { isAdapters } from './adapter-types.ts';

/** The tasks, types and instances of adapters that workflows name, as far as they exist. */
export type FoundAdapterTasks = Awaited<ReturnType<typeof findAdapterTasks>>;

const NOTHING: FoundAdapterTasks = { ...NO_ADAPTERS, planned: [] };

/** Returns the tasks of adapter types that these workflows contain; nothing is read unless one of them does. */
export async function adapterTasksOf(
  db: Database,
  given: readonly Pick<Workflow, 'tasks'>[],
): Promise<FoundAdapterTasks> {
  const used = given.flatMap(tasksOf).flatMap(([, task]) => (isAdapters(task) ? [task] : []));
  if (used.length === 0) return NOTHING;
  const names = used.flatMap((task) => {
    const { adapter_id: name } = incomingOf(task);
    return typeof name === 'string' && name !== '' && sourceOf(name) === null ? [name] : [];
  });
  return findAdapterTasks(
    { db },
    {
      tasks: used.map((task) => ({
        type: task.app,
        name: task.name,
        values: Object.keys(incomingOf(task)),
      })),
      instances: [...new Set(names)],
    },
  );
}

/** Facts of the validator about the adapters of a workflow, as data that can be sent to a thread. */
export type AdapterFindings = {
  adapterTasks: TaskType[];
  adapterTypes: string[];
  adapterFaults: Record<string, string>;
};

/** Returns what the validator needs to know of the adapters of one of these workflows. */
export function adapterFindingsOf(
  { tasks, types, instances }: FoundAdapterTasks,
  workflow: Pick<Workflow, 'tasks'>,
): AdapterFindings {
  const used = tasksOf(workflow).flatMap(([id, task]) => (isAdapters(task) ? [{ id, task }] : []));
  const apps = new Set(used.map(({ task }) => task.app));
  const names = new Set(used.map(({ task }) => task.name));
  const known = new Map(types.map((type) => [type.type, type]));
  const faults = used.flatMap(({ id, task }): [string, string][] => {
    const type = known.get(task.app);
    const { adapter_id: named } = incomingOf(task);
    const isUnnamed = isAbsent(named);
    // Either the job names the adapter, or the type comes from a catalogue and has no adapter yet.
    if (!type || sourceOf(named) !== null || (isUnnamed && type.provider === 'none')) return [];
    const chosen = chooseInstance(type, instances, named);
    return 'fault' in chosen ? [[id, chosen.fault]] : [];
  });
  return {
    adapterTasks: tasks.filter(({ type, name }) => apps.has(type) && names.has(name)).map(typeOfAdapterTask),
    adapterTypes: [...apps].filter((app) => known.has(app)),
    adapterFaults: Object.fromEntries(faults),
  };
}
