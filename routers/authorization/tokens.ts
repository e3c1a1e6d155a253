import { z } from 'zod';
import { OwnedToken } from '#db/schemas/identity/session.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import { deletePersonalToken, listAllTokens } from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { Ok, Page } from './answers.ts';

/** Personal tokens of all accounts, for administrators. */
export const tokens = {
  listTokens: allow(...ADMIN)
    .meta(rest('GET', '/authorization/tokens', 'Personal tokens of all accounts, the newest first'))
    .input(z.strictObject({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(Page(OwnedToken)))
    .query(({ ctx, input }) => listAllTokens(ctx, input.queryOptions)),

  deleteToken: allow(...ADMIN)
    .meta(
      rest('DELETE', '/authorization/tokens/:id', 'Delete a personal token of any account', {
        notByToken: true,
      }),
    )
    .input(z.strictObject({ id: z.string().describe('Id of the token') }))
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => deletePersonalToken(ctx.db, input.id, null))),
};
