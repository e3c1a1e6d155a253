import { mayCall, type Rights, rolesNeeded } from '#server/kernel/principal.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { isOurs, taskTypeOf } from './catalogue.ts';
import { type Operation, OWN_DATA, operation } from './operations.ts';
import type { TaskType } from './task-type.ts';

/** An operation of an adapter can be any request, like `restAction` (contract/endpoints#4.1). */
const ADAPTER_OPERATION: readonly Operation[] = [operation('OrchestratorManager.restAction', ADMIN)];

/**
 * Returns the endpoints whose rights a task needs. An application that is not ours is an adapter.
 *
 * @param type the task, where it belongs to an adapter type that is known
 */
export const operationsOf = (
  app: string,
  name: string,
  type?: Pick<TaskType, 'requires'>,
): readonly Operation[] =>
  taskTypeOf(app, name)?.requires ?? (isOurs(app) ? OWN_DATA : (type?.requires ?? ADAPTER_OPERATION));

/**
 * Decides whether an account may run a task: by the roles or the single permissions that the endpoints of the task
 * require (decision 0057).
 *
 * @param type the task, where it belongs to an adapter type that is known
 * @returns null when it may, else the message that the endpoint would return
 */
export function authorizeTask(
  rights: Pick<Rights, 'roles' | 'permissions'>,
  { app, name }: { app?: string | null | undefined; name: string },
  type?: Pick<TaskType, 'requires'>,
): string | null {
  const denied = operationsOf(app ?? '', name, type).find(
    ({ audience, permission }) => !mayCall(rights, audience, permission),
  );
  return denied ? rolesNeeded(denied.audience) : null;
}
