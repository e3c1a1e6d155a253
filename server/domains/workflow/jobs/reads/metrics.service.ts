import { type SQL, sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { JobMetrics, TaskMetrics } from '#db/schemas/workflow/worker.ts';
import { workflows } from '#db/tables/assets/assets.ts';
import { jobs, jobTasks } from '#db/tables/workflow/jobs.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import type { JsonText } from '#server/kernel/json-text.ts';
import { visibleJobs } from './visible-jobs.service.ts';

type Options = Readonly<Record<string, unknown>>;
type Listed<Document> = { results: Document[]; total: number };

const jobMetrics = defineResource({ name: 'metrics of jobs', schema: JobMetrics, source: 'given' });
const taskMetrics = defineResource({ name: 'metrics of tasks', schema: TaskMetrics, source: 'given' });

/** Returns SQL for the start of the UTC day of a time; both in milliseconds since 1970. */
const dayOf = (moment: SQL) => sql`(floor(${moment} / 86400000.0) * 86400000)::float8`;
const isoOf = (day: number) => new Date(day).toISOString();
const took = (table: SQL) => sql`((${table}.doc #>> '{metrics,end_time}')::float8 - ${table}.start_time)`;

const seen = ({ principal }: ReadContext) => {
  const visible = visibleJobs(principal);
  return visible ? sql`and ${visible}` : sql``;
};

type JobDay = {
  name: string;
  id: string | null;
  day: number;
  complete: number;
  ran: number;
  missed: number;
  manual: number;
  before: number;
};

/** Lists the run times of completed jobs by workflow and day, of the jobs that the caller sees (contract/lifecycle#2). */
export async function listJobMetrics(
  ctx: ReadContext,
  options: Options,
): Promise<JsonText<Listed<JobMetrics>>> {
  const query = readList(jobMetrics, options);
  const days = await rows<JobDay>(
    ctx.db,
    sql`with ended as (
        select id, name, ${dayOf(sql`start_time`)} as day, ${took(sql`jobs`)} as ran,
          coalesce((doc ->> 'sla')::float8, 0) as sla, coalesce((doc ->> 'preAutomationTime')::float8, 0) as before
        from ${jobs} where status = 'complete' ${seen(ctx)}
      ), manual as (
        select t.job_id, sum(${took(sql`t`)}) as took from ${jobTasks} t
        where t.type = 'manual' and t.status = 'complete' group by t.job_id
      )
      select e.name, w.id, e.day, count(*)::int as complete, sum(e.ran)::float8 as ran,
        count(*) filter (where e.sla > 0 and e.ran > e.sla)::int as missed,
        coalesce(sum(m.took), 0)::float8 as manual,
        coalesce(max((w.doc ->> 'preAutomationTime')::float8), max(e.before))::float8 as before
      from ended e left join manual m on m.job_id = e.id left join ${workflows} w on w.name = e.name
      group by e.name, w.id, e.day order by e.name, e.day`,
    false,
  );
  const given = [...grouped(days, ({ name }) => name)].map(([name, some]): JobMetrics => {
    const id = some[0]?.id ?? undefined;
    return {
      _id: id ?? name,
      workflow: { ...(id !== undefined && { id }), name },
      metrics: some.map((one) => ({
        startDate: isoOf(one.day),
        jobsComplete: one.complete,
        totalRunTime: one.ran,
        slaTargetsMissed: one.missed,
        totalManualTime: one.manual,
      })),
      preAutomationTime: Math.max(...some.map(({ before }) => before)),
      jobsComplete: sumOf(some, ({ complete }) => complete),
      totalRunTime: sumOf(some, ({ ran }) => ran),
    };
  });
  return core(await list(ctx.db, jobMetrics, query, { given }));
}

type TaskDay = {
  workflow: string;
  id: string | null;
  task: string;
  name: string;
  app: string | null;
  type: string | null;
  day: number;
} & Record<'successes' | 'failures' | 'errors' | 'successRan' | 'failureRan' | 'errorRan', number>;

/** Lists the outcomes and run times of tasks by task and day, of the jobs that the caller sees (contract/lifecycle#2). */
export async function listTaskMetrics(
  ctx: ReadContext,
  options: Options,
): Promise<JsonText<Listed<TaskMetrics>>> {
  const query = readList(taskMetrics, options);
  const ended = (state: string) => sql`where t.doc #>> '{metrics,finish_state}' = ${state}`;
  const count = (state: string) => sql`count(*) filter (${ended(state)})::int`;
  const ran = (state: string) => sql`coalesce(sum(${took(sql`t`)}) filter (${ended(state)}), 0)::float8`;
  const days = await rows<TaskDay>(
    ctx.db,
    sql`with visible as (select id, name from ${jobs} where true ${seen(ctx)})
      select j.name as workflow, w.id, t.task, t.name, t.doc ->> 'app' as app, t.type,
        ${dayOf(sql`t.start_time`)} as day,
        ${count('success')} as successes, ${count('failure')} as failures, ${count('error')} as errors,
        ${ran('success')} as "successRan", ${ran('failure')} as "failureRan", ${ran('error')} as "errorRan"
      from ${jobTasks} t join visible j on j.id = t.job_id left join ${workflows} w on w.name = j.name
      where t.status in ('complete', 'error') and t.start_time is not null
        and t.task not in ('workflow_start', 'workflow_end')
      group by j.name, w.id, t.task, t.name, app, t.type, day order by j.name, t.task, t.name, app, t.type, day`,
    false,
  );
  const keyOf = ({ workflow, task, name, app, type }: TaskDay) =>
    JSON.stringify([workflow, task, name, app, type]);
  const given = [...grouped(days, keyOf).values()].flatMap((some): TaskMetrics[] => {
    const [first] = some;
    if (!first) return [];
    const id = first.id ?? undefined;
    return [
      {
        _id: `${id ?? first.workflow}:${first.task}`,
        taskId: first.task,
        taskType: first.type ?? 'automatic',
        name: first.name,
        app: first.app ?? '',
        workflow: { ...(id !== undefined && { id }), name: first.workflow },
        metrics: some.map((one) => ({
          startDate: isoOf(one.day),
          totalSuccesses: one.successes,
          totalSuccessRunTime: one.successRan,
          totalFailures: one.failures,
          totalFailureRunTime: one.failureRan,
          totalErrors: one.errors,
          totalErrorRunTime: one.errorRan,
        })),
      },
    ];
  });
  return core(await list(ctx.db, taskMetrics, query, { given }));
}

/** Groups rows by a key, keeping their order. */
function grouped<Row>(all: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of all) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

const sumOf = <One>(some: readonly One[], of: (one: One) => number): number =>
  some.reduce((sum, one) => sum + of(one), 0);
