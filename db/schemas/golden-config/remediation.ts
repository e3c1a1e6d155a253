import { z } from 'zod';
import { textOrNull } from '../fields.ts';
import { ObjectId, Severity, Timestamp } from '../primitives.ts';
import { Grade, Totals } from './compliance.ts';
import { ReportHeader } from './compliance-report.ts';
import { Line } from './config-spec.ts';

/** The status of a proposal (contract/lifecycle#4.10). */
export const RemediationStatus = z
  .enum(['proposed', 'approved', 'applying', 'applied', 'failed', 'rejected', 'expired', 'stale'])
  .describe(
    'expired: nobody applied it in time; stale: the device’s newest configuration is not the one that it mends',
  );
export type RemediationStatus = z.infer<typeof RemediationStatus>;

/** The kind of violation that a change fixes. */
export const RemediationType = z
  .enum(['required', 'disallowed', 'ordering'])
  .describe('A line is missing, is there and must not be, or stands in the wrong place');

const parents = z
  .array(z.string())
  .describe('Configuration lines above, outermost first')
  .meta({ examples: [['interface GigabitEthernet0/1']] });

/** One line that is added, removed, changed or moved (contract/lifecycle#4.10). */
export const RemediationChange = z
  .looseObject({
    id: z.string().meta({ description: 'Names the change within its proposal', examples: ['c1'] }),
    parents,
    old: z.string().nullable().describe('Line that goes; the same as new where the line only moves'),
    new: z.string().nullable().describe('Line that comes; null where one only goes'),
    after: textOrNull('Line that it stands behind, null for the first place; absent: the last place'),
    type: RemediationType,
    severity: Severity,
    specId: ObjectId.describe('Spec whose rule it mends'),
    lineId: z.string().meta({ description: 'Line of that spec', examples: ['65f0c1d2e3a4b5c6'] }),
    selected: z.boolean().describe('Whether it is part of config'),
    risk: z.string().describe('What may go wrong; empty when nothing is known'),
  })
  .meta({ id: 'RemediationChange', description: 'One line that a proposal adds, takes away or moves.' });
export type RemediationChange = z.infer<typeof RemediationChange>;

/** An issue that cannot be fixed by a proposal. */
export const ManualRemediation = z
  .looseObject({
    reason: z.string().meta({
      description: 'Why nothing is proposed',
      examples: ['required line is a pattern'],
    }),
    spec: Line,
    specId: ObjectId.describe('Spec that the rule belongs to'),
    parents,
    type: RemediationType,
    severity: Severity,
  })
  .meta({ id: 'ManualRemediation', description: 'An issue that a person must mend.' });

/** The expected result of the rules after the remediation. */
export const PredictedVerdict = z
  .looseObject({
    totals: Totals,
    score: z.number().meta({ description: 'Points, two decimals', examples: [100] }),
    grade: Grade,
  })
  .meta({
    id: 'PredictedVerdict',
    description: 'The verdict on the configuration as the selected changes leave it.',
  });

/** A user's approval of an exact text. */
export const RemediationApproval = z
  .looseObject({
    account: z.string().describe('Id of the account that approved'),
    username: z.string().meta({ description: 'Its name', examples: ['ops'] }),
    time: Timestamp.describe('When'),
    configSha256: z.string().describe('SHA-256 of the config that was approved'),
    comment: z.string().describe('What was said to it'),
  })
  .meta({ id: 'RemediationApproval', description: 'An approval of exactly one text.' });

/** A proposal to remediate one device, computed from a report (contract/lifecycle#4.10). */
export const Remediation = z
  .looseObject({
    id: ObjectId.describe('Id of the proposal'),
    _id: ObjectId.describe('Id of the proposal'),
    reportId: ObjectId.describe('Report whose issues it mends'),
    deviceName: z.string().meta({ description: 'Device that it is for', examples: ['edge-1'] }),
    treeId: ObjectId.describe('Golden tree of the rules'),
    version: z.string().meta({ description: 'Version of that tree', examples: ['initial'] }),
    nodePath: z.string().meta({ description: 'Node of the golden tree', examples: ['base/access'] }),
    status: RemediationStatus,
    changes: z.array(RemediationChange).describe('What can be proposed'),
    manual: z.array(ManualRemediation).describe('What a person must decide'),
    config: z.string().meta({
      description: 'The selected changes as the device takes them; exactly this is approved',
      examples: ['interface GigabitEthernet0/1\n no shutdown'],
    }),
    configSha256: z.string().describe('SHA-256 of config in UTF-8, hexadecimal'),
    rollback: z.string().describe('Commands that take config back'),
    predicted: PredictedVerdict,
    risk: z.string().describe('Why it cannot be approved; empty when it can'),
    basis: z
      .enum(['device', 'backup'])
      .describe('backup: the report was on a backup, which is what the proposal mends'),
    backupId: ObjectId.nullable().describe('That backup; null for a report on the device'),
    baseSha256: z.string().describe('SHA-256 of the configuration that it mends'),
    variables: ReportHeader.shape.variables.describe(
      'Variables of the report, which its rules were held with',
    ),
    approvals: z.array(RemediationApproval).describe('Approvals of this config'),
    authors: z
      .array(z.string())
      .describe('Accounts that made it or chose its changes; none of them approves it'),
    reason: z.string().optional().describe('Why it was rejected'),
    createdBy: z.string().describe('Account that made it'),
    created: Timestamp.describe('When it was made'),
    lastUpdated: Timestamp.describe('When it last changed'),
    expires: Timestamp.describe('When it can no longer be approved or applied'),
    result: z.unknown().describe('What applying it gave; null before'),
  })
  .meta({ id: 'Remediation', description: 'A proposal of commands that would mend one device.' });
export type Remediation = z.infer<typeof Remediation>;

/** The preview of a remediation before its approval (contract/lifecycle#4.10). */
export const RemediationPreview = z
  .looseObject({
    config: z.string().describe('The selected changes as the device takes them'),
    rollback: z.string().describe('Commands that take them back'),
    diff: z
      .array(z.tuple([z.literal([-1, 0, 1]), z.string()]))
      .describe('Sections that change, line by line: -1 goes, 1 comes, 0 stays')
      .meta({
        examples: [
          [
            [0, 'interface GigabitEthernet0/1'],
            [-1, ' shutdown'],
            [1, ' no shutdown'],
          ],
        ],
      }),
    predicted: PredictedVerdict,
    stale: z.boolean().describe('The device’s newest configuration is not the one that the proposal mends'),
    comparedWith: z
      .enum(['device', 'backup'])
      .describe(
        'What `stale` was told by: the device as it is now, or its newest backup where it cannot be read',
      ),
  })
  .meta({ id: 'RemediationPreview', description: 'What a proposal would do to its device.' });
export type RemediationPreview = z.infer<typeof RemediationPreview>;
