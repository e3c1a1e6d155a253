import type { Database } from '#db/client.ts';
import { assertMayUse, type ComponentUse, denialsOf, usesOf } from '#server/domains/assets/index.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import type { Caller, TokenRoles } from '#server/kernel/principal.ts';
import { authorizeTask } from '../../tasks/authorize.ts';
import type { Loaded } from '../store/store.service.ts';
import { actingAccountOf, confirmersOf, NOBODY } from './acting.ts';

/** Returns the rights that an account shares with all `confirmers`. @throws ServiceError when one is missing or inactive */
export type CallerOf = (
  account: string,
  confirmers: readonly string[],
  tokenRoles: TokenRoles | undefined,
) => Promise<Caller>;

type RightsLookup = { db: Database; callerOf: CallerOf };
type LoadedJob = Pick<Loaded, 'plan' | 'document'>;

const NONE: ReadonlySet<string> = new Set();

/**
 * Returns the ids of the job's own copies of transformations that its account may run now. These run within the step of
 * the job; all others are left to a worker process, which ends the task with the reason.
 */
export async function usableCopies(
  { db, callerOf }: RightsLookup,
  job: LoadedJob,
): Promise<ReadonlySet<string>> {
  const ids = Object.keys(job.plan.transformations);
  const account = actingAccountOf(job.document.head);
  if (ids.length === 0 || account === null || hasConfirmedTransformation(job)) return NONE;
  try {
    const { head } = job.document;
    const principal = await callerOf(account, confirmersOf(head), head.tokenRoles);
    if (authorizeTask(principal, { app: 'WorkFlowEngine', name: 'transformation' }) !== null) return NONE;
    const uses = ids.map((value) => ({ kind: 'transformation', by: 'id', value }) as const);
    const denials = await denialsOf({ db, principal }, uses);
    return new Set(ids.filter((_, at) => denials[at] === null));
  } catch (error) {
    if (error instanceof ServiceError) return NONE;
    throw error;
  }
}

/** Returns whether any transformation has an actor. A worker process checks the rights of that account for the task. */
const hasConfirmedTransformation = ({ plan: { tasks } }: LoadedJob): boolean =>
  Object.values(tasks).some(
    ({ name, actor }) => name === 'transformation' && actor && Object.hasOwn(tasks, actor),
  );

/** Returns the forms that a manual task shows. */
export const formsOf = ({ plan, document: { state } }: LoadedJob, task: string): ComponentUse[] =>
  usesOf(plan.tasks[task]?.name ?? '', state.tasks[task]?.incoming ?? {});

/**
 * Returns why the account of a job may not use these components; null when it may.
 *
 * @param id id of the task that uses them; absent for the job's error handler
 * @param task the task's app and name, where it also needs the rights of an endpoint
 */
export async function reasonAgainst(
  { db, callerOf }: RightsLookup,
  job: LoadedJob,
  uses: readonly ComponentUse[],
  id?: string,
  task?: { app: string; name: string },
): Promise<string | null> {
  if (uses.length === 0) return null;
  const account = actingAccountOf(job.document.head);
  if (account === null) return NOBODY;
  try {
    const { head, state } = job.document;
    const confirmers = confirmersOf(head, id === undefined ? undefined : state.tasks[id]);
    const principal = await callerOf(account, confirmers, head.tokenRoles);
    await assertMayUse({ db, principal }, uses);
    return task ? authorizeTask(principal, task) : null;
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}
