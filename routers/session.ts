import { z } from 'zod';
import { answer, plainText } from '#server/answer.ts';
import { signIn, signOut } from '#server/engines/access/sign-in.service.ts';
import { open, rest, router, signedIn, write } from '#server/trpc.ts';

const SignInRequest = z.strictObject({
  user: z
    .strictObject({
      username: z.string().describe('Name of the account'),
      password: z.string().describe('Its password'),
    })
    .optional()
    .describe('Name and password in one member, as most clients send them'),
  username: z.string().optional().describe('Name of the account, when not in `user`'),
  password: z.string().optional().describe('Its password, when not in `user`'),
});

export const session = router({
  signIn: open
    .meta(
      rest('POST', '/login', 'Sign in; the answer is the token as plain text, and a cookie', {
        description: 'Takes `{"user":{"username","password"}}` or the two members bare.',
      }),
    )
    .input(SignInRequest)
    .output(answer(z.string().describe('The session token')))
    .mutation(async ({ ctx, input }) => plainText(await signIn(ctx, input))),

  signOut: signedIn
    .meta(rest('POST', '/logout', 'End the session that is presented'))
    .input(z.strictObject({}))
    .output(answer(z.object({ status: z.literal('OK'), message: z.string() })))
    .mutation(write(({ ctx }) => signOut(ctx))),
});
