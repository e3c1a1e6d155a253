import { and, eq, type SQL, sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import type {
  Campaign,
  CampaignDevice,
  CampaignDevicesRequest,
  CampaignWave,
  CampaignWavesRequest,
} from '#db/schemas/golden-config/campaign.ts';
import { campaignDevices } from '#db/tables/golden-config/fleet.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { findCampaign } from './campaigns.service.ts';
import { waveStarts } from './waves.ts';

/** Statuses in which the devices that wait for their change are known. */
const PLANNED: readonly Campaign['status'][] = ['review', 'approved', 'running'];

/** Devices that wait for their change. One whose proposal has a risk is skipped when the campaign is approved. */
const WAITS = sql`status = 'proposed' and reason = ''`;

/** Returns the devices of a campaign as rows, each with the wave in which it was changed or comes next. */
async function withWaves({ db }: ReadContext, { id, status, wave, ...more }: Campaign): Promise<SQL> {
  const own = eq(campaignDevices.campaignId, id);
  const [waiting, claimed] = await Promise.all([
    db.$count(campaignDevices, and(own, WAITS)),
    db.$count(campaignDevices, and(own, eq(campaignDevices.wave, wave))),
  ]);
  const starts = PLANNED.includes(status) ? waveStarts({ wave, ...more }, claimed, waiting) : [];
  const planned =
    starts.length === 0
      ? sql`null::int`
      : sql`case when ${WAITS} then ${wave}::int + width_bucket(
          (row_number() over (partition by ${WAITS} order by device))::int,
          ${`{${starts.join(',')}}`}::text::int[]) end`;
  return sql`(select device, status, report_id, remediation_id, wave, reason, ${planned} as planned_wave
    from ${campaignDevices} where ${own}) as planned`;
}

const WAVE = sql`coalesce(wave, planned_wave)`;

/** Returns a page of the devices of a campaign, by name. @throws ServiceError NOT_FOUND */
export async function listCampaignDevices(
  ctx: ReadContext,
  { id, status, wave, hasProposal, start = 0, limit = 100 }: CampaignDevicesRequest,
): Promise<{ total: number; list: CampaignDevice[] }> {
  const { doc } = await findCampaign(ctx, id);
  const from = await withWaves(ctx, doc);
  const where = allOf(
    sql`true`,
    status && sql`status = ${status}`,
    wave === undefined ? undefined : sql`${WAVE} = ${wave}::int`,
    hasProposal === undefined ? undefined : sql`(remediation_id is not null) = ${hasProposal}::boolean`,
  );
  const [list, [count]] = await Promise.all([
    rows<CampaignDevice>(
      ctx.db,
      sql`select device, status, report_id as "reportId", remediation_id as "remediationId", wave,
          planned_wave as "plannedWave", reason
        from ${from} where ${where} order by device limit ${limit} offset ${start}`,
      false,
    ),
    rows<{ total: number }>(ctx.db, sql`select count(*)::int as total from ${from} where ${where}`, false),
  ]);
  return { total: count?.total ?? 0, list };
}

/**
 * Returns a page of the waves of a campaign, those that have begun and those that come, each with the number of its devices by
 * status. Devices that no wave changes are in none.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function listCampaignWaves(
  ctx: ReadContext,
  { id, start = 0, limit = 100 }: CampaignWavesRequest,
): Promise<{ total: number; list: CampaignWave[] }> {
  const { doc } = await findCampaign(ctx, id);
  const from = await withWaves(ctx, doc);
  const [found, [count]] = await Promise.all([
    rows<{ number: number; devices: string }>(
      ctx.db,
      sql`select number, jsonb_object_agg(status, devices)::text as devices from (
          select ${WAVE} as number, status, count(*)::int as devices from ${from}
          where ${WAVE} is not null group by 1, 2) as counted
        group by 1 order by 1 limit ${limit} offset ${start}`,
      false,
    ),
    rows<{ total: number }>(ctx.db, sql`select count(distinct ${WAVE})::int as total from ${from}`, false),
  ]);
  const isAtWork = (number: number) =>
    doc.status === 'running' && number === doc.wave && doc.nextWave === null;
  return {
    total: count?.total ?? 0,
    list: found.map(({ number, devices }) => ({
      wave: number,
      status: number > doc.wave ? 'planned' : isAtWork(number) ? 'running' : 'ended',
      devices: JSON.parse(devices) as CampaignWave['devices'],
    })),
  };
}
