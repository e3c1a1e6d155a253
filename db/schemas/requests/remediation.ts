import { z } from 'zod';
import { optional } from '../fields.ts';
import { RemediationStatus, RemediationType } from '../golden-config/remediation.ts';
import { Selection } from '../network/selection.ts';
import { ObjectId, Severity } from '../primitives.ts';
import { paging } from './paging.ts';

const ID = z.string().describe('Id of the proposal');
const direction = optional(z.literal([1, -1])).describe('1 ascending, -1 descending');
const Sha256 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal characters')
  .meta({ description: 'SHA-256 of the proposal’s config', examples: ['0'.repeat(64)] });

export const RemediationRequest = z.strictObject({ id: ID });

export const ProposeRequest = z
  .strictObject({
    options: z
      .strictObject({
        reportIds: optional(z.array(ObjectId).min(1).max(50)).describe(
          'Reports to remediate, at most 50: one proposal each',
        ),
        treeId: optional(ObjectId).describe('With a selection: the golden tree of the reports'),
        selection: Selection.optional().describe(
          'In place of reports: devices whose newest reports on the tree have issues, at most 50',
        ),
        severities: optional(z.array(Severity)).describe('Only issues of these severities; absent: all'),
        types: optional(z.array(RemediationType)).describe('Only issues of these types; absent: all'),
        removeDisallowed: optional(z.boolean()).describe(
          'True: the removal of disallowed lines is selected; otherwise it is only listed',
        ),
      })
      .describe('What to propose'),
  })
  .meta({ examples: [{ options: { reportIds: ['65f0c1d2e3a4b5c6d7e8f901'], severities: ['error'] } }] });
export type ProposeOptions = z.infer<typeof ProposeRequest>['options'];

const filter = {
  deviceName: optional(z.string()).describe('Proposals for this device'),
  text: optional(z.string().max(255), 'edge').describe('Text in the name of the device'),
  treeId: optional(ObjectId).describe('Proposals for this golden tree'),
  status: optional(RemediationStatus).describe('Proposals in this state'),
  reportId: optional(ObjectId).describe('Proposals for this report'),
};

export const SearchRemediationsRequest = z.strictObject({
  options: optional(
    z.strictObject({
      filter: optional(z.strictObject(filter)).describe(
        'Which proposals to return; every given field must match',
      ),
      ...paging,
      sort: optional(
        z.union([
          z.enum(['created', 'expires', 'deviceName', 'status']),
          z.strictObject({
            created: direction,
            expires: direction,
            deviceName: direction,
            status: direction,
          }),
        ]),
      ).describe('Order: a field, or several with 1 or -1; absent: the newest first'),
    }),
  ).describe('Filter, page and order'),
});

export const CountRemediationsRequest = z.strictObject(filter);
export type RemediationFilter = z.infer<typeof CountRemediationsRequest>;

export const SelectRequest = z.strictObject({
  id: ID,
  selected: z
    .array(z.string())
    .max(100_000)
    .meta({ description: 'Ids of the changes to select; all others are deselected', examples: [['c1']] }),
});

export const ApproveRequest = z.strictObject({
  id: ID,
  configSha256: Sha256,
  comment: optional(z.string().max(10_000)).describe('Comment'),
});

export const RejectRequest = z.strictObject({
  id: ID,
  reason: z.string().min(1).max(10_000).describe('Reason for the rejection'),
});

export const ApplyRequest = z.strictObject({ id: ID, configSha256: Sha256 });
