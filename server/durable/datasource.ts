import { DBOS } from '@dbos-inc/dbos-sdk';
import {
  assertStillOwnsWorkflow,
  type DataSourceTransactionHandler,
  DBOSStepAlreadyRecordedError,
  DBOSWorkflowConflictError,
  migrateDataSourcePG,
  registerDataSource,
  replayRecordedStep,
  runTransaction,
} from '@dbos-inc/dbos-sdk/datasource';
import { sql } from 'drizzle-orm';
import { type Database, inTransaction, isUnavailable, rows, violates } from '#db/client.ts';
import { patiently } from '#db/patiently.ts';

const NAME = 'switchyard';

type Recorded = { output: string | null; error: string | null };

/**
 * Lets the engine record a step in the very transaction that the step is. (The engine's own package for this driver is
 * of an older release, and cannot be loaded beside it.)
 *
 * @param db a pool whose server ends idle transactions within seconds: a process that hangs must not keep its locks
 * @returns what runs a transaction as a step of the work that calls it
 */
export function openDataSource(
  db: Database,
): <T>(name: string, run: (tx: Database) => Promise<T>) => Promise<T> {
  const handler: DataSourceTransactionHandler = {
    name: NAME,
    initialize: () =>
      inTransaction(db, (tx) => migrateDataSourcePG((statement) => rows(tx, sql.raw(statement)))),
    destroy: async () => {},
    deleteCheckpoints: (workflow, from, beforeCommit) =>
      inTransaction(db, async (tx) => {
        await tx.execute(sql`delete from dbos.transaction_completion
          where workflow_id = ${workflow} and function_num >= ${from}`);
        await beforeCommit?.();
      }),
    invokeTransactionFunction: <This, Args extends unknown[], Return>(
      config: unknown,
      _target: This,
      _named: (this: This, ...args: Args) => Promise<Return>,
      ..._args: Args
    ) => {
      // The engine passes the configuration on unread: it carries the work itself.
      const { run } = config as { run: (tx: Database) => Promise<Return> };
      // Within the step: a second attempt under the next number would not be found when the work is replayed.
      return patiently(() => recorded(db, run), isAway);
    },
  };
  registerDataSource(handler);
  return (name, run) =>
    runTransaction(() => Promise.reject(new Error('the work is in the configuration')), name, {
      dsName: NAME,
      config: { run },
    });
}

async function recorded<T>(db: Database, run: (tx: Database) => Promise<T>): Promise<T> {
  const { workflowID: workflow, stepID: step } = DBOS;
  if (workflow === undefined || step === undefined) throw new Error('outside of any work');
  const known = await recordOf(db, workflow, step);
  if (known) return replayRecordedStep<T>(known);
  try {
    return await inTransaction(db, async (tx) => {
      const result = await run(tx);
      await record(tx, workflow, step, result);
      await assertOurs(workflow);
      return result;
    });
  } catch (error) {
    if (!(error instanceof DBOSStepAlreadyRecordedError)) throw error;
    const other = await recordOf(db, workflow, step);
    if (!other) throw error;
    return replayRecordedStep<T>(other);
  }
}

async function recordOf(db: Database, workflow: string, step: number): Promise<Recorded | undefined> {
  const [row] = await rows<Recorded>(
    db,
    sql`select output, error from dbos.transaction_completion
        where workflow_id = ${workflow} and function_num = ${step}`,
  );
  return row;
}

/** The engine asks on a connection of its own, whose driver tells of its loss without a code that says so. */
class EngineAway extends Error {}

/** Whether the database cannot be reached now, by us or by the engine. */
export const isAway = (error: unknown): boolean => isUnavailable(error) || error instanceof EngineAway;

/** @throws DBOSWorkflowConflictError when another process has taken the work over */
export async function assertOurs(workflow: string): Promise<void> {
  try {
    await assertStillOwnsWorkflow(workflow);
  } catch (error) {
    if (error instanceof DBOSWorkflowConflictError) throw error;
    throw new EngineAway('the engine could not be asked whose work this is', { cause: error });
  }
}

/** Another process that took this work over while we hung may have been here first: its outcome counts, ours rolls back. */
async function record(tx: Database, workflow: string, step: number, result: unknown): Promise<void> {
  // The form in which the engine reads results: its serializer's envelope around plain JSON.
  const output = JSON.stringify({ json: result ?? null });
  try {
    await tx.execute(sql`insert into dbos.transaction_completion (workflow_id, function_num, output)
      values (${workflow}, ${step}, ${output})`);
  } catch (error) {
    if (violates(error) !== 'transaction_completion_pkey') throw error;
    throw new DBOSStepAlreadyRecordedError(workflow, step);
  }
}
