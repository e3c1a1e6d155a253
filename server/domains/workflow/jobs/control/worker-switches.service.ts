import { eq, not, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { WorkersStatus } from '#db/schemas/workflow/worker.ts';
import { heldWork, workerSwitches } from '#db/tables/workflow/workers.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import type { Platform } from '#server/kernel/platform.ts';
import { cacheFor } from '#server/kernel/timing/ttl-cache.ts';
import { JOBS, type JobWork, runsTasks } from '../reducer/job-events.ts';

/** The job worker starts jobs, the task worker executes their tasks. */
export type WorkerName = 'job' | 'task';

/** Names of the workers that are deactivated. */
export type DeactivatedWorker = ReadonlySet<WorkerName>;

/** Time that a process may take to notice a change, in milliseconds. */
const CACHED_MS = 500;
/** Held work items that one statement enqueues again. */
const AT_ONCE = 1000;

/** Reads which workers are deactivated. */
export async function readDeactivated(db: Database): Promise<DeactivatedWorker> {
  const { name, active } = workerSwitches;
  const found = await db.select({ name }).from(workerSwitches).where(not(active)).orderBy(name);
  return new Set(found.map((worker) => worker.name));
}

/** Caches for a moment which workers are deactivated: every step of a job checks it. */
export const openWorkerSwitches = (db: Database) => cacheFor(() => readDeactivated(db), CACHED_MS);

/** Returns the deactivated worker that a work item has to wait for. Pausing, canceling and ending a job never wait. */
export function workerFor(work: JobWork, deactivated: DeactivatedWorker): WorkerName | undefined {
  if (work.do === 'start') return deactivated.has('job') ? 'job' : undefined;
  return runsTasks(work) && deactivated.has('task') ? 'task' : undefined;
}

/**
 * Stores a work item until its worker is activated again, unless that has already happened. The shared lock makes an
 * activation wait for this transaction, so that no item is left behind.
 */
export async function holdWork(tx: Database, worker: WorkerName, work: JobWork): Promise<boolean> {
  const held = await rows(
    tx,
    sql`with deactivated as (
        select name from ${workerSwitches} where name = ${worker} and not active for share
      )
      insert into ${heldWork} (id, worker, input)
      select ${newId(Date.now())}, name, ${JSON.stringify(work)}::text::jsonb from deactivated returning id`,
  );
  return held.length > 0;
}

/** The answer of a switch (contract/lifecycle#2). */
export type SwitchResult = { status: 'success'; message: string };

/**
 * Activates or deactivates a worker in all processes; an activation enqueues the work held for it.
 *
 * @param active true: activates the worker; false: deactivates it
 */
export async function switchWorker(
  { db, platform }: SystemContext<'durable' | 'now'>,
  worker: WorkerName,
  active: boolean,
): Promise<SwitchResult> {
  const changedAt = platform.now().getTime();
  await db.update(workerSwitches).set({ active, changedAt }).where(eq(workerSwitches.name, worker));
  noteChange(db, { kind: 'workers', id: worker, name: `${worker} worker` });
  if (active) await releaseWork({ db, platform }, worker);
  const done = active ? 'activated' : 'deactivated';
  return { status: 'success', message: `Successfully ${done} the ${worker} worker` };
}

async function releaseWork(
  { db, platform }: SystemContext<'durable' | 'now'>,
  worker: WorkerName,
): Promise<void> {
  const released = await db.delete(heldWork).where(eq(heldWork.worker, worker)).returning();
  // Oldest first: ids begin with their time.
  released.sort((a, b) => (a.id < b.id ? -1 : 1));
  for (let at = 0; at < released.length; at += AT_ONCE) {
    const items = released.slice(at, at + AT_ONCE).map(({ id, input }) => ({
      id: `held:${id}`,
      input: input as JobWork,
    }));
    await platform.durable.enqueue(db, JOBS, items);
  }
}

/** Reads the state of both workers (contract/lifecycle#2). */
export async function readWorkersStatus({
  db,
  platform,
}: {
  db: Database;
  platform: Pick<Platform, 'config'>;
}): Promise<WorkersStatus> {
  const found = await db.select().from(workerSwitches);
  const statusOf = (worker: WorkerName): WorkersStatus['jobWorker'] => {
    const row = found.find(({ name }) => name === worker);
    const running = row?.active ?? true;
    return {
      running,
      clusterValue: row && row.changedAt !== null ? (running ? 'enabled' : 'disabled') : 'not defined',
      localValue: platform.config.workers > 0 ? 'enabled' : 'disabled',
    };
  };
  return { jobWorker: statusOf('job'), taskWorker: statusOf('task') };
}
