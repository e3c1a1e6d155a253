import { z } from 'zod';
import { SecretProvider } from '#db/schemas/operations/secret-provider.ts';
import { Timestamp } from '#db/schemas/primitives.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import {
  createProvider,
  deleteProvider,
  getProvider,
  listProviders,
  listUsedReferences,
  noteProviderTest,
  readKeyRenewal,
  replaceProvider,
  testProvider,
} from '#server/domains/operations/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, outward, rest, router, write } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { Ok, Page } from './authorization/answers.ts';
import { Created, SECRETS, Updated } from './automationgateway/answers.ts';

const PATH = '/secrets/providers';
const OneProvider = z.strictObject({ name: z.string().describe('Name of the provider') });

const Tried = z.object({
  ok: z.boolean().describe('Whether the provider accepts the sign-in, and the secret can be read'),
  latencyMs: z.number().describe('Duration in milliseconds'),
  detail: z.string().meta({ description: 'The error, in words', examples: ['It accepts the sign-in'] }),
});

const KeyRenewal = z.object({
  previousKey: z.boolean().describe('Whether this process opens what the previous key sealed'),
  state: z
    .enum(['none', 'running', 'complete'])
    .describe('none: nothing was sealed again with the current key; complete: the latest pass has ended'),
  sealed: z.int().describe('Rows that were sealed again with the current key'),
  started: Timestamp.nullable().describe('When the latest pass began'),
  ended: Timestamp.nullable().describe('When it ended; null: it has not'),
});

const UsedReference = z.object({
  reference: z
    .string()
    .meta({ description: 'The reference', examples: ['$SECRET_vault:network/core $KEY_password'] }),
  provider: z.string().nullable().describe('Name of its provider; null: the default one'),
  kind: z.string().meta({ description: 'Kind of the document that has it', examples: ['git_remotes'] }),
  name: z.string().describe('Name of that document'),
});

export const secrets = router({
  listReferences: allow(...ADMIN)
    .meta(
      rest('GET', '/secrets/references', 'List the references to secrets that stored documents have', {
        description: 'At most 10000, by kind and name. The audit trail has each use as `secrets.use`.',
      }),
    )
    .input(z.strictObject({}))
    .output(answer(Page(UsedReference)))
    .query(({ ctx }) => listUsedReferences(ctx)),

  getKeyRenewal: allow(...ADMIN)
    .meta(
      rest('GET', '/secrets/key_renewal', 'Progress of sealing stored secrets with the current SECRET_KEY', {
        description:
          'Remove SECRET_KEY_PREVIOUS once a pass is complete that began after every process had the current key.',
      }),
    )
    .input(z.strictObject({}))
    .output(answer(KeyRenewal))
    .query(({ ctx }) => readKeyRenewal(ctx)),

  listProviders: allow(...ADMIN)
    .meta(rest('GET', PATH, 'List the secret providers', { description: SECRETS }))
    .input(z.strictObject({ queryOptions: listQuery({}).optional() }))
    .output(answer(Page(SecretProvider)))
    .query(({ ctx, input }) => listProviders(ctx, input.queryOptions ?? {})),

  getProvider: allow(...ADMIN)
    .meta(rest('GET', `${PATH}/:name`, 'One secret provider', { description: SECRETS }))
    .input(OneProvider)
    .output(answer(SecretProvider))
    .query(({ ctx, input }) => getProvider(ctx, input.name)),

  createProvider: allow(...ADMIN)
    .meta(
      rest('POST', PATH, 'Create a secret provider', {
        description: `Documents may then refer to its secrets: \`$SECRET_<name>:<path> $KEY_<key>\`. ${SECRETS}`,
      }),
    )
    .input(z.strictObject({ provider: SecretProvider }))
    .output(answer(Created(SecretProvider)))
    .mutation(write(({ ctx, input }) => createProvider(ctx, input.provider))),

  replaceProvider: allow(...ADMIN)
    .meta(rest('PUT', `${PATH}/:name`, 'Replace a secret provider', { description: SECRETS }))
    .input(OneProvider.extend({ provider: SecretProvider }))
    .output(answer(Updated(SecretProvider)))
    .mutation(write(({ ctx, input }) => replaceProvider(ctx, input.name, input.provider))),

  deleteProvider: allow(...ADMIN)
    .meta(
      rest('DELETE', `${PATH}/:name`, 'Delete a secret provider', {
        description: 'What refers to it fails with its name from then on.',
      }),
    )
    .input(OneProvider)
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => deleteProvider(ctx, input.name))),

  testProvider: allow(...ADMIN)
    .meta(
      rest('POST', `${PATH}/:name/test`, 'Test a secret provider', {
        description: 'Signs in, and with `path` reads that secret. No value is returned.',
      }),
    )
    .input(
      OneProvider.extend({
        path: z.string().min(1).max(500).optional().describe('Path of a secret to read'),
        key: z.string().min(1).max(200).optional().describe('Name of its value; absent: the only one'),
      }),
    )
    .output(answer(Tried))
    .mutation(
      outward(
        ({ ctx, input }) => testProvider(ctx, input.name, input),
        (tx, { name }) => noteProviderTest(tx, name),
      ),
    ),
});
