import { z } from 'zod';
import { answer, plainText } from '#server/answer.ts';
import { signIn, signOut } from '#server/engines/access/sign-in.service.ts';
import { open, rest, router, signedIn } from '#server/trpc.ts';

const SignInRequest = z
  .strictObject({
    user: z
      .strictObject({
        username: z.string().describe('Name of the account'),
        password: z.string().describe('Its password'),
      })
      .optional()
      .describe('Name and password in one member, as most clients send them'),
    username: z.string().optional().describe('Name of the account, when not in `user`'),
    password: z.string().optional().describe('Its password, when not in `user`'),
  })
  .meta({ examples: [{ user: { username: 'ops', password: 'correct horse battery staple' } }] });

const Token = z.string().meta({
  description: 'The session token',
  examples: ['q3J8xkQ0b1mB7u2hV5s9dE4tY6wZ8aC1fG3iK5lN7oP'],
});

const SignedOut = z
  .object({ status: z.literal('OK'), message: z.string() })
  .meta({ description: 'The session is over.', examples: [{ status: 'OK', message: 'Signed out' }] });

export const session = router({
  signIn: open
    .meta(
      rest('POST', '/login', 'Sign in; the answer is the token as plain text, and a cookie', {
        description: 'Takes `{"user":{"username","password"}}` or the two members bare.',
        produces: 'text/plain',
        refusals: {
          401: 'Invalid credentials.',
          429: 'Too many sign-ins failed; try again in 240 s.',
        },
      }),
    )
    .input(SignInRequest)
    .output(answer(Token))
    .mutation(async ({ ctx, input }) => plainText(await signIn(ctx, input))),

  signOut: signedIn
    .meta(rest('POST', '/logout', 'End the session that is presented'))
    .input(z.strictObject({}))
    .output(answer(SignedOut))
    .mutation(({ ctx }) => signOut(ctx, ctx.principal)),
});
