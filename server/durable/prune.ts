import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';

/** Time that work which has ended is kept, in hours: whoever asks for it again in that time asks for what was done. */
const KEPT_HOURS = 24;

/** Pieces of work that one statement takes away: locks held for long would be felt. */
const AT_ONCE = 2000;

/**
 * Take away what the engine and we keep of work that ended long ago. Processes that do so at the same time share it.
 *
 * @returns how many pieces of work are gone
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
