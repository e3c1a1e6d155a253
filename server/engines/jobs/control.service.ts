import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { textArray } from '#db/list/place.ts';
import type { Job, JobStatus } from '#db/schemas/job.ts';
import type { GroupReference } from '#db/schemas/task.ts';
import { accounts } from '#db/tables.ts';
import type { Writing } from '#server/engines/assets/assets.service.ts';
import { inSavepoint } from '#server/engines/operations/savepoint.service.ts';
import { conflict, invalid, notFound, refused, ServiceError } from '#server/errors.ts';
import type { WorkPlatform } from '#server/platform.ts';
import { happenInRequest, type What } from './advance.service.ts';
import { cascade } from './children.service.ts';
import { isActive, passOf } from './document.ts';
import { visibleAmong } from './jobs.service.ts';
import type { Making } from './new-job.service.ts';
import { mayContinue, mayRevert } from './settle.ts';
import { jobOf } from './shown.ts';
import { assertGroups } from './start.service.ts';
import { findJob, type Loaded, saveJob } from './store.service.ts';
import { visibleJobs } from './visible-jobs.service.ts';

/** The part of a request's context that acting on jobs touches. */
export type Acting = Writing & Making & { platform: WorkPlatform };

type Told<Data> = { message: string; data: Data; metadata: Record<string, never> };

/** A job, locked, that the caller may see. @throws ServiceError NOT_FOUND */
export async function lockJob(ctx: Acting, id: string): Promise<Loaded> {
  const job = await findJob(ctx, id, { lock: true, where: visibleJobs(ctx.principal) });
  if (!job) throw notFound('Job', id);
  return job;
}

/** Let something happen in a locked job on behalf of the caller; null: it changes nothing. */
export async function act(ctx: Acting, loaded: Loaded, what: What): Promise<Job | null> {
  const { head } = loaded.document;
  const job = {
    ...loaded,
    document: { ...loaded.document, head: { ...head, last_updated_by: ctx.principal.id } },
  };
  const document = await happenInRequest(ctx, job, what);
  if (!document) return null;
  noteChange(ctx.db, { kind: 'jobs', id: loaded.id, name: head.name });
  return jobOf(loaded.plan, document);
}

const COMMANDS = {
  cancel: { done: 'canceled', status: 'canceled', refused: (status: string) => `Job is ${status} already` },
  pause: { done: 'paused', status: 'paused', refused: (status: string) => `Job is ${status}, not running` },
  resume: { done: 'resumed', status: 'running', refused: (status: string) => `Job is ${status}, not paused` },
} as const;

export type Command = keyof typeof COMMANDS;

/** What became of each job, by its id; `error` tells why nothing was done. */
export type ByJob = Record<string, { status?: JobStatus; error?: string }>;

/**
 * Cancel, pause or resume jobs (lifecycle §6.3); each fares for itself.
 *
 * @throws ServiceError INTERNAL_SERVER_ERROR with what became of each when none succeeded: a client compares that
 */
export async function command(ctx: Acting, verb: Command, jobIds: readonly string[]): Promise<Told<ByJob>> {
  const data: ByJob = {};
  let succeeded = 0;
  // In one order for all callers: two that meet wait for each other.
  for (const id of [...new Set(jobIds)].sort()) {
    try {
      data[id] = { status: await inSavepoint(ctx, ({ db }) => commandOne({ ...ctx, db }, verb, id)) };
      succeeded += 1;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      data[id] = { error: error.message };
    }
  }
  if (succeeded === 0) {
    throw new ServiceError('INTERNAL_SERVER_ERROR', `Failed to ${verb} all jobs`, { data });
  }
  return { message: `Successfully ${COMMANDS[verb].done} jobs`, data, metadata: {} };
}

async function commandOne(ctx: Acting, verb: Command, id: string): Promise<JobStatus> {
  const job = await lockJob(ctx, id);
  const { status } = job.document.head;
  if (verb === 'cancel' && !isActive(job.document.head)) throw conflict(COMMANDS.cancel.refused(status));
  const done = await act(ctx, job, { type: verb });
  if (!done) throw conflict(COMMANDS[verb].refused(status));
  await cascade(ctx, id, verb);
  return done.status;
}

/**
 * Go back to a task before another one (lifecycle §6.3): what lies between is done again.
 *
 * @throws ServiceError NOT_FOUND; CONFLICT when the job is over, the task has not begun, or the other is not before it
 */
export async function revertJob(
  ctx: Acting,
  id: string,
  { fromTask, toTask }: { fromTask: string; toTask: string },
): Promise<Told<Job>> {
  const job = await lockJob(ctx, id);
  assertActive(job);
  assertTask(job, fromTask);
  assertTask(job, toTask);
  const state = job.document.state.tasks[fromTask];
  const iteration = state && passOf(state);
  if (!state || iteration === undefined || state.start === undefined) {
    throw conflict(`Task ${fromTask} has not begun`);
  }
  if (!mayRevert(job.plan, fromTask, toTask)) {
    throw conflict(`No way leads from task ${toTask} to task ${fromTask}: there is no going back`);
  }
  const data = await act(ctx, job, {
    type: 'revert',
    task: fromTask,
    iteration,
    attempt: state.attempt,
    to: toTask,
  });
  if (!data) throw conflict(`Job ${id} cannot go back to task ${toTask}`);
  return { message: 'Successfully reverted job', data, metadata: {} };
}

/**
 * Go on at a task (lifecycle §6.3): those before it count as done.
 *
 * @throws ServiceError NOT_FOUND; CONFLICT when the job is over, or the task runs or is done
 */
export async function continueJob(ctx: Acting, id: string, fromTask: string): Promise<Told<Job>> {
  const job = await lockJob(ctx, id);
  assertActive(job);
  assertTask(job, fromTask);
  if (!mayContinue(job.plan, job.document, fromTask)) {
    throw conflict(
      `Job ${id} cannot go on at task ${fromTask}: it is under way, done, or in a loop that is not`,
    );
  }
  const data = await act(ctx, job, { type: 'continue', task: fromTask });
  if (!data) throw conflict(`Job ${id} cannot go on at task ${fromTask}`);
  return { message: 'Successfully continued job', data, metadata: {} };
}

/**
 * Try a task again that stopped in error (lifecycle §6.4).
 *
 * @throws ServiceError NOT_FOUND; CONFLICT when the task is not in error or the job is over
 */
export async function retryTask(
  ctx: Acting,
  id: string,
  task: string,
  given: Record<string, unknown>,
): Promise<Told<Job>> {
  const job = await lockJob(ctx, id);
  assertTask(job, task);
  assertActive(job);
  const state = job.document.state.tasks[task];
  const iteration = state && passOf(state);
  if (!state || iteration === undefined || state.status !== 'error') {
    throw conflict(`Task ${task} is ${state?.status ?? 'incomplete'}: only one in error is tried again`);
  }
  const data = await act(ctx, job, { type: 'retry', task, iteration, attempt: state.attempt, given });
  if (!data) throw conflict(`Task ${task} cannot be tried again`);
  return { message: 'Successfully retried task', data, metadata: {} };
}

export function assertActive({ id, document: { head } }: Loaded): void {
  if (!isActive(head)) throw conflict(`Job ${id} is ${head.status}`);
}

/** @throws ServiceError NOT_FOUND naming the task */
export function assertTask({ id, plan }: Loaded, task: string): void {
  if (!Object.hasOwn(plan.tasks, task)) throw notFound(`Job ${id}: task`, task);
}

/**
 * Delete jobs that are over, with all that belongs to them (lifecycle §6.3); others are told as ignored.
 *
 * @throws ServiceError NOT_FOUND for ids that no job has
 */
export async function deleteJobs(
  ctx: Acting,
  jobIds: readonly string[],
): Promise<Told<{ _id: string; status: 'deleted' | 'ignored' }[]>> {
  const ids = [...new Set(jobIds)];
  const there = await visibleAmong(ctx, ids);
  const missing = ids.find((id) => !there.has(id));
  if (missing !== undefined) throw notFound('Job', missing);
  const found = await rows<{ id: string }>(
    ctx.db,
    sql`select id from jobs where id = any(${textArray(ids)}) and parent_job is null
        and status in ('complete', 'canceled', 'error') order by id for update`,
  );
  const roots = new Set(found.map(({ id }) => id));
  const all = await familyOf(ctx, [...roots]);
  // Of a root in error, what still runs ends at its next step: its job is gone.
  await ctx.db.execute(sql`delete from job_tasks where job_id = any(${textArray(all)})`);
  await ctx.db.execute(sql`delete from jobs where id = any(${textArray(all)})`);
  for (const id of roots) noteChange(ctx.db, { kind: 'jobs', id, name: null });
  return {
    message: `Successfully deleted ${roots.size} ${roots.size === 1 ? 'job' : 'jobs'}`,
    data: ids.map((id) => ({ _id: id, status: roots.has(id) ? 'deleted' : 'ignored' })),
    metadata: {},
  };
}

async function familyOf({ db }: Acting, roots: readonly string[]): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    sql`with recursive family as (
          select id from jobs where id = any(${textArray(roots)})
          union select jobs.id from jobs join family on jobs.parent_job = family.id
        ) select id from family`,
  );
  return found.map(({ id }) => id);
}

/** Watch jobs, or no longer (lifecycle §6.3). @throws ServiceError NOT_FOUND */
export async function watchJobs(
  ctx: Acting,
  jobIds: readonly string[],
  isWatching: boolean,
): Promise<Told<{ _id: string; watchers: string[] }[]>> {
  const data: { _id: string; watchers: string[] }[] = [];
  for (const id of [...new Set(jobIds)].sort()) {
    const others = (watchers: readonly string[]) => watchers.filter((one) => one !== ctx.principal.id);
    const change = (watchers: readonly string[]) =>
      isWatching ? [...others(watchers), ctx.principal.id] : others(watchers);
    data.push({ _id: id, watchers: await changeMember(ctx, id, 'watchers', change) });
  }
  const verb = isWatching ? 'watched' : 'unwatched';
  return { message: `Successfully ${verb} jobs`, data, metadata: {} };
}

/** Let accounts watch a job. @throws ServiceError NOT_FOUND; BAD_REQUEST for accounts that there are not */
export async function addWatchers(
  ctx: Acting,
  id: string,
  watchers: readonly string[],
): Promise<Told<{ _id: string; watchers: string[] }[]>> {
  const known = await rows<{ id: string }>(
    ctx.db,
    sql`select id from ${accounts} where id = any(${textArray(watchers)})`,
  );
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
  if (issues.length > 0) throw refused(issues);
  const all = await changeMember(ctx, id, 'watchers', (some) => [...new Set([...some, ...watchers])]);
  return { message: 'Successfully added watchers', data: [{ _id: id, watchers: all }], metadata: {} };
}

/** How the groups of a job change: more, other ones, fewer. */
export type GroupChange = 'add' | 'set' | 'remove';

/** Change the groups whose members see a job (lifecycle §6.3). @throws ServiceError NOT_FOUND, BAD_REQUEST */
export async function changeGroups(
  ctx: Acting,
  id: string,
  how: GroupChange,
  given: readonly GroupReference[],
): Promise<Told<string[]>> {
  const groups = how === 'remove' ? given.map(String) : await assertGroups(ctx, given, ['groups']);
  if (how !== 'remove' && groups.length < given.length) throw invalid(['groups'], 'must be ids of groups');
  const data = await changeMember(ctx, id, 'groups', (some) => {
    if (how === 'set') return [...new Set(groups)];
    if (how === 'remove') return some.filter((one) => !groups.includes(one));
    return [...new Set([...some, ...groups])];
  });
  return { message: 'Successfully updated groups', data, metadata: {} };
}

async function changeMember(
  ctx: Acting,
  id: string,
  member: 'watchers' | 'groups',
  change: (texts: readonly string[]) => string[],
): Promise<string[]> {
  const job = await lockJob(ctx, id);
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
  await saveJob(ctx, job, { document: { head: next, state }, passes: [] });
  noteChange(ctx.db, { kind: 'jobs', id, name: head.name });
  return texts;
}
