import { type Database, rows } from '#db/client.ts';
import { sql } from '#db/statement.ts';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import type { Head } from '../reducer/document.ts';

/** Maximum nesting depth of jobs: it stops a workflow that runs itself, also as its error handler. */
const DEEPEST = 50;

/** Maximum number of jobs below one that have not ended: it stops a workflow that runs itself several times. */
const MOST_ACTIVE = 50_000;

/** Time in milliseconds for which a count is used; a large count, which takes long, is used twenty times as long as it took. */
const COUNT_MS = 1000;
const MOST_COUNTS = 10_000;

/** Jobs below a root that have not ended, as last counted, and those that this process added since. */
const counts = new Map<string, { active: number; until: number }>();

/**
 * Counts further jobs below a job, unless there are too many.
 *
 * @param added how many are to be created, and run at once
 * @returns why they may not be created, as text; null when they may
 */
export async function reasonAgainstBelow(
  db: Database,
  { _id, ancestors = [] }: Pick<Head, '_id' | 'ancestors'>,
  added: number,
): Promise<string | null> {
  if (ancestors.length >= DEEPEST) return `jobs are nested more than ${DEEPEST} levels deep`;
  const root = ancestors[0] ?? _id;
  const began = performance.now();
  const known = counts.get(root);
  const isKnown = known !== undefined && known.until > began;
  const active = isKnown ? known.active : await countActive(db, root);
  if (active + added > MOST_ACTIVE)
    return `job ${root} would have more than ${MOST_ACTIVE} jobs below it that have not ended`;
  const until = isKnown ? known.until : began + Math.max(COUNT_MS, 20 * (performance.now() - began));
  keepLatest(counts, MOST_COUNTS, root, { active: active + added, until });
  return null;
}

/** Returns how many jobs below one have not ended; those of a fan-out count before they are created. */
async function countActive(db: Database, root: string): Promise<number> {
  const [found] = await rows<{ active: string }>(
    db,
    sql`with recursive below as (
        select id, fan_id from jobs where id = ${root}
        union all
        select j.id, j.fan_id from below join jobs j on j.parent_job = below.id
          where j.status in ('running', 'paused', 'error'))
      select (select count(*) from below where fan_id is null) + coalesce(
        (select sum(case when f.one_by_one then 1 else f.total - f.done end)
          from below join job_fans f on f.job_id = below.id), 0) as active`,
  );
  return Number(found?.active ?? 0);
}
