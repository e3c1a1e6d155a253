import { z } from 'zod';
import { Adapter, AdapterEntry } from '#db/schemas/network/adapter.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import {
  createIntegration,
  deleteIntegration,
  getIntegration,
  getIntegrationSchema,
  replaceIntegration,
  runTask,
  testIntegration,
  updateIntegration,
} from '#server/domains/integrations/index.ts';
import { listIntegrations, noteCall } from '#server/domains/network/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, outward, rest, router, signedIn, write } from '#server/kernel/procedures.ts';
import { ADMIN, CONFIG_READ } from '#server/kernel/roles.ts';

const OneIntegration = z.strictObject({ name: z.string().describe('Name of the integration') });

const Settings = z
  .record(z.string(), z.unknown())
  .describe('Fields of the connection that replace stored ones; null removes a field');

const EXAMPLE = {
  name: 'netbox',
  type: 'Adapter',
  virtual: true,
  properties: { id: 'netbox', type: 'NetBox:4.1', properties: { server: { host: 'netbox.example.net' } } },
};

const Whole = z
  .record(z.string(), z.unknown())
  .meta({ description: 'The integration; null and `model: ""` are absent', examples: [EXAMPLE] });

/** The fields of an integration at the top of the body: some clients send them so. */
const flat = {
  name: z.string().nullish().describe('Name, when the fields are not in `properties`'),
  model: z.string().nullish().describe('`@switchyard/adapter_<versionId>`; absent: follows from the type'),
  type: z.string().nullish().describe('Adapter'),
  virtual: z.boolean().nullish().describe('True'),
  isEncrypted: z.boolean().nullish().describe('True when the stored settings are encrypted'),
  loggerProps: z.record(z.string(), z.unknown()).nullish().describe('How the integration writes its log'),
};

const Listed = z.object({
  results: z.array(AdapterEntry),
  integrations: z.array(AdapterEntry).describe('The same as `results`: some clients read this name'),
  total: z.int(),
});

const Created = z.object({
  status: z.literal('Created'),
  message: z.string().describe('What was done, and which secrets are still to be set'),
  data: Adapter,
});
const Updated = z.object({ status: z.literal('OK'), message: z.string(), data: Adapter });
const Deleted = z.object({ status: z.literal('OK'), message: z.string() });

const Tried = z.object({
  ok: z.boolean().describe('Whether the other system answers, with a status below 400'),
  latencyMs: z.number().describe('Time that it took, in milliseconds'),
  status: z.int().nullable().describe('Status of the answer of the task; null without one'),
  detail: z.string().meta({ description: 'What was wrong, in a sentence', examples: ['It answers'] }),
});

const Values = z
  .record(z.string(), z.unknown())
  .describe('Incoming values of the task by name; `requestBodyPayload` is the body of an operation');

const OfMethod = z
  .unknown()
  .describe('What a method of a package called back with, and a face in the same form; null without a value');

const Answered = z.object({
  ok: z.boolean().describe('Whether the status is below 400'),
  url: z.string().describe('What was called, without credentials'),
  status: z.int().describe('Status of the answer'),
  headers: z.record(z.string(), z.string()).describe('Headers of the answer'),
  body: z.unknown().describe('JSON, text, or {base64, size}'),
  pages: z.int().optional().describe('Number of pages, when all were read'),
});

const MASKED =
  'Secrets show as `********`. A mask that is sent back keeps what is stored; null or "" clears it. A host, port or protocol that changes asks for the secrets anew.';

const NO_ANSWER = {
  409: 'The adapter is stopped, has no host, or is called by workflows only.',
  429: 'Too many calls wait for the adapter.',
  502: 'The other system cannot be reached, rejects our sign-in, or its answer cannot be read; a method reported an error.',
  504: 'The other system does not answer in time.',
} as const;

export const integrations = router({
  listIntegrations: allow(...CONFIG_READ)
    .meta(rest('GET', '/integrations', 'List integrations', { description: MASKED }))
    .input(z.strictObject({ queryOptions: listQuery({}).optional() }))
    .output(answer(Listed))
    .query(({ ctx, input }) => listIntegrations(ctx, input.queryOptions ?? {})),

  getIntegration: allow(...CONFIG_READ)
    .meta(rest('GET', '/integrations/:name', 'Read an integration', { description: MASKED }))
    .input(OneIntegration)
    .output(answer(AdapterEntry))
    .query(({ ctx, input }) => getIntegration(ctx, input.name)),

  createIntegration: allow(...ADMIN)
    .meta(
      rest('POST', '/integrations', 'Store a new integration, which starts at once', {
        description:
          'Members of the connection that are not given come from the model. The members of the integration may also stand at the top of the body.',
      }),
    )
    .input(z.strictObject({ ...flat, properties: Whole }))
    .output(answer(Created))
    .mutation(write(({ ctx, input }) => createIntegration(ctx, input))),

  replaceIntegration: allow(...ADMIN)
    .meta(
      rest('PUT', '/integrations/:name', 'Replace an integration; its name and model stay', {
        description: MASKED,
      }),
    )
    .input(OneIntegration.extend({ properties: Whole }))
    .output(answer(Updated))
    .mutation(write(({ ctx, input }) => replaceIntegration(ctx, input.name, input.properties))),

  updateProperties: allow(...ADMIN)
    .meta(
      rest('PUT', '/integrations/:name/properties', 'Change the connection of an integration', {
        description: MASKED,
      }),
    )
    .input(OneIntegration.extend({ properties: Settings }))
    .output(answer(Updated))
    .mutation(write(({ ctx, input }) => updateIntegration(ctx, input.name, input.properties))),

  deleteIntegration: allow(...ADMIN)
    .meta(rest('DELETE', '/integrations/:name', 'Delete an integration'))
    .input(OneIntegration)
    .output(answer(Deleted))
    .mutation(write(({ ctx, input }) => deleteIntegration(ctx, input.name))),

  testIntegration: allow(...ADMIN)
    .meta(
      rest('POST', '/integrations/:name/test', 'Try an integration; nothing is stored', {
        description:
          'With `properties`, tests the stored connection with these fields replaced. With `task`, the task is run; otherwise a connection is made, with TLS, and tokens are requested where the model uses them.',
      }),
    )
    .input(
      OneIntegration.extend({
        properties: Settings.optional(),
        task: z.string().optional().describe('Name of a task to run'),
        values: Values.optional(),
      }),
    )
    .output(answer(Tried))
    .mutation(
      outward(
        ({ ctx, input: { name, ...request } }) => testIntegration(ctx, name, request),
        (tx, { name }) => noteCall(tx, name, 'test'),
      ),
    ),

  getConnectionSchema: allow(...CONFIG_READ)
    .meta(
      rest('GET', '/schema/integrations/:name', 'The JSON schema of the connection of an integration', {
        description: 'By the name of an integration, or of an integration model.',
      }),
    )
    .input(OneIntegration)
    .output(answer(z.record(z.string(), z.unknown())))
    .query(({ ctx, input }) => getIntegrationSchema(ctx, input.name)),

  runTask: signedIn
    .meta(
      rest('POST', '/:integration/:task', 'Run a task of an integration or adapter', {
        description:
          'For admins, and holders of a role of the model that allows the task. The body holds the incoming values. Every documented path wins over this one. An operation of an integration has the answer of any status as its result. A method of a package has what it called back with; one that reports an error is 502 with its `icode` and `IAPerror`.',
        bare: 'values',
        fallback: true,
        errorResponses: { 403: 'No role of the caller allows the task.', ...NO_ANSWER },
      }),
    )
    .input(
      z.strictObject({
        integration: z.string().describe('Name of the integration or adapter'),
        task: z.string().describe('Name of the task, or of the method'),
        values: Values.optional(),
      }),
    )
    .output(answer(z.union([Answered, OfMethod])))
    .mutation(
      outward(
        ({ ctx, input }) => runTask(ctx, input.integration, input.task, input.values ?? {}),
        (tx, { integration, task }) => noteCall(tx, integration, task),
      ),
    ),
});
