import { z } from 'zod';
import { IntegrationModel, ModelTask } from '#db/schemas/network/integration-model.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import {
  createModel,
  deleteModel,
  describeModel,
  exportModel,
  getModel,
  getSecuritySchemes,
  listIntegrationModels,
  listModelTasks,
  readSentModel,
  replaceModel,
} from '#server/domains/integrations/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, router, type SignedIn, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ } from '#server/kernel/roles.ts';

const OneModel = z.strictObject({
  name: z.string().meta({
    description: 'Version id of the model, percent-encoded where it holds a slash, or its `model`',
    examples: ['NetBox:4.1'],
  }),
});

const EXAMPLE = {
  model: {
    openapi: '3.0.3',
    info: { title: 'Sites', version: '1.0' },
    servers: [{ url: 'https://sites.example.net/api' }],
    paths: {
      '/sites': { get: { operationId: 'listSites', responses: { 200: { description: 'All sites' } } } },
    },
  },
};

const SentModel = z
  .strictObject({
    model: z
      .union([z.record(z.string(), z.unknown()), z.string()])
      .describe('The OpenAPI document (2.0, 3.0 or 3.1), or its text as JSON or YAML'),
  })
  .meta({ examples: [EXAMPLE] });

/** A document is parsed in a thread, whatever its size. */
const DOCUMENT = {
  unparsed: 'model',
  bodyLimit: 'import' as const,
  contentTypes: ['application/json', 'application/yaml', 'application/x-yaml', 'text/yaml'],
};

const FORMS =
  'The body is `{"model":<document>}`, or the document itself as JSON or YAML; 16 MiB at most. References to other documents are rejected: nothing is fetched.';

const Confirmation = z.object({ status: z.literal('OK'), message: z.string().describe('What was done') });
const Stored = Confirmation.extend({ data: IntegrationModel });

const names = (description: string) => z.array(z.string()).describe(description);
const Replaced = Stored.extend({
  metadata: z.object({
    added: names('Tasks that are new'),
    changed: names('Tasks whose operation is not the same any more'),
    removed: names('Tasks that are gone'),
    usedBy: z
      .array(z.object({ workflow: z.string().describe('Name of the workflow'), task: z.string() }))
      .describe('Workflows with tasks that were changed or removed, 1,000 at most'),
  }),
});

const Validated = Confirmation.extend({
  warnings: z
    .array(
      z.object({
        path: z.array(z.union([z.string(), z.number()])).describe('Where in the document'),
        message: z.string().describe('What is wrong there, or why an operation is left out'),
      }),
    )
    .describe('What is wrong with the document without hindering its import'),
});

type Read = Awaited<ReturnType<typeof readSentModel>>;

const storeNew = write(({ ctx, input }: { ctx: SignedIn; input: Read }) => createModel(ctx, input));
const storeAgain = write(({ ctx, input }: { ctx: SignedIn; input: Read }) => replaceModel(ctx, input));

/** Integration models: OpenAPI documents whose operations are tasks (docs/integration-models.md). */
export const integrationModels = router({
  listModels: allow(...CONFIG_READ)
    .meta(
      rest('GET', '/integration-models', 'List integration models', {
        description: 'Filters look at `versionId`, which `name` means too; without a limit all are returned.',
      }),
    )
    .input(z.strictObject({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(z.object({ integrationModels: z.array(IntegrationModel), total: z.int() })))
    .query(({ ctx, input }) => listIntegrationModels(ctx, input.queryOptions)),

  getModel: allow(...CONFIG_READ)
    .meta(rest('GET', '/integration-models/:name+', 'Read an integration model'))
    .input(OneModel)
    .output(answer(IntegrationModel))
    .query(({ ctx, input }) => getModel(ctx, input.name)),

  createModel: allow(...ADMIN)
    .meta(
      rest('POST', '/integration-models', 'Import an OpenAPI document as an integration model', {
        ...DOCUMENT,
        description: `${FORMS} Each operation becomes a task; what hinders one leaves that one out, and the message names it. Two roles come with the model: \`admin\` for all its operations and \`get\` for those that read.`,
      }),
    )
    .input(SentModel)
    .output(answer(Stored))
    .mutation(async ({ ctx, input, path }) =>
      storeNew({ ctx, input: await readSentModel(input.model), path }),
    ),

  replaceModel: allow(...ADMIN)
    .meta(
      rest('PUT', '/integration-models', 'Replace the integration model of the same title and version', {
        ...DOCUMENT,
        description: `${FORMS} Running jobs keep the operations that they started with.`,
      }),
    )
    .input(SentModel)
    .output(answer(Replaced))
    .mutation(async ({ ctx, input, path }) =>
      storeAgain({ ctx, input: await readSentModel(input.model), path }),
    ),

  validateModel: allow(...ADMIN)
    .meta(
      rest('PUT', '/integration-models/validation', 'Check an OpenAPI document; nothing is stored', {
        ...DOCUMENT,
        description: FORMS,
      }),
    )
    .input(SentModel)
    .output(answer(Validated))
    .query(async ({ input }) => describeModel(await readSentModel(input.model))),

  exportModel: allow(...CONFIG_READ)
    .meta(rest('GET', '/integration-models/:name/export', 'The OpenAPI document as it was imported'))
    .input(OneModel)
    .output(answer(z.record(z.string(), z.unknown())))
    .query(({ ctx, input }) => exportModel(ctx, input.name)),

  getSecuritySchemes: allow(...CONFIG_READ)
    .meta(
      rest(
        'GET',
        '/integration-models/:name/securitySchemes',
        'The security schemes of the document, by name',
      ),
    )
    .input(OneModel)
    .output(answer(z.record(z.string(), z.unknown())))
    .query(({ ctx, input }) => getSecuritySchemes(ctx, input.name)),

  listTasks: allow(...CONFIG_READ)
    .meta(rest('GET', '/integration-models/:name/tasks', 'List the tasks of an integration model'))
    .input(
      OneModel.extend({
        method: z
          .string()
          .optional()
          .meta({ description: 'HTTP method of the operations', examples: ['GET'] }),
        tag: z.string().optional().describe('Tag of the operations'),
        search: z.string().max(200).optional().describe('Text in name, path or summary; case is ignored'),
        skip: z.int().min(0).max(10_000).optional().describe('Tasks to leave out from the start; absent: 0'),
        limit: z.int().min(1).max(1000).optional().describe('Tasks to return at most; absent: 25'),
      }),
    )
    .output(answer(z.object({ results: z.array(ModelTask), total: z.int() })))
    .query(({ ctx, input }) => listModelTasks(ctx, input.name, input)),

  deleteModel: allow(...ADMIN)
    .meta(
      rest('DELETE', '/integration-models/:name+', 'Delete an integration model, its tasks and its roles', {
        errorResponses: { 409: 'An integration uses it.' },
      }),
    )
    .input(OneModel)
    .output(answer(Confirmation))
    .mutation(write(({ ctx, input }) => deleteModel(ctx, input.name))),
});
