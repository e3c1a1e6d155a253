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
      rest('GET', '/outgoing/targets', 'List the outgoing targets', {
        description:
          'Targets to which jobs may send requests. Empty until an admin adds some. The ETag of the response can be sent as `If-Match` of PUT.',
      }),
    )
    .input(z.strictObject({}))
    .output(answer(OutgoingTargets))
    .query(({ ctx }) => getTargets(ctx)),

  replaceTargets: allow(...ADMIN)
    .meta(
      rest('PUT', '/outgoing/targets', 'Replace the list of outgoing targets', {
        description:
          'Loopback, link-local and metadata addresses, and addresses of this machine, are always rejected unless `ALLOW_PRIVATE_TARGETS` is set.',
      }),
    )
    .input(OutgoingTargets)
    .output(answer(Updated(OutgoingTargets)))
    .mutation(write(({ ctx, input }) => replaceTargets(ctx, input))),
});
