import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { isoOf } from '#db/expressions.ts';
import { textArray } from '#db/list/row-expressions.ts';
import {
  RETENTION_KINDS,
  type RetentionKind,
  type RetentionSettings,
} from '#db/schemas/operations/retention.ts';
import { wholeJob } from '#db/tables/workflow/jobs.ts';

/** One kind of document: how those that are too old are counted, read for the archive, and deleted. */
export type RetentionSource = {
  count: SQL;
  /**
   * Selects and locks at most `most` documents, the oldest first: their id, their time, and the line of the archive as JSON
   * text.
   *
   * @param from time where the step before ended; null for the first one
   */
  select: (most: number, from: string | null) => SQL;
  /** Deletes these documents; one statement after the other. */
  remove: (ids: readonly string[]) => SQL[];
};

/** A document as a step reads it. */
export type Expired = { id: string; time: string; line: string };

/** For each kind with settings the time before which documents are deleted, as ISO 8601. */
type RetentionLimits = Partial<Record<RetentionKind, string>>;

/** Where the documents of a kind are. */
type Place = {
  table: SQL;
  /** Its time, which an index orders. */
  time: SQL;
  /** Turns the time into ISO 8601 with milliseconds, and back. */
  toIso: (time: SQL) => SQL;
  fromIso: (iso: string) => SQL;
  /** The two directions of the index. */
  oldestFirst: SQL;
  newestFirst: SQL;
  /** Which documents the settings are about. */
  scope: SQL;
  /** Which of them may be deleted once they are too old. */
  removable: SQL;
  /** Number of rows that a document is deleted with; absent: one. A step ends with the document that reaches STEP_ROWS. */
  size?: SQL;
  line: SQL;
  remove: RetentionSource['remove'];
};

const DAY_MS = 86_400_000;
/** Rows after which a step takes no further document. */
const STEP_ROWS = 1000;
const ALL = sql`true`;

const DESCENDING = { oldestFirst: sql`asc nulls first`, newestFirst: sql`desc nulls last` };
const ASCENDING = { oldestFirst: sql`asc nulls last`, newestFirst: sql`desc nulls first` };

const asText = { ...DESCENDING, toIso: (time: SQL) => time, fromIso: (iso: string) => sql`${iso}::text` };
const asMoment = {
  ...ASCENDING,
  toIso: (time: SQL) => isoOf(sql`date_trunc('milliseconds', ${time})`),
  fromIso: (iso: string) => sql`${iso}::timestamptz`,
};
const asMilliseconds = {
  ...DESCENDING,
  toIso: (time: SQL) => isoOf(sql`to_timestamp(${time} / 1000.0)`),
  fromIso: (iso: string) => sql`${Date.parse(iso)}::bigint`,
};

const byId =
  (table: SQL, type: 'text' | 'bigint' = 'text') =>
  (ids: readonly string[]) => [
    sql`delete from ${table} where id = any(${textArray(ids)}::${sql.raw(`${type}[]`)})`,
  ];

function placeOf(kind: RetentionKind, settings: RetentionSettings): Place {
  switch (kind) {
    case 'jobs':
      return jobs(settings.jobs?.states ?? ['complete', 'error', 'canceled']);
    case 'reports':
      return {
        table: sql`compliance_report`,
        time: sql`t.ts`,
        ...asMoment,
        scope: ALL,
        removable: sql`not exists (select from compliance_latest l where l.report_id = t.id)`,
        line: sql`to_jsonb(t) || jsonb_build_object('findings', (select
            jsonb_build_object('issues', f.issues, 'specs', f.specs) from compliance_finding f where f.sha256 = t.finding))`,
        remove: byId(sql`compliance_report`),
      };
    case 'backups':
      return {
        ...documents(sql`backups`, sql`t.date`),
        removable: sql`exists (select from backups n where n.name = t.name and (n.date, n.id) > (t.date, t.id))`,
      };
    case 'audit':
      return documents(sql`audit`, sql`t.time`);
    case 'events':
      return {
        ...documents(sql`events`, sql`t.time`),
        ...asMoment,
        line: sql`to_jsonb(t)`,
        remove: byId(sql`events`, 'bigint'),
      };
    case 'history':
      return documents(sql`gateway_calls`, sql`t.started`);
  }
}

const documents = (table: SQL, time: SQL): Place => ({
  table,
  time,
  ...asText,
  scope: ALL,
  removable: ALL,
  line: sql`t.doc`,
  remove: byId(table),
});

/** Jobs that have ended, each with its child jobs and their tasks: they are shown, and deleted, as one. */
function jobs(states: readonly string[]): Place {
  const family = (ids: readonly string[]) => sql`with recursive family as (
      select id from jobs where id = any(${textArray(ids)})
      union select jobs.id from jobs join family on jobs.parent_job = family.id)`;
  const descendants = sql`family as (
      select id from jobs where parent_job = t.id
      union select jobs.id from jobs join family on jobs.parent_job = family.id)`;
  const parts = (job: SQL) => sql`'job', ${wholeJob(job)}, 'state', ${job}.state,
      'workflow', (select p.drawing from job_plans p where p.id = ${job}.plan_id),
      'tasks', (select json_agg(s.doc) from job_tasks s where s.job_id = ${job}.id),
      'values', (select json_object_agg(v.id, v.value) from job_values v where v.job_id = ${job}.id)`;
  return {
    table: sql`jobs`,
    time: sql`t.end_time`,
    ...asMilliseconds,
    scope: sql`t.parent_job is null and t.status = any(${textArray(states)}) and t.end_time is not null`,
    removable: ALL,
    size: sql`(with recursive ${descendants} select count(*) + 1 from family)`,
    line: sql`json_build_object(${parts(sql`t`)},
        'children', (with recursive ${descendants}
          select json_agg(json_build_object(${parts(sql`c`)})) from jobs c join family on family.id = c.id))`,
    remove: (ids) => [
      sql`${family(ids)} delete from job_tasks where job_id in (select id from family)`,
      sql`${family(ids)} delete from jobs where id in (select id from family)`,
    ],
  };
}

/**
 * Determines the time before which documents of each kind are too old. Documents of the same moment as the last one that
 * `count` keeps are kept too.
 *
 * @param now the time that ages are counted from
 */
export async function limitsOf(
  db: Database,
  settings: RetentionSettings,
  now: Date,
): Promise<RetentionLimits> {
  const limits: RetentionLimits = {};
  for (const kind of RETENTION_KINDS) {
    const chosen = settings[kind];
    if (!chosen) continue;
    const { days, count } = chosen;
    const byAge = new Date(days === undefined ? 0 : now.getTime() - days * DAY_MS).toISOString();
    const byCount = count === undefined ? undefined : await timeOfNewest(db, placeOf(kind, settings), count);
    limits[kind] = byCount !== undefined && byCount > byAge ? byCount : byAge;
  }
  return limits;
}

/** Returns the time of the last of the `count` newest documents; undefined where there are fewer. */
async function timeOfNewest(db: Database, { table, time, toIso, newestFirst, scope }: Place, count: number) {
  const [last] = await rows<{ time: string }>(
    db,
    sql`select ${toIso(time)} as time from ${table} t where ${scope}
        order by ${time} ${newestFirst} offset ${count - 1} limit 1`,
  );
  return last?.time;
}

/**
 * Returns how the documents of a kind are counted, read and deleted.
 *
 * @param settings of the run
 * @param before documents from before this time are deleted, ISO 8601
 */
export function sourceOf(kind: RetentionKind, settings: RetentionSettings, before: string): RetentionSource {
  const place = placeOf(kind, settings);
  const { table, time, fromIso, scope, removable, remove } = place;
  const where = sql`${scope} and ${time} < ${fromIso(before)} and ${removable}`;
  return {
    count: sql`select count(*)::int as n from ${table} t where ${where}`,
    select: (most, from) =>
      // With the time of the step before, no step reads again what was kept or deleted before it.
      selectOldest(place, from === null ? where : sql`${where} and ${time} >= ${fromIso(from)}`, most),
    remove,
  };
}

function selectOldest({ table, time, toIso, oldestFirst, line, size }: Place, where: SQL, most: number): SQL {
  // The order is that of the index.
  const choice = sql`where ${where} order by ${time} ${oldestFirst} limit ${most} for update skip locked`;
  const columns = sql`t.id::text as id, ${toIso(time)} as time, (${line})::text as line`;
  if (!size) return sql`select ${columns} from ${table} t ${choice}`;
  return sql`
    with chosen as materialized (select t.id from ${table} t ${choice}),
      sized as materialized (select t.id, ${time} as moment, ${size} as size from chosen join ${table} t on t.id = chosen.id),
      summed as (select id, moment, sum(size) over (order by moment, id) - size as earlier from sized)
    select ${columns} from summed join ${table} t on t.id = summed.id
    where summed.earlier < ${STEP_ROWS}::int order by summed.moment, summed.id`;
}
