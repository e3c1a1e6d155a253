import { z } from 'zod';
import {
  NewSignInProvider,
  ShownProvider,
  SignInMethods,
  SignInProviderUpdate,
} from '#db/schemas/identity/sign-in-provider.ts';
import {
  createProvider,
  deleteProvider,
  endByProvider,
  finishOidc,
  getProvider,
  listProviders,
  listSignInMethods,
  noteProviderTest,
  readLogoutLink,
  startOidc,
  testProvider,
  updateProvider,
} from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, open, outward, rest, router, signedIn, write } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { Ok, Page } from './authorization/answers.ts';

const PROVIDERS = '/sign_in/providers';
const Id = z.string().min(1).max(100).describe('Id of the provider');
const One = z.strictObject({ id: Id });

const stored = <Status extends 'Created' | 'OK'>(status: Status) =>
  z.object({
    status: z.literal(status).describe(`Always ${status}`),
    message: z.string().describe('What was done, in words'),
    data: ShownProvider,
  });

const Tested = z.object({
  ok: z.boolean().describe('Whether it can be used'),
  reason: z.string().nullable().describe('Why not, for programs; null when it can'),
  detail: z.string().describe('The outcome in words'),
  latencyMs: z.number().describe('Duration in milliseconds'),
});

const Redirect = z
  .object({ location: z.string().describe('Where the browser goes, as in the header Location') })
  .meta({ examples: [{ location: '/' }] });

const ReturnTo = z
  .string()
  .max(1000, { abort: true })
  .regex(
    /^\/([\x21-\x2e\x30-\x5b\x5d-\x7e][\x21-\x5b\x5d-\x7e]*)?$/,
    'must be a path of this platform: it begins with one slash',
  )
  .default('/')
  .meta({
    description: 'Path to open after the sign-in, such as that of a page of the console',
    examples: ['/console/jobs'],
  });

/** Parameters with which a provider sends the browser back; others are passed on to the check of the answer. */
const Callback = z.looseObject({
  id: Id,
  state: z.string().max(1000).optional().describe('The state of the attempt'),
  code: z.string().max(10_000).optional().describe('The authorization code'),
  iss: z.string().max(1000).optional().describe('The issuer (RFC 9207)'),
  error: z.string().max(1000).optional().describe('Why the provider rejected the sign-in'),
});

const CANNOT_BE_USED = {
  404: 'No enabled provider has this id.',
  429: 'Too many failed sign-ins; retry in 240 s.',
  502: 'The provider cannot be used; `reason` says why.',
  504: 'The provider did not answer in time.',
} as const;

export const signIn = router({
  listMethods: open
    .meta(rest('GET', '/sign_in/methods', 'How users may sign in: names and start links'))
    .input(z.strictObject({}))
    .output(answer(SignInMethods))
    .query(({ ctx }) => listSignInMethods(ctx)),

  listProviders: allow(...ADMIN)
    .meta(rest('GET', PROVIDERS, 'List the directories in which users sign in'))
    .input(z.strictObject({}))
    .output(answer(Page(ShownProvider)))
    .query(({ ctx }) => listProviders(ctx)),

  getProvider: allow(...ADMIN)
    .meta(rest('GET', `${PROVIDERS}/:id`, 'Read a provider, with the outcome of the last contact'))
    .input(One)
    .output(answer(ShownProvider))
    .query(({ ctx, input }) => getProvider(ctx, input.id)),

  createProvider: allow(...ADMIN)
    .meta(
      rest('POST', PROVIDERS, 'Store a provider', {
        notByToken: true,
        errorResponses: { 409: 'The name is taken, or there are 50 providers.' },
      }),
    )
    .input(z.strictObject({ provider: NewSignInProvider }))
    .output(answer(stored('Created')))
    .mutation(write(({ ctx, input }) => createProvider(ctx, input.provider))),

  updateProvider: allow(...ADMIN)
    .meta(
      rest('PATCH', `${PROVIDERS}/:id`, 'Change a provider', {
        notByToken: true,
        description:
          'Sections that are given replace the stored ones. A mask keeps the stored secret while the address stays the same. Disabling it ends the sessions of its users.',
        errorResponses: { 409: 'It was changed meanwhile, or is described by variables of the environment.' },
      }),
    )
    .input(z.strictObject({ id: Id, updates: SignInProviderUpdate }))
    .output(answer(stored('OK')))
    .mutation(write(({ ctx, input }) => updateProvider(ctx, input.id, input.updates))),

  deleteProvider: allow(...ADMIN)
    .meta(
      rest('DELETE', `${PROVIDERS}/:id`, 'Delete a provider', {
        notByToken: true,
        description: 'Its users lose their sessions and what its mapping gave them; their accounts stay.',
        errorResponses: { 409: 'It is described by variables of the environment.' },
      }),
    )
    .input(One)
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => deleteProvider(ctx, input.id))),

  testProvider: allow(...ADMIN)
    .meta(rest('POST', `${PROVIDERS}/:id/test`, 'Try a provider', { notByToken: true }))
    .input(One)
    .output(answer(Tested))
    .mutation(
      outward(
        ({ ctx, input }) => testProvider(ctx, input.id),
        (tx, { id }) => noteProviderTest(tx, id),
      ),
    ),

  startOidc: open
    .meta(
      rest('GET', '/sign_in/oidc/:id/start', 'Begin a sign-in at an OpenID Connect provider', {
        description: 'For a link in a browser. The answer sends the browser to the provider.',
        effects: true,
        statuses: { 302: 'The browser goes to the provider.' },
        errorResponses: CANNOT_BE_USED,
      }),
    )
    .input(z.strictObject({ id: Id, returnTo: ReturnTo }))
    .output(answer(Redirect))
    .query(({ ctx, input }) => startOidc(ctx, input.id, input.returnTo)),

  finishOidc: open
    .meta(
      rest('GET', '/sign_in/oidc/:id/callback', 'End a sign-in at an OpenID Connect provider', {
        description:
          'The provider sends the browser here. It continues to the page of `returnTo` with a session, or to `/?signInError=REASON&provider=NAME` without one.',
        effects: true,
        statuses: { 302: 'The browser goes to the console.' },
        errorResponses: { 404: CANNOT_BE_USED[404], 429: CANNOT_BE_USED[429] },
      }),
    )
    .input(Callback)
    .output(answer(Redirect))
    .query(({ ctx, input: { id, ...query } }) => finishOidc(ctx, id, query)),

  // Without `write`, like sign-in: the provider is no signed-in user, and its token is the credential.
  endByProvider: open
    .meta(
      rest('POST', '/sign_in/oidc/:id/backchannel_logout', 'End sessions that the provider ended', {
        description: 'OpenID Connect Back-Channel Logout 1.0: the provider sends a signed logout token.',
        contentTypes: ['application/x-www-form-urlencoded'],
        errorResponses: CANNOT_BE_USED,
      }),
    )
    .input(
      z.strictObject({
        id: Id,
        logout_token: z.string().min(1).max(16_000).describe('The logout token, a signed JWT'),
      }),
    )
    .output(answer(z.object({}).meta({ description: 'The sessions have ended.', examples: [{}] })))
    .mutation(({ ctx, input }) => endByProvider(ctx, input.id, input.logout_token)),

  getLogoutLink: signedIn
    .meta(
      rest('GET', '/sign_in/logout_link', 'Where the caller may also end the session at the provider', {
        description: 'Read it before POST /logout, then open it. Null for sessions that began here.',
      }),
    )
    .input(z.strictObject({}))
    .output(
      answer(z.object({ url: z.string().nullable().describe('Page of the provider; null: there is none') })),
    )
    .query(({ ctx }) => readLogoutLink(ctx)),
});
