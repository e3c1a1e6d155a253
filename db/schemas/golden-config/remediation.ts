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
    'expired: it was not applied in time; stale: the newest configuration of the device is not the one for which it was made',
  );
export type RemediationStatus = z.infer<typeof RemediationStatus>;

/** The kind of violation that a change fixes. */
export const RemediationType = z
  .enum(['required', 'disallowed', 'ordering'])
  .describe(
    'Type of the issue: a required line is missing, a disallowed line is present, or a line is out of order',
  );

const parents = z
  .array(z.string())
  .describe('Parent lines, outermost first')
  .meta({ examples: [['interface GigabitEthernet0/1']] });

/** One line that is added, removed, changed or moved (contract/lifecycle#4.10). */
export const RemediationChange = z
  .looseObject({
    id: z.string().meta({ description: 'Id of the change in its proposal', examples: ['c1'] }),
    parents,
    old: z.string().nullable().describe('Line to remove; the same as new when the line only moves'),
    new: z.string().nullable().describe('Line to add; null when a line is only removed'),
    after: textOrNull(
      'Line after which it is placed, null for the first position; absent: the last position',
    ),
    type: RemediationType,
    severity: Severity,
    specId: ObjectId.describe('Spec of the rule'),
    lineId: z.string().meta({ description: 'Line of that spec', examples: ['65f0c1d2e3a4b5c6'] }),
    selected: z.boolean().describe('Whether the change is selected, that is part of config'),
    risk: z.string().describe('Risk of the change; empty when none is known'),
  })
  .meta({ id: 'RemediationChange', description: 'One line that a proposal adds, removes or moves.' });

/** An issue that cannot be fixed by a proposal. */
export const ManualRemediation = z
  .looseObject({
    reason: z.string().meta({
      description: 'Why nothing is proposed',
      examples: ['required line is a pattern'],
    }),
    spec: Line,
    specId: ObjectId.describe('Spec of the rule'),
    parents,
    type: RemediationType,
    severity: Severity,
  })
  .meta({ id: 'ManualRemediation', description: 'An issue that a user must remediate.' });

/** The expected result of the rules after the remediation. */
export const PredictedVerdict = z
  .looseObject({
    totals: Totals,
    score: z.number().meta({ description: 'Points, two decimals', examples: [100] }),
    grade: Grade,
  })
  .meta({
    id: 'PredictedVerdict',
    description: 'The grade of the configuration after the selected changes.',
  });

/** A user's approval of an exact text. */
export const RemediationApproval = z
  .looseObject({
    account: z.string().describe('Id of the account that approved'),
    username: z.string().meta({ description: 'Its name', examples: ['ops'] }),
    time: Timestamp.describe('When'),
    configSha256: z.string().describe('SHA-256 of the approved config'),
    comment: z.string().describe('Comment of the account'),
  })
  .meta({ id: 'RemediationApproval', description: 'An approval of exactly one text.' });

/** A proposal to remediate one device, computed from a report (contract/lifecycle#4.10). */
export const Remediation = z
  .looseObject({
    id: ObjectId.describe('Id of the proposal'),
    _id: ObjectId.describe('Id of the proposal'),
    reportId: ObjectId.describe('Report whose issues it remediates'),
    deviceName: z.string().meta({ description: 'Device of the proposal', examples: ['edge-1'] }),
    treeId: ObjectId.describe('Golden tree of the rules'),
    version: z.string().meta({ description: 'Version of that tree', examples: ['initial'] }),
    nodePath: z.string().meta({ description: 'Node of the golden tree', examples: ['base/access'] }),
    status: RemediationStatus,
    changes: z.array(RemediationChange).describe('Proposed changes'),
    manual: z.array(ManualRemediation).describe('Issues that a user must decide'),
    config: z.string().meta({
      description: 'The selected changes as commands for the device; exactly this text is approved',
      examples: ['interface GigabitEthernet0/1\n no shutdown'],
    }),
    configSha256: z.string().describe('SHA-256 of config in UTF-8, hexadecimal'),
    rollback: z.string().describe('Commands that roll config back'),
    predicted: PredictedVerdict,
    risk: z.string().describe('Why it cannot be approved; empty when it can be'),
    basis: z
      .enum(['device', 'backup'])
      .describe('backup: the report was on a backup, for which the proposal was made'),
    backupId: ObjectId.nullable().describe('That backup; null for a report on the device'),
    baseSha256: z.string().describe('SHA-256 of the configuration for which it was made'),
    variables: ReportHeader.shape.variables.describe(
      'Variables of the report, with which its rules were checked',
    ),
    approvals: z.array(RemediationApproval).describe('Approvals of this config'),
    authors: z
      .array(z.string())
      .describe('Accounts that created it or selected its changes; none of them may approve it'),
    reason: z.string().optional().describe('Why it was rejected'),
    createdBy: z.string().describe('Account that created it'),
    created: Timestamp.describe('When it was created'),
    lastUpdated: Timestamp.describe('When it last changed'),
    expires: Timestamp.describe('When it can no longer be approved or applied'),
    result: z.unknown().describe('Result of applying it; null before'),
  })
  .meta({ id: 'Remediation', description: 'A proposal of commands that remediate one device.' });
export type Remediation = z.infer<typeof Remediation>;

/** The preview of a remediation before its approval (contract/lifecycle#4.10). */
export const RemediationPreview = z
  .looseObject({
    config: z.string().describe('The selected changes as commands for the device'),
    rollback: z.string().describe('Commands that roll them back'),
    diff: z
      .array(z.tuple([z.literal([-1, 0, 1]), z.string()]))
      .describe('Changed sections, line by line: -1 removed, 1 added, 0 unchanged')
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
    stale: z
      .boolean()
      .describe('The newest configuration of the device is not the one for which the proposal was made'),
    comparedWith: z
      .enum(['device', 'backup'])
      .describe('Source of `stale`: the device itself, or its newest backup when it cannot be read'),
  })
  .meta({ id: 'RemediationPreview', description: 'The effect of a proposal on its device.' });
export type RemediationPreview = z.infer<typeof RemediationPreview>;
