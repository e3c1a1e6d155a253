import { and, asc, eq, sql } from 'drizzle-orm';
import { type Database, inTransaction, isUnavailable } from '#db/client.ts';
import { find } from '#db/collection.ts';
import { retryUntilAvailable } from '#db/connections/retry-until-available.ts';
import type { Campaign } from '#db/schemas/golden-config/campaign.ts';
import { campaignDevices, campaigns } from '#db/tables/golden-config/fleet.ts';
import { activeCaller } from '#server/domains/identity/index.ts';
import type { Work, Worker } from '#server/durable/port.ts';
import { forbidden, ServiceError } from '#server/kernel/errors.ts';
import { reasonOf } from '#server/kernel/observability/faults.ts';
import { mayCall } from '#server/kernel/principal.ts';
import { ADMIN, CONFIG_WRITE } from '#server/kernel/roles.ts';
import { nextInside } from '#server/kernel/schedules/time-windows.ts';
import { clipped } from '#server/kernel/text/clipped.ts';
import { proposeRemediations } from '../remediation/remediations.service.ts';
import { CAMPAIGN, type CampaignPiece, enqueueWave, noteDevice, skipOthers } from './campaigns.service.ts';
import { type CampaignDependencies, changeDevice } from './change-device.service.ts';
import { waveSize } from './waves.ts';

/** Campaigns that one process works on at the same time. */
const AT_ONCE = 2;
const USUAL = { concurrency: 5, pauseMinutes: 0, stopAfter: 1 };
const MINUTE_MS = 60_000;

/**
 * Returns the worker for campaigns: first the proposals, then one piece of work for each wave. The rows of the devices are
 * the record of its progress: a device is changed at most once, even when the process is lost.
 *
 * @param workers maximum number of parallel work items in this process, of all kinds; 0 disables the worker
 */
export const campaignWorker = (parts: CampaignDependencies, workers: number): Worker => ({
  kind: CAMPAIGN,
  atOnce: Math.min(workers, AT_ONCE),
  urgent: false,
  putAside: (tx, { input, reason }) =>
    endCampaign({ ...parts, db: tx }, (input as CampaignPiece).campaignId, 'error', reason),
  run: async (work, input) => {
    const piece = input as CampaignPiece;
    await (piece.wave === 0 ? prepare(parts, work, piece) : runWave(parts, work, piece));
  },
});

const rowOf = async (db: Database, id: string) => (await find(db, campaigns, id))?.doc;

/** Stores fields of a campaign that has one of some statuses. @returns whether it had */
async function advance(
  { db, now }: Pick<CampaignDependencies, 'db' | 'now'>,
  id: string,
  from: Campaign['status'],
  change: Partial<Campaign>,
): Promise<boolean> {
  const doc = JSON.stringify({ ...change, lastUpdated: now().toISOString() });
  const written = await db
    .update(campaigns)
    .set({ doc: sql`doc || ${doc}::text::jsonb`, rev: sql`rev + 1`, updatedAt: sql`now()` })
    .where(and(eq(campaigns.id, id), sql`doc ->> 'status' = ${from}`))
    .returning({ id: campaigns.id });
  return written.length > 0;
}

async function endCampaign(
  parts: Pick<CampaignDependencies, 'db' | 'now'>,
  id: string,
  status: 'complete' | 'stopped' | 'error',
  reason: string,
): Promise<void> {
  const fields = { status, reason: clipped(reason, 1000), nextWave: null };
  const ended =
    (await advance(parts, id, 'running', fields)) ||
    (status === 'error' && (await advance(parts, id, 'preparing', fields)));
  if (ended) await failLost(parts.db, id);
  if (ended && status !== 'complete') await skipOthers(parts.db, id, 'the campaign has stopped');
}

/** Ends the devices that a lost process was changing. */
async function failLost(db: Database, campaignId: string): Promise<void> {
  const reason = 'the process was lost while it changed the device: compare the device with its backup';
  await db
    .update(campaignDevices)
    .set({ status: 'failed', reason })
    .where(and(eq(campaignDevices.campaignId, campaignId), eq(campaignDevices.status, 'applying')));
}

/** Returns an account with its current rights. @throws ServiceError FORBIDDEN */
async function callerOf(
  { db, platform }: CampaignDependencies,
  account: string,
  roles: typeof ADMIN | typeof CONFIG_WRITE,
  permission: string,
) {
  const caller = await activeCaller({ db, platform }, account, 'for which the campaign runs');
  if (mayCall(caller, roles, permission)) return caller;
  throw forbidden(
    `Account ${caller.username}, for which the campaign runs, needs one of the roles: ${roles.join(', ')}`,
  );
}

const devicesOf = (db: Database, campaignId: string, status: 'waiting' | 'proposed', most: number) =>
  db
    .select()
    .from(campaignDevices)
    .where(and(eq(campaignDevices.campaignId, campaignId), eq(campaignDevices.status, status)))
    .orderBy(asc(campaignDevices.device))
    .limit(most);

/** Returns whether a device still waits for its proposal, and locks it: the campaign may have been canceled meanwhile. */
async function isWaiting(
  tx: Database,
  { campaignId, device }: { campaignId: string; device: string },
): Promise<boolean> {
  const waiting = await tx
    .select({ device: campaignDevices.device })
    .from(campaignDevices)
    .where(
      and(
        eq(campaignDevices.campaignId, campaignId),
        eq(campaignDevices.device, device),
        eq(campaignDevices.status, 'waiting'),
      ),
    )
    .for('update');
  return waiting.length > 0;
}

/** Makes the proposals of a campaign, for its author. */
async function prepare(
  parts: CampaignDependencies,
  work: Work,
  { campaignId }: CampaignPiece,
): Promise<void> {
  const { db, platform } = parts;
  await work.step('proposals', async () => {
    for (;;) {
      const campaign = await rowOf(db, campaignId);
      if (campaign?.status !== 'preparing') return;
      const devices = await devicesOf(db, campaignId, 'waiting', 50);
      if (devices.length === 0) return;
      for (const { device, reportId } of devices) {
        await inTransaction(db, async (tx) => {
          if (!(await isWaiting(tx, { campaignId, device }))) return;
          const principal = await callerOf(
            parts,
            campaign.createdBy,
            CONFIG_WRITE,
            'ConfigurationManager.proposeRemediations',
          );
          const ctx = { db: tx, principal, platform, request: { ifMatch: null }, answer: { headers: {} } };
          const { severities, types, removeDisallowed } = campaign;
          const [made] = await proposeRemediations(ctx, {
            reportIds: [reportId],
            severities,
            types,
            removeDisallowed,
          });
          const isEmpty = !made || made.config.trim() === '';
          await noteDevice(
            tx,
            { campaignId, device },
            isEmpty
              ? { status: 'nothing', reason: 'a user must decide every issue' }
              : {
                  status: 'proposed',
                  remediationId: made.id,
                  configSha256: made.configSha256,
                  reason: made.risk,
                },
          );
        }).catch(async (error: unknown) => {
          if (isUnavailable(error)) throw error;
          if (!(error instanceof ServiceError))
            parts.log.error({ err: error, device }, 'no proposal was made');
          const reason = reasonOf(error);
          await inTransaction(db, async (tx) => {
            if (await isWaiting(tx, { campaignId, device }))
              await noteDevice(tx, { campaignId, device }, { status: 'failed', reason });
          });
        });
      }
    }
  });
  await work.transact(async (tx) => {
    await advance({ ...parts, db: tx }, campaignId, 'preparing', { status: 'review' });
    return null;
  });
}

/** Changes the devices of one wave, then requests the next one unless too many devices have failed. */
async function runWave(
  parts: CampaignDependencies,
  work: Work,
  { campaignId, wave }: CampaignPiece,
): Promise<void> {
  const { platform } = parts;
  const wait = await work.step('wave', () => changeWave(parts, campaignId, wave));
  await work.transact(async (tx) => {
    const inTx = { ...parts, db: tx };
    const campaign = await rowOf(tx, campaignId);
    if (campaign?.status !== 'running') return null;
    const failed = await tx.$count(
      campaignDevices,
      and(
        eq(campaignDevices.campaignId, campaignId),
        sql`wave is not null and status in ('failed', 'rolledBack')`,
      ),
    );
    const {
      stopAfter = USUAL.stopAfter,
      windows = [],
      timeZone = 'UTC',
      pauseMinutes = USUAL.pauseMinutes,
    } = campaign;
    const [left] = await devicesOf(tx, campaignId, 'proposed', 1);
    if (failed >= stopAfter) {
      await endCampaign(
        inTx,
        campaignId,
        'stopped',
        `${failed} ${failed === 1 ? 'device' : 'devices'} failed: the rule stops at ${stopAfter}`,
      );
      return null;
    }
    if (!left) {
      await endCampaign(inTx, campaignId, 'complete', '');
      return null;
    }
    const due = parts.now().getTime() + (wait ? 0 : pauseMinutes * MINUTE_MS);
    const next = nextInside(windows, due, timeZone);
    if (next === null) {
      await endCampaign(inTx, campaignId, 'stopped', 'the last maintenance window has ended');
      return null;
    }
    const moment = new Date(next);
    await advance(inTx, campaignId, 'running', { nextWave: moment.toISOString() });
    await enqueueWave({ db: tx, platform }, { campaignId, wave: wave + 1 }, moment);
    return null;
  });
}

/**
 * Changes the devices of a wave.
 *
 * @returns true when the wave has not begun, because it is outside of the maintenance windows
 */
async function changeWave(parts: CampaignDependencies, campaignId: string, wave: number): Promise<boolean> {
  const { db, now } = parts;
  // Also of a campaign that was canceled in the meantime.
  await failLost(db, campaignId);
  const campaign = await rowOf(db, campaignId);
  if (campaign?.status !== 'running') return false;
  const { windows = [], timeZone = 'UTC', concurrency = USUAL.concurrency } = campaign;
  const at = now().getTime();
  if (nextInside(windows, at, timeZone) !== at) return true;
  await advance(parts, campaignId, 'running', { wave, nextWave: null });
  const done = await db.$count(
    campaignDevices,
    and(eq(campaignDevices.campaignId, campaignId), eq(campaignDevices.wave, wave)),
  );
  const size = waveSize(campaign, wave) - done;
  const devices = size > 0 ? await devicesOf(db, campaignId, 'proposed', size) : [];
  const left = devices[Symbol.iterator]();
  const isClaimed = async ({ device }: (typeof devices)[number]) => {
    const claimed = await db
      .update(campaignDevices)
      .set({ status: 'applying', wave })
      .where(
        and(
          eq(campaignDevices.campaignId, campaignId),
          eq(campaignDevices.device, device),
          eq(campaignDevices.status, 'proposed'),
        ),
      )
      .returning({ device: campaignDevices.device });
    return claimed.length > 0;
  };
  const lane = async () => {
    for (const row of left) {
      // A lane that ended because the database is away would leave the others running beside a repetition of the step.
      if ((await retryUntilAvailable(() => rowOf(db, campaignId)))?.status !== 'running') return;
      if (!(await retryUntilAvailable(() => isClaimed(row)))) continue;
      const caller = () =>
        callerOf(parts, campaign.startedBy ?? '', ADMIN, 'ConfigurationManager.applyRemediation');
      const outcome = await changeDevice(parts, row, caller);
      await retryUntilAvailable(() => noteDevice(db, row, outcome));
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, devices.length) }, lane));
  return false;
}
