import { z } from 'zod';
import { ServiceAccount } from '#db/schemas/identity/account.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import { NewServiceAccount, ServiceAccountPatch } from '#db/schemas/requests/account.ts';
import {
  createServiceAccount,
  deleteServiceAccount,
  issueToken,
  listServiceAccounts,
  regenerateSecret,
  updateServiceAccount,
} from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, open, rest, router, write } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { Ok, Page } from './authorization/answers.ts';

// Open, because the engine rejects what RFC 6749 calls invalid_request, in the words of the RFC.
const TokenRequest = z.looseObject({
  grant_type: z
    .string()
    .optional()
    .meta({ description: 'client_credentials', examples: ['client_credentials'] }),
  client_id: z
    .string()
    .optional()
    .meta({
      description: 'Id of the service account; else in Authorization: Basic',
      examples: ['65f0c1d2e3a4b5c6d7e8f901'],
    }),
  client_secret: z
    .string()
    .optional()
    .meta({
      description: 'Its secret; else in Authorization: Basic',
      examples: ['5b0e2c8e-3d1f-4a6b-9c7d-8e9f0a1b2c3d'],
    }),
  scope: z.string().optional().describe('Ignored: the roles decide what a token may do'),
});

const Token = z.object({
  access_token: z.string().describe('The token, a signed JWT'),
  token_type: z.literal('bearer').describe('Type of the token'),
  expires_in: z.int().describe('Seconds until it expires'),
});

const ServiceAccountRequest = z.strictObject({ client_id: z.string().describe('Id of the service account') });

const secret = z.string().describe('The secret; it is shown only once');

const Created = z.object({
  results: ServiceAccount.pick({ name: true, description: true, client_id: true })
    .extend({ client_secret: secret })
    .describe('The service account with its secret'),
});

const Regenerated = z.object({
  results: z
    .object({ client_id: ServiceAccount.shape.client_id, client_secret: secret })
    .describe('The service account with its new secret'),
});

export const oauth = router({
  // Without `write`, like sign-in: there is no signed-in user yet.
  issueToken: open
    .meta(
      rest('POST', '/oauth/token', 'An access token for a service account (RFC 6749, client credentials)', {
        contentTypes: ['application/x-www-form-urlencoded'],
        errorResponses: {
          401: 'The service account is unknown or inactive, or its secret is wrong.',
          429: 'Too many failed sign-ins; retry in 240 s.',
        },
      }),
    )
    .input(TokenRequest)
    .output(answer(Token))
    .mutation(({ ctx, input }) => issueToken(ctx, input)),

  listServiceAccounts: allow(...ADMIN)
    .meta(rest('GET', '/oauth/serviceAccounts', 'List service accounts; their secrets are never shown'))
    .input(z.strictObject({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(Page(ServiceAccount)))
    .query(({ ctx, input }) => listServiceAccounts(ctx, input.queryOptions)),

  createServiceAccount: allow(...ADMIN)
    .meta(rest('POST', '/oauth/serviceAccounts', 'Create a service account; its secret is shown only once'))
    .input(z.strictObject({ accountData: NewServiceAccount.describe('The service account') }))
    .output(answer(Created))
    .mutation(write(({ ctx, input }) => createServiceAccount(ctx, input.accountData))),

  updateServiceAccount: allow(...ADMIN)
    .meta(rest('PATCH', '/oauth/serviceAccounts/:client_id', 'Change a service account'))
    .input(ServiceAccountRequest.extend({ updates: ServiceAccountPatch.describe('What changes') }))
    .output(answer(Ok.extend({ data: ServiceAccount.describe('The service account after the change') })))
    .mutation(write(({ ctx, input }) => updateServiceAccount(ctx, input.client_id, input.updates))),

  regenerateSecret: allow(...ADMIN)
    .meta(
      rest('PATCH', '/oauth/serviceAccounts/:client_id/regenerate', 'Replace a secret and revoke its tokens'),
    )
    .input(ServiceAccountRequest)
    .output(answer(Regenerated))
    .mutation(write(({ ctx, input }) => regenerateSecret(ctx, input.client_id))),

  deleteServiceAccount: allow(...ADMIN)
    .meta(rest('DELETE', '/oauth/serviceAccounts/:client_id', 'Delete a service account'))
    .input(ServiceAccountRequest)
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => deleteServiceAccount(ctx, input.client_id))),
});
