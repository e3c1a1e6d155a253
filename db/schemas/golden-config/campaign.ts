import { z } from 'zod';
import { count, entryPaging } from '../fields.ts';
import { Selection } from '../network/selection.ts';
import { Name, ObjectId, Severity, Timestamp } from '../primitives.ts';
import { TimeWindow, TimeZone } from '../schedule.ts';
import { RemediationType } from './remediation.ts';

/** The fields of a campaign that a request sets. */
export const NewCampaign = z
  .strictObject({
    name: Name.describe('Name of the campaign'),
    treeId: ObjectId.describe('Golden tree whose newest reports are remediated'),
    selection: Selection.describe('Devices to remediate: those of them with issues in their newest report'),
    severities: z
      .array(Severity)
      .min(1)
      .max(3)
      .optional()
      .describe('Only issues of these severities; absent: all'),
    types: z
      .array(RemediationType)
      .min(1)
      .max(3)
      .optional()
      .describe('Only issues of these types; absent: all'),
    removeDisallowed: z
      .boolean()
      .optional()
      .describe('True: the removal of disallowed lines is part of the change'),
    waves: z
      .array(z.int().min(1).max(2000))
      .min(1)
      .max(50)
      .optional()
      .meta({
        description:
          'Number of devices of each wave; the last number counts for all waves after it; absent: 1, 10, then 100',
        examples: [[1, 10, 100]],
      }),
    concurrency: z
      .int()
      .min(1)
      .max(20)
      .optional()
      .meta({
        description: 'Devices of a wave that are changed at the same time; absent: 5',
        examples: [5],
      }),
    pauseMinutes: z
      .int()
      .min(0)
      .max(10_080)
      .optional()
      .meta({
        description: 'Minutes between two waves; absent: 0',
        examples: [15],
      }),
    stopAfter: z
      .int()
      .min(1)
      .max(2000)
      .optional()
      .meta({
        description: 'Number of devices that may fail until the campaign stops; absent: 1',
        examples: [1],
      }),
    windows: z
      .array(TimeWindow)
      .max(20)
      .optional()
      .describe('Maintenance windows: waves begin only within them; absent or empty: at any time'),
    timeZone: TimeZone.optional(),
  })
  .meta({ id: 'NewCampaign', description: 'A remediation of many devices in waves.' });
export type NewCampaign = z.infer<typeof NewCampaign>;

export const CampaignStatus = z
  .enum(['preparing', 'review', 'approved', 'running', 'stopped', 'complete', 'canceled', 'error'])
  .describe(
    'preparing: proposals are made; review: they wait for an approval; stopped: too many devices failed',
  );

/** A stored campaign. */
export const Campaign = NewCampaign.extend({
  id: ObjectId.describe('Id of the campaign'),
  _id: ObjectId.describe('Id of the campaign'),
  status: CampaignStatus,
  wave: count('waves that have begun'),
  nextWave: Timestamp.nullable().describe('When the next wave begins, if it waits; null otherwise'),
  reason: z.string().describe('Why the campaign stopped or failed; empty otherwise'),
  approvedBy: z.string().nullable().describe('Id of the account that approved it; never its author'),
  startedBy: z.string().nullable().describe('Id of the account for which the changes are made'),
  created: Timestamp.describe('When it was created'),
  createdBy: z.string().describe('Id of the account that created it'),
  lastUpdated: Timestamp.describe('When it last changed'),
}).meta({ id: 'Campaign', description: 'A remediation of many devices in waves.' });
export type Campaign = z.infer<typeof Campaign>;

export const CampaignDeviceStatus = z
  .enum(['waiting', 'proposed', 'nothing', 'applying', 'applied', 'rolledBack', 'failed', 'skipped'])
  .describe(
    'waiting: no proposal yet; nothing: there is nothing to change; rolledBack: the check after the change failed',
  );

/** A campaign with the number of its devices by status, and what an approval names. */
export const CampaignDetail = Campaign.extend({
  devices: z.partialRecord(CampaignDeviceStatus, z.int()).describe('Number of devices by status'),
  digest: z
    .string()
    .describe('SHA-256 over the texts of all proposals: an approval names it; empty while they are made'),
}).meta({ id: 'CampaignDetail', description: 'A campaign with the number of its devices by status.' });
export type CampaignDetail = z.infer<typeof CampaignDetail>;

/** A device of a campaign. */
export const CampaignDevice = z
  .strictObject({
    device: z.string().describe('Name of the device'),
    status: CampaignDeviceStatus,
    reportId: ObjectId.describe('Report whose issues are remediated'),
    remediationId: ObjectId.nullable().describe('Proposal of the device; null: none'),
    wave: z.int().nullable().describe('Wave in which it was changed, from 1; null: not yet'),
    plannedWave: z
      .int()
      .nullable()
      .describe(
        'Wave in which it comes, in the order of names, unless a device before it leaves the campaign; null: it is or was changed, or is not going to be',
      ),
    reason: z.string().describe('What happened, in words; empty while nothing has'),
  })
  .meta({ id: 'CampaignDevice', description: 'A device of a campaign.' });
export type CampaignDevice = z.infer<typeof CampaignDevice>;

/** A wave of a campaign. */
export const CampaignWave = z
  .strictObject({
    wave: z.int().min(1).describe('Number of the wave, from 1'),
    status: z
      .enum(['planned', 'running', 'ended'])
      .describe(
        'planned: it has not begun; running: it changes its devices; ended: it changes no further device',
      ),
    devices: z.partialRecord(CampaignDeviceStatus, z.int()).describe('Number of its devices by status'),
  })
  .meta({
    id: 'CampaignWave',
    description: 'A wave of a campaign with the number of its devices by status.',
  });
export type CampaignWave = z.infer<typeof CampaignWave>;

/** Which campaigns to list. */
export const CampaignsRequest = z.strictObject({
  ...entryPaging(25),
  status: CampaignStatus.optional().describe('Only campaigns in this state; absent: all'),
  remediationId: ObjectId.optional().describe('Only the campaign that made this proposal; absent: all'),
});
export type CampaignsRequest = z.infer<typeof CampaignsRequest>;

/** Which waves of a campaign to list. */
export const CampaignWavesRequest = z.strictObject({
  id: z.string().describe('Id of the campaign'),
  ...entryPaging(100),
});
export type CampaignWavesRequest = z.infer<typeof CampaignWavesRequest>;

/** Which devices of a campaign to list. */
export const CampaignDevicesRequest = CampaignWavesRequest.extend({
  status: CampaignDeviceStatus.optional().describe('Only devices with this status; absent: all'),
  wave: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('Only devices of this wave, changed or still to be changed; absent: all'),
  hasProposal: z
    .boolean()
    .optional()
    .describe('True: only devices with a proposal; false: only those without; absent: all'),
});
export type CampaignDevicesRequest = z.infer<typeof CampaignDevicesRequest>;
