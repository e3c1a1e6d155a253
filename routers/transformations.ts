import { z } from 'zod';
import { listQuery } from '#db/schemas/query-options.ts';
import { imported, nullTolerant } from '#db/schemas/requests/null-fields.ts';
import { Transformation } from '#db/schemas/workflow/transformation.ts';
import {
  createTransformation,
  deleteTransformation,
  getTransformation,
  importTransformation,
  listTransformations,
  runStoredTransformation,
  updateTransformation,
} from '#server/domains/workflow/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, router, write } from '#server/kernel/procedures.ts';
import { STUDIO_READ, STUDIO_WRITE, WORKFLOW_READ } from '#server/kernel/roles.ts';
import { givenId, WRITTEN_BY_US } from './asset_requests.ts';

const OneTransformation = z.strictObject({ id: z.string().describe('Id of the transformation') });
const Sent = nullTolerant(Transformation.extend(WRITTEN_BY_US));

const flag = (description: string) => z.boolean().nullish().describe(description);

const RunOptions = z
  .strictObject({
    extractOutput: flag('Whether the value of a single output is returned by itself'),
    validateIncoming: flag('Whether inputs are checked against their schemas'),
    revertToDefaultValue: flag('Whether missing inputs get their defaults'),
  })
  .describe('Options for inputs and outputs');

export const transformations = router({
  listTransformations: allow(...STUDIO_READ)
    .meta(rest('GET', '/transformations', 'A page of transformations'))
    .input(z.strictObject({ queryOptions: listQuery({}).optional() }))
    .output(answer(z.object({ results: z.array(Transformation), total: z.int() })))
    .query(({ ctx, input }) => listTransformations(ctx, input.queryOptions ?? {})),

  getTransformation: allow(...WORKFLOW_READ)
    .meta(rest('GET', '/transformations/:id', 'Read a transformation with its authors as objects'))
    .input(OneTransformation)
    .output(answer(Transformation))
    .query(({ ctx, input }) => getTransformation(ctx, input.id)),

  createTransformation: allow(...STUDIO_WRITE)
    .meta(
      rest('POST', '/transformations', 'Create a transformation', {
        bare: 'transformation',
        description:
          'A taken name is rejected with the fields `apiVersion`, `method` and `error` in addition to the common ones.',
      }),
    )
    .input(z.strictObject({ transformation: Sent }))
    .output(answer(Transformation))
    .mutation(write(({ ctx, input }) => createTransformation(ctx, input.transformation))),

  updateTransformation: allow(...STUDIO_WRITE)
    .meta(rest('PUT', '/transformations/:id', 'Replace a transformation', { bare: 'update' }))
    .input(OneTransformation.extend({ update: Sent }))
    .output(answer(Transformation))
    .mutation(write(({ ctx, input }) => updateTransformation(ctx, input.id, input.update))),

  importTransformation: allow(...STUDIO_WRITE)
    .meta(
      rest('POST', '/transformations/import', 'Import a transformation, renamed when its name is taken', {
        bare: 'transformation',
        bodyLimit: 'import',
      }),
    )
    .input(z.strictObject({ transformation: imported(Transformation.extend({ _id: givenId })) }))
    .output(answer(Transformation))
    .mutation(write(({ ctx, input }) => importTransformation(ctx, input.transformation))),

  runTransformation: allow(...WORKFLOW_READ)
    .meta(
      rest('POST', '/transformations/:id', 'Run a transformation', {
        bare: 'incoming',
        description:
          'The body is `{incoming, options}`, or the inputs by themselves. A step that fails is 400, with the step named.',
      }),
    )
    .input(
      OneTransformation.extend({
        incoming: z.record(z.string(), z.unknown()).meta({
          description: 'Input values, by name',
          examples: [{ ports: [{ name: 'Gi0/1' }] }],
        }),
        options: RunOptions.nullish(),
      }),
    )
    .output(answer(z.unknown().describe('Outputs by name, or a single output by itself')))
    .query(({ ctx, input: { id, incoming, options } }) =>
      runStoredTransformation(ctx, id, incoming, {
        extractOutput: options?.extractOutput === true,
        validateIncoming: options?.validateIncoming === true,
        revertToDefaultValue: options?.revertToDefaultValue === true,
      }),
    ),

  deleteTransformation: allow(...STUDIO_WRITE)
    .meta(
      rest('DELETE', '/transformations/:id', 'Delete a transformation that nothing uses', {
        statuses: { 204: 'The transformation was deleted, or did not exist.' },
      }),
    )
    .input(OneTransformation)
    .output(answer(z.null()))
    .mutation(write(({ ctx, input }) => deleteTransformation(ctx, input.id))),
});
