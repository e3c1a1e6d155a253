import { type SQL, sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { find } from '#db/collection.ts';
import { whereOf } from '#db/list/compile.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { TaskItem } from '#db/schemas/workflow/task-item.ts';
import { accounts } from '#db/tables/identity/accounts.ts';
import { jobs, jobTasks } from '#db/tables/workflow/jobs.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { accessOf } from '#server/kernel/documents/documents.service.ts';
import { ops, pageOfTexts } from '#server/kernel/documents/list-envelope.ts';
import { conflict, forbidden, invalid, notFound } from '#server/kernel/errors.ts';
import type { WorkPlatform } from '#server/kernel/platform.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { applyForCaller, assertTask, lockJob } from '../control/control.service.ts';
import { assertSecondPerson } from '../control/four-eyes.service.ts';
import { iterationOf } from '../reducer/document.ts';
import { endsIteration } from '../reducer/loop.ts';
import { edgesOf, isLoop } from '../reducer/plan.ts';
import { withMasks } from '../store/masking.ts';
import { secretTexts, valueWithoutSecrets } from '../store/named-secrets.ts';
import { findJob, type Loaded } from '../store/store.service.ts';
import { withValues } from '../store/task-values.service.ts';
import { unmasked } from '../store/unmasked.ts';
import { countsOf } from './jobs.service.ts';
import { isOpen, taskGroupsOf } from './shown.ts';
import { visibleJobs } from './visible-jobs.service.ts';

type ActionResult<Data> = { message: string; data: Data; metadata: Record<string, unknown> };

const resource = defineResource({
  name: 'tasks',
  schema: TaskItem,
  source: jobTasks,
  columns: {
    name: jobTasks.name,
    type: jobTasks.type,
    status: jobTasks.status,
    'metrics.start_time': jobTasks.startTime,
    'job._id': jobTasks.jobId,
  },
  defaultSort: [{ field: 'metrics.start_time', order: -1 }],
});

/** Returns the condition for visible tasks: a task is visible to those who see its job. */
function visibleTasks(principal: Caller): SQL | undefined {
  const where = visibleJobs(principal);
  return where && sql`exists (select from ${jobs} where ${jobs.id} = ${jobTasks.jobId} and ${where})`;
}

/** Lists a page of tasks, newest first by default (contract/lifecycle#6.4). */
export async function listTasks(ctx: ReadContext<'vault'>, query: Record<string, unknown>) {
  const listQuery = readList(resource, query);
  const page = await list(ctx.db, resource, listQuery, accessOf(visibleTasks(ctx.principal)));
  const shown = isShown(listQuery, 'variables')
    ? pageOfTexts(await withValues(ctx, page.texts), page.total)
    : page;
  return ops<Partial<TaskItem>>('Successfully retrieved tasks', shown, listQuery);
}

const isShown = (
  { include, exclude }: { include: readonly string[] | null; exclude: readonly string[] | null },
  member: string,
): boolean => (include ? include.some((name) => name.split('.')[0] === member) : !exclude?.includes(member));

/**
 * Counts tasks by status, under the filters of the list (contract/lifecycle#12a).
 *
 * @returns the number per status, without statuses that no task has, and their sum
 */
export async function countTasks(
  { db, principal }: ReadContext,
  query: Record<string, unknown>,
): Promise<{ counts: Record<string, number>; total: number }> {
  const { where } = readList(resource, query);
  const found = await rows<{ status: string; n: string }>(
    db,
    sql`select status, count(*)::text as n from ${jobTasks}
        ${whereOf(resource, where, visibleTasks(principal))} group by status`,
    false,
  );
  return countsOf(found);
}

/**
 * Returns one task by the id of its iteration.
 *
 * @param message of the answer
 * @throws ServiceError NOT_FOUND
 */
export async function getTask(
  ctx: ReadContext<'vault'>,
  id: string,
  message = 'Successfully retrieved task',
): Promise<ActionResult<TaskItem>> {
  const where = visibleTasks(ctx.principal);
  const [row] = await rows<{ doc: string }>(
    ctx.db,
    sql`select ${jobTasks.doc}::text as doc from ${jobTasks}
        where ${jobTasks.id} = ${id}${where ? sql` and ${where}` : sql``}`,
  );
  if (!row) throw notFound('Task', id);
  const [text = row.doc] = await withValues(ctx, [row.doc]);
  return { message, data: JSON.parse(text) as TaskItem, metadata: {} };
}

/**
 * Returns what a user sees of a manual task: its page, its values, its buttons (contract/lifecycle#6.4).
 *
 * @throws ServiceError NOT_FOUND
 */
export async function manualController(
  ctx: ReadContext<'vault'>,
  jobId: string,
  task: string,
): Promise<ActionResult<ManualController>> {
  const job = await findJob(ctx, jobId, { where: visibleJobs(ctx.principal) });
  if (!job) throw notFound('Job', jobId);
  assertTask(job, task);
  const definition = job.plan.tasks[task];
  if (definition?.type !== 'manual') throw notFound(`Job ${jobId}: manual task`, task);
  const shown = { variables: { incoming: job.document.state.tasks[task]?.incoming ?? {} } };
  const marked = withMasks(shown, definition.variables?.decorators ?? []).variables;
  const texts = secretTexts(job.document.head.variables, shown.variables);
  const { incoming } = valueWithoutSecrets(marked, texts);
  const label = (member: string) => (typeof incoming[member] === 'string' ? incoming[member] : null);
  return {
    message: 'Successfully retrieved manual controller',
    data: {
      view: definition.view ?? null,
      incoming,
      buttons: { success: label('btn_success'), failure: label('btn_failure') },
    },
    metadata: {},
  };
}

export type ManualController = {
  view: string | null;
  incoming: Record<string, unknown>;
  buttons: { success: string | null; failure: string | null };
};

/**
 * Claims a manual task for the caller, assigns it to an account, or releases it (contract/lifecycle#6.4).
 *
 * @param account the account to assign it to; absent: nobody
 * @throws ServiceError NOT_FOUND; CONFLICT when it does not wait, or another account has claimed it; FORBIDDEN when the new
 *   owner is not in its groups, or is no second pair of eyes
 */
export async function ownTask(
  ctx: WriteContext<keyof WorkPlatform>,
  taskId: string,
  how: 'claim' | 'release' | 'assign',
  account?: string,
): Promise<ActionResult<TaskItem>> {
  const { job, task } = await openTask(ctx, taskId);
  const state = job.document.state.tasks[task];
  const owner = state?.owner ?? null;
  const isAdmin = ctx.principal.roles.includes('admin');
  const me = ctx.principal.id;
  if (how === 'release' && owner === null) throw conflict(`Task ${taskId} is not claimed`);
  // An admin releases or assigns the task of another account, but does not claim it.
  if (owner !== null && owner !== me && !(isAdmin && how !== 'claim'))
    throw conflict(`Task ${taskId} is claimed by another account`);
  assertInGroups(job, task, ctx.principal.groups, isAdmin, 'You are');
  const to = how === 'release' ? null : how === 'claim' ? me : (account ?? null);
  if (how === 'claim') await assertSecondPerson(ctx.db, job, task, me);
  if (how === 'assign' && to !== null) await assertAssignee(ctx, job, task, to);
  if (to !== owner) {
    const attempt = { task, iteration: taskId, attempt: state?.attempt ?? 0 };
    const done = await applyForCaller(ctx, job, { type: 'own', ...attempt, owner: to });
    if (!done) throw conflict(`Task ${taskId} is not waiting to be finished`);
  }
  const done = { claim: 'claimed', release: 'released', assign: 'assigned' }[how];
  return getTask(ctx, taskId, `Successfully ${done} task`);
}

/** Locks the job of an iteration whose task waits for a user, and returns both. @throws ServiceError NOT_FOUND, CONFLICT */
async function openTask(
  ctx: WriteContext<keyof WorkPlatform>,
  taskId: string,
): Promise<{ job: Loaded; task: string }> {
  const { data } = await getTask(ctx, taskId);
  const job = await lockJob(ctx, data.job._id);
  const { task } = data.job;
  const state = job.document.state.tasks[task];
  if (!isOpen(job.document.head, state) || !state || iterationOf(state) !== taskId) {
    throw conflict(`Task ${taskId} is not waiting to be finished`);
  }
  return { job, task };
}

function assertInGroups(
  job: Loaded,
  task: string,
  groups: readonly string[],
  isAdmin: boolean,
  who: string,
): void {
  const allowed = taskGroupsOf(job.plan.tasks[task] ?? {});
  if (isAdmin || allowed.length === 0 || allowed.includes('default')) return;
  if (!allowed.some((id) => groups.includes(id))) {
    throw forbidden(`${who} in none of the groups that may finish task ${task}`);
  }
}

async function assertAssignee(
  ctx: WriteContext<keyof WorkPlatform>,
  job: Loaded,
  task: string,
  account: string,
): Promise<void> {
  const known = await find(ctx.db, accounts, account);
  if (!known) throw invalid(['userId'], `Account ${account.slice(0, 100)} does not exist`);
  const groups = (known.doc.memberOf ?? []).map(({ groupId }) => groupId);
  assertInGroups(job, task, groups, false, `Account ${account} is`);
  await assertSecondPerson(ctx.db, job, task, account, `account ${account}`);
}

/** The result with which a user finishes a task. */
export type FinishedTask = {
  finish_state: 'success' | 'failure';
  variables?: Record<string, unknown> | null | undefined;
};

/**
 * Finishes a manual task, exactly once (contract/lifecycle#6.4); finishing an unclaimed task claims it.
 *
 * @throws ServiceError NOT_FOUND; CONFLICT when it does not wait, was finished before, or is claimed by another account;
 *   FORBIDDEN; BAD_REQUEST when no transition exists for that state
 */
export async function finishTask(
  ctx: WriteContext<keyof WorkPlatform>,
  jobId: string,
  task: string,
  { finish_state: finish, variables }: FinishedTask,
): Promise<ActionResult<TaskItem>> {
  const job = await lockJob(ctx, jobId);
  assertTask(job, task);
  const state = job.document.state.tasks[task];
  const iteration = state && iterationOf(state);
  if (!isOpen(job.document.head, state) || !state || iteration === undefined) {
    const why = state?.status === 'complete' ? 'has already been finished' : 'is not waiting to be finished';
    throw conflict(`Task ${task} of job ${jobId} ${why}`);
  }
  const isAdmin = ctx.principal.roles.includes('admin');
  const owner = state.owner ?? null;
  if (owner !== null && owner !== ctx.principal.id)
    throw conflict(`Task ${task} is claimed by another account`);
  assertInGroups(job, task, ctx.principal.groups, isAdmin, 'You are');
  await assertSecondPerson(ctx.db, job, task, ctx.principal.id);
  const edges = [...edgesOf(job.plan.out, task), ...edgesOf(job.plan.reverts, task)];
  const follows = edges.some((edge) => !isLoop(edge) && edge.state === finish);
  if (!follows && !endsIteration(job.plan, job.document.state.tasks, task, finish)) {
    throw invalid(['taskData', 'finish_state'], `task ${task} has no transition for ${finish}`);
  }
  const outgoing = unmasked(job.document, task, variables ?? {}, ['taskData', 'variables']);
  const attempt = { task, iteration, attempt: state.attempt };
  const done = await applyForCaller(ctx, job, { type: 'finish', ...attempt, outcome: { finish, outgoing } });
  if (!done) throw conflict(`Task ${task} of job ${jobId} has already been finished`);
  return getTask(ctx, iteration, 'Successfully finished task');
}
