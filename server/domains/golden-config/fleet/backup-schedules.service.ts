import { asc, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { insert, remove, replace, type Stored } from '#db/collection.ts';
import type { BackupSchedule, NewBackupSchedule } from '#db/schemas/golden-config/fleet-backup.ts';
import { backupRuns, backupSchedules } from '#db/tables/golden-config/fleet.ts';
import { activeCaller } from '#server/domains/identity/index.ts';
import { maskedNameIssues, shownSelection, shownSelections } from '#server/domains/network/index.ts';
import type { ReadContext, SystemContext, WriteContext } from '#server/kernel/contexts.ts';
import { findDocument, makerOf, unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { assertUnchanged, conflictDetails } from '#server/kernel/documents/optimistic-lock.ts';
import { assertQuota } from '#server/kernel/documents/quota.service.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { forbidden, invalidRequest, ServiceError } from '#server/kernel/errors.ts';
import type { WorkPlatform } from '#server/kernel/platform.ts';
import { assertWholeAccount, mayCall } from '#server/kernel/principal.ts';
import { CONFIG_WRITE } from '#server/kernel/roles.ts';
import { nextMoment } from '#server/kernel/schedules/next-moments.ts';
import { scheduleIssues } from '#server/kernel/schedules/schedule-issues.ts';
import { type ScheduledKind, scheduledTable } from '#server/kernel/schedules/scheduler.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import { orderIssues, startFleetBackup } from './backup-runs.service.ts';

/** Maximum number of backup schedules. */
const MOST = 500;

/**
 * Returns a page of backup schedules, by name.
 *
 * @returns the page and the number of all schedules
 */
export async function listBackupSchedules(
  ctx: ReadContext,
  { start = 0, limit = 25 }: { start?: number | undefined; limit?: number | undefined },
): Promise<{ total: number; list: BackupSchedule[] }> {
  const { doc, name, id } = backupSchedules;
  const found = await ctx.db
    .select({ doc })
    .from(backupSchedules)
    .orderBy(asc(name), asc(id))
    .limit(limit)
    .offset(start);
  const list = await shownSelections(
    ctx,
    found.map((one) => one.doc),
  );
  return { total: await ctx.db.$count(backupSchedules), list };
}

/** Returns a backup schedule. @throws ServiceError NOT_FOUND */
export async function getBackupSchedule(ctx: ReadContext, id: string): Promise<BackupSchedule> {
  return shownSelection(ctx, (await findDocument(ctx, 'backupSchedule', id)).doc);
}

/** What a personal token needs all roles of its account for (`assertWholeAccount`). */
const RUNS = 'backup schedules run';

function assertValid(given: NewBackupSchedule, now: Date): void {
  const issues = [
    ...scheduleIssues(given.schedule, ['schedule'], now.getTime()),
    ...orderIssues(given),
    ...maskedNameIssues(given.selection, ['selection']),
  ];
  if (issues.length > 0) throw invalidRequest(issues);
}

const dueOf = ({ enabled = true, schedule }: NewBackupSchedule, now: Date) =>
  enabled ? nextMoment(schedule, now.getTime()) : null;

const nameTaken = (name: string) => `A backup schedule is named ${name} already: choose another name`;

/**
 * Stores a backup schedule; it runs for the caller.
 *
 * @throws ServiceError BAD_REQUEST with all issues, FORBIDDEN, CONFLICT when the name is taken or there are too many
 */
export async function createBackupSchedule(
  ctx: WriteContext,
  given: NewBackupSchedule,
): Promise<BackupSchedule> {
  assertWholeAccount(ctx.principal, RUNS);
  const { account, now, newId } = makerOf(ctx);
  assertValid(given, now);
  await assertQuota(ctx.db, backupSchedules, { most: MOST, what: 'backup schedules' });
  const id = newId();
  const stamp = now.toISOString();
  const doc: BackupSchedule = {
    ...given,
    id,
    _id: id,
    enabled: given.enabled ?? true,
    runAs: account,
    nextRunAt: dueOf(given, now),
    lastRunId: null,
    lastResult: '',
    created: stamp,
    createdBy: account,
    lastUpdated: stamp,
    lastUpdatedBy: account,
  };
  await unlessTaken('backup_schedules_name', nameTaken(given.name), () =>
    insert(ctx.db, backupSchedules, id, doc),
  );
  return shownSelection(ctx, doc);
}

async function lockSchedule(ctx: WriteContext, id: string, change?: object): Promise<Stored<BackupSchedule>> {
  const stored = await findDocument(ctx, 'backupSchedule', id, true);
  assertUnchanged(
    ctx.request.ifMatch,
    stored.doc.lastUpdated,
    `Backup schedule ${stored.doc.name}`,
    change && conflictDetails(stored.doc, change),
  );
  return stored;
}

/**
 * Changes fields of a backup schedule; from then on it runs for the caller.
 *
 * @param change new values; undefined fields keep theirs
 * @throws ServiceError as createBackupSchedule, NOT_FOUND, CONFLICT when it has changed meanwhile
 */
export async function updateBackupSchedule(
  ctx: WriteContext,
  id: string,
  change: { [Field in keyof NewBackupSchedule]?: NewBackupSchedule[Field] | undefined },
): Promise<BackupSchedule> {
  assertWholeAccount(ctx.principal, RUNS);
  const stored = await lockSchedule(ctx, id, change);
  const { account, now } = makerOf(ctx);
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const next = { ...stored.doc, ...given } as BackupSchedule;
  assertValid(next, now);
  const doc: BackupSchedule = {
    ...next,
    runAs: account,
    nextRunAt: dueOf(next, now),
    lastUpdated: grownStamp(now, stored.doc.lastUpdated),
    lastUpdatedBy: account,
  };
  await unlessTaken('backup_schedules_name', nameTaken(doc.name), () =>
    replace(ctx.db, backupSchedules, stored, doc),
  );
  return shownSelection(ctx, doc);
}

/** Deletes a backup schedule; its runs stay. @throws ServiceError NOT_FOUND, CONFLICT when it has changed meanwhile */
export async function deleteBackupSchedule(ctx: WriteContext, id: string): Promise<void> {
  await lockSchedule(ctx, id);
  await remove(ctx.db, backupSchedules, [id]);
}

/**
 * Returns the scheduled work that starts the runs of backup schedules.
 *
 * @param platform the parts of the service that a run needs
 */
export const scheduledBackups = (platform: WorkPlatform): ScheduledKind => ({
  kind: 'backup schedules',
  ...scheduledTable(backupSchedules),
  prepare: () => platform.access.rules(),
  run: async (tx, { id }) => {
    const [row] = await tx.select({ doc: backupSchedules.doc }).from(backupSchedules).where(sql`id = ${id}`);
    if (row) await note(tx, id, await startDue({ db: tx, platform }, row.doc));
  },
});

/** Starts the run of a due schedule. @returns the fields of the schedule that record its outcome */
async function startDue(
  { db, platform }: SystemContext,
  { id, runAs, selection, ...doc }: BackupSchedule,
): Promise<Pick<BackupSchedule, 'lastResult'> & Partial<BackupSchedule>> {
  const [running] = await db
    .select({ id: backupRuns.id })
    .from(backupRuns)
    .where(sql`schedule_id = ${id} and status = 'running'`)
    .limit(1);
  if (running) return { lastResult: `Run ${running.id} has not finished yet` };
  try {
    const principal = await activeCaller(
      { db, platform, isTransaction: true },
      runAs,
      'for which the schedule runs',
    );
    if (!mayCall(principal, CONFIG_WRITE, 'ConfigurationManager.startFleetBackup')) {
      throw forbidden(`Account ${principal.username} needs one of the roles: ${CONFIG_WRITE.join(', ')}`);
    }
    const { concurrency, onlyChanged, retries, retryAfterSeconds, windows, timeZone, description } = doc;
    const order = { concurrency, onlyChanged, retries, retryAfterSeconds, windows, timeZone, description };
    const { runId } = await startFleetBackup({ db, principal, platform }, { selection, ...order }, id);
    return { lastResult: '', lastRunId: runId };
  } catch (error) {
    if (error instanceof ServiceError) return { lastResult: clipped(reasonOf(error), 1000) };
    throw error;
  }
}

/** Returns why a start failed. The user who reads it may not see all devices of the schedule. */
function reasonOf({ message, issues = [] }: ServiceError): string {
  const unknown = issues.filter(({ path }) => path[1] === 'names').length;
  return unknown === 0
    ? message
    : `${unknown} of selection.names do not exist for the account of the schedule`;
}

const note = (tx: Database, id: string, members: Partial<BackupSchedule>) =>
  tx.execute(sql`update ${backupSchedules} set doc = doc || ${JSON.stringify(members)}::text::jsonb, rev = rev + 1
    where id = ${id}`);
