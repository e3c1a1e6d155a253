import { type SQL, sql } from 'drizzle-orm';
import { type Database, inTransaction, rows, violates } from '#db/client.ts';
import { retryUntilAvailable } from '#db/connections/retry-until-available.ts';
import { isAway, tokenOf, workLost } from './ownership.ts';
import type { Work } from './port.ts';

/**
 * Opens the record of a piece of work. Each step is recorded in the transaction that performs it, and later runs are
 * answered from the record. (The engine's own records take two more transactions each: half of what a task cost,
 * docs/decisions/0051-durable-work.md.)
 *
 * @param db a pool whose server ends idle transactions within seconds: a process that hangs must not keep its locks
 * @param work id of the work that calls this
 * @param committed called after each step that was committed
 */
export function openRecord(
  db: Database,
  work: string,
  committed: () => void,
): Pick<Work, 'transact' | 'write'> {
  const token = tokenOf(work);
  let taken = 0;
  let known: Promise<ReadonlyMap<number, string>> | undefined;
  const before = async (at: number) => {
    known ??= retryUntilAvailable(() => recorded(db, work), isAway);
    return (await known).get(at);
  };
  return {
    transact: async <T>(run: (tx: Database) => Promise<T>): Promise<T> => {
      taken += 1;
      const step = { token, work, at: taken };
      const output = await before(step.at);
      if (output !== undefined) return JSON.parse(output) as T;
      const result = await retryUntilAvailable(() => stepOf(db, step, run), isAway);
      committed();
      return result;
    },
    write: async (result, expressions) => {
      const step = { token, work, at: taken + 1 };
      const record = recording(step, result, sql`(${ownerOf(step)})`, sql`from written`);
      // After any error the step was either not done or is in the record: the transaction that runs the step finds out.
      const [written] = await rows(
        db,
        sql`with ${expressions}, recorded as (${record}) select step from recorded`,
      ).catch(() => []);
      if (!written) return false;
      taken = step.at;
      committed();
      return true;
    },
  };
}

type StepRecord = { token: string; work: string; at: number };

async function stepOf<T>(db: Database, step: StepRecord, run: (tx: Database) => Promise<T>): Promise<T> {
  try {
    return await inTransaction(db, async (tx) => {
      const result = await run(tx);
      await record(tx, step, result);
      return result;
    });
  } catch (error) {
    // Another process took the work over while this one hung and was first, or our own commit succeeded unnoticed: the
    // recorded result counts, ours was rolled back.
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
 * @throws DBOSWorkflowConflictError when another execution owns the work now, or it was canceled: the transaction must
 *   then roll back
 */
async function record(tx: Database, step: StepRecord, result: unknown): Promise<void> {
  const [written] = await rows(
    tx,
    recording(step, result, sql`owned.workflow_uuid`, sql`from (${ownerOf(step)}) owned`),
  );
  if (!written) throw workLost(step.work);
}

/** Without an owner the row has no `work_id`, which the table rejects: a statement of a former owner fails. */
const recording = ({ at }: StepRecord, result: unknown, owner: SQL, from: SQL): SQL =>
  sql`insert into work_records (work_id, step, output)
      select ${owner}, ${at}::int, ${JSON.stringify(result ?? null)} ${from} returning step`;

/**
 * Selects the row that names the owner of this work, locked until the transaction ends: a later owner finds the step in
 * the record and does not repeat what was completed.
 */
const ownerOf = ({ token, work }: StepRecord): SQL =>
  sql`select workflow_uuid from dbos.workflow_status where workflow_uuid = ${work} and owner_xid = ${token} for share`;
