import { activeCaller } from '#server/domains/identity/index.ts';
import { type Caller, callerInCommon, type TokenRoles } from '#server/kernel/principal.ts';
import type { TaskEnvironment } from '../tasks/outcome.ts';

/**
 * Returns the caller for whom a task runs, with the rights of this moment: those of the job's acting account, and where
 * others confirmed it, only those that all of them have as well (docs/decisions/0056).
 *
 * @throws ServiceError FORBIDDEN naming the account when one of them does not exist or is inactive
 */
export const callerFor = (world: TaskEnvironment): Promise<Caller> =>
  callerOfAll(world, world.account, world.confirmedBy ?? [], world.tokenRoles);

/**
 * The same, for work that is no task of its own.
 *
 * @param confirmers ids of the accounts that confirmed the work
 * @param tokenRoles the roles that count for those of them that came with a personal token
 */
export async function callerOfAll(
  ctx: Parameters<typeof activeCaller>[0],
  account: string,
  confirmers: readonly string[],
  tokenRoles: TokenRoles = {},
): Promise<Caller> {
  let caller = await activeCaller(ctx, account, 'for which the job runs', tokenRoles[account]);
  for (const id of confirmers) {
    if (id === account) continue;
    const confirmer = await activeCaller(ctx, id, 'which confirmed the task', tokenRoles[id]);
    caller = callerInCommon(caller, confirmer);
  }
  return caller;
}
