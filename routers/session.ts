import { z } from 'zod';
import { Account, WhoAmI } from '#db/schemas/identity/account.ts';
import { FactorProof } from '#db/schemas/identity/security-key.ts';
import { PersonalToken, Session } from '#db/schemas/identity/session.ts';
import { Name } from '#db/schemas/primitives.ts';
import {
  createPersonalToken,
  deletePersonalToken,
  endOwnSession,
  keepPreferences,
  listOwnSessions,
  listOwnTokens,
  readSettings,
  requirementOf,
  signIn,
  signOut,
  whoAmI,
} from '#server/domains/identity/index.ts';
import { answer, PlainText } from '#server/kernel/json-text.ts';
import { open, rest, router, signedIn, write } from '#server/kernel/procedures.ts';
import { Ok, Page } from './authorization/answers.ts';
import { secondFactorOfUser } from './second_factor.ts';
import { SignInName } from './second_factor_requests.ts';
import { securityKeysOfUser } from './security_keys.ts';

const Nothing = z.strictObject({});

const SignInRequest = SignInName.extend(FactorProof).meta({
  examples: [{ user: { username: 'ops', password: 'correct horse battery staple' } }],
});

const Token = z.string().meta({
  description: 'The session token',
  examples: ['q3J8xkQ0b1mB7u2hV5s9dE4tY6wZ8aC1fG3iK5lN7oP'],
});

const SignedOut = z
  .object({ status: z.literal('OK'), message: z.string() })
  .meta({ description: 'The session has ended.', examples: [{ status: 'OK', message: 'Signed out' }] });
const Settings = Account.pick({
  _id: true,
  provenance: true,
  username: true,
  firstname: true,
  inactive: true,
  memberOf: true,
  assignedRoles: true,
  gitTokens: true,
  lastLogin: true,
  preferences: true,
  _meta: true,
});

const KeepPreferencesRequest = z.strictObject({
  preferences: z
    .record(z.string(), z.unknown())
    .describe(
      'What to change of the preferences of the console, as a merge patch (RFC 7396): keys that are left out stay, null removes one. All together have at most 64 KiB of JSON',
    ),
});

const SavedSettings = z.object({
  status: z.literal('OK').describe('Always OK'),
  message: z.string().describe('What was done, in words'),
  data: Settings.describe('The account after the change'),
});

const NewToken = z
  .strictObject({
    name: Name.describe('Purpose of the token'),
    expiresInDays: z.int().min(1).max(365).default(90).describe('Days until it expires, 1 to 365'),
    roles: z
      .array(z.string().max(255))
      .max(100)
      .optional()
      .describe(
        'Names of the roles of the token, at most those that you have; absent: all that you have now, empty: none',
      ),
    readOnly: z.boolean().default(false).describe('True: the token may only read'),
  })
  .meta({ examples: [{ name: 'nightly backup', expiresInDays: 30, roles: ['apiread'], readOnly: true }] });

const CreatedToken = z.object({
  token: z.string().meta({
    description: 'The token; it is shown only once',
    examples: ['swy_q3J8xkQ0b1mB7u2hV5s9dE4tY6wZ8aC1fG3iK5lN7oP'],
  }),
  data: PersonalToken,
});

export const session = router({
  ...secondFactorOfUser,
  ...securityKeysOfUser,

  // The one mutation without `write`: there is no signed-in user yet, and a denied attempt writes its own audit row.
  signIn: open
    .meta(
      rest('POST', '/login', 'Sign in; returns the token as plain text and as a cookie', {
        description:
          'Accepts `{"user":{"username","password"}}` or the two fields at the top level. Where the account needs a second factor, the answer without `code` or `securityKey` is 401 with the `reason` "second factor required" and the list `factors`.',
        produces: 'text/plain',
        errorResponses: {
          401: 'Invalid credentials.',
          429: 'Too many failed sign-ins; retry in 240 s.',
        },
      }),
    )
    .input(SignInRequest)
    .output(answer(Token))
    .mutation(async ({ ctx, input }) => new PlainText(await signIn(ctx, input))),

  signOut: signedIn
    .meta(rest('POST', '/logout', 'End the current session'))
    .input(Nothing)
    .output(answer(SignedOut))
    .mutation(write(({ ctx }) => signOut(ctx))),

  signOutByLink: signedIn
    .meta(rest('GET', '/logout', 'End the current session, for a link in a browser'))
    .input(Nothing)
    .output(answer(SignedOut))
    .mutation(write(({ ctx }) => signOut(ctx))),

  whoAmI: signedIn
    .meta(rest('GET', '/whoami', 'The caller: groups, roles, permissions and views, inherited ones included'))
    .input(Nothing)
    .output(answer(WhoAmI))
    .query(({ ctx }) => whoAmI(ctx)),

  getRequirement: signedIn
    .meta(
      rest('GET', '/whoami/requirements/:operation', 'The roles of which an operation requires one', {
        description: 'For a page that explains why its user may not do something.',
        errorResponses: { 404: 'The operation does not exist.' },
      }),
    )
    .input(
      z.strictObject({
        operation: z
          .string()
          .max(200)
          .meta({ description: 'Name of the operation', examples: ['mop.runCommandDevices'] }),
      }),
    )
    .output(
      answer(
        z.object({
          message: z.string().meta({
            description: 'The roles in a sentence',
            examples: ['Needs one of the roles: admin, support'],
          }),
        }),
      ),
    )
    .query(({ ctx, input }) => ({ message: requirementOf(ctx, input.operation) })),

  getSettings: signedIn
    .meta(rest('GET', '/user/settings', 'The account of the caller, with the preferences of the console'))
    .input(Nothing)
    .output(answer(Settings))
    .query(({ ctx }) => readSettings(ctx)),

  savePreferences: signedIn
    .meta(rest('PATCH', '/user/settings', 'Store preferences of the console with the account'))
    .input(KeepPreferencesRequest)
    .output(answer(SavedSettings))
    .mutation(write(({ ctx, input }) => keepPreferences(ctx, input.preferences))),

  listSessions: signedIn
    .meta(rest('GET', '/user/sessions', 'The caller’s own sessions, the latest used first'))
    .input(Nothing)
    .output(answer(Page(Session)))
    .query(({ ctx }) => listOwnSessions(ctx)),

  endSession: signedIn
    .meta(rest('DELETE', '/user/sessions/:id', 'End one of the caller’s own sessions', { notByToken: true }))
    .input(z.strictObject({ id: z.string().describe('Id of the session') }))
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => endOwnSession(ctx, input.id))),

  createToken: signedIn
    .meta(
      rest('POST', '/user/tokens', 'Create a personal token for programs; it is shown only once', {
        notByToken: true,
        description:
          'The token is sent as `Authorization: Bearer` or `?token=`, not as a cookie. At each use it has those of its roles that the account still has, and the groups of the account. It cannot create or delete tokens, change a password or end sessions.',
      }),
    )
    .input(NewToken)
    .output(answer(CreatedToken))
    .mutation(write(({ ctx, input }) => createPersonalToken(ctx, input))),

  listTokens: signedIn
    .meta(rest('GET', '/user/tokens', 'The caller’s own personal tokens, the newest first'))
    .input(Nothing)
    .output(answer(Page(PersonalToken)))
    .query(({ ctx }) => listOwnTokens(ctx)),

  deleteToken: signedIn
    .meta(
      rest('DELETE', '/user/tokens/:id', 'Delete one of the caller’s own personal tokens', {
        notByToken: true,
      }),
    )
    .input(z.strictObject({ id: z.string().describe('Id of the token') }))
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => deletePersonalToken(ctx.db, input.id, ctx.principal.id))),
});
