import { type SQL, sql } from 'drizzle-orm';
import { mayRead, mayReadAsset } from '#db/access.ts';
import { projects } from '#db/asset-tables.ts';
import { rows } from '#db/client.ts';
import { jobCounts, jobs } from '#db/job-tables.ts';
import { readBrackets } from '#db/list/bracket.ts';
import { whereOf } from '#db/list/compile.ts';
import { list } from '#db/list/list.ts';
import { textArray } from '#db/list/place.ts';
import type { Condition, ListQuery } from '#db/list/query.ts';
import { defineResource } from '#db/list/resource.ts';
import { Job } from '#db/schemas/job.ts';
import { json } from '#server/answer.ts';
import type { Caller } from '#server/engines/access/principal.ts';
import type { Reading } from '#server/engines/assets/assets.service.ts';
import { accessOf, allOf } from '#server/engines/configuration/documents.service.ts';
import type { PageOf } from '#server/engines/operations/automations.service.ts';
import { ops } from '#server/engines/platform/envelope.ts';
import { notFound } from '#server/errors.ts';
import { type Projected, projected, withoutTasks } from './projection.ts';
import { masked } from './secrets.ts';
import { jobOf } from './shown.ts';
import { findJob, findValue } from './store.service.ts';

/** The Ops envelopes of a job and of a list of them. */
export type ToldJob = { message: string; data: Job; metadata: Record<string, unknown> };
export type JobPage = PageOf<Partial<Job>>;

const resource = defineResource({
  name: 'jobs',
  schema: Job.omit({ tasks: true }),
  source: jobs,
  columns: {
    name: jobs.name,
    status: jobs.status,
    type: jobs.type,
    created_by: jobs.createdBy,
    last_updated: jobs.lastUpdated,
    'metrics.start_time': jobs.startTime,
    'metrics.end_time': jobs.endTime,
    'parent.job': jobs.parentJob,
  },
  defaultSort: [{ field: 'metrics.start_time', order: -1 }],
});

/** The counts of jobs, asked with the conditions of a list: these fields are all that they know. */
const COUNTED = new Set(['name', 'status', 'type']);
const counts = defineResource({
  name: 'jobs',
  schema: Job.pick({ name: true, status: true, type: true }),
  // Only its columns are asked: it has no documents.
  source: jobCounts as unknown as typeof jobs,
  columns: { name: jobCounts.name, status: jobCounts.status, type: jobCounts.type },
});

/** Which jobs a caller may see: those without groups or of one of its own, of no project or of one that it may read. */
export const visibleJobs = (
  principal: Caller,
  table: typeof jobs | typeof jobCounts = jobs,
): SQL | undefined => {
  const conditions = [
    mayRead({ readGroups: table.groups }, principal),
    mayReadAsset({ projectId: table.projectId }, projects, principal),
  ].filter((one) => one !== undefined);
  return conditions.length > 0 ? allOf(...conditions) : undefined;
};

/** A page of jobs, newest first unless asked for otherwise (lifecycle §6.3). */
export async function listJobs({ db, principal }: Reading, query: Record<string, unknown>): Promise<JobPage> {
  const { wanted, rest } = withoutTasks(query);
  const asked = readBrackets(resource, rest);
  const narrowed = await namesFirst({ db, principal }, asked);
  const isCounted = asked.where.every(({ field }) => COUNTED.has(field));
  const page = await list(db, resource, narrowed, {
    ...accessOf(visibleJobs(principal)),
    ...(isCounted && { total: false }),
  });
  const isOpen = page.texts.length === asked.limit || (page.texts.length === 0 && asked.skip > 0);
  const total = isCounted && isOpen ? await countedTotal({ db, principal }, asked.where) : page.total;
  const texts = await shownTexts({ db, principal }, page.texts, wanted);
  return json(ops<Partial<Job>>('Successfully retrieved jobs', { texts, total }, asked).text);
}

/**
 * A name is looked for among the few that jobs have, not in each job: what is asked of the jobs is then a set of names,
 * for which there is an index.
 */
async function namesFirst({ db }: Reading, asked: ListQuery): Promise<ListQuery> {
  const sought = asked.where.filter(
    ({ field, op }) => field === 'name' && (op === 'contains' || op === 'prefix'),
  );
  if (sought.length === 0) return asked;
  const found = await rows<{ name: string }>(
    db,
    sql`select distinct name from ${jobCounts} ${whereOf(counts, sought)}`,
    false,
  );
  const names: Condition = { field: 'name', op: 'in', values: found.map(({ name }) => name) };
  return { ...asked, where: [...asked.where.filter((one) => !sought.includes(one)), names] };
}

async function countedTotal({ db, principal }: Reading, where: readonly Condition[]): Promise<number> {
  const [row] = await rows<{ n: string }>(
    db,
    sql`select coalesce(sum(n), 0)::text as n from ${jobCounts}
        ${whereOf(counts, where, visibleJobs(principal, jobCounts))}`,
    false,
  );
  return Number(row?.n ?? 0);
}

/** Documents without tasks are passed on unread, unless secrets are to be masked or tasks were asked for. */
async function shownTexts(
  { db }: Reading,
  texts: readonly string[],
  wanted: Projected | null,
): Promise<string[]> {
  if (!wanted) return texts.map((text) => (text.includes('"decorators": [{') ? maskedText(text) : text));
  const shown: string[] = [];
  for (const text of texts) {
    const { _id } = JSON.parse(text) as { _id: string };
    const job = await findJob(db, _id);
    shown.push(job ? JSON.stringify(projected(jobOf(job.plan, job.document), wanted)) : text);
  }
  return shown;
}

const maskedText = (text: string): string => {
  const { tasks: _, ...job } = masked({ ...(JSON.parse(text) as Job), tasks: {} });
  return JSON.stringify(job);
};

/** How many jobs there are in each state, under the filters of the list (lifecycle §12a). */
export async function countJobs(
  { db, principal }: Reading,
  query: Record<string, unknown>,
): Promise<{ counts: Record<string, number>; total: number }> {
  const { where } = readBrackets(resource, query);
  const isCounted = where.every(({ field }) => COUNTED.has(field));
  const found = await rows<{ status: string; n: string }>(
    db,
    isCounted
      ? sql`select status, sum(n)::text as n from ${jobCounts}
            ${whereOf(counts, where, visibleJobs(principal, jobCounts))} group by status`
      : sql`select status, count(*)::text as n from ${jobs}
            ${whereOf(resource, where, visibleJobs(principal))} group by status`,
    false,
  );
  return countsOf(found);
}

/** Counts by state, from rows; states that nothing is in are left out. */
export function countsOf(found: readonly { status: string; n: string }[]) {
  const entries = found.map(({ status, n }) => [status, Number(n)] as const).filter(([, n]) => n > 0);
  return {
    counts: Object.fromEntries(entries),
    total: entries.reduce((sum, [, n]) => sum + n, 0),
  };
}

/** One job with its tasks, or the members asked for. @throws ServiceError NOT_FOUND */
export async function getJob(
  { db, principal }: Reading,
  id: string,
  query: Record<string, unknown>,
): Promise<ToldJob> {
  const asked = projectionAsked(query);
  const job = await findJob(db, id, { where: visibleJobs(principal) });
  if (!job) throw notFound('Job', id);
  const data = projected(jobOf(job.plan, job.document), asked);
  return { message: 'Successfully retrieved job', data: data as Job, metadata: {} };
}

/** The projection of a query for one job. @throws QueryRefused for names that no job has */
function projectionAsked(query: Record<string, unknown>): Projected {
  const { wanted, rest } = withoutTasks(query);
  const { include, exclude } = readBrackets(resource, rest);
  if (wanted) return wanted;
  if (include) return { include, exclude: [] };
  const asked =
    query.exclude === undefined ? [] : [query.exclude].flat().flatMap((one) => String(one).split(','));
  return { include: null, exclude: [...new Set([...(exclude ?? []), ...asked.map((one) => one.trim())])] };
}

/** A value of a job that is stored apart (lifecycle §6.3). @throws ServiceError NOT_FOUND */
export async function getLargeData({ db, principal }: Reading, id: string): Promise<unknown> {
  const where = visibleJobs(principal);
  const [row] = await rows<{ job: string }>(
    db,
    sql`select ${jobs.id} as job from job_values join ${jobs} on ${jobs.id} = job_values.job_id
        where job_values.id = ${id}${where ? sql` and ${where}` : sql``}`,
  );
  if (!row) throw notFound('Value', id);
  return findValue(db, row.job, id);
}

/** Ids of these jobs that the caller may see. */
export async function visibleAmong({ db, principal }: Reading, ids: readonly string[]): Promise<Set<string>> {
  const where = visibleJobs(principal);
  const found = await rows<{ id: string }>(
    db,
    sql`select id from jobs where id = any(${textArray(ids)})${where ? sql` and ${where}` : sql``}`,
  );
  return new Set(found.map(({ id }) => id));
}
