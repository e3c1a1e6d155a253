import { createHash } from 'node:crypto';
import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { unreadableIds } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { find, insert, replace, type Stored } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type {
  Campaign,
  CampaignDetail,
  CampaignDevice,
  CampaignsRequest,
  NewCampaign,
} from '#db/schemas/golden-config/campaign.ts';
import { goldenTrees } from '#db/tables/golden-config/configurations.ts';
import { campaignDevices, campaigns } from '#db/tables/golden-config/fleet.ts';
import { remediations } from '#db/tables/golden-config/remediations.ts';
import { isSamePerson } from '#server/domains/identity/index.ts';
import { selectDevices, shownSelection, shownSelections } from '#server/domains/network/index.ts';
import type { ReadContext, SystemContext, WriteContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { assertQuota } from '#server/kernel/documents/quota.service.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import {
  changedMeanwhile,
  conflict,
  forbidden,
  invalid,
  invalidRequest,
  notFound,
  ServiceError,
} from '#server/kernel/errors.ts';
import { assertWholeAccount, type Caller, seesConfigurationSecrets } from '#server/kernel/principal.ts';
import { devicesWithIssues } from '../compliance/reports/report-filter.service.ts';
import { orderIssues } from '../fleet/backup-runs.service.ts';
import { approveText } from '../remediation/remediations.service.ts';
import { getTree } from '../trees/trees.service.ts';

/** The kind of durable work that makes the proposals of a campaign and applies its waves. */
export const CAMPAIGN = 'campaign';
/** Maximum number of devices in a campaign. */
const MOST_DEVICES = 2000;
/** Maximum number of campaigns that are not finished. */
const MOST_OPEN = 50;

/** The input of one piece of work: the proposals, or one wave. */
export type CampaignPiece = { campaignId: string; wave: number };

/**
 * Requests the proposals (wave 0) or a wave of a campaign.
 *
 * @param runAt when it begins; absent: now
 */
export const enqueueWave = (
  { db, platform }: SystemContext<'durable'>,
  piece: CampaignPiece,
  runAt?: Date,
): Promise<void> =>
  platform.durable.enqueue(db, CAMPAIGN, [
    { id: `${piece.campaignId}:${piece.wave}`, input: piece, ...(runAt && { runAt }) },
  ]);

function readable({ principal }: ReadContext): SQL {
  const closed = unreadableIds(goldenTrees, principal);
  return closed ? sql`${campaigns.treeId} <> all(${closed})` : sql`true`;
}

/** Returns a campaign that the caller may read. @throws ServiceError NOT_FOUND */
export async function findCampaign(ctx: ReadContext, id: string, lock = false): Promise<Stored<Campaign>> {
  const stored = await find(ctx.db, campaigns, sql`${campaigns.id} = ${id} and ${readable(ctx)}`, lock);
  if (!stored) throw notFound('Campaign', id);
  return stored;
}

/** Stores changed fields of a campaign. @throws ServiceError CONFLICT */
export async function writeCampaign(
  { db, platform }: SystemContext<'now'>,
  stored: Stored<Campaign>,
  change: Partial<Campaign>,
): Promise<Campaign> {
  const lastUpdated = grownStamp(platform.now(), stored.doc.lastUpdated);
  const doc: Campaign = { ...stored.doc, ...change, lastUpdated };
  if (await replace(db, campaigns, stored, doc)) return doc;
  throw changedMeanwhile(`Campaign ${doc.name}`);
}

/** What a personal token needs all roles of its account for (`assertWholeAccount`). */
const RUNS = 'campaigns change devices';

/**
 * Creates a campaign over the devices of a selection that have issues in their newest report; their proposals are made
 * after the answer. No device is touched.
 *
 * @throws ServiceError NOT_FOUND for the tree; BAD_REQUEST with all issues, also when no selected device has issues;
 *   CONFLICT when too many campaigns are open
 */
export async function createCampaign(
  ctx: WriteContext<'config' | 'durable'>,
  given: NewCampaign,
): Promise<Campaign> {
  const { db, principal, platform } = ctx;
  const issues = orderIssues(given);
  if (issues.length > 0) throw invalidRequest(issues);
  assertWholeAccount(principal, RUNS);
  await getTree(ctx, given.treeId);
  await assertQuota(db, campaigns, {
    most: MOST_OPEN,
    what: 'open campaigns',
    only: sql`doc ->> 'status' in ('preparing', 'review', 'approved', 'running')`,
    remedy: 'finish or cancel one first',
  });
  const names = await selectDevices(ctx, given.selection, ['selection']);
  const found = await devicesWithIssues(db, given.treeId, names, MOST_DEVICES + 1);
  if (found.length === 0) throw invalid(['selection'], 'selects no device with issues on this tree', 'empty');
  if (found.length > MOST_DEVICES)
    throw invalid(
      ['selection'],
      `selects more than ${MOST_DEVICES} devices with issues: narrow it`,
      'too_big',
    );
  const now = platform.now();
  const id = newId(now.getTime());
  const stamp = now.toISOString();
  const doc: Campaign = {
    ...given,
    id,
    _id: id,
    status: 'preparing',
    wave: 0,
    nextWave: null,
    reason: '',
    approvedBy: null,
    startedBy: null,
    created: stamp,
    createdBy: principal.id,
    lastUpdated: stamp,
  };
  await insert(db, campaigns, id, doc);
  await db.execute(sql`insert into ${campaignDevices} (campaign_id, device, report_id)
    select ${id}, device, report from unnest(${textArray(found.map(({ device }) => device))},
      ${textArray(found.map(({ report }) => report))}) as given (device, report)`);
  await enqueueWave(ctx, { campaignId: id, wave: 0 });
  return doc;
}

/** Whether a campaign made a proposal. By the device of the proposal the key of the campaign's devices finds it. */
const madeBy = (remediationId: string): SQL => sql`exists (
  select from ${remediations} r, ${campaignDevices} d
  where r.id = ${remediationId} and d.campaign_id = ${campaigns.id} and d.device = r.device_name and d.remediation_id = r.id)`;

/**
 * Returns a page of campaigns, newest first.
 *
 * @returns only campaigns whose tree the caller may read, and their number
 */
export async function listCampaigns(
  ctx: ReadContext,
  { start = 0, limit = 25, status, remediationId }: CampaignsRequest,
): Promise<{ total: number; list: Campaign[] }> {
  const where = allOf(
    readable(ctx),
    status && sql`${campaigns.doc} ->> 'status' = ${status}`,
    remediationId === undefined ? undefined : madeBy(remediationId),
  );
  const found = await rows<{ doc: string }>(
    ctx.db,
    sql`select doc::text as doc from ${campaigns} where ${where}
        order by created desc, id limit ${limit} offset ${start}`,
    false,
  );
  const list = await shownSelections(
    ctx,
    found.map(({ doc }) => JSON.parse(doc) as Campaign),
  );
  return { total: await ctx.db.$count(campaigns, where), list };
}

const proposedOf = (db: Database, campaignId: string) =>
  db
    .select({
      device: campaignDevices.device,
      remediationId: campaignDevices.remediationId,
      configSha256: campaignDevices.configSha256,
    })
    .from(campaignDevices)
    .where(and(eq(campaignDevices.campaignId, campaignId), sql`${campaignDevices.remediationId} is not null`))
    .orderBy(asc(campaignDevices.device));

/**
 * Returns the hash over the texts of all proposals of a campaign, as a caller reads it. For one who reads masks it is over
 * the ids of the proposals, whose texts the campaign has fixed: one over the texts would confirm guesses of their secrets.
 */
function digestOf(caller: Caller, proposed: Awaited<ReturnType<typeof proposedOf>>): string {
  const isWhole = seesConfigurationSecrets(caller);
  const lines = proposed.map(
    ({ device, configSha256, remediationId }) => `${device}\n${isWhole ? configSha256 : remediationId}\n`,
  );
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** Returns a campaign with the number of its devices by status. @throws ServiceError NOT_FOUND */
export async function getCampaign(ctx: ReadContext, id: string): Promise<CampaignDetail> {
  const { doc } = await findCampaign(ctx, id);
  const counts = await rows<{ status: CampaignDevice['status']; count: number }>(
    ctx.db,
    sql`select status, count(*)::int as count from ${campaignDevices} where campaign_id = ${id} group by 1 order by 1`,
  );
  const digest = doc.status === 'preparing' ? '' : digestOf(ctx.principal, await proposedOf(ctx.db, id));
  const shown = await shownSelection(ctx, doc);
  return {
    ...shown,
    devices: Object.fromEntries(counts.map(({ status, count }) => [status, count])),
    digest,
  };
}

async function lockCampaign(
  ctx: WriteContext<'config' | 'durable'>,
  id: string,
  allowed: readonly Campaign['status'][],
  done: string,
): Promise<Stored<Campaign>> {
  const stored = await findCampaign(ctx, id, true);
  const { name, status, lastUpdated } = stored.doc;
  assertUnchanged(ctx.request.ifMatch, lastUpdated, `Campaign ${name}`);
  if (allowed.includes(status)) return stored;
  throw conflict(`Campaign ${name} is ${status}: only one that is ${allowed.join(' or ')} can be ${done}`);
}

/**
 * Approves the exact texts of all proposals of a campaign; proposals that cannot be approved are skipped.
 *
 * @param digest the hash over these texts, as the approver has read it
 * @throws ServiceError FORBIDDEN for the author and service accounts of the same user; CONFLICT when the texts have changed, or
 *   nothing can be approved
 */
export async function approveCampaign(
  ctx: WriteContext<'config' | 'durable'>,
  id: string,
  { digest, comment }: { digest: string; comment?: string | undefined },
): Promise<Campaign> {
  const stored = await lockCampaign(ctx, id, ['review'], 'approved');
  const { name, createdBy } = stored.doc;
  if (await isSamePerson(ctx.db, ctx.principal.id, [createdBy]))
    throw forbidden(
      `Campaign ${name} was created by you, or by a service account of the same user: another user must approve it`,
    );
  const proposed = await proposedOf(ctx.db, id);
  if (digestOf(ctx.principal, proposed) !== digest.toLowerCase())
    throw conflict(`The proposals of campaign ${name} do not match this digest: review them again`);
  let approved = 0;
  const single = { ...ctx, request: { ...ctx.request, ifMatch: null } };
  for (const { device, remediationId, configSha256 } of proposed) {
    try {
      const approval = { configSha256: configSha256 ?? '', comment };
      await approveText(single, remediationId ?? '', approval);
      approved += 1;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      await noteDevice(ctx.db, { campaignId: id, device }, { status: 'skipped', reason: error.message });
    }
  }
  if (approved === 0) throw conflict(`No proposal of campaign ${name} can be approved`);
  return shownSelection(
    ctx,
    await writeCampaign(ctx, stored, { status: 'approved', approvedBy: ctx.principal.id }),
  );
}

/**
 * Stores the outcome of a device of a campaign.
 *
 * @param change the fields that differ; `reason` is cut to what a row holds
 */
export async function noteDevice(
  db: Database,
  { campaignId, device }: { campaignId: string; device: string },
  { reason, ...change }: Partial<typeof campaignDevices.$inferInsert>,
): Promise<void> {
  await db
    .update(campaignDevices)
    .set({ ...change, ...(reason !== undefined && { reason: reason.slice(0, 1000) }) })
    .where(and(eq(campaignDevices.campaignId, campaignId), eq(campaignDevices.device, device)));
}

/** Starts the waves of an approved campaign; the changes are made for the caller. @throws ServiceError CONFLICT */
export async function startCampaign(ctx: WriteContext<'config' | 'durable'>, id: string): Promise<Campaign> {
  assertWholeAccount(ctx.principal, RUNS);
  const stored = await lockCampaign(ctx, id, ['approved'], 'started');
  await enqueueWave(ctx, { campaignId: id, wave: 1 });
  return shownSelection(
    ctx,
    await writeCampaign(ctx, stored, { status: 'running', startedBy: ctx.principal.id }),
  );
}

/** Cancels a campaign: devices that are being changed are finished, the others stay as they are. @throws ServiceError CONFLICT */
export async function cancelCampaign(ctx: WriteContext<'config' | 'durable'>, id: string): Promise<Campaign> {
  const stored = await lockCampaign(ctx, id, ['preparing', 'review', 'approved', 'running'], 'canceled');
  await skipOthers(ctx.db, id, 'the campaign was canceled');
  return shownSelection(ctx, await writeCampaign(ctx, stored, { status: 'canceled', nextWave: null }));
}

/**
 * Marks the devices of a campaign that have not been changed as skipped.
 *
 * @param reason why, as users read it
 */
export async function skipOthers(db: Database, campaignId: string, reason: string): Promise<void> {
  await db
    .update(campaignDevices)
    .set({ status: 'skipped', reason })
    .where(and(eq(campaignDevices.campaignId, campaignId), sql`status in ('waiting', 'proposed')`));
}
