import { z } from 'zod';
import { Timestamp } from '#db/schemas/primitives.ts';
import {
  assertOwnPassword,
  beginCode,
  confirmSecondFactor,
  disableSecondFactor,
  readSecondFactor,
  startSecondFactor,
} from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { rest, signedIn, write } from '#server/kernel/procedures.ts';
import { Ok } from './authorization/answers.ts';

const PATH = '/user/second_factor';
const Password = z.string().max(1024).describe('The current password of the account');
const Code = z
  .string()
  .min(6)
  .max(50)
  .meta({ description: 'Code of the authenticator, or a recovery code', examples: ['492039'] });

const Status = z.object({
  enabled: z.boolean().describe('Whether signing in needs a code'),
  since: Timestamp.nullable().describe('Since when; null: not at all'),
  recoveryCodesLeft: z.int().describe('Recovery codes that were not used'),
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

const EXTRA = { 429: 'Too many wrong codes or passwords; retry in 240 s.' } as const;

/** The second factor of the caller: one-time passwords of an authenticator (RFC 6238). */
export const secondFactorOfUser = {
  getSecondFactor: signedIn
    .meta(rest('GET', PATH, 'Whether signing in as the caller needs a code'))
    .input(z.strictObject({}))
    .output(answer(Status))
    .query(({ ctx }) => readSecondFactor(ctx)),

  startSecondFactor: signedIn
    .meta(
      rest('POST', PATH, 'Begin to set up a second factor', {
        notByToken: true,
        description: 'It takes effect once `POST /user/second_factor/confirm` has accepted a code.',
        refusals: {
          ...EXTRA,
          409: 'There is one already.',
          422: 'The account signs in elsewhere.',
        },
      }),
    )
    .input(z.strictObject({ password: Password }))
    .output(answer(Begun))
    .mutation(async (call) => {
      await assertOwnPassword(call.ctx, call.input.password);
      return write(({ ctx }) => startSecondFactor(ctx))(call);
    }),

  confirmSecondFactor: signedIn
    .meta(
      rest('POST', `${PATH}/confirm`, 'Confirm a second factor with its first code', {
        notByToken: true,
        description: 'Other sessions of the account end. The recovery codes are shown once.',
        refusals: { ...EXTRA, 409: 'None was begun.' },
      }),
    )
    .input(z.strictObject({ code: Code }))
    .output(answer(Confirmed))
    .mutation(async (call) => {
      const attempt = await beginCode(call.ctx, call.ctx.principal.id);
      const confirmed = await write<{ code: string }, z.infer<typeof Confirmed>>(({ ctx, input }) =>
        confirmSecondFactor(ctx, input.code),
      )(call);
      await attempt.succeeded();
      return confirmed;
    }),

  disableSecondFactor: signedIn
    .meta(
      rest('POST', `${PATH}/disable`, 'Remove the second factor of the caller', {
        notByToken: true,
        refusals: { ...EXTRA, 409: 'There is none.', 422: 'The account signs in elsewhere.' },
      }),
    )
    .input(z.strictObject({ password: Password, code: Code }))
    .output(answer(Ok))
    .mutation(async (call) => {
      await assertOwnPassword(call.ctx, call.input.password);
      const attempt = await beginCode(call.ctx, call.ctx.principal.id);
      const disabled = await write<{ code: string }, z.infer<typeof Ok>>(({ ctx, input }) =>
        disableSecondFactor(ctx, input.code),
      )(call);
      await attempt.succeeded();
      return disabled;
    }),
};
