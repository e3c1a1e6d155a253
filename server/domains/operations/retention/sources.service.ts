import { type SQL, sql } from 'drizzle-orm';
import { textArray } from '#db/list/row-expressions.ts';
import type { RetentionKind, RetentionSettings } from '#db/schemas/operations/retention.ts';

/** One kind of document: how those that are too old are counted, read for the archive, and deleted. */
export type RetentionSource = {
  count: SQL;
  /** Selects and locks at most `most` documents: their id, and the line of the archive as JSON text. */
  select: (most: number) => SQL;
  /** Deletes these documents; one statement after the other. */
  remove: (ids: readonly string[]) => SQL[];
};

const DAY_MS = 86_400_000;

/**
 * Returns the source of a kind.
 *
 * @param settings of the run
 * @param now the time that ages are counted from: a run uses that of its start
 * @returns undefined for a kind without settings: it is kept for ever
 */
export function sourceOf(
  kind: RetentionKind,
  settings: RetentionSettings,
  now: Date,
): RetentionSource | undefined {
  const chosen = settings[kind];
  if (!chosen) return undefined;
  const cutoff = new Date(now.getTime() - chosen.days * DAY_MS);
  const iso = cutoff.toISOString();
  switch (kind) {
    case 'jobs': {
      const states = settings.jobs?.states ?? ['complete', 'error', 'canceled'];
      return jobs(states, cutoff.getTime());
    }
    case 'reports':
      return simple(
        'compliance_report',
        sql`t.ts < ${iso}::timestamptz
            and not exists (select from compliance_latest l where l.report_id = t.id)`,
        sql`to_jsonb(t)`,
      );
    case 'backups':
      return simple(
        'backups',
        sql`t.date < ${iso} and exists (
              select from backups n where n.name = t.name and (n.date, n.id) > (t.date, t.id))`,
        sql`t.doc`,
      );
    case 'audit':
      return simple('audit', sql`t.time < ${iso}`, sql`t.doc`);
    case 'events':
      return simple('events', sql`t.time < ${iso}::timestamptz`, sql`to_jsonb(t)`, 'bigint');
    case 'history':
      return simple('gateway_calls', sql`t.started < ${iso}`, sql`t.doc`);
  }
}

function simple(name: string, where: SQL, line: SQL, idType: 'text' | 'bigint' = 'text'): RetentionSource {
  const table = sql.identifier(name);
  return {
    count: sql`select count(*)::int as n from ${table} t where ${where}`,
    select: (most) =>
      sql`select t.id::text as id, (${line})::text as line from ${table} t where ${where} limit ${most} for update skip locked`,
    remove: (ids) => [sql`delete from ${table} where id = any(${textArray(ids)}::${sql.raw(`${idType}[]`)})`],
  };
}

/** Jobs that have ended, each with its child jobs and their tasks: they are shown, and deleted, as one. */
function jobs(states: readonly string[], endedBefore: number): RetentionSource {
  const where = sql`t.parent_job is null and t.end_time < ${endedBefore} and t.status = any(${textArray(states)})`;
  const family = (ids: readonly string[]) => sql`with recursive family as (
      select id from jobs where id = any(${textArray(ids)})
      union select jobs.id from jobs join family on jobs.parent_job = family.id)`;
  return {
    count: sql`select count(*)::int as n from jobs t where ${where}`,
    select: (most) => sql`
      select t.id, json_build_object('job', t.doc,
          'tasks', (select json_agg(s.doc) from job_tasks s where s.job_id = t.id),
          'children', (with recursive family as (
              select id from jobs where parent_job = t.id
              union select jobs.id from jobs join family on jobs.parent_job = family.id)
            select json_agg(json_build_object('job', c.doc,
              'tasks', (select json_agg(s.doc) from job_tasks s where s.job_id = c.id)))
            from jobs c join family on family.id = c.id))::text as line
      from jobs t where ${where} limit ${most} for update skip locked`,
    remove: (ids) => [
      sql`${family(ids)} delete from job_tasks where job_id in (select id from family)`,
      sql`${family(ids)} delete from jobs where id in (select id from family)`,
    ],
  };
}
