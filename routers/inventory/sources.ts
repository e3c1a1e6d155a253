import { z } from 'zod';
import {
  InventoryRun,
  InventorySource,
  InventorySourcePatch,
  NewInventorySource,
  SourceIssue,
} from '#db/schemas/network/inventory-source.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import {
  createSource,
  deleteSource,
  getRun,
  getSource,
  listRuns,
  listSources,
  notePreview,
  previewSource,
  startSync,
  updateSource,
} from '#server/domains/network/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, outward, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { Ok, Page } from '../authorization/answers.ts';
import { Created, Updated } from '../automationgateway/answers.ts';

const PATH = '/inventory/sources';
const OneSource = z.strictObject({
  id: z.string().meta({ description: 'Id of the source, or its name', examples: ['lab'] }),
});
const SECRETS =
  'Token and text are stored encrypted and shown as ********. When the address changes, the token must be sent again.';

const RunEntry = InventoryRun.omit({ issues: true }).extend({
  issueCount: z.int().min(0).describe('Number of problems of single devices'),
});

const PreviewAnswer = z.object({
  new: z.array(z.string()).describe('Names of devices that would be added, at most 10,000'),
  changed: z
    .array(z.object({ name: z.string().describe('Name of the device'), fields: z.array(z.string()) }))
    .describe('Devices that would be changed, and their fields, at most 10,000'),
  gone: z.array(z.string()).describe('Names of devices that the source no longer has, at most 10,000'),
  unchanged: z.int().min(0).describe('Number of devices that would stay as they are'),
  confirmGone: z
    .int()
    .nullable()
    .describe(
      'Number of devices that a run would remove, to be sent as confirmGone because they are more than maxGonePercent allows; null: no confirmation is needed',
    ),
  issues: z.array(SourceIssue).describe('Problems of single devices, at most 1,000'),
  error: z
    .object({ code: z.string(), message: z.string(), time: z.string() })
    .nullable()
    .describe('Why the source could not be read; null when it could'),
});

export const sources = {
  listSources: allow(...ADMIN)
    .meta(rest('GET', PATH, 'List the inventory sources', { description: SECRETS }))
    .input(z.strictObject({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(Page(InventorySource)))
    .query(({ ctx, input }) => listSources(ctx, input.queryOptions)),

  getSource: allow(...ADMIN)
    .meta(rest('GET', `${PATH}/:id`, 'One inventory source', { description: SECRETS }))
    .input(OneSource)
    .output(answer(InventorySource))
    .query(({ ctx, input }) => getSource(ctx, input.id)),

  createSource: allow(...ADMIN)
    .meta(rest('POST', PATH, 'Create an inventory source', { description: SECRETS }))
    .input(z.strictObject({ source: NewInventorySource }))
    .output(answer(Created(InventorySource)))
    .mutation(write(({ ctx, input }) => createSource(ctx, input.source))),

  updateSource: allow(...ADMIN)
    .meta(rest('PATCH', `${PATH}/:id`, 'Change fields of an inventory source', { description: SECRETS }))
    .input(OneSource.extend({ updates: InventorySourcePatch }))
    .output(answer(Updated(InventorySource)))
    .mutation(write(({ ctx, input }) => updateSource(ctx, input.id, input.updates))),

  deleteSource: allow(...ADMIN)
    .meta(
      rest('DELETE', `${PATH}/:id`, 'Delete an inventory source', {
        description: 'Its hosts stay, and can be changed by hand.',
      }),
    )
    .input(OneSource)
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => deleteSource(ctx, input.id))),

  previewSource: allow(...ADMIN)
    .meta(
      rest('POST', `${PATH}/:id/preview`, 'Show what a run of an inventory source would change', {
        description:
          'Reads the source and stores nothing. A source that cannot be read is described in `error`.',
      }),
    )
    .input(OneSource)
    .output(answer(PreviewAnswer))
    .mutation(
      outward(
        ({ ctx, input }) => previewSource(ctx, input.id, ctx.request.gone()),
        (tx, { id }) => notePreview(tx, id),
      ),
    ),

  syncSource: allow(...ADMIN)
    .meta(
      rest('POST', `${PATH}/:id/sync`, 'Start a run of an inventory source', {
        description: 'The run continues after the response: GET /inventory/runs/:runId shows its progress.',
      }),
    )
    .input(
      OneSource.extend({
        confirmGone: z
          .int()
          .min(1)
          .optional()
          .describe(
            'Number of devices that this run may remove although they are more than maxGonePercent allows; a preview says how many',
          ),
      }),
    )
    .output(answer(z.object({ runId: z.string().describe('Id of the run') })))
    .mutation(write(({ ctx, input }) => startSync(ctx, input.id, input.confirmGone))),

  listRuns: allow(...ADMIN)
    .meta(
      rest('GET', `${PATH}/:id/runs`, 'List the newest runs of an inventory source, newest first', {
        description: 'At most 51. GET /inventory/runs/:runId has the issues of one.',
      }),
    )
    .input(OneSource)
    .output(answer(Page(RunEntry)))
    .query(({ ctx, input }) => listRuns(ctx, input.id)),

  getRun: allow(...ADMIN)
    .meta(rest('GET', '/inventory/runs/:runId', 'One run of an inventory source'))
    .input(z.strictObject({ runId: z.string().describe('Id of the run') }))
    .output(answer(InventoryRun))
    .query(({ ctx, input }) => getRun(ctx, input.runId)),
};
