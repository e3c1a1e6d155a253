import type { DetailedTask, ListedTask } from '#db/schemas/workflow/task-type.ts';
import { notFound } from '#server/kernel/errors.ts';
import type { Platform } from '#server/kernel/platform.ts';
import { type Caller, mayCall } from '#server/kernel/principal.ts';
import { APPS, CATALOGUE, taskTypeOf } from '../tasks/catalogue.ts';
import { detailed, listed } from '../tasks/shown.ts';

/**
 * Lists the tasks available for workflows, without those that correspond to an endpoint that the caller may not call
 * (contract/lifecycle#5.3).
 */
export function listTaskTypes({
  principal,
  platform,
}: {
  principal: Caller;
  platform: Pick<Platform, 'catalogue'>;
}): ListedTask[] {
  const barred = new Set(
    platform.catalogue
      .filter(({ audience, permission }) => !mayCall(principal, audience, permission))
      .map(({ permission }) => permission.toLowerCase()),
  );
  return CATALOGUE.filter(({ app, name }) => !barred.has(`${app}.${name}`.toLowerCase())).map(listed);
}

/** Lists the applications that provide tasks. */
export const listApps = (): { name: string; type: 'Application' }[] =>
  APPS.map((name) => ({ name, type: 'Application' }));

/** Returns one task with the JSON schemas of its variables. @throws ServiceError NOT_FOUND */
export function getTaskType(app: string, name: string): DetailedTask {
  const task = taskTypeOf(app, name);
  if (!task) throw notFound('Task', `${name} of ${app}`);
  return detailed(task);
}

/** A task as a caller names it: where it runs, its application, its name. */
export type TaskLocation = { location: string; pckg: string; method: string };

/** Returns a task by its location; tasks of adapters are unknown here. @throws ServiceError NOT_FOUND */
export function getTaskAt({ location, pckg, method }: TaskLocation): DetailedTask {
  if (location !== 'Application') throw notFound(`Task ${method} of ${location}`, pckg);
  return getTaskType(pckg, method);
}

/** Returns several tasks, in the requested order; null for a missing one. */
export const getTasks = (places: readonly TaskLocation[]): (DetailedTask | null)[] =>
  places.map(({ location, pckg, method }) => {
    const task = location === 'Application' ? taskTypeOf(pckg, method) : undefined;
    return task ? detailed(task) : null;
  });
