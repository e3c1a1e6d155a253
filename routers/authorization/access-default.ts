import { z } from 'zod';
import { AccessDefault } from '#db/schemas/identity/access-default.ts';
import { getAccessDefault, replaceAccessDefault } from '#server/domains/identity/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';

const PATH = '/authorization/access_default';

const Decided = z.object({
  status: z.literal('OK').describe('Always OK'),
  message: z.string().describe('What was done, in words'),
  data: AccessDefault,
});

/** Who may read documents without an access list. */
export const accessDefault = {
  getAccessDefault: allow(...ADMIN)
    .meta(
      rest('GET', PATH, 'Who may read documents without an access list', {
        description: 'The ETag of the response can be sent as `If-Match` of PUT.',
      }),
    )
    .input(z.strictObject({}))
    .output(answer(AccessDefault))
    .query(({ ctx }) => getAccessDefault(ctx)),

  replaceAccessDefault: allow(...ADMIN)
    .meta(
      rest('PUT', PATH, 'Decide who may read documents without an access list', {
        notByToken: true,
        description:
          'It concerns trees, devices, device groups and backups: in lists, totals, searches, events and single reads.',
      }),
    )
    .input(AccessDefault)
    .output(answer(Decided))
    .mutation(write(({ ctx, input }) => replaceAccessDefault(ctx, input))),
};
