import { assertMayUse, usesOf } from '#server/domains/assets/index.ts';
import type { ProvidedMethod } from '#server/domains/integrations/index.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { broken } from '../task-runs/finish.ts';
import { callerFor } from '../task-runs/task-contexts.service.ts';
import { authorizeTask, operationsOf } from './authorize.ts';
import type { TaskEnvironment, TaskOutcome } from './outcome.ts';

/**
 * Checks whether the account for which a job runs may run a task now: it needs the rights of the task's endpoints, and
 * `execute` in the projects of the components that the task names (decision 0057).
 *
 * @param incoming the values, with those of the job filled in
 * @param provided the method of an adapter type that the task calls, where the type is known
 * @returns the error with which the task finishes; null when the account may run it
 */
export async function denialOf(
  world: TaskEnvironment,
  { app, name }: { app?: string | null | undefined; name: string },
  incoming: Readonly<Record<string, unknown>>,
  provided?: ProvidedMethod,
): Promise<TaskOutcome | null> {
  const uses = usesOf(name, incoming);
  if (uses.length === 0 && !provided && operationsOf(app ?? '', name).length === 0) return null;
  try {
    const principal = await callerFor(world);
    const reason = authorizeTask(principal, { app, name }, provided);
    if (reason !== null) return broken(reason, { code: 'FORBIDDEN' });
    await assertMayUse({ db: world.db, principal }, uses);
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return broken(error.message, { code: error.code });
  }
}
