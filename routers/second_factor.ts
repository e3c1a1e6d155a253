import { z } from 'zod';
import { FactorProof } from '#db/schemas/identity/security-key.ts';
import { Timestamp } from '#db/schemas/primitives.ts';
import {
  assertOwnPassword,
  confirmSecondFactor,
  disableSecondFactor,
  readSecondFactor,
  startSecondFactor,
  withAttempt,
} from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { rest, signedIn, write } from '#server/kernel/procedures.ts';
import { Ok } from './authorization/answers.ts';
import { Password, PROOF_FAILURES } from './second_factor_requests.ts';

const PATH = '/user/second_factor';
const Code = z
  .string()
  .min(6)
  .max(50)
  .meta({ description: 'Code of the authenticator, or a recovery code', examples: ['492039'] });

const Status = z.object({
  enabled: z.boolean().describe('Whether signing in needs a second factor'),
  since: Timestamp.nullable().describe('Since when; null: not at all'),
  recoveryCodesLeft: z.int().describe('Recovery codes that were not used'),
  oneTimePasswords: z.boolean().describe('Whether one-time passwords are set up'),
  securityKeys: z.int().describe('Number of security keys'),
});

const Begun = z.object({
  secret: z
    .string()
    .meta({ description: 'The secret in base32, shown once', examples: ['JBSWY3DPEHPK3PXP'] }),
  uri: z.string().meta({
    description: 'The same as otpauth URI, for a QR code',
    examples: ['otpauth://totp/Switchyard:ops?secret=JBSWY3DPEHPK3PXP'],
  }),
});

const Confirmed = z.object({
  status: z.literal('OK').describe('Always OK'),
  message: z.string().describe('What was done, in words'),
  recoveryCodes: z
    .array(z.string())
    .describe('Codes for when the authenticator is lost, each once; shown once'),
});

/** The second factor of the caller: one-time passwords of an authenticator (RFC 6238). */
export const secondFactorOfUser = {
  getSecondFactor: signedIn
    .meta(rest('GET', PATH, 'Whether signing in as the caller needs a second factor'))
    .input(z.strictObject({}))
    .output(answer(Status))
    .query(({ ctx }) => readSecondFactor(ctx)),

  startSecondFactor: signedIn
    .meta(
      rest('POST', PATH, 'Begin to set up one-time passwords', {
        notByToken: true,
        description:
          'It takes effect once `POST /user/second_factor/confirm` has accepted a code. An account that has security keys proves one with `securityKey`, or sends a recovery code.',
        errorResponses: {
          ...PROOF_FAILURES,
          409: 'There are some already.',
        },
      }),
    )
    .input(z.strictObject({ password: Password, ...FactorProof }))
    .output(answer(Begun))
    .mutation(async (call) => {
      await assertOwnPassword(call.ctx, call.input.password);
      return withAttempt(call.ctx, call.input, () =>
        write<typeof call.input, z.infer<typeof Begun>>(({ ctx, input }) => startSecondFactor(ctx, input))(
          call,
        ),
      );
    }),

  confirmSecondFactor: signedIn
    .meta(
      rest('POST', `${PATH}/confirm`, 'Confirm one-time passwords with the first code', {
        notByToken: true,
        description: 'Other sessions of the account end. The recovery codes are shown once.',
        errorResponses: { 429: PROOF_FAILURES[429], 409: 'None was begun.' },
      }),
    )
    .input(z.strictObject({ code: Code }))
    .output(answer(Confirmed))
    .mutation((call) =>
      withAttempt(call.ctx, call.input, () =>
        write<{ code: string }, z.infer<typeof Confirmed>>(({ ctx, input }) =>
          confirmSecondFactor(ctx, input.code),
        )(call),
      ),
    ),

  disableSecondFactor: signedIn
    .meta(
      rest('POST', `${PATH}/disable`, 'Remove the one-time passwords of the caller', {
        notByToken: true,
        description: 'Security keys stay, and signing in then needs one of them.',
        errorResponses: { ...PROOF_FAILURES, 409: 'There are none.' },
      }),
    )
    .input(z.strictObject({ password: Password, ...FactorProof }))
    .output(answer(Ok))
    .mutation(async (call) => {
      await assertOwnPassword(call.ctx, call.input.password);
      return withAttempt(call.ctx, call.input, () =>
        write<typeof call.input, z.infer<typeof Ok>>(({ ctx, input }) => disableSecondFactor(ctx, input))(
          call,
        ),
      );
    }),
};
