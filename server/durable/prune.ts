import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';

/** How long work that has ended is kept, in hours: a repeated request for the same id in that time has no effect. */
const KEPT_HOURS = 24;

/** Most pieces of work that one statement deletes, so that locks are held briefly. */
const AT_ONCE = 2000;

/**
 * Deletes what the engine and we keep of work that ended long ago. Concurrent processes share the task.
 *
 * @returns how many pieces of work were deleted
 */
export async function pruneWork(db: Database): Promise<number> {
  for (let gone = 0; ; ) {
    const pruned = await rows(
      db,
      sql`
      with ended as (
        select workflow_uuid as id from dbos.workflow_status
        where completed_at < (extract(epoch from now() - make_interval(hours => ${KEPT_HOURS}::int)) * 1000)::bigint
          and status in ('SUCCESS', 'CANCELLED', 'ERROR', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED')
        order by completed_at limit ${AT_ONCE}::int for update skip locked),
      records as (delete from work_records using ended where work_id = ended.id),
      losses as (delete from work_losses using ended where work_id = ended.id),
      inputs as (delete from dbos.workflow_input using ended where workflow_uuid = ended.id),
      outputs as (delete from dbos.workflow_output using ended where workflow_uuid = ended.id)
      delete from dbos.workflow_status using ended where workflow_uuid = ended.id returning 1`,
    );
    gone += pruned.length;
    if (pruned.length < AT_ONCE) return gone;
  }
}
