import { getExecutor } from '@dbos-inc/dbos-sdk/internal/dbos';
import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { Concern } from '#server/kernel/timing/lookout.ts';

/** Time from a claim to the start of the work after which nobody will start it, in milliseconds. */
const UNCONFIRMED_MS = 5000;

/**
 * Gives work back to its queue that this process claimed without knowing: the connection was lost in the place of the answer to
 * the commit of the claim. Such work belongs to a live process, so that no other one takes it over. A claim that merely is slow
 * loses its work to the next one, which is harmless: the engine fences the slow one.
 *
 * @param executor name of this process
 * @param failed receives errors; the next look follows
 */
export function unconfirmedClaims(db: Database, executor: string, failed: (error: unknown) => void): Concern {
  const unconfirmed = () => {
    const running = textArray([...getExecutor().systemDatabase.runningWorkflowMap.keys()]);
    return sql`where status = 'PENDING' and executor_id = ${executor} and queue_name is not null
      and started_at_epoch_ms < (extract(epoch from now()) * 1000)::bigint - ${UNCONFIRMED_MS}::bigint
      and workflow_uuid <> all(${running})`;
  };
  return {
    isDue: () => sql`exists(select 1 from dbos.workflow_status ${unconfirmed()})`,
    attend: () =>
      rows(
        db,
        sql`update dbos.workflow_status set status = 'ENQUEUED', owner_xid = null, started_at_epoch_ms = null,
              updated_at = (extract(epoch from now()) * 1000)::bigint
            ${unconfirmed()}`,
      ),
    failed,
  };
}
