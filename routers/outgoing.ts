import { z } from 'zod';
import { OutgoingTargets } from '#db/schemas/network/outgoing-targets.ts';
import { getTargets, replaceTargets } from '#server/domains/network/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, router, write } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { Updated } from './automationgateway/answers.ts';

export const outgoing = router({
  getTargets: allow(...ADMIN)
    .meta(
      rest('GET', '/outgoing/targets', 'List where jobs may send requests to', {
        description: 'Empty until an admin lists some. The ETag of the answer fits `If-Match` of PUT.',
      }),
    )
    .input(z.strictObject({}))
    .output(answer(OutgoingTargets))
    .query(({ ctx }) => getTargets(ctx)),

  replaceTargets: allow(...ADMIN)
    .meta(
      rest('PUT', '/outgoing/targets', 'Replace the list of where jobs may send requests to', {
        description:
          'Loopback, link-local and metadata addresses, and those of this machine, stay refused whatever is listed, unless `ALLOW_PRIVATE_TARGETS` is set.',
      }),
    )
    .input(OutgoingTargets)
    .output(answer(Updated(OutgoingTargets)))
    .mutation(write(({ ctx, input }) => replaceTargets(ctx, input))),
});
