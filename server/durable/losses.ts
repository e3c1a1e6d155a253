import { DBOS } from '@dbos-inc/dbos-sdk';
import { desc, eq, sql } from 'drizzle-orm';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { workRecords } from '#db/tables/bookkeeping/durable-work.ts';
import type { Worker } from './port.ts';
import { durable } from './requests.ts';

/** Lost processes after which a piece of work is put aside (decision 0059). */
export const MOST_LOSSES = 3;

/** The executor id of suspects that wait for their turn; no process ever holds its lock. */
export const SUSPECTS = 'suspects';

/** The executor id of work that a process released at an orderly stop, which does not count as a loss. */
export const RELEASED = 'released';

/**
 * Releases the unfinished work of this process to others when it stops.
 *
 * @param executor name of this process
 * @returns once the work is released
 */
export const releaseWork = (db: Database, executor: string) =>
  rows(
    db,
    sql`update dbos.workflow_status set executor_id = ${RELEASED}
        where status = 'PENDING' and executor_id = ${executor}`,
  );

/** The work of a lost process: what is resumed, and what is put aside for good. */
export type Left = { resumed: string[]; putAside: string[] };

/**
 * Counts the loss of a process against the work it was running. Work that has recorded a step since an earlier loss
 * starts its count anew, because it did not cause that loss. Work that one more loss would put aside becomes a suspect:
 * suspects are resumed one at a time, so that work running beside the cause is not put aside with it.
 *
 * @param tx holds the lock of the lost process
 * @param executor name of the lost process
 */
export async function countLosses(tx: Database, ids: string[], executor: string): Promise<Left> {
  if (executor === RELEASED) return { resumed: ids, putAside: [] };
  const all = textArray(ids);
  await tx.execute(sql`
    with now as (
      select w.id, (select count(*)::int from work_records r where r.work_id = w.id) as steps
      from unnest(${all}) as w(id)),
    outdated as (
      delete from work_losses using now where work_id = now.id and work_losses.steps < now.steps)
    insert into work_losses (work_id, executor, steps) select id, ${executor}, steps from now
    on conflict (work_id, executor) do update set steps = excluded.steps`);
  const counted = await rows<{ id: string; losses: number }>(
    tx,
    sql`select work_id as id, count(*)::int as losses from work_losses where work_id = any(${all}) group by work_id`,
  );
  const idsOf = (wanted: (losses: number) => boolean) =>
    counted.filter(({ losses }) => wanted(losses)).map(({ id }) => id);
  const suspects = idsOf((losses) => losses === MOST_LOSSES - 1);
  if (suspects.length > 0) {
    await tx.execute(sql`
      update dbos.workflow_status set executor_id = ${SUSPECTS}
      where workflow_uuid = any(${textArray(suspects)}) and status = 'PENDING'`);
  }
  return {
    resumed: idsOf((losses) => losses < MOST_LOSSES - 1),
    putAside: idsOf((losses) => losses >= MOST_LOSSES),
  };
}

/** Returns the suspect work to run next; undefined while another suspect runs, or when none waits. */
export async function nextSuspect(tx: Database): Promise<{ id: string; queue: string } | undefined> {
  const [suspect] = await rows<{ id: string; queue: string }>(
    tx,
    sql`select workflow_uuid as id, queue_name as queue from dbos.workflow_status
        where status = 'PENDING' and executor_id = ${SUSPECTS} and queue_name is not null
          and not exists (
            select 1 from work_losses join dbos.workflow_status s on s.workflow_uuid = work_id
            where s.status = 'ENQUEUED' or (s.status = 'PENDING' and s.executor_id <> ${SUSPECTS})
            group by work_id having count(*) >= ${MOST_LOSSES - 1}::int)
        order by created_at limit 1`,
  );
  return suspect;
}

/**
 * Ends a piece of work for good and lets its kind report that to users.
 *
 * @param workers every known kind
 */
export async function putAside(db: Database, workers: readonly Worker[], id: string): Promise<void> {
  const status = await DBOS.getWorkflowStatus(id);
  const worker = workers.find(({ kind }) => kind === status?.workflowName);
  await inTransaction(db, async (tx) => {
    const { output, workId, step } = workRecords;
    const steps = await tx
      .select({ output })
      .from(workRecords)
      .where(eq(workId, id))
      .orderBy(desc(step))
      .limit(10);
    await worker?.putAside?.(tx, {
      id,
      input: status?.input?.[0],
      latest: steps.map((one): unknown => JSON.parse(one.output)),
      reason: `put aside after ${MOST_LOSSES} lost processes`,
    });
    await durable.cancel(tx, [id]);
  });
}
