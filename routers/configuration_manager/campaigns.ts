import { z } from 'zod';
import { pageOf } from '#db/schemas/fields.ts';
import {
  Campaign,
  CampaignDetail,
  CampaignDevice,
  CampaignDevicesRequest,
  CampaignsRequest,
  CampaignWave,
  CampaignWavesRequest,
  NewCampaign,
} from '#db/schemas/golden-config/campaign.ts';
import {
  approveCampaign,
  cancelCampaign,
  createCampaign,
  getCampaign,
  listCampaignDevices,
  listCampaigns,
  listCampaignWaves,
  startCampaign,
} from '#server/domains/golden-config/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';

const PATH = '/configuration_manager/campaigns';
const APPROVERS = ['admin', 'engineering'] as const;
/** Everyone who may approve a campaign may read it. */
const READERS = [...CONFIG_READ, 'engineering'] as const;

const OneCampaign = z.strictObject({ id: z.string().describe('Id of the campaign') });
export const campaigns = {
  createCampaign: allow(...CONFIG_WRITE)
    .meta(
      rest('POST', PATH, 'Create a remediation campaign', {
        description:
          'Proposals are made after the answer: the campaign is then in `review`. Nothing is sent to a device before it is approved and started.',
        errorResponses: { 409: 'Too many campaigns are open.' },
      }),
    )
    .input(NewCampaign)
    .output(answer(Campaign))
    .mutation(write(({ ctx, input }) => createCampaign(ctx, input))),

  listCampaigns: allow(...READERS)
    .meta(rest('GET', PATH, 'List campaigns, newest first'))
    .input(CampaignsRequest)
    .output(answer(pageOf(Campaign)))
    .query(({ ctx, input }) => listCampaigns(ctx, input)),

  getCampaign: allow(...READERS)
    .meta(rest('GET', `${PATH}/:id`, 'Read a campaign with its progress'))
    .input(OneCampaign)
    .output(answer(CampaignDetail))
    .query(({ ctx, input }) => getCampaign(ctx, input.id)),

  listCampaignDevices: allow(...READERS)
    .meta(rest('GET', `${PATH}/:id/devices`, 'List the devices of a campaign'))
    .input(CampaignDevicesRequest)
    .output(answer(pageOf(CampaignDevice)))
    .query(({ ctx, input }) => listCampaignDevices(ctx, input)),

  listCampaignWaves: allow(...READERS)
    .meta(
      rest('GET', `${PATH}/:id/waves`, 'List the waves of a campaign with the number of their devices', {
        description:
          'Waves that have not begun are planned in the order of the names of their devices; there are none before the proposals are made.',
      }),
    )
    .input(CampaignWavesRequest)
    .output(answer(pageOf(CampaignWave)))
    .query(({ ctx, input }) => listCampaignWaves(ctx, input)),

  approveCampaign: allow(...APPROVERS)
    .meta(
      rest('POST', `${PATH}/:id/approve`, 'Approve the exact texts of all proposals of a campaign', {
        description: 'A proposal that cannot be approved is skipped; the reason is at its device.',
        errorResponses: {
          403: 'The caller created the campaign.',
          409: 'The campaign is not in review, or its texts do not match the digest.',
        },
      }),
    )
    .input(
      OneCampaign.extend({
        digest: z
          .string()
          .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal characters')
          .meta({ description: 'The digest of the campaign, as it was read', examples: ['0'.repeat(64)] }),
        comment: z.string().max(10_000).optional().describe('Comment'),
      }),
    )
    .output(answer(Campaign))
    .mutation(write(({ ctx, input: { id, ...approval } }) => approveCampaign(ctx, id, approval))),

  startCampaign: allow(...ADMIN)
    .meta(
      rest('POST', `${PATH}/:id/start`, 'Start the waves of an approved campaign', {
        description:
          'The changes are made for the caller. Each device is backed up, changed and checked; a change after which the check fails is rolled back.',
        errorResponses: { 409: 'The campaign is not approved.' },
      }),
    )
    .input(OneCampaign)
    .output(answer(Campaign))
    .mutation(write(({ ctx, input }) => startCampaign(ctx, input.id))),

  cancelCampaign: allow(...CONFIG_WRITE)
    .meta(
      rest('POST', `${PATH}/:id/cancel`, 'Cancel a campaign', {
        description: 'Devices that are being changed are finished; changes that were made stay.',
        errorResponses: { 409: 'The campaign has finished.' },
      }),
    )
    .input(OneCampaign)
    .output(answer(Campaign))
    .mutation(write(({ ctx, input }) => cancelCampaign(ctx, input.id))),
};
