import type { ProvidedMethod } from '#server/domains/integrations/index.ts';
import { mayCall, mayCallProvided, type Rights, rolesNeeded } from '#server/kernel/principal.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { isOurs, taskTypeOf } from './catalogue.ts';
import { type Operation, OWN_DATA, operation } from './operations.ts';

/** An operation of an adapter can be any request, like `restAction` (contract/endpoints#4.1). */
const ADAPTER_OPERATION: readonly Operation[] = [operation('OrchestratorManager.restAction', ADMIN)];

/** Returns the endpoints whose rights a task needs. An application that is not ours is an adapter. */
export const operationsOf = (app: string, name: string): readonly Operation[] =>
  taskTypeOf(app, name)?.requires ?? (isOurs(app) ? OWN_DATA : ADAPTER_OPERATION);

/**
 * Decides whether an account may run a task: by the roles or the single permissions that the endpoints of the task
 * require (decision 0057).
 *
 * @param provided the method of an adapter type that the task calls, where the type is known
 * @returns null when it may, else the message that the endpoint would return
 */
export function authorizeTask(
  rights: Pick<Rights, 'roles' | 'permissions'>,
  { app, name }: { app?: string | null | undefined; name: string },
  provided?: ProvidedMethod,
): string | null {
  if (provided) return mayCallProvided(rights, provided) ? null : rolesNeeded(ADMIN);
  const denied = operationsOf(app ?? '', name).find(
    ({ audience, permission }) => !mayCall(rights, audience, permission),
  );
  return denied ? rolesNeeded(denied.audience) : null;
}
