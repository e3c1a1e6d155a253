import { z } from 'zod';
import { RetentionPreview, RetentionRun, RetentionSettings } from '#db/schemas/operations/retention.ts';
import {
  getRetention,
  getRetentionRun,
  listRetentionRuns,
  previewRetention,
  replaceRetention,
  runRetention,
} from '#server/domains/operations/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, router, write } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { Page } from './authorization/answers.ts';
import { Updated } from './automationgateway/answers.ts';

const Nothing = z.strictObject({});

export const retention = router({
  getSettings: allow(...ADMIN)
    .meta(
      rest('GET', '/retention', 'How long documents are kept', {
        description: 'A kind that is absent is kept for ever. The ETag can be sent as `If-Match` of PUT.',
      }),
    )
    .input(Nothing)
    .output(answer(RetentionSettings))
    .query(({ ctx }) => getRetention(ctx)),

  replaceSettings: allow(...ADMIN)
    .meta(
      rest('PUT', '/retention', 'Set how long documents are kept', {
        description: 'A run a day archives and deletes what is older, for the account that sends this.',
      }),
    )
    .input(RetentionSettings)
    .output(answer(Updated(RetentionSettings)))
    .mutation(write(({ ctx, input }) => replaceRetention(ctx, input))),

  preview: allow(...ADMIN)
    .meta(rest('POST', '/retention/preview', 'Count what a run would delete; nothing is deleted'))
    .input(
      z.strictObject({
        settings: RetentionSettings.optional().describe('Settings to try; absent: the stored ones'),
      }),
    )
    .output(answer(RetentionPreview))
    .mutation(({ ctx, input }) => previewRetention(ctx, input.settings)),

  run: allow(...ADMIN)
    .meta(
      rest('POST', '/retention/run', 'Archive and delete what is too old, in the background', {
        description: 'It works in short steps and continues after the loss of a process.',
        errorResponses: { 409: 'A retention run is under way' },
      }),
    )
    .input(Nothing)
    .output(answer(z.object({ runId: z.string().describe('Id of the run') })))
    .mutation(write(({ ctx }) => runRetention(ctx))),

  listRuns: allow(...ADMIN)
    .meta(rest('GET', '/retention/runs', 'The newest runs, at most 50'))
    .input(Nothing)
    .output(answer(Page(RetentionRun)))
    .query(({ ctx }) => listRetentionRuns(ctx)),

  getRun: allow(...ADMIN)
    .meta(rest('GET', '/retention/runs/:id', 'One run, with what it has deleted so far'))
    .input(z.strictObject({ id: z.string().describe('Id of the run') }))
    .output(answer(RetentionRun))
    .query(({ ctx, input }) => getRetentionRun(ctx, input.id)),
});
