import type { Database } from '#db/client.ts';
import type { DetailedTask, ListedTask } from '#db/schemas/workflow/task-type.ts';
import {
  type AdapterProvider,
  findAdapterTasks,
  getTaskSchemas,
  listAdapterTasks,
  listAdapterTypes,
} from '#server/domains/integrations/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { notFound } from '#server/kernel/errors.ts';
import type { Platform } from '#server/kernel/platform.ts';
import { type Caller, mayCall } from '#server/kernel/principal.ts';
import { mapYielding } from '#server/kernel/timing/map-yielding.ts';
import { typeOfAdapterTask } from '../adapter-tasks/adapter-task-type.ts';
import { APPS, CATALOGUE, isOurs, taskTypeOf } from '../tasks/catalogue.ts';
import { detailedTask, listedTask } from '../tasks/shown.ts';
import type { TaskType } from '../tasks/task-type.ts';

/**
 * Lists the tasks available for workflows, without those that correspond to an endpoint that the caller may not call
 * (contract/lifecycle#5.3).
 *
 * @param app only the tasks of this application or adapter type
 */
export async function listTaskTypes(
  {
    db,
    principal,
    platform,
  }: Pick<ReadContext, 'db'> & { principal: Caller; platform: Pick<Platform, 'catalogue'> },
  app?: string,
): Promise<ListedTask[]> {
  const barred = new Set(
    platform.catalogue
      .filter(({ audience, permission }) => !mayCall(principal, audience, permission))
      .map(({ permission }) => permission.toLowerCase()),
  );
  const own = CATALOGUE.filter(
    (task) =>
      (app === undefined || task.app === app) && !barred.has(`${task.app}.${task.name}`.toLowerCase()),
  ).map(listedTask);
  const types = app === undefined ? await typesInUse(db) : isOurs(app) ? [] : [app];
  for (const type of types) {
    const tasks = await listAdapterTasks({ db }, type);
    own.push(...(await mapYielding(tasks, (task) => listedTask(typeOfAdapterTask(task)))));
  }
  return own;
}

/** Returns the adapter types whose tasks workflows can use: those with an adapter, and those with a catalogue. */
async function typesInUse(db: Database): Promise<string[]> {
  const { types, instances } = await listAdapterTypes({ db });
  const used = new Set(instances.flatMap(({ type, face }) => (face === null ? [type] : [type, face])));
  return types.filter(({ type, provider }) => provider === 'none' || used.has(type)).map(({ type }) => type);
}

/** Lists the applications and adapter types that provide tasks. */
export const listApps = async ({
  db,
}: Pick<ReadContext, 'db'>): Promise<{ name: string; type: 'Application' | 'Adapter' }[]> => [
  ...APPS.map((name) => ({ name, type: 'Application' as const })),
  ...(await typesInUse(db)).map((name) => ({ name, type: 'Adapter' as const })),
];

/**
 * Returns one task with the JSON schemas of its variables.
 *
 * @param app name of the application, or of the adapter type
 * @throws ServiceError NOT_FOUND
 */
export async function getTaskType(
  { db }: Pick<ReadContext, 'db'>,
  app: string,
  name: string,
): Promise<DetailedTask> {
  const task = taskTypeOf(app, name) ?? (await wholeTask(db, app, name));
  if (!task) throw notFound('Task', `${name} of ${app}`);
  return detailedTask(task);
}

/** Returns a task of an adapter type; that of a document has the schemas that its own refer to. */
async function wholeTask(db: Database, app: string, name: string): Promise<TaskType | undefined> {
  const [task] = await adapterTypes(db, [{ type: app, name }]);
  if (task?.provider !== 'document') return task;
  return { ...task, ...(await getTaskSchemas(db, app, name)) };
}

/** Returns those of these tasks that an adapter type has. */
async function adapterTypes(
  db: Database,
  wanted: readonly { type: string; name: string }[],
): Promise<(TaskType & { provider: AdapterProvider })[]> {
  const tasks = wanted.filter(({ type }) => !isOurs(type));
  const found = await findAdapterTasks({ db }, { tasks });
  return found.tasks.map((task) => ({ ...typeOfAdapterTask(task), provider: task.call.provider }));
}

/** A task as a caller names it: where it runs, its application or adapter type, its name. */
export type TaskLocation = { location: string; pckg: string; method: string };

/** Returns a task by its location. @throws ServiceError NOT_FOUND */
export async function getTaskAt(ctx: Pick<ReadContext, 'db'>, place: TaskLocation): Promise<DetailedTask> {
  const { location, pckg, method } = place;
  const task = location === 'Adapter' ? await wholeTask(ctx.db, pckg, method) : ownTask(place);
  if (!task) throw notFound(`Task ${method} of ${location}`, pckg);
  return detailedTask(task);
}

const ownTask = ({ location, pckg, method }: TaskLocation): TaskType | undefined =>
  location === 'Application' ? taskTypeOf(pckg, method) : undefined;

/**
 * Returns several tasks, in the requested order; null for a missing one. Schemas of documents name those that they refer
 * to; a single read has them whole.
 */
export async function getTasks(
  { db }: Pick<ReadContext, 'db'>,
  places: readonly TaskLocation[],
): Promise<(DetailedTask | null)[]> {
  const outside = places.filter(({ location }) => location === 'Adapter');
  const found = await adapterTypes(
    db,
    outside.map(({ pckg, method }) => ({ type: pckg, name: method })),
  );
  const known = new Map(found.map((task) => [JSON.stringify([task.app, task.name]), task]));
  return places.map((place) => {
    const { location, pckg, method } = place;
    const task = location === 'Adapter' ? known.get(JSON.stringify([pckg, method])) : ownTask(place);
    return task ? detailedTask(task) : null;
  });
}
