import { noteChange } from '#db/collection.ts';
import { isOneOf } from '#db/expressions.ts';
import type { GroupReference } from '#db/schemas/workflow/task.ts';
import { accounts } from '#db/tables/identity/accounts.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { invalid, invalidRequest } from '#server/kernel/errors.ts';
import type { WorkPlatform } from '#server/kernel/platform.ts';
import { type ActionResult, assertActing, lockJob } from '../control/control.service.ts';
import { assertGroups } from '../control/start.service.ts';
import { type Loaded, saveJob } from '../store/store.service.ts';

/**
 * Adds the caller to the watchers of jobs, or removes it (contract/lifecycle#6.3).
 *
 * @param isWatching true: adds the caller; false: removes it
 * @throws ServiceError NOT_FOUND
 */
export async function watchJobs(
  ctx: WriteContext<keyof WorkPlatform>,
  jobIds: readonly string[],
  isWatching: boolean,
): Promise<ActionResult<{ _id: string; watchers: string[] }[]>> {
  const data: { _id: string; watchers: string[] }[] = [];
  for (const id of [...new Set(jobIds)].sort()) {
    const others = (watchers: readonly string[]) => watchers.filter((one) => one !== ctx.principal.id);
    const change = (watchers: readonly string[]) =>
      isWatching ? [...others(watchers), ctx.principal.id] : others(watchers);
    data.push({ _id: id, watchers: await changeMember(ctx, id, 'watchers', anybody, change) });
  }
  const verb = isWatching ? 'watched' : 'unwatched';
  return { message: `Successfully ${verb} jobs`, data, metadata: {} };
}

/** Adds watchers to a job. @throws ServiceError NOT_FOUND; BAD_REQUEST for unknown accounts */
export async function addWatchers(
  ctx: WriteContext<keyof WorkPlatform>,
  id: string,
  watchers: readonly string[],
): Promise<ActionResult<{ _id: string; watchers: string[] }[]>> {
  const known = await ctx.db.select({ id: accounts.id }).from(accounts).where(isOneOf(accounts.id, watchers));
  const there = new Set(known.map((one) => one.id));
  const issues = watchers.flatMap((one, at) =>
    there.has(one)
      ? []
      : [
          {
            path: ['watchers', at],
            message: `Account ${one.slice(0, 100)} does not exist`,
            code: 'unknown_account',
          },
        ],
  );
  if (issues.length > 0) throw invalidRequest(issues);
  const all = await changeMember(ctx, id, 'watchers', anybody, (some) => [
    ...new Set([...some, ...watchers]),
  ]);
  return { message: 'Successfully added watchers', data: [{ _id: id, watchers: all }], metadata: {} };
}

/** How the groups of a job change: added, replaced or removed. */
export type GroupChange = 'add' | 'set' | 'remove';

/**
 * Changes the groups to which a job is visible (contract/lifecycle#6.3).
 *
 * @throws ServiceError NOT_FOUND, BAD_REQUEST, FORBIDDEN
 */
export async function changeGroups(
  ctx: WriteContext<keyof WorkPlatform>,
  id: string,
  how: GroupChange,
  given: readonly GroupReference[],
): Promise<ActionResult<string[]>> {
  const groups = how === 'remove' ? given.map(String) : await assertGroups(ctx, given, ['groups']);
  if (how !== 'remove' && groups.length < given.length) throw invalid(['groups'], 'must be ids of groups');
  const assertMay = (job: Loaded) => assertActing(ctx, job, 'change which groups see it');
  const removed = new Set(groups);
  const data = await changeMember(ctx, id, 'groups', assertMay, (some) => {
    if (how === 'set') return [...new Set(groups)];
    if (how === 'remove') return some.filter((one) => !removed.has(one));
    return [...new Set([...some, ...groups])];
  });
  return { message: 'Successfully updated groups', data, metadata: {} };
}

const anybody = () => {};

async function changeMember(
  ctx: WriteContext<keyof WorkPlatform>,
  id: string,
  member: 'watchers' | 'groups',
  assertMay: (job: Loaded) => void,
  change: (texts: readonly string[]) => string[],
): Promise<string[]> {
  const job = await lockJob(ctx, id);
  assertMay(job);
  const { head, state } = job.document;
  const known = (head[member] ?? []).map(String);
  const texts = change(known);
  if (JSON.stringify(texts) === JSON.stringify(known)) return texts;
  const next = {
    ...head,
    [member]: texts,
    last_updated: ctx.platform.now().toISOString(),
    last_updated_by: ctx.principal.id,
  };
  await saveJob(ctx, job, { document: { head: next, state }, iterations: [] });
  noteChange(ctx.db, { kind: 'jobs', id, name: head.name });
  return texts;
}
