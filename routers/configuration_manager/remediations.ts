import { z } from 'zod';
import { Remediation, RemediationPreview } from '#db/schemas/golden-config/remediation.ts';
import { Done } from '#db/schemas/primitives.ts';
import {
  ApplyRequest,
  ApproveRequest,
  CountRemediationsRequest,
  ProposeRequest,
  RejectRequest,
  RemediationRequest,
  SearchRemediationsRequest,
  SelectRequest,
} from '#db/schemas/requests/remediation.ts';
import {
  applyRemediation,
  approveRemediation,
  countRemediations,
  deleteRemediation,
  getRemediation,
  previewRemediation,
  proposeRemediations,
  publishApplied,
  rejectRemediation,
  searchRemediations,
  selectChanges,
} from '#server/domains/golden-config/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, outward, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ, CONFIG_WRITE } from '#server/kernel/roles.ts';

const PATH = '/configuration_manager/remediations';
const APPROVERS = ['admin', 'engineering'] as const;
/** Roles that may read proposals: everyone who may approve one may read it (contract/decisions#approvers). */
const READERS = [...CONFIG_READ, 'engineering'] as const;

export const remediations = {
  proposeRemediations: allow(...CONFIG_WRITE)
    .meta(
      rest('POST', PATH, 'Propose commands that remediate devices of reports', {
        description:
          'Nothing is sent to a device. A proposal that cannot be approved has the reason in `risk`.',
        errorResponses: {
          409: 'The configuration of a device changed since its report, or is not stored.',
          422: 'A report could not check its device, or its rules have errors.',
        },
      }),
    )
    .input(ProposeRequest)
    .output(
      answer(Done.extend({ data: z.array(Remediation).describe('The proposals, in order of the reports') })),
    )
    .mutation(
      write(async ({ ctx, input }) => {
        const data = await proposeRemediations(ctx, input.options);
        const message = `Proposed ${data.length} ${data.length === 1 ? 'remediation' : 'remediations'}`;
        return { status: 'success' as const, message, data };
      }),
    ),

  searchRemediations: allow(...READERS)
    .meta(rest('POST', `${PATH}/search`, 'Search for proposals, newest first'))
    .input(SearchRemediationsRequest)
    .output(answer(z.object({ list: z.array(Remediation), total: z.int().min(0) })))
    .query(({ ctx, input }) => searchRemediations(ctx, input.options ?? {})),

  countRemediations: allow(...READERS)
    .meta(rest('GET', `${PATH}/counts`, 'Count proposals by state'))
    .input(CountRemediationsRequest)
    .output(
      answer(
        z.object({
          counts: z
            .record(z.string(), z.int())
            .describe('Number of proposals by state; states without proposals are omitted'),
          total: z.int().min(0).describe('Number of proposals in total'),
        }),
      ),
    )
    .query(({ ctx, input }) => countRemediations(ctx, input)),

  getRemediation: allow(...READERS)
    .meta(rest('GET', `${PATH}/:id`, 'One proposal'))
    .input(RemediationRequest)
    .output(answer(Remediation))
    .query(({ ctx, input }) => getRemediation(ctx, input.id)),

  selectRemediationChanges: allow(...CONFIG_WRITE)
    .meta(
      rest('PATCH', `${PATH}/:id`, 'Select the changes of a proposal', {
        description: 'Commands, rollback and prediction are calculated again; approvals are removed.',
        errorResponses: { 409: 'The proposal is no longer open, or its configuration is no longer stored.' },
      }),
    )
    .input(SelectRequest)
    .output(answer(Remediation))
    .mutation(write(({ ctx, input }) => selectChanges(ctx, input.id, input.selected))),

  previewRemediation: allow(...READERS)
    .meta(rest('GET', `${PATH}/:id/preview`, 'Show the effect of a proposal on its device'))
    .input(RemediationRequest)
    .output(answer(RemediationPreview))
    .query(({ ctx, input }) => previewRemediation(ctx, input.id)),

  approveRemediation: allow(...APPROVERS)
    .meta(
      rest('POST', `${PATH}/:id/approve`, 'Approve the exact text of a proposal', {
        errorResponses: {
          403: 'The caller created the proposal, or selected its changes.',
          409: 'The hash is not that of config, or the proposal is not open or has a risk.',
        },
      }),
    )
    .input(ApproveRequest)
    .output(answer(Remediation))
    .mutation(write(({ ctx, input: { id, ...approval } }) => approveRemediation(ctx, id, approval))),

  rejectRemediation: allow(...APPROVERS)
    .meta(rest('POST', `${PATH}/:id/reject`, 'Reject a proposal'))
    .input(RejectRequest)
    .output(answer(Remediation))
    .mutation(write(({ ctx, input }) => rejectRemediation(ctx, input.id, input.reason))),

  applyRemediation: allow(...ADMIN)
    .meta(
      rest('POST', `${PATH}/:id/apply`, 'Push an approved proposal to its device', {
        description:
          'The device is backed up, and must have the configuration of the proposal. Lines are pushed until one is rejected; nothing is rolled back. Then the device is read again and checked: `result` of the proposal has both backups and the report.',
        errorResponses: {
          409: 'The proposal is not approved, expired or stale, or its text differs; the configuration of the device differs, or another change on it is running.',
          422: 'No commands are known to change the configuration of the device.',
          502: 'The device cannot be reached, or rejected a line: `data` has the result of each line.',
          504: 'The device did not respond in time.',
        },
      }),
    )
    .input(ApplyRequest)
    .output(answer(Done.extend({ jobId: z.string().describe('Batch that checked the device afterwards') })))
    .mutation(
      outward(
        ({ ctx, input }) => applyRemediation(ctx, input.id, input.configSha256),
        (tx, { id }, applied) => publishApplied(tx, id, applied),
      ),
    ),

  deleteRemediation: allow(...CONFIG_WRITE)
    .meta(
      rest('DELETE', `${PATH}/:id`, 'Delete a proposal', {
        errorResponses: { 409: 'The proposal is approved, or was applied.' },
      }),
    )
    .input(RemediationRequest)
    .output(answer(z.object({ status: z.literal('success'), deleted: z.literal(1) })))
    .mutation(
      write(async ({ ctx, input }) => {
        await deleteRemediation(ctx, input.id);
        return { status: 'success' as const, deleted: 1 as const };
      }),
    ),
};
