import { and, eq, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { deviceOrigins } from '#db/device-origins.ts';
import { newId } from '#db/ids.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { BackupRun, BackupRunRequest } from '#db/schemas/golden-config/fleet-backup.ts';
import { backupRunDevices, backupRuns } from '#db/tables/golden-config/fleet.ts';
import { selectDevices } from '#server/domains/network/index.ts';
import type { ReadContext, SystemContext } from '#server/kernel/contexts.ts';
import { assertQuota } from '#server/kernel/documents/quota.service.ts';
import { conflict, invalidRequest, notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { timeZoneIssues, windowIssues } from '#server/kernel/schedules/schedule-issues.ts';
import { momentIn, objectIn, textIn, valueIn } from '../compliance/reports/json-text.service.ts';

/** The kind of durable work that backs up the devices of a run. */
export const BACKUP_RUN = 'backup run';
/** Maximum number of backup runs at the same time. */
const MOST_RUNNING = 20;
/** Maximum number of devices of a run. */
const MOST_DEVICES = 50_000;
/** Maximum number of failed devices in an answer. */
const MOST_FAILED = 1000;
/** Age from which finished runs are removed. */
const KEPT_DAYS = 90;

/** The input of one pass over the waiting devices of a run. */
export type BackupPass = { runId: string; pass: number };

const workId = ({ runId, pass }: BackupPass) => `${runId}:${pass}`;

/**
 * Returns the issues with the maintenance windows of a backup order.
 *
 * @returns issues whose paths begin at the order
 */
export const orderIssues = ({ windows = [], timeZone }: Pick<BackupRunRequest, 'windows' | 'timeZone'>) => [
  ...timeZoneIssues(timeZone, ['timeZone']),
  ...windows.flatMap((window, at) => windowIssues(window, ['windows', at])),
];

/**
 * Starts a backup run in the caller's transaction (contract/additions#4). It runs for the caller.
 *
 * @param scheduleId the schedule that starts it; null: a user does
 * @returns the id of the run, which durable work carries out
 * @throws ServiceError BAD_REQUEST for a selection without devices, CONFLICT when too many runs are running
 */
export async function startFleetBackup(
  ctx: ReadContext<'now' | 'durable'>,
  request: BackupRunRequest,
  scheduleId: string | null = null,
): Promise<{ runId: string }> {
  const { db, principal, platform } = ctx;
  const issues = orderIssues(request);
  if (issues.length > 0) throw invalidRequest(issues);
  await assertQuota(db, backupRuns, {
    most: MOST_RUNNING,
    what: 'backup runs under way',
    only: eq(backupRuns.status, 'running'),
    remedy: 'wait until one has finished, or cancel one',
  });
  const devices = await selectDevices(ctx, request.selection, ['selection'], MOST_DEVICES);
  const now = platform.now();
  const runId = newId(now.getTime());
  const roles = principal.token ? [...principal.token.roles] : null;
  await db
    .insert(backupRuns)
    .values({ id: runId, account: principal.id, roles, scheduleId, request, started: now });
  await db.execute(sql`insert into ${backupRunDevices} (run_id, device)
    select ${runId}, device from unnest(${textArray(devices)}) as device`);
  await db.execute(sql`delete from ${backupRuns}
    where status <> 'running' and finished < ${now.toISOString()}::timestamptz - make_interval(days => ${KEPT_DAYS})`);
  noteChange(db, { kind: 'backup_runs', id: runId, name: null });
  await enqueuePass(ctx, { runId, pass: 0 });
  return { runId };
}

/**
 * Requests a pass over the waiting devices of a run.
 *
 * @param runAt when it begins; absent: now
 */
export const enqueuePass = (
  { db, platform }: SystemContext<'durable'>,
  pass: BackupPass,
  runAt?: Date,
): Promise<void> =>
  platform.durable.enqueue(db, BACKUP_RUN, [{ id: workId(pass), input: pass, ...(runAt && { runAt }) }]);

const counted = (status: string) => sql`(count(*) filter (where status = ${status}))::int`;

/** Returns the columns of a run as JSON, with the counts of its devices. */
const runText = objectIn({
  runId: textIn(sql`run.id`),
  status: textIn(sql`run.status`),
  scheduleId: textIn(sql`run.schedule_id`),
  account: textIn(sql`run.account`),
  progress: valueIn(sql`round(100.0 * (total - waiting) / greatest(total, 1), 1)`),
  total: valueIn(sql`total`),
  stored: valueIn(sql`stored`),
  unchanged: valueIn(sql`unchanged`),
  waiting: valueIn(sql`waiting`),
  failedCount: valueIn(sql`failed`),
  failed: sql`coalesce(failures.list::text, '[]')`,
  started: momentIn(sql`run.started`),
  finished: momentIn(sql`run.finished`),
  nextAttempt: momentIn(sql`case when run.status = 'running' then run.next_attempt end`),
});

const countsOf = sql`lateral (select count(*)::int as total, ${counted('stored')} as stored,
    ${counted('unchanged')} as unchanged, ${counted('waiting')} as waiting, ${counted('failed')} as failed
  from ${backupRunDevices} where run_id = run.id) as counts`;

/** Returns progress and result of a backup run (contract/additions#4). @throws ServiceError NOT_FOUND */
export async function getBackupRun(
  { db, principal }: ReadContext,
  runId: string,
): Promise<JsonText<BackupRun>> {
  const visible = mayRead(deviceOrigins, principal);
  const [found] = await rows<{ text: string }>(
    db,
    sql`select (${runText})::text as text from ${backupRuns} as run, ${countsOf}, lateral (
          select json_agg(json_build_object('device', device, 'reason', reason, 'attempts', attempts) order by device)
            as list
          from (select device, reason, attempts from ${backupRunDevices} as failing
            where run_id = run.id and status = 'failed' and (run.account = ${principal.id}
              or exists (select from ${deviceOrigins}
                where ${deviceOrigins.name} = failing.device ${visible ? sql`and ${visible}` : sql``}))
            order by device limit ${MOST_FAILED}) as first) as failures
        where run.id = ${runId}`,
  );
  if (!found) throw notFound('Backup run', runId);
  return json(found.text);
}

/**
 * Returns a page of backup runs without their failed devices, newest first.
 *
 * @returns the page and the number of all runs
 */
export async function listBackupRuns(
  { db }: ReadContext,
  { start = 0, limit = 25 }: { start?: number | undefined; limit?: number | undefined },
): Promise<JsonText<{ total: number; list: BackupRun[] }>> {
  const found = await rows<{ text: string }>(
    db,
    sql`select (${runText})::text as text
        from (select * from ${backupRuns} order by started desc, id limit ${limit} offset ${start}) as run,
          ${countsOf}, (select null::json as list) as failures
        order by run.started desc, run.id`,
  );
  const total = await db.$count(backupRuns);
  return json(`{"total":${total},"list":[${found.map(({ text }) => text).join(',')}]}`);
}

/**
 * Cancels a backup run: devices that are being read are stored, the waiting ones stay without a backup.
 *
 * @throws ServiceError NOT_FOUND, CONFLICT when it has finished
 */
export async function cancelBackupRun(
  { db, platform }: ReadContext<'now' | 'durable'>,
  runId: string,
): Promise<void> {
  const { id, status, pass } = backupRuns;
  const [run] = await db.select({ status, pass }).from(backupRuns).where(eq(id, runId)).for('update');
  if (!run) throw notFound('Backup run', runId);
  if (run.status !== 'running') {
    throw conflict(`Backup run ${runId} has already finished: its status is ${run.status}`);
  }
  await endBackupRun(db, runId, 'canceled', platform.now());
  noteChange(db, { kind: 'backup_runs', id: runId, name: null });
  await platform.durable.cancel(db, [workId({ runId, pass: run.pass })]);
}

/**
 * Ends a running backup run.
 *
 * @param now recorded as its end
 */
export async function endBackupRun(
  db: Database,
  runId: string,
  status: 'complete' | 'canceled' | 'error',
  now: Date,
): Promise<void> {
  await db
    .update(backupRuns)
    .set({ status, finished: now, nextAttempt: null })
    .where(and(eq(backupRuns.id, runId), eq(backupRuns.status, 'running')));
}
