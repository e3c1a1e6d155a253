import { activeCaller } from '#server/domains/identity/index.ts';
import { type Caller, callerInCommon, type TokenRoles } from '#server/kernel/principal.ts';
import type { TaskEnvironment } from '../tasks/outcome.ts';

/**
 * Returns the caller for whom a task runs, with its current rights: those of the job's acting account and, where other
 * accounts confirmed it, only those that all of them have as well (docs/decisions/0056).
 *
 * @throws ServiceError FORBIDDEN naming the account when one of them does not exist or is inactive
 */
export const callerFor = (world: TaskEnvironment): Promise<Caller> =>
  callerOfAll(world, world.account, world.confirmedBy ?? [], world.tokenRoles);

/**
 * Returns the same for work that is not a task.
 *
 * @param confirmers ids of the accounts that confirmed the work
 * @param tokenRoles the effective roles of those accounts that used a personal token
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
    const confirmer = await activeCaller(ctx, id, 'whose user confirmed the task', tokenRoles[id]);
    caller = callerInCommon(caller, confirmer);
  }
  return caller;
}
