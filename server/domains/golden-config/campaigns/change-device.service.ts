import type { Logger } from 'pino';
import { type Database, inTransaction, isUnavailable } from '#db/client.ts';
import { retryUntilAvailable } from '#db/connections/retry-until-available.ts';
import type { campaignDevices } from '#db/tables/golden-config/fleet.ts';
import type { DeviceContext, WriteContext } from '#server/kernel/contexts.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { DATABASE_LOST, reasonOf } from '#server/kernel/observability/faults.ts';
import type { WorkPlatform } from '#server/kernel/platform.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';
import { readConfiguration } from '../live/live-configuration.service.ts';
import { pushConfiguration } from '../live/push.service.ts';
import { applyText } from '../remediation/applying.service.ts';
import { findRemediation } from '../remediation/remediation-reads.service.ts';
import { markRemediation } from '../remediation/remediations.service.ts';

/** Longest time for one device, in milliseconds. */
const LONGEST_MS = 600_000;

export type CampaignDependencies = { db: Database; platform: WorkPlatform; now: () => Date; log: Logger };

type Row = typeof campaignDevices.$inferSelect;
type Outcome = { status: 'applied' | 'rolledBack' | 'failed'; reason: string };

/**
 * Applies the approved proposal of a device and checks the device; a change after which the check fails is rolled back.
 *
 * @param callerOf returns the account for which the change is made, with its current rights
 */
export async function changeDevice(
  { db, platform, log }: CampaignDependencies,
  { device, remediationId, configSha256, campaignId }: Row,
  callerOf: () => Promise<Caller>,
): Promise<Outcome> {
  const id = remediationId ?? '';
  try {
    const signal = AbortSignal.timeout(LONGEST_MS);
    const request = { id: campaignId, gone: () => signal, ifMatch: null };
    const call: DeviceContext & WriteContext = {
      db,
      platform,
      principal: await retryUntilAvailable(callerOf),
      request,
      answer: { headers: {} },
    };
    await retryUntilAvailable(() => applyText(call, id, configSha256 ?? ''));
    const { doc } = await retryUntilAvailable(() => findRemediation(call, id));
    const { verified = false, message = '' } = (doc.result ?? {}) as { verified?: boolean; message?: string };
    if (verified) return { status: 'applied', reason: message };
    return await rollBack(call, { device, id, message });
  } catch (error) {
    if (!(error instanceof ServiceError)) log.error({ err: error, device, id }, 'a device was not changed');
    return { status: 'failed', reason: isUnavailable(error) ? DATABASE_LOST : reasonOf(error) };
  }
}

async function rollBack(
  call: DeviceContext & WriteContext,
  { device, id, message }: { device: string; id: string; message: string },
): Promise<Outcome> {
  const { doc } = await retryUntilAvailable(() => findRemediation(call, id));
  const failure = await failureOf(pushConfiguration(call, device, doc.rollback, { backup: false }));
  if (failure !== null) {
    const reason = `${message}; its rollback failed: ${failure}; compare the device with its backup`;
    return { status: 'failed', reason };
  }
  let config = '';
  const unread = await failureOf(
    readConfiguration(call, device).then((read) => {
      config = read.config;
    }),
  );
  const isFormer = unread === null && sha256(config) === doc.baseSha256;
  const result = { ...(doc.result as object), rolledBack: true, hasFormerConfiguration: isFormer };
  await retryUntilAvailable(() =>
    inTransaction(call.db, (tx) => markRemediation({ ...call, db: tx }, id, 'failed', result)),
  );
  const state = isFormer
    ? 'it has its former configuration'
    : unread === null
      ? 'its configuration differs from the former one'
      : `its configuration could not be read: ${unread}`;
  return { status: 'rolledBack', reason: `${message}; the change was rolled back: ${state}` };
}

/** Returns why a call of a device failed; null when it did not. */
const failureOf = (call: Promise<unknown>): Promise<string | null> =>
  call.then(
    () => null,
    (error: unknown) => {
      if (error instanceof ServiceError) return error.message;
      if (isUnavailable(error)) return DATABASE_LOST;
      throw error;
    },
  );
