import { z } from 'zod';
import { Attestation, FactorProof, SecurityKey } from '#db/schemas/identity/security-key.ts';
import { Name } from '#db/schemas/primitives.ts';
import {
  assertOwnPassword,
  beginSecurityKey,
  confirmSecurityKey,
  listSecurityKeys,
  removeSecurityKey,
  renameSecurityKey,
  startSecurityKey,
  withAttempt,
} from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { open, rest, signedIn, write } from '#server/kernel/procedures.ts';
import { Ok, Page } from './authorization/answers.ts';
import {
  CreationOptions,
  Password,
  PROOF_FAILURES,
  RequestOptions,
  SignInName,
} from './second_factor_requests.ts';

const PATH = '/user/security_keys';
const Id = z.string().min(1).max(100).describe('Id of the key');

const Creation = z
  .object({ options: CreationOptions.describe('Options for the browser') })
  .describe('What the browser needs to register a key');
const Use = z
  .object({ options: RequestOptions.describe('Options for the browser') })
  .describe('What the browser needs to use a key');

const Registered = z.object({
  status: z.literal('Created').describe('Always Created'),
  message: z.string().describe('What was done, in words'),
  data: SecurityKey,
  recoveryCodes: z
    .array(z.string())
    .describe('Codes for when every key is lost, each once; only with the first second factor of an account'),
});

const Renamed = z.object({
  status: z.literal('OK').describe('Always OK'),
  message: z.string().describe('What was done, in words'),
  data: SecurityKey,
});

const REMOVAL = z.strictObject({ id: Id, password: Password, ...FactorProof });

/** Security keys as the second factor of local accounts (WebAuthn). */
export const securityKeysOfUser = {
  beginSecurityKey: open
    .meta(
      rest('POST', '/login/security_key', 'Begin to use a security key, with name and password', {
        description:
          'The browser passes the options to `navigator.credentials.get`, and sends its answer as `securityKey` of POST /login, or of a change of the second factor. A cookie keeps the challenge for five minutes; it is accepted once.',
        errorResponses: {
          401: 'Invalid credentials.',
          409: 'The account has no security key for this host.',
          422: 'The platform is reached by an IP address, for which browsers use no keys.',
          429: 'Too many failed sign-ins; retry in 240 s.',
        },
      }),
    )
    .input(SignInName)
    .output(answer(Use))
    .mutation(({ ctx, input }) => beginSecurityKey(ctx, input)),

  listSecurityKeys: signedIn
    .meta(rest('GET', PATH, 'The caller’s own security keys, the oldest first'))
    .input(z.strictObject({}))
    .output(answer(Page(SecurityKey)))
    .query(({ ctx }) => listSecurityKeys(ctx)),

  startSecurityKey: signedIn
    .meta(
      rest('POST', PATH, 'Begin to register a security key', {
        notByToken: true,
        description:
          'The browser passes the options to `navigator.credentials.create`. An account that has a second factor proves it with `code` or `securityKey`.',
        errorResponses: { ...PROOF_FAILURES, 409: 'The account has 20 keys.' },
      }),
    )
    .input(z.strictObject({ password: Password, ...FactorProof }))
    .output(answer(Creation))
    .mutation(async (call) => {
      await assertOwnPassword(call.ctx, call.input.password);
      return withAttempt(call.ctx, call.input, () =>
        write<typeof call.input, z.infer<typeof Creation>>(({ ctx, input }) => startSecurityKey(ctx, input))(
          call,
        ),
      );
    }),

  confirmSecurityKey: signedIn
    .meta(
      rest('POST', `${PATH}/confirm`, 'Register the security key that the browser has created', {
        notByToken: true,
        description:
          'From now on signing in needs a second factor. With the first one of an account its other sessions end, and the answer has recovery codes, which are shown once.',
        errorResponses: {
          401: 'This session began no registration; `reason` is ATTEMPT_UNKNOWN.',
          409: 'The account has this key already.',
          422: 'The platform is reached by an IP address.',
        },
      }),
    )
    .input(
      z.strictObject({
        name: Name.describe('Name of the key'),
        credential: Attestation.describe('The answer of the browser'),
      }),
    )
    .output(answer(Registered))
    .mutation(write(({ ctx, input }) => confirmSecurityKey(ctx, input.name, input.credential))),

  renameSecurityKey: signedIn
    .meta(rest('PATCH', `${PATH}/:id`, 'Rename one of the caller’s own security keys', { notByToken: true }))
    .input(z.strictObject({ id: Id, name: Name.describe('The new name') }))
    .output(answer(Renamed))
    .mutation(write(({ ctx, input }) => renameSecurityKey(ctx, input.id, input.name))),

  removeSecurityKey: signedIn
    .meta(
      rest('POST', `${PATH}/:id/remove`, 'Remove one of the caller’s own security keys', {
        notByToken: true,
        description: 'The second factor is proved with `code` or `securityKey`, by this key or another.',
        errorResponses: PROOF_FAILURES,
      }),
    )
    .input(REMOVAL)
    .output(answer(Ok))
    .mutation(async (call) => {
      await assertOwnPassword(call.ctx, call.input.password);
      return withAttempt(call.ctx, call.input, () =>
        write<z.infer<typeof REMOVAL>, z.infer<typeof Ok>>(({ ctx, input }) =>
          removeSecurityKey(ctx, input.id, input),
        )(call),
      );
    }),
};
