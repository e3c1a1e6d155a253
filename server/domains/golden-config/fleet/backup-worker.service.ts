import { and, asc, eq, isNull, lte, or, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { type Database, isUnavailable } from '#db/client.ts';
import { retryUntilAvailable } from '#db/connections/retry-until-available.ts';
import type { BackupRunRequest } from '#db/schemas/golden-config/fleet-backup.ts';
import { backupRunDevices, backupRuns } from '#db/tables/golden-config/fleet.ts';
import { activeCaller } from '#server/domains/identity/index.ts';
import type { Worker } from '#server/durable/port.ts';
import { forbidden, ServiceError } from '#server/kernel/errors.ts';
import { reasonOf, translateFault } from '#server/kernel/observability/faults.ts';
import type { WorkPlatform } from '#server/kernel/platform.ts';
import { type Caller, mayCall } from '#server/kernel/principal.ts';
import { CONFIG_WRITE } from '#server/kernel/roles.ts';
import { endOfWindowAt, nextInside } from '#server/kernel/schedules/time-windows.ts';
import { backUpDevice } from '../live/live-backup.service.ts';
import { BACKUP_RUN, type BackupPass, endBackupRun, enqueuePass } from './backup-runs.service.ts';

/** Backup runs that one process works on at the same time. */
const AT_ONCE = 4;
/** Maximum number of devices that one query looks up. */
const LOOKED_UP = 500;
/** Longest time for one device, in milliseconds. */
const LONGEST_MS = 300_000;
/** Interval between two checks whether a run was canceled, in milliseconds. */
const CHECK_MS = 1000;
const USUAL = { concurrency: 20, retries: 1, retryAfterSeconds: 30 };
/** Errors that a further attempt would get again. */
const FINAL: ReadonlySet<string> = new Set([
  'BAD_REQUEST',
  'FORBIDDEN',
  'NOT_FOUND',
  'UNPROCESSABLE_CONTENT',
]);

export type BackupWorkerDependencies = {
  db: Database;
  platform: WorkPlatform;
  now: () => Date;
  log: Logger;
};

type Run = typeof backupRuns.$inferSelect;
/** The outcome of a device that was read; `again`: it is read once more. */
type Outcome =
  | { status: 'stored' | 'unchanged'; backupId: string }
  | { status: 'failed'; reason: string; again: boolean };

/**
 * Returns the worker for backup runs. A pass is one step: the rows of the devices are the record of its progress, so that
 * a pass that is repeated after the loss of a process reads only the devices that are still waiting.
 *
 * @param workers maximum number of parallel work items in this process, of all kinds; 0 disables the worker
 */
export const backupWorker = (parts: BackupWorkerDependencies, workers: number): Worker => ({
  kind: BACKUP_RUN,
  atOnce: Math.min(workers, AT_ONCE),
  urgent: false,
  putAside: async (tx, { input, reason }) => {
    const { runId } = input as BackupPass;
    await endBackupRun(tx, runId, 'error', parts.now());
    parts.log.error({ runId, reason }, 'a backup run failed');
  },
  run: async (work, input) => {
    const pass = input as BackupPass;
    const next = await work.step('pass', () => readWaiting(parts, pass.runId));
    await work.transact((tx) => afterPass({ ...parts, db: tx }, pass, next));
  },
});

/** Requests the next pass, or ends the run. @param next when the next pass may begin; null: no device is waiting */
async function afterPass(
  { db, platform, now }: BackupWorkerDependencies,
  { runId, pass }: BackupPass,
  next: number | null,
): Promise<null> {
  if (next === null) {
    await endBackupRun(db, runId, 'complete', now());
    return null;
  }
  const moment = new Date(next);
  const running = await db
    .update(backupRuns)
    .set({ pass: pass + 1, nextAttempt: moment })
    .where(and(eq(backupRuns.id, runId), eq(backupRuns.status, 'running')))
    .returning({ id: backupRuns.id });
  if (running.length > 0) await enqueuePass({ db, platform }, { runId, pass: pass + 1 }, moment);
  return null;
}

/**
 * Backs up the waiting devices of a run that are due.
 *
 * @returns when the next pass may begin, in milliseconds since 1970; null when no device is waiting
 */
async function readWaiting(parts: BackupWorkerDependencies, runId: string): Promise<number | null> {
  const { db } = parts;
  const [run] = await db.select().from(backupRuns).where(eq(backupRuns.id, runId));
  if (run?.status !== 'running') return null;
  await db.update(backupRuns).set({ nextAttempt: null }).where(eq(backupRuns.id, runId));
  const state = { ...run, isOpen: () => isOpen(run.request, parts.now().getTime()) };
  const stop = new AbortController();
  const check = setInterval(() => {
    db.$count(backupRuns, and(eq(backupRuns.id, runId), eq(backupRuns.status, 'running'))).then(
      (running) => running === 0 && stop.abort(new Error('the run was canceled')),
      () => undefined,
    );
  }, CHECK_MS);
  try {
    for (;;) {
      const devices = await dueDevices(parts, run);
      if (devices.length === 0 || stop.signal.aborted || !state.isOpen()) break;
      await readAll(parts, state, devices, stop.signal);
    }
  } finally {
    clearInterval(check);
  }
  return stop.signal.aborted ? null : nextPass(parts, run);
}

/** Returns whether a run may read devices now. */
function isOpen({ windows = [], timeZone = 'UTC' }: BackupRunRequest, now: number): boolean {
  return windows.length === 0 || endOfWindowAt(windows, now, timeZone) !== null;
}

const waitingOf = (runId: string) =>
  and(eq(backupRunDevices.runId, runId), eq(backupRunDevices.status, 'waiting'));

const dueDevices = ({ db, now }: BackupWorkerDependencies, { id }: Run) => {
  const { device, attempts, notBefore } = backupRunDevices;
  return db
    .select({ device, attempts })
    .from(backupRunDevices)
    .where(and(waitingOf(id), or(isNull(notBefore), lte(notBefore, now()))))
    .orderBy(asc(device))
    .limit(LOOKED_UP);
};

/** Returns when the next pass may begin. Devices for which no maintenance window comes again fail. */
async function nextPass({ db, now }: BackupWorkerDependencies, run: Run): Promise<number | null> {
  const { windows = [], timeZone = 'UTC' } = run.request;
  const [waiting] = await db
    .select({
      first: sql<string | null>`min(coalesce(not_before, now()))::text`,
      count: sql<number>`count(*)::int`,
    })
    .from(backupRunDevices)
    .where(waitingOf(run.id));
  if (!waiting || Number(waiting.count) === 0) return null;
  const due = Math.max(now().getTime(), waiting.first === null ? 0 : Date.parse(waiting.first));
  const next = nextInside(windows, due, timeZone);
  if (next === null) {
    const reason = 'The last maintenance window has ended';
    await db.update(backupRunDevices).set({ status: 'failed', reason }).where(waitingOf(run.id));
  }
  return next;
}

/** Reads devices, as many at once as the run allows, until the run is canceled or its maintenance window ends. */
async function readAll(
  parts: BackupWorkerDependencies,
  run: Run & { isOpen: () => boolean },
  devices: readonly { device: string; attempts: number }[],
  signal: AbortSignal,
): Promise<void> {
  const left = devices[Symbol.iterator]();
  const { concurrency = USUAL.concurrency } = run.request;
  const lane = async () => {
    for (const { device, attempts } of left) {
      if (signal.aborted || !run.isOpen()) return;
      // A lane that ended because the database is away would leave the others running beside a repetition of the step.
      const outcome = await retryUntilAvailable(() => readDevice(parts, run, device, signal));
      if (signal.aborted && outcome.status === 'failed') return;
      await retryUntilAvailable(() => record(parts, run, { device, attempts: attempts + 1 }, outcome));
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, devices.length) }, lane));
}

async function readDevice(
  { db, platform, log }: BackupWorkerDependencies,
  { id: runId, request, ...run }: Run,
  device: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
  try {
    const principal = await callerOf({ db, platform }, run);
    const call = { db, principal, platform, request: { id: runId, gone: () => limited } };
    const { description, onlyChanged = true } = request;
    const taken = await backUpDevice(call, device, { description }, { always: !onlyChanged });
    return { status: taken.unchanged ? 'unchanged' : 'stored', backupId: taken.id };
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      if (isUnavailable(error)) throw error;
      log.error({ err: error, runId, device }, 'a device could not be backed up');
    }
    const known = translateFault(error);
    const again = known !== null && !FINAL.has(known.code) && known.extra?.retryable !== false;
    return { status: 'failed', reason: reasonOf(error), again };
  }
}

/**
 * Returns the account of a run with its current rights, which must include that of starting the run.
 *
 * @throws ServiceError FORBIDDEN
 */
async function callerOf(
  ctx: Pick<BackupWorkerDependencies, 'db' | 'platform'>,
  { account, roles }: Pick<Run, 'account' | 'roles'>,
): Promise<Caller> {
  const caller = await activeCaller(ctx, account, 'for which the backup runs', roles ?? undefined);
  if (mayCall(caller, CONFIG_WRITE, 'ConfigurationManager.startFleetBackup')) return caller;
  throw forbidden(
    `Account ${caller.username} (${account}), for which the backup runs, needs one of the roles: ${CONFIG_WRITE.join(', ')}`,
  );
}

async function record(
  { db, now }: BackupWorkerDependencies,
  { id, request }: Run,
  { device, attempts }: { device: string; attempts: number },
  outcome: Outcome,
): Promise<void> {
  const { retries = USUAL.retries, retryAfterSeconds = USUAL.retryAfterSeconds } = request;
  const isRetried = outcome.status === 'failed' && outcome.again && attempts <= retries;
  const change = isRetried
    ? { notBefore: new Date(now().getTime() + retryAfterSeconds * 1000), reason: outcome.reason }
    : outcome.status === 'failed'
      ? { status: outcome.status, reason: outcome.reason.slice(0, 1000) }
      : { status: outcome.status, backupId: outcome.backupId, reason: null };
  await db
    .update(backupRunDevices)
    .set({ ...change, attempts })
    .where(and(waitingOf(id), eq(backupRunDevices.device, device)));
}
