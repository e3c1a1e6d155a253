import { type SQL, sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { whereOf } from '#db/list/compile.ts';
import type { Condition, ListQuery } from '#db/list/query.ts';
import { defineResource } from '#db/list/resource.ts';
import { Job } from '#db/schemas/workflow/job.ts';
import { jobCounts, jobs } from '#db/tables/workflow/jobs.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { visibleJobs } from './visible-jobs.service.ts';

/** The dimensions of job counts, and the fields that each can filter by (decision 0054). */
const KNOWN = {
  name: new Set(['name', 'status', 'type']),
  creator: new Set(['created_by', 'status', 'type']),
};

const counts = defineResource({
  name: 'jobs',
  schema: Job.pick({ name: true, status: true, type: true, created_by: true }),
  // Only its columns are queried: it has no documents.
  source: jobCounts as unknown as typeof jobs,
  columns: {
    name: jobCounts.name,
    status: jobCounts.status,
    type: jobCounts.type,
    created_by: jobCounts.createdBy,
  },
});

/**
 * Returns `from … where …` for count rows `{ name, status, type, created_by, n }`, to be added up instead of counting jobs.
 *
 * @param visible a condition of `visibleJobs`, for the counts table
 * @returns undefined when a filter uses a field that is not counted
 */
export function countsFor(where: readonly Condition[], visible: SQL | undefined): SQL | undefined {
  const by = (['name', 'creator'] as const).find((one) => where.every(({ field }) => KNOWN[one].has(field)));
  return by && sql`from ${jobCounts} ${whereOf(counts, where, visible, sql`by = ${by}`)}`;
}

/** Number of jobs that match a filter: visible to the caller, and in total. */
export type JobCounts = { seen: number; all: number };

/** Counts the jobs that match a filter. @returns undefined when a filter uses a field that is not counted */
export async function countSeen(
  { db, principal }: ReadContext,
  where: readonly Condition[],
): Promise<JobCounts | undefined> {
  const counted = countsFor(where, undefined);
  if (!counted) return undefined;
  const visible = visibleJobs(principal, jobCounts);
  const seen = visible ? sql`sum(n) filter (where ${visible})` : sql`sum(n)`;
  const [row] = await rows<{ seen: string; all: string }>(
    db,
    sql`select coalesce(${seen}, 0)::text as seen, coalesce(sum(n), 0)::text as all ${counted}`,
    false,
  );
  return { seen: Number(row?.seen ?? 0), all: Number(row?.all ?? 0) };
}

/**
 * Replaces filters by part of a name with a set of names: these are searched among the few distinct names of jobs, so that
 * the condition on the jobs can use an index.
 */
export async function withNamesFound({ db }: ReadContext, where: readonly Condition[]): Promise<Condition[]> {
  const sought = where.filter(({ field, op }) => field === 'name' && (op === 'contains' || op === 'prefix'));
  if (sought.length === 0) return [...where];
  const found = await rows<{ name: string }>(
    db,
    sql`select distinct name from ${jobCounts} ${whereOf(counts, sought, sql`by = 'name'`)}`,
    false,
  );
  const names: Condition = { field: 'name', op: 'in', values: found.map(({ name }) => name) };
  return [...where.filter((one) => !sought.includes(one)), names];
}

const HOUR = sql`3600000::bigint`;

/**
 * Returns the ids of the jobs on one page of all that a caller sees, in order of their start. The counts tell in which
 * hours these started, so that neither skipped rows nor rows hidden from the caller are read.
 *
 * @param order 1 for the oldest first, −1 for the newest
 */
export async function idsOnPage(
  { db, principal }: ReadContext,
  { skip, limit, order }: { skip: number; limit: number; order: ListQuery['sort'][number]['order'] },
): Promise<string[]> {
  const direction = order === 1 ? sql`asc` : sql`desc`;
  const andVisible = (table: typeof jobs | typeof jobCounts) => {
    const visible = visibleJobs(principal, table);
    return visible ? sql`and ${visible}` : sql``;
  };
  const found = await rows<{ id: string }>(
    db,
    sql`with counted as (
        select hour, sum(n) as n from ${jobCounts} where by = 'hour' ${andVisible(jobCounts)} group by hour having sum(n) > 0
      ), placed as (
        select hour, n, sum(n) over (order by hour ${direction}) - n as before from counted
      ), wanted as materialized (
        select hour, before from placed where before < ${skip + limit}::bigint and before + n > ${skip}::bigint
      )
      select found.id from wanted cross join lateral (
        select ${jobs.id}, ${jobs.startTime} from ${jobs}
        where ${jobs.startTime} >= wanted.hour * ${HOUR} and ${jobs.startTime} < (wanted.hour + 1) * ${HOUR} ${andVisible(jobs)}
        order by ${jobs.startTime} ${direction}, ${jobs.id} limit ${skip + limit}::bigint - wanted.before
      ) as found
      order by found.start_time ${direction}, found.id
      offset ${skip}::bigint - (select min(before) from wanted) limit ${limit}::bigint`,
    false,
  );
  return found.map(({ id }) => id);
}
