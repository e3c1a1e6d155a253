import { and, inArray, isNull, ne, sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { isOneOf } from '#db/expressions.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { Job, JobStatus } from '#db/schemas/workflow/job.ts';
import { jobs, jobTasks } from '#db/tables/workflow/jobs.ts';
import { assertMayWriteIn } from '#server/domains/assets/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { conflict, forbidden, notFound, ServiceError } from '#server/kernel/errors.ts';
import type { WorkPlatform } from '#server/kernel/platform.ts';
import { hasFewerRights } from '#server/kernel/principal.ts';
import { inSavepoint } from '../../automations/savepoint.service.ts';
import { applyInRequest, hasFailed } from '../execution/advance.service.ts';
import { cascade } from '../execution/children.service.ts';
import { logFailure } from '../execution/log-failure.ts';
import { visibleAmong } from '../reads/jobs.service.ts';
import { jobOf } from '../reads/shown.ts';
import { visibleJobs } from '../reads/visible-jobs.service.ts';
import { isActive, iterationOf } from '../reducer/document.ts';
import type { EventData } from '../reducer/job-events.ts';
import { mayContinue, mayRevert } from '../reducer/reducer.ts';
import { findJob, type Loaded } from '../store/store.service.ts';
import { unmasked } from '../store/unmasked.ts';
import { actingAccountOf } from './acting.ts';
import { assertNoneSkipped } from './four-eyes.service.ts';

/** The answer of an action on jobs. */
export type ActionResult<Data> = { message: string; data: Data; metadata: Record<string, never> };

/** Locks and returns a job that the caller may see. @throws ServiceError NOT_FOUND */
export async function lockJob(ctx: WriteContext<keyof WorkPlatform>, id: string): Promise<Loaded> {
  const job = await findJob(ctx, id, { lock: true, where: visibleJobs(ctx.principal) });
  if (!job) throw notFound('Job', id);
  return job;
}

/** Locks and returns a job whose workflow the caller may run. @throws ServiceError NOT_FOUND, FORBIDDEN */
async function lockRunnableJob(ctx: WriteContext<keyof WorkPlatform>, id: string): Promise<Loaded> {
  const job = await lockJob(ctx, id);
  await assertMayWriteIn(ctx, job.projectId, 'execute');
  return job;
}

/**
 * Applies an event to a locked job on behalf of the caller, who takes the job over by some events (`headBy`).
 *
 * @returns null when it changes nothing
 */
export async function applyForCaller(
  ctx: WriteContext<keyof WorkPlatform>,
  loaded: Loaded,
  event: EventData,
): Promise<Job | null> {
  const document = await applyInRequest(ctx, loaded, { ...event, by: ctx.principal });
  if (!document) return null;
  if (hasFailed(loaded.document, document)) logFailure(ctx.platform.log, document.head);
  noteChange(ctx.db, { kind: 'jobs', id: loaded.id, name: document.head.name });
  return jobOf(loaded.plan, document);
}

/** Rejects callers other than the acting account of a job and admins. @throws ServiceError FORBIDDEN */
export function assertActing(
  { principal }: WriteContext<keyof WorkPlatform>,
  { document: { head } }: Loaded,
  what: string,
): void {
  if (principal.roles.includes('admin') || actingAccountOf(head) === principal.id) return;
  throw forbidden(`Only the acting account of the job, or an admin, may ${what}`);
}

const COMMANDS = {
  cancel: {
    done: 'canceled',
    status: 'canceled',
    conflict: (status: string) => `Job has already finished: its status is ${status}`,
  },
  pause: { done: 'paused', status: 'paused', conflict: (status: string) => `Job is ${status}, not running` },
  resume: {
    done: 'resumed',
    status: 'running',
    conflict: (status: string) => `Job is ${status}, not paused`,
  },
} as const;

export type JobCommand = keyof typeof COMMANDS;

/** Outcome for each job, by its id; `error` says why nothing was done. */
export type ByJob = Record<string, { status?: JobStatus; error?: string }>;

/**
 * Cancels, pauses or resumes jobs (contract/lifecycle#6.3), each independently of the others.
 *
 * @throws ServiceError INTERNAL_SERVER_ERROR with the outcome of each when none succeeded: clients compare that
 */
export async function command(
  ctx: WriteContext<keyof WorkPlatform>,
  verb: JobCommand,
  jobIds: readonly string[],
): Promise<ActionResult<ByJob>> {
  const data: ByJob = {};
  let succeeded = 0;
  // All callers lock in the same order, so that two concurrent requests wait for each other instead of deadlocking.
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

async function commandOne(
  ctx: WriteContext<keyof WorkPlatform>,
  verb: JobCommand,
  id: string,
): Promise<JobStatus> {
  const job = await lockRunnableJob(ctx, id);
  const { status } = job.document.head;
  if (verb === 'cancel' && !isActive(job.document.head)) throw conflict(COMMANDS.cancel.conflict(status));
  const done = await applyForCaller(ctx, job, { type: verb });
  if (!done) throw conflict(COMMANDS[verb].conflict(status));
  await cascade(ctx, id, verb);
  return done.status;
}

/**
 * Reverts to an earlier task (contract/lifecycle#6.3): the tasks between run again, on behalf of the caller.
 *
 * @param fromTask id of a task that has started
 * @param toTask id of an earlier task, which runs next
 * @throws ServiceError NOT_FOUND, FORBIDDEN; CONFLICT when the job has finished, the task has not started, or the other is
 *   not before it
 */
export async function revertJob(
  ctx: WriteContext<keyof WorkPlatform>,
  id: string,
  { fromTask, toTask }: { fromTask: string; toTask: string },
): Promise<ActionResult<Job>> {
  const job = await lockRunnableJob(ctx, id);
  assertActive(job);
  assertTask(job, fromTask);
  assertTask(job, toTask);
  const state = job.document.state.tasks[fromTask];
  const iteration = state && iterationOf(state);
  if (!state || iteration === undefined || state.start === undefined) {
    throw conflict(`Task ${fromTask} has not started`);
  }
  if (!mayRevert(job.plan, fromTask, toTask)) {
    throw conflict(
      `No transition leads from task ${toTask} to task ${fromTask}: the job cannot revert to it`,
    );
  }
  const data = await applyForCaller(ctx, job, {
    type: 'revert',
    task: fromTask,
    iteration,
    attempt: state.attempt,
    to: toTask,
  });
  if (!data) throw conflict(`Job ${id} cannot revert to task ${toTask}`);
  return { message: 'Successfully reverted job', data, metadata: {} };
}

/**
 * Continues at a task (contract/lifecycle#6.3): the tasks before it count as finished, and the job acts for the caller.
 *
 * @param fromTask id of the task in the workflow
 * @throws ServiceError NOT_FOUND; CONFLICT when the job has finished, or the task runs or has finished; FORBIDDEN when it
 *   would skip a task that the caller may not finish
 */
export async function continueJob(
  ctx: WriteContext<keyof WorkPlatform>,
  id: string,
  fromTask: string,
): Promise<ActionResult<Job>> {
  const job = await lockRunnableJob(ctx, id);
  assertActive(job);
  assertTask(job, fromTask);
  if (!mayContinue(job.plan, job.document, fromTask)) {
    throw conflict(
      `Job ${id} cannot continue at task ${fromTask}: the task is running, has finished, or is in a loop that has not finished`,
    );
  }
  await assertNoneSkipped(ctx.db, job, fromTask, ctx.principal.id);
  const data = await applyForCaller(ctx, job, { type: 'continue', task: fromTask });
  if (!data) throw conflict(`Job ${id} cannot continue at task ${fromTask}`);
  return { message: 'Successfully continued job', data, metadata: {} };
}

/**
 * Retries a task that stopped in error (contract/lifecycle#6.4); the job acts for the caller from then on.
 *
 * @param task id of the task in the workflow
 * @param given values that replace those of the task; only for the acting account or an admin
 * @throws ServiceError NOT_FOUND; CONFLICT when the task is not in error or the job has finished; FORBIDDEN
 */
export async function retryTask(
  ctx: WriteContext<keyof WorkPlatform>,
  id: string,
  task: string,
  given: Record<string, unknown>,
): Promise<ActionResult<Job>> {
  const job = await lockRunnableJob(ctx, id);
  assertTask(job, task);
  assertActive(job);
  const state = job.document.state.tasks[task];
  const iteration = state && iterationOf(state);
  if (!state || iteration === undefined || state.status !== 'error') {
    throw conflict(`Task ${task} is ${state?.status ?? 'incomplete'}: only a task in error can be retried`);
  }
  if (Object.keys(given).length > 0) await assertMayGive(ctx, job);
  const values = unmasked(job.document, task, given, ['variables']);
  const retry = { type: 'retry', task, iteration, attempt: state.attempt, given: values } as const;
  const data = await applyForCaller(ctx, job, retry);
  if (!data) throw conflict(`Task ${task} cannot be retried`);
  return { message: 'Successfully retried task', data, metadata: {} };
}

/** Denies values that the caller may not change: the jobs above receive the results. @throws ServiceError FORBIDDEN */
async function assertMayGive(ctx: WriteContext<keyof WorkPlatform>, job: Loaded): Promise<void> {
  assertActing(ctx, job, 'retry a task with other values: retry it without values, and the job runs for you');
  // A job above may act with more of the account's rights than the token has.
  const mine = hasFewerRights(ctx.principal) ? null : ctx.principal.id;
  const isAbove = and(isOneOf(jobs.id, job.document.head.ancestors ?? []), ne(jobs.id, job.id));
  const isOthers = sql`coalesce(${jobs.doc} ->> 'actingAccount', ${jobs.createdBy}) is distinct from ${mine}::text`;
  if ((await ctx.db.$count(jobs, and(isAbove, isOthers))) === 0 || ctx.principal.roles.includes('admin'))
    return;
  throw forbidden(
    'Values may be changed only by an admin, or by the acting account of this job and of every parent job with a session or a token that does not narrow its rights',
  );
}

/** Rejects actions on a job that has finished. @throws ServiceError CONFLICT */
export function assertActive({ id, document: { head } }: Loaded): void {
  if (!isActive(head)) throw conflict(`Job ${id} is ${head.status}`);
}

/** Rejects the id of a task that the workflow of a job does not have. @throws ServiceError NOT_FOUND naming the task */
export function assertTask({ id, plan }: Loaded, task: string): void {
  if (!Object.hasOwn(plan.tasks, task)) throw notFound(`Job ${id}: task`, task);
}

/**
 * Deletes finished jobs with everything that belongs to them (contract/lifecycle#6.3); other jobs are reported as ignored.
 *
 * @throws ServiceError NOT_FOUND for unknown ids; FORBIDDEN
 */
export async function deleteJobs(
  ctx: WriteContext<keyof WorkPlatform>,
  jobIds: readonly string[],
): Promise<ActionResult<{ _id: string; status: 'deleted' | 'ignored' }[]>> {
  const ids = [...new Set(jobIds)];
  const there = await visibleAmong(ctx, ids);
  const missing = ids.find((id) => !there.has(id));
  if (missing !== undefined) throw notFound('Job', missing);
  const hasEnded = inArray(jobs.status, ['complete', 'canceled', 'error']);
  const found = await ctx.db
    .select({ id: jobs.id, name: jobs.name, projectId: jobs.projectId })
    .from(jobs)
    .where(and(isOneOf(jobs.id, ids), isNull(jobs.parentJob), hasEnded))
    .orderBy(jobs.id)
    .for('update');
  for (const project of new Set(found.map(({ projectId }) => projectId)))
    await assertMayWriteIn(ctx, project, 'execute');
  const roots = new Set(found.map(({ id }) => id));
  const all = await familyOf(ctx, [...roots]);
  // Work that still runs for a root in error ends at its next step, because its job is gone.
  await ctx.db.delete(jobTasks).where(isOneOf(jobTasks.jobId, all));
  await ctx.db.delete(jobs).where(isOneOf(jobs.id, all));
  for (const { id, name } of found) noteChange(ctx.db, { kind: 'jobs', id, name });
  return {
    message: `Successfully deleted ${roots.size} ${roots.size === 1 ? 'job' : 'jobs'}`,
    data: ids.map((id) => ({ _id: id, status: roots.has(id) ? 'deleted' : 'ignored' })),
    metadata: {},
  };
}

async function familyOf(
  { db }: WriteContext<keyof WorkPlatform>,
  roots: readonly string[],
): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    sql`with recursive family as (
          select id from jobs where id = any(${textArray(roots)})
          union select jobs.id from jobs join family on jobs.parent_job = family.id
        ) select id from family`,
  );
  return found.map(({ id }) => id);
}
