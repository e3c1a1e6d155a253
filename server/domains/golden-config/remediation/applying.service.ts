import { setTimeout as sleep } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import { type Database, inTransaction, isUnavailable } from '#db/client.ts';
import { noteChange } from '#db/collection.ts';
import { retryUntilAvailable } from '#db/connections/retry-until-available.ts';
import type { ReportHeader } from '#db/schemas/golden-config/compliance-report.ts';
import type { Remediation } from '#db/schemas/golden-config/remediation.ts';
import { remediations } from '#db/tables/golden-config/remediations.ts';
import type { DeviceContext, WriteContext } from '#server/kernel/contexts.ts';
import { conflict, ServiceError, unavailable } from '#server/kernel/errors.ts';
import { DATABASE_LOST, reasonOf } from '#server/kernel/observability/faults.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';
import { getBatchReports, getBatchStatus } from '../compliance/runs/batches.service.ts';
import { startRun } from '../compliance/runs/runs.service.ts';
import { linesCounted } from '../live/config-text.ts';
import { withDeviceLock } from '../live/keyed-semaphore.service.ts';
import { backUpDevice } from '../live/live-backup.service.ts';
import { pushLines, sendableLines } from '../live/push.service.ts';
import { typedValues } from './basis.service.ts';
import { findRemediation } from './remediation-reads.service.ts';
import { approvedRemediation, hashOfShown, markRemediation } from './remediations.service.ts';

/** Longest wait for the compliance check after applying, in milliseconds. */
const CHECKED_MS = 120_000;

/** Longest attempt to mark a proposal as being applied, in milliseconds: less than what is left of the device's lock then. */
const BEGUN_MS = 60_000;

/** The result of applying a proposal. */
export type ApplyResult = { status: 'success'; message: string; jobId: string };

/**
 * Pushes the text of an approved proposal to its device (contract/lifecycle#4.10): reads the device again and continues
 * only if it still has the configuration that the proposal was made for; pushes, stopping at the first rejected line;
 * reads the device again and runs compliance. Nothing is rolled back: the proposal keeps the rollback text.
 *
 * @param configSha256 hash that was approved, in hexadecimal: another text is not pushed
 * @throws ServiceError NOT_FOUND; CONFLICT when the proposal may not be applied, the device has changed, or another
 *   change is running; BAD_GATEWAY and GATEWAY_TIMEOUT as pushConfiguration: the proposal then has failed, see `result`
 */
export async function applyRemediation(
  call: DeviceContext & WriteContext,
  id: string,
  configSha256: string,
): Promise<ApplyResult> {
  const { doc } = await findRemediation(call, id);
  return applyText(call, id, await hashOfShown(call.principal, doc, configSha256));
}

/**
 * Applies a proposal by the hash of its whole text, whatever of it the caller reads as masks; otherwise as `applyRemediation`.
 *
 * @param configSha256 hash of the whole text, in hexadecimal: another text is not pushed
 * @throws ServiceError as `applyRemediation`
 */
export async function applyText(
  call: DeviceContext & WriteContext,
  id: string,
  configSha256: string,
): Promise<ApplyResult> {
  const { doc } = await inTransaction(call.db, (db) =>
    approvedRemediation({ ...call, db }, id, configSha256),
  );
  const { deviceName: device } = doc;
  const { lines, configuring } = await sendableLines(call, device, doc.config);
  return withDeviceLock(call, device, async () => {
    const before = await backUpDevice(call, device, { description: `before remediation ${id}` });
    if (sha256(before.config) !== doc.baseSha256)
      throw conflict(`The configuration of ${device} is not the one for which remediation ${id} was made`);
    const startFields = { backupId: before.id, startedBy: call.principal.id };
    await markBegun(call, id, configSha256, startFields);
    // The device may have been changed: the outcome is recorded as soon as the database is back.
    const end = (status: 'applied' | 'failed', outcome: object) =>
      retryUntilAvailable(() =>
        inTransaction(call.db, (db) => mark({ ...call, db }, id, status, { ...startFields, ...outcome })),
      );
    try {
      const pushed = await pushLines(call, device, { lines, configuring, backupId: before.id });
      Object.assign(startFields, { lines: pushed });
    } catch (error) {
      // Without its cause, which says that all of this may be repeated: the device may have been changed.
      const fault = isUnavailable(error) ? unavailable(DATABASE_LOST) : error;
      if (fault !== error) call.platform.log.error({ err: error, id }, 'the outcome of a change is unknown');
      const lines = fault instanceof ServiceError ? fault.data : undefined;
      await end('failed', { message: reasonOf(fault), lines: lines ?? [] });
      throw fault;
    }
    const checked = await retryUntilAvailable(() => checkedAnew(call, doc));
    await end('applied', checked);
    const message = `Pushed ${linesCounted(lines.length)} to ${device}: ${checked.message}`;
    return { status: 'success' as const, message, jobId: checked.batchId ?? '' };
  });
}

/**
 * Marks the proposal as being applied, with the backup from before: when the process is lost, it is what the device can be
 * compared with. A repetition after a lost connection finds out whether the lost transaction was
 * committed: otherwise the mark would look like that of another application.
 */
async function markBegun(
  call: DeviceContext & WriteContext,
  id: string,
  configSha256: string,
  startFields: Record<string, unknown>,
): Promise<void> {
  const end = performance.now() + BEGUN_MS;
  let written: string | undefined;
  const once = () =>
    inTransaction(call.db, async (db) => {
      await findRemediation({ ...call, db }, id, true);
      if (written !== undefined && (await writerOf(db, id)) === written) return;
      await approvedRemediation({ ...call, db }, id, configSha256);
      await mark({ ...call, db }, id, 'applying', startFields);
      written = await writerOf(db, id);
    });
  await retryUntilAvailable(once, (error) => isUnavailable(error) && performance.now() < end);
}

/** Returns the id of the transaction that wrote a proposal as it is now. */
const writerOf = async (db: Database, id: string): Promise<string | undefined> => {
  const written = await db
    .select({ by: sql<string>`xmin::text` })
    .from(remediations)
    .where(eq(remediations.id, id));
  return written[0]?.by;
};

/** Marks the proposal without If-Match, which referred to the proposal as it was before. */
const mark = (
  call: DeviceContext & WriteContext,
  ...rest: [string, 'applying' | 'applied' | 'failed', Record<string, unknown> | null]
) => markRemediation({ ...call, request: { ...call.request, ifMatch: null } }, ...rest);

type VerificationResult = {
  message: string;
  /** True when the device has no more issues than predicted. */
  verified: boolean;
  afterBackupId?: string;
  batchId?: string;
  reportId?: string;
  totals?: ReportHeader['totals'];
};

/**
 * Runs compliance on the device as it is now. The text is already pushed: errors are reported in the result only, except that
 * of an unavailable database, after which all of it may be repeated.
 */
async function checkedAnew(
  call: DeviceContext & WriteContext,
  doc: Remediation,
): Promise<VerificationResult> {
  const { id, deviceName: device, treeId, version, nodePath, predicted, variables } = doc;
  let far: Partial<VerificationResult> = {};
  try {
    const after = await backUpDevice(call, device, { description: `after remediation ${id}` });
    far = { afterBackupId: after.id };
    const runInput = { treeId, version, nodePath, devices: [device], variables: typedValues(variables) };
    const { batchId } = await inTransaction(call.db, (db) => startRun({ ...call, db }, runInput));
    far = { ...far, batchId };
    const report = await reportOf(call, batchId);
    if (!report) return { ...far, verified: false, message: `batch ${batchId} has not checked it yet` };
    const { totals } = report;
    const verified =
      report.status === 'complete' &&
      totals.errors <= predicted.totals.errors &&
      totals.warnings <= predicted.totals.warnings &&
      totals.infos <= predicted.totals.infos;
    const message = verified ? 'the result is as predicted' : 'the result differs from the prediction';
    return { ...far, reportId: report.id, totals, verified, message };
  } catch (error) {
    if (isUnavailable(error)) throw error;
    if (!(error instanceof ServiceError)) call.platform.log.error({ err: error, id }, 'not checked again');
    return { ...far, verified: false, message: `it could not be checked again: ${reasonOf(error)}` };
  }
}

/** Returns a batch's report on one device once the batch has ended; undefined when that takes longer than CHECKED_MS. */
async function reportOf(
  call: DeviceContext & WriteContext,
  batchId: string,
): Promise<ReportHeader | undefined> {
  const began = performance.now();
  for (let pause = 50; performance.now() - began < CHECKED_MS; pause = Math.min(pause * 2, 1000)) {
    const { status } = (await getBatchStatus(call, batchId)).parse();
    if (status !== 'running') {
      return (await getBatchReports({ ...call, answer: { headers: {} } }, batchId, {})).parse()[0];
    }
    await sleep(pause);
  }
  return undefined;
}

/** Records in the audit row which proposal was applied. */
export const publishApplied = (tx: Database, id: string, { message }: ApplyResult): void =>
  noteChange(tx, { kind: 'remediations', id, name: message.slice(0, 200) });
