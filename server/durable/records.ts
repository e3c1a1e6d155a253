import { sql } from 'drizzle-orm';
import { type Database, inTransaction, rows, violates } from '#db/client.ts';
import { patiently } from '#db/patiently.ts';
import { isAway, lost, tokenOf } from './ownership.ts';
import type { Work } from './port.ts';

/**
 * The record of a piece of work: each step is written in the very transaction that it is, and whoever does the work again
 * is answered from it. (The engine has such records too, each in two transactions more: they were half of what a task cost,
 * docs/decisions/0051-durable-work.md.)
 *
 * @param db a pool whose server ends idle transactions within seconds: a process that hangs must not keep its locks
 * @param work id of the work
 * @returns what runs a transaction as the next step of it, while the work is still this process's
 */
export function openRecord(db: Database, work: string): Work['transact'] {
  const token = tokenOf(work);
  let step = 0;
  let known: Promise<ReadonlyMap<number, string>> | undefined;
  return async <T>(run: (tx: Database) => Promise<T>): Promise<T> => {
    step += 1;
    const at = step;
    known ??= patiently(() => recorded(db, work), isAway);
    const before = (await known).get(at);
    if (before !== undefined) return JSON.parse(before) as T;
    return patiently(() => stepOf(db, { token, work, at }, run), isAway);
  };
}

type Step = { token: string; work: string; at: number };

async function stepOf<T>(db: Database, step: Step, run: (tx: Database) => Promise<T>): Promise<T> {
  try {
    return await inTransaction(db, async (tx) => {
      const result = await run(tx);
      await record(tx, step, result);
      return result;
    });
  } catch (error) {
    // Another process that took this over while we hung was here first, or our own commit went through unheard: what is
    // recorded counts, ours was rolled back.
    if (violates(error) !== 'work_records_pkey') throw error;
    const other = (await recorded(db, step.work)).get(step.at);
    if (other === undefined) throw error;
    return JSON.parse(other) as T;
  }
}

async function recorded(db: Database, work: string): Promise<ReadonlyMap<number, string>> {
  const found = await rows<{ step: number; output: string }>(
    db,
    sql`select step, output from work_records where work_id = ${work}`,
  );
  return new Map(found.map(({ step, output }) => [step, output]));
}

/**
 * The row that says whose work this is stays locked until the transaction ends: who takes the work over after that finds
 * this step in the record, and does nothing again that had come to its end.
 *
 * @throws when another execution does the work now, or it was called off: then the transaction must not be
 */
async function record(tx: Database, { token, work, at }: Step, result: unknown): Promise<void> {
  const [written] = await rows(
    tx,
    sql`insert into work_records (work_id, step, output)
        select workflow_uuid, ${at}::int, ${JSON.stringify(result ?? null)} from dbos.workflow_status
        where workflow_uuid = ${work} and owner_xid = ${token} for share
        returning step`,
  );
  if (!written) throw lost(work);
}
