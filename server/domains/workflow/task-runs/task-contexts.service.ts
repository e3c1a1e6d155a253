import { activeCaller } from '#server/domains/identity/index.ts';
import type { DeviceContext, WriteContext } from '#server/kernel/contexts.ts';
import { type Caller, callerInCommon, type TokenRoles } from '#server/kernel/principal.ts';
import type { TaskEnvironment } from '../tasks/outcome.ts';

/**
 * Returns the caller for whom a task runs, with its current rights: those of the job's acting account and, where other
 * accounts confirmed it, only those that all of them have as well (docs/decisions/0056).
 *
 * @throws ServiceError FORBIDDEN naming the account when one of them does not exist or is inactive
 */
export const callerFor = async (world: TaskEnvironment): Promise<Caller> => {
  const caller = await callerOfAll(world, world.account, world.confirmedBy ?? [], world.tokenRoles);
  const [job = null] = world.key.split('/', 1);
  return { ...caller, credential: { kind: 'job', id: job, name: null } };
};

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

/** Returns the context of a call to a device for a task; the call ends when the job is canceled. @throws as callerFor */
export const deviceContextOf = async (world: TaskEnvironment): Promise<DeviceContext> => ({
  db: world.db,
  platform: world.platform,
  principal: await callerFor(world),
  request: { id: world.key, gone: () => world.signal },
});

/** Returns the context in which a task writes, outside a transaction until its `db` is replaced. @throws as callerFor */
export const writeContextOf = async (
  world: TaskEnvironment,
): Promise<WriteContext<keyof TaskEnvironment['platform']>> => ({
  db: world.db,
  platform: world.platform,
  principal: await callerFor(world),
  request: { ifMatch: null },
  answer: { headers: {} },
});
