import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { whereOf } from '#db/list/compile.ts';
import { list } from '#db/list/list.ts';
import type { ListPage } from '#db/list/list-page.ts';
import type { ListQuery } from '#db/list/query.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { Job } from '#db/schemas/workflow/job.ts';
import { jobCounts, jobs, minuteOf, wholeJob } from '#db/tables/workflow/jobs.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { accessOf } from '#server/kernel/documents/documents.service.ts';
import { ops, pageOfTexts } from '#server/kernel/documents/list-envelope.ts';
import { notFound } from '#server/kernel/errors.ts';
import { secretTextsIn, valueWithoutSecrets } from '../store/named-secrets.ts';
import { type Projected, projected, withoutTasks } from '../store/projection.ts';
import { findJob, findValue } from '../store/store.service.ts';
import { countSeen, countsFor, idsOnPage, type JobCounts, withNamesFound } from './job-counts.service.ts';
import { readToShow, shownText } from './listed.service.ts';
import { jobOf } from './shown.ts';
import { visibleJobs } from './visible-jobs.service.ts';

/** The Ops envelope of a job. */
export type ListedJob = { message: string; data: Job; metadata: Record<string, unknown> };

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
  coarse: { last_updated: { column: jobs.minuteUpdated, of: minuteOf } },
  defaultSort: [{ field: 'metrics.start_time', order: -1 }],
  marks: sql`d.masked`,
  whole: { field: 'variables', of: wholeJob },
});

/** Lists a page of jobs, newest first by default (contract/lifecycle#6.3). */
export async function listJobs(ctx: ReadContext<'vault'>, query: Record<string, unknown>) {
  const { wanted, rest } = withoutTasks(query);
  const listQuery = readList(resource, rest);
  const page = await pageOfJobs(ctx, readToShow(listQuery));
  const texts = await shownTexts(ctx, page, listQuery, wanted);
  return ops<Partial<Job>>('Successfully retrieved jobs', pageOfTexts(texts, page.total), listQuery);
}

/** Number of rows above which the page is located by hourly counts instead of reading the rows before it. */
const WALKED = 5000;

type StoredPage = Pick<ListPage, 'texts' | 'marked' | 'total'>;

async function pageOfJobs(ctx: ReadContext, listQuery: ListQuery): Promise<StoredPage> {
  const access = accessOf(visibleJobs(ctx.principal));
  const counted = await countSeen(ctx, listQuery.where);
  if (counted && listQuery.skip >= counted.seen) return { texts: [], marked: [], total: counted.seen };
  const narrowed = (counted && (await byHours(ctx, listQuery, counted))) ?? {
    ...listQuery,
    where: await withNamesFound(ctx, listQuery.where),
  };
  if (!counted) return list(ctx.db, resource, narrowed, access);
  const { texts, marked } = await list(ctx.db, resource, narrowed, { ...access, total: false });
  // The page is read slightly later than the count.
  const end = listQuery.skip + texts.length;
  return {
    texts,
    marked,
    total: texts.length < (listQuery.limit ?? counted.seen) ? end : Math.max(counted.seen, end),
  };
}

/** Returns a query by ids for an unfiltered page that would otherwise read many rows; undefined for any other page. */
async function byHours(
  ctx: ReadContext,
  listQuery: ListQuery,
  { seen, all }: JobCounts,
): Promise<ListQuery | undefined> {
  const { skip, limit } = listQuery;
  const order = orderOfStart(listQuery);
  if (!order || limit === null || listQuery.where.length > 0) return undefined;
  if (((skip + limit) * all) / seen <= WALKED) return undefined;
  const values = await idsOnPage(ctx, { skip, limit, order });
  return { ...listQuery, where: [{ field: '_id', op: 'in', values }], skip: 0 };
}

/** Returns the direction of a list that is sorted by the start of jobs alone. */
const orderOfStart = ({ sort: [first, ...more] }: ListQuery) =>
  first?.field === 'metrics.start_time' && more.length === 0 ? first.order : undefined;

/** Returns each document as listed; when tasks are requested, the whole job is read for it. */
async function shownTexts(
  ctx: ReadContext<'vault'>,
  { texts, marked }: StoredPage,
  listQuery: ListQuery,
  wanted: Projected | null,
): Promise<string[]> {
  const listed = (text: string, at: number) =>
    shownText(ctx.platform.vault, text, marked[at] ?? true, listQuery);
  if (!wanted) return texts.map(listed);
  const shown: string[] = [];
  for (const [at, text] of texts.entries()) {
    const { _id } = JSON.parse(text) as { _id: string };
    const job = await findJob(ctx, _id);
    shown.push(job ? JSON.stringify(projected(jobOf(job.plan, job.document), wanted)) : listed(text, at));
  }
  return shown;
}

/**
 * Counts jobs by status, under the filters of the list (contract/lifecycle#12a).
 *
 * @returns the number per status, without statuses that no job has, and their sum
 */
export async function countJobs(
  { db, principal }: ReadContext,
  query: Record<string, unknown>,
): Promise<{ counts: Record<string, number>; total: number }> {
  const { where } = readList(resource, query);
  const counts = countsFor(where, visibleJobs(principal, jobCounts));
  const found = await rows<{ status: string; n: string }>(
    db,
    counts
      ? sql`select status, sum(n)::text as n ${counts} group by status`
      : sql`select status, count(*)::text as n from ${jobs}
            ${whereOf(resource, where, visibleJobs(principal))} group by status`,
    false,
  );
  return countsOf(found);
}

/** Converts rows to counts by status; statuses without jobs are omitted. */
export function countsOf(found: readonly { status: string; n: string }[]) {
  const entries = found.map(({ status, n }) => [status, Number(n)] as const).filter(([, n]) => n > 0);
  return {
    counts: Object.fromEntries(entries),
    total: entries.reduce((sum, [, n]) => sum + n, 0),
  };
}

/** Returns one job with its tasks, or its requested properties. @throws ServiceError NOT_FOUND */
export async function getJob(
  ctx: ReadContext<'vault'>,
  id: string,
  query: Record<string, unknown>,
): Promise<ListedJob> {
  const projection = projectionOf(query);
  const job = await findJob(ctx, id, { where: visibleJobs(ctx.principal) });
  if (!job) throw notFound('Job', id);
  const data = projected(jobOf(job.plan, job.document), projection);
  return { message: 'Successfully retrieved job', data: data as Job, metadata: {} };
}

/** Returns the projection of a query for one job. @throws InvalidListQuery for unknown names */
function projectionOf(query: Record<string, unknown>): Projected {
  const { wanted, rest } = withoutTasks(query);
  const { include, exclude } = readList(resource, rest);
  if (wanted) return wanted;
  if (include) return { include, exclude: [] };
  const projection =
    query.exclude === undefined ? [] : [query.exclude].flat().flatMap((one) => String(one).split(','));
  return {
    include: null,
    exclude: [...new Set([...(exclude ?? []), ...projection.map((one) => one.trim())])],
  };
}

/** Returns a separately stored value of a job (contract/lifecycle#6.3). @throws ServiceError NOT_FOUND */
export async function getLargeData(ctx: ReadContext<'vault'>, id: string): Promise<unknown> {
  const where = visibleJobs(ctx.principal);
  const [row] = await rows<{ job: string }>(
    ctx.db,
    sql`select ${jobs.id} as job from job_values join ${jobs} on ${jobs.id} = job_values.job_id
        where job_values.id = ${id}${where ? sql` and ${where}` : sql``}`,
  );
  const job = row && (await findJob(ctx, row.job));
  if (!job) throw notFound('Value', id);
  const value = await findValue(ctx, job.id, id);
  // A task may have put a secret of another value into this one.
  return valueWithoutSecrets(value, secretTextsIn(job.document, value));
}

/** Returns those of the job ids that the caller may see. */
export async function visibleAmong(
  { db, principal }: ReadContext,
  ids: readonly string[],
): Promise<Set<string>> {
  const where = visibleJobs(principal);
  const found = await rows<{ id: string }>(
    db,
    sql`select id from jobs where id = any(${textArray(ids)})${where ? sql` and ${where}` : sql``}`,
  );
  return new Set(found.map(({ id }) => id));
}
