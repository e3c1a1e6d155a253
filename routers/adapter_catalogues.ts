import { z } from 'zod';
import {
  AdapterTypeName,
  CatalogueWithTasks,
  Pronghorn,
  StoredCatalogue,
} from '#db/schemas/integrations/adapter-catalogue.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import {
  createCatalogue,
  deleteCatalogue,
  getCatalogue,
  learnCatalogue,
  listCatalogues,
} from '#server/domains/integrations/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ } from '#server/kernel/roles.ts';
import { Ok, Page } from './authorization/answers.ts';

const PATH = '/adapter-models/catalogues';
const OneType = z.strictObject({ type: z.string().describe('The adapter type') });

const Stored = z.object({
  status: z.enum(['Created', 'OK']).describe('Created: a new one'),
  message: z.string().describe('What was stored, with the number of tasks'),
  data: StoredCatalogue,
});

/** Adapter types of which only the tasks are known. */
export const adapterCatalogues = {
  listCatalogues: allow(...CONFIG_READ)
    .meta(rest('GET', PATH, 'List the adapter types of which only the tasks are known'))
    .input(z.strictObject({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(Page(StoredCatalogue)))
    .query(({ ctx, input }) => listCatalogues(ctx, input.queryOptions)),

  getCatalogue: allow(...CONFIG_READ)
    .meta(rest('GET', `${PATH}/:type`, 'Read such an adapter type with its tasks'))
    .input(OneType)
    .output(answer(CatalogueWithTasks))
    .query(({ ctx, input }) => getCatalogue(ctx, input.type)),

  createCatalogue: allow(...ADMIN)
    .meta(
      rest('POST', PATH, 'Store the tasks of an adapter type', {
        description:
          'Takes the file pronghorn.json of an adapter package, which holds no code. Workflows with its tasks can be validated, and run with stubs, before anything is connected.',
        bodyLimit: 'import',
        errorResponses: { 409: 'The type is one that the platform has.' },
      }),
    )
    .input(z.strictObject({ catalogue: Pronghorn }))
    .output(answer(Stored))
    .mutation(write(({ ctx, input }) => createCatalogue(ctx, input.catalogue))),

  learnCatalogue: allow(...ADMIN)
    .meta(
      rest('POST', `${PATH}/learn`, 'Learn the tasks of an adapter type from workflows', {
        description:
          'From the workflows of a project, from some by their names, or from all. Repeated, it adds what further workflows show.',
        errorResponses: { 409: 'The tasks of the type are known from elsewhere.' },
      }),
    )
    .input(
      z.strictObject({
        type: AdapterTypeName,
        project: z.string().optional().describe('Id of a project'),
        workflows: z.array(z.string()).max(1000).optional().describe('Names of workflows, at most 1000'),
      }),
    )
    .output(answer(Stored))
    .mutation(write(({ ctx, input }) => learnCatalogue(ctx, input))),

  deleteCatalogue: allow(...ADMIN)
    .meta(
      rest('DELETE', `${PATH}/:type`, 'Delete the tasks of an adapter type', {
        errorResponses: { 409: 'There is an adapter of the type.' },
      }),
    )
    .input(OneType)
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => deleteCatalogue(ctx, input.type))),
};
