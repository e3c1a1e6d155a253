import { z } from 'zod';
import { draftFields } from '#db/schemas/assets/draft.ts';
import { missingFields } from '#db/schemas/assets/missing.ts';
import { InstalledPrebuilt, Prebuilt, PrebuiltUpdate } from '#db/schemas/assets/prebuilt.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import {
  deletePrebuilt,
  exportPrebuilt,
  getPrebuilt,
  importPrebuilt,
  listPrebuilts,
  updatePrebuilt,
  validatePrebuilt,
} from '#server/domains/studio/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, router, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ } from '#server/kernel/roles.ts';

const OnePrebuilt = z.strictObject({ id: z.string().describe('Id of the installed package') });

/** Accepts any object, so that all issues are reported together (contract/endpoints#4.12). */
const AnyObject = z.looseObject({}).describe('A candidate package: the response lists all issues');
const Package = z.union([Prebuilt, AnyObject]).describe('The package');

const ResultMessage = z.string().describe('What was done, in words');

export const prebuilts = router({
  listPrebuilts: allow(...CONFIG_READ)
    .meta(rest('GET', '/prebuilts', 'List the installed packages'))
    .input(z.strictObject({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(z.object({ results: z.array(InstalledPrebuilt), total: z.int().min(0) })))
    .query(({ ctx, input }) => listPrebuilts(ctx, input.queryOptions)),

  getPrebuilt: allow(...CONFIG_READ)
    .meta(rest('GET', '/prebuilts/:id', 'Read an installed package'))
    .input(OnePrebuilt)
    .output(answer(InstalledPrebuilt))
    .query(({ ctx, input }) => getPrebuilt(ctx, input.id)),

  exportPrebuilt: allow(...CONFIG_READ)
    .meta(rest('GET', '/prebuilts/:id/export', 'Export a package'))
    .input(OnePrebuilt)
    .output(answer(Prebuilt))
    .query(({ ctx, input }) => exportPrebuilt(ctx, input.id)),

  validatePrebuilt: allow(...ADMIN)
    .meta(
      rest('PUT', '/prebuilts/import/validation', 'Validate a package', {
        bodyLimit: 'import',
        description: 'Nothing is stored. An invalid package is rejected with all its issues.',
      }),
    )
    .input(z.strictObject({ prebuilt: Package }))
    .output(answer(z.object({ status: z.literal('Created'), message: ResultMessage })))
    .query(({ input }) => validatePrebuilt(input.prebuilt)),

  importPrebuilt: allow(...ADMIN)
    .meta(
      rest('POST', '/prebuilts/import', 'Install a package with all its assets', {
        bodyLimit: 'import',
        errorResponses: {
          422: 'An automation of the package references a workflow, form or transformation that does not exist.',
        },
        description:
          'All or nothing. A document that can be stored but not run becomes a draft: `errors` of the document and `drafts` of the answer say why. Integrations, integration models and service catalogs are kept in the package only; the message lists them.',
      }),
    )
    .input(
      z.strictObject({
        prebuilt: Package,
        options: z
          .strictObject({
            overwrite: z
              .boolean()
              .nullish()
              .describe('True replaces the package of this name, and existing assets of the same names'),
            relink: z
              .boolean()
              .nullish()
              .describe(
                'True: a reference to a workflow that does not exist is changed to the only workflow of the package whose name extends it or is extended by it',
              ),
          })
          .nullish()
          .describe('How to install'),
      }),
    )
    .output(
      answer(
        z.object({
          status: z.literal('Created'),
          message: ResultMessage,
          data: InstalledPrebuilt,
          metadata: z.object({ ...draftFields, ...missingFields }),
        }),
      ),
    )
    .mutation(
      write(({ ctx, input }) =>
        importPrebuilt(ctx, input.prebuilt, {
          overwrite: input.options?.overwrite ?? false,
          relink: input.options?.relink ?? false,
        }),
      ),
    ),

  updatePrebuilt: allow(...ADMIN)
    .meta(
      rest('PUT', '/prebuilts/:id', 'Replace parts of an installed package', {
        bodyLimit: 'import',
        description:
          'The given fields replace the stored ones completely; the package must be valid afterwards. Installed assets are not changed.',
      }),
    )
    .input(OnePrebuilt.extend({ prebuilt: z.union([PrebuiltUpdate, AnyObject]).describe('The new parts') }))
    .output(answer(z.object({ status: z.literal('OK'), message: ResultMessage, data: Prebuilt })))
    .mutation(write(({ ctx, input }) => updatePrebuilt(ctx, input.id, input.prebuilt))),

  deletePrebuilt: allow(...ADMIN)
    .meta(rest('DELETE', '/prebuilts/:id', 'Delete an installed package'))
    .input(
      OnePrebuilt.extend({
        deleteComponents: z
          .boolean()
          .optional()
          .describe('True also deletes the installed assets; absent: they are kept'),
      }),
    )
    .output(answer(z.object({ status: z.literal('OK'), message: ResultMessage })))
    .mutation(
      write(({ ctx, input: { id, deleteComponents } }) => deletePrebuilt(ctx, id, { deleteComponents })),
    ),
});
