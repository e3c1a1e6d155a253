import { type SQL, sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import { document, orderedText, textOf } from '../../columns.ts';
import type { Job } from '../../schemas/workflow/job.ts';
import type { TaskItem } from '../../schemas/workflow/task-item.ts';
import type { Transformation } from '../../schemas/workflow/transformation.ts';
import type { Workflow } from '../../schemas/workflow/workflow.ts';
import { triggers } from '../assets/assets.ts';

const milliseconds = (column: string, path: string) =>
  bigint(column, { mode: 'number' }).generatedAlwaysAs(
    sql.raw(`(doc #>> '{${path}}')::double precision::bigint`),
  );

/** Returns the minute of a time written as ISO 8601. */
export const minuteOf = (moment: SQL): SQL => sql`left((${moment}), 16)`;

/** Workflow snapshots of jobs, each stored once however many jobs share it: the id is the hash of its text. */
export const jobPlans = pgTable('job_plans', {
  id: orderedText().primaryKey(),
  drawing: jsonb()
    .$type<Pick<Workflow, 'tasks' | 'transitions'> & { transformations?: Record<string, Transformation> }>()
    .notNull(),
});

/** Jobs (contract/lifecycle#6.3): `doc` is what lists show, without tasks; `state` holds the progress of the tasks. */
export const jobs = pgTable(
  'jobs',
  {
    ...document<Omit<Job, 'tasks'>>(),
    state: jsonb().notNull(),
    /** Ids of its values that are stored separately although readers see them in the job (decision 0141); null: none. */
    apart: text().array(),
    planId: text('plan_id')
      .notNull()
      .references(() => jobPlans.id),
    /** The project of the workflow; its members may read the job. */
    projectId: orderedText('project_id'),
    /** For a child job: the iteration and attempt of the task that waits for it (`jobFans`), and its index there. */
    fanId: orderedText('fan_id'),
    element: integer(),
    name: textOf('name'),
    status: textOf('status'),
    type: textOf('type'),
    createdBy: textOf('created_by'),
    lastUpdated: textOf('last_updated').notNull(),
    /** The indexed form of the time: most steps of a job then change no index, and write only the row (decision 0054). */
    minuteUpdated: orderedText('minute_updated')
      .generatedAlwaysAs(minuteOf(sql.raw(`doc ->> 'last_updated'`)))
      .notNull(),
    startTime: milliseconds('start_time', 'metrics,start_time').notNull(),
    endTime: milliseconds('end_time', 'metrics,end_time'),
    parentJob: orderedText('parent_job').generatedAlwaysAs(sql`doc #>> '{parent,job}'`),
    groups: jsonb().generatedAlwaysAs(sql`doc -> 'groups'`),
    /** Whether lists mask its values: they are sealed, or the job predates sealing and holds a secret. */
    masked: boolean().generatedAlwaysAs(sql`doc ?| array['sealed', 'plainSecrets']`).notNull(),
    /** Until then every step of the job is published to the streams that follow it (decision 0127). */
    followedUntil: timestamp('followed_until', { withTimezone: true }),
    /** Ids of the iterations that its latest step wrote; null while nobody follows it. */
    progressed: text().array(),
  },
  // The start is never null, so each index on it serves both directions.
  (t) => [
    index('jobs_by_start').on(t.startTime.desc().nullsFirst(), t.id),
    index('jobs_by_status').on(t.status, t.startTime, t.id),
    index('jobs_by_name').on(t.name, t.startTime, t.id),
    index('jobs_by_name_alone').on(t.name, t.id),
    index('jobs_by_creator').on(t.createdBy, t.startTime, t.id),
    index('jobs_by_change').on(t.minuteUpdated),
    index('jobs_by_end').on(t.endTime.desc().nullsLast(), t.id),
    index('jobs_by_parent').on(t.parentJob).where(sql`parent_job is not null`),
    index('jobs_by_fan').on(t.fanId, t.element).where(sql`fan_id is not null`),
  ],
);

/**
 * Returns the document of a job as readers see it.
 *
 * @param row the job's row
 */
export const wholeJob = (row: SQL): SQL => sql`case when ${row}.apart is null then ${row}.doc
  else jsonb_set(${row}.doc, '{variables}', ${wholeValues(row, sql`${row}.doc -> 'variables'`)}) end`;

/**
 * Returns values of a job as readers see them: those that are stored separately only to spare writes are filled in.
 *
 * @param row the job's row
 * @param values its variables, or the incoming or outgoing values of a task: an object, or null
 */
export const wholeValues = (row: SQL, values: SQL): SQL => sql`case when ${row}.apart is null then ${values}
  else coalesce((select jsonb_object_agg(m.key, coalesce(v.value, m.value)) from jsonb_each(${values}) m
    left join job_values v on v.id = m.value ->> '$largeData' and v.id = any(${row}.apart)), ${values}) end`;

/**
 * Every iteration of a task (contract/lifecycle#6.4), without its values: those of the latest iteration are in the job,
 * those of earlier ones in `kept`. Code that deletes a job deletes its rows too; a foreign key would be checked for each
 * task that runs.
 */
export const jobTasks = pgTable(
  'job_tasks',
  {
    ...document<TaskItem>(),
    jobId: orderedText('job_id').notNull(),
    task: text().notNull(),
    kept: jsonb(),
    name: textOf('name'),
    type: textOf('type'),
    status: textOf('status'),
    startTime: milliseconds('start_time', 'metrics,start_time'),
  },
  (t) => [
    index('job_tasks_job').on(t.jobId),
    index('job_tasks_by_start').on(t.startTime.desc().nullsLast(), t.id),
    // The order is stated again, because `index` takes over and resets the order set on a column.
    index('job_tasks_by_status').on(t.status, t.type, t.startTime.desc().nullsLast(), t.id),
  ],
);

/** Fan-outs: a task that waits for child jobs, the number of jobs, and how many of them have ended. */
export const jobFans = pgTable(
  'job_fans',
  {
    /** The iteration and attempt of that task. */
    id: orderedText().primaryKey(),
    jobId: text('job_id')
      .notNull()
      .references(() => jobs.id, { onDelete: 'cascade' }),
    task: text().notNull(),
    iteration: text().notNull(),
    attempt: integer().notNull(),
    total: integer().notNull(),
    done: integer().notNull().default(0),
    /** Sum of the progress that unfinished jobs have reported, each from 0 to 1. */
    share: doublePrecision().notNull().default(0),
    /** Whether the results form a list, one per element. */
    loops: boolean().notNull(),
    oneByOne: boolean('one_by_one').notNull(),
  },
  (t) => [index('job_fans_job').on(t.jobId)],
);

/**
 * Values of jobs that are stored separately: those over 1 MiB (contract/lifecycle#large-data), and those that would make each
 * step write too much (`jobs.apart`).
 */
export const jobValues = pgTable(
  'job_values',
  {
    id: orderedText().primaryKey(),
    jobId: text('job_id')
      .notNull()
      .references(() => jobs.id, { onDelete: 'cascade' }),
    value: jsonb().notNull(),
  },
  (t) => [index('job_values_job').on(t.jobId)],
);

/**
 * Number of jobs, by the fields that lists filter by and the values that decide who may read them: a trigger appends rows,
 * whose sum is the count. Each job is counted three times: by its name, by its creator, and by the hour in which it
 * started, which serves to find the start of a page.
 */
export const jobCounts = pgTable(
  'job_counts',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    by: text().$type<'name' | 'creator' | 'hour'>().notNull(),
    name: orderedText(),
    createdBy: orderedText('created_by'),
    /** Hours since 1970. */
    hour: integer(),
    status: orderedText(),
    type: orderedText(),
    groups: jsonb(),
    projectId: orderedText('project_id'),
    n: bigint({ mode: 'number' }).notNull(),
    /** Hash that is equal for rows that count the same, so that they are found and merged. */
    kin: bigint({ mode: 'bigint' }).generatedAlwaysAs(
      sql`hash_record_extended(row(by, name, created_by, hour, status, type, groups, project_id), 0)`,
    ),
  },
  (t) => [
    index('job_counts_name').on(t.name, t.status),
    index('job_counts_creator').on(t.createdBy, t.status),
    index('job_counts_kin').on(t.kin),
  ],
);

/** Occasions for which a trigger has already started: a due time or an event. Nothing starts twice for the same one. */
export const triggerFirings = pgTable(
  'trigger_firings',
  {
    triggerId: text('trigger_id')
      .notNull()
      .references(() => triggers.id, { onDelete: 'cascade' }),
    dedupId: text('dedup_id').notNull(),
    at: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.triggerId, t.dedupId] }), index('trigger_firings_at').on(t.at)],
);
