import { z } from 'zod';
import { Spec } from '#db/schemas/config-spec.ts';
import { answer } from '#server/answer.ts';
import { getSpec } from '#server/engines/configuration/specs.service.ts';
import { R } from '#server/roles.ts';
import { allow, rest } from '#server/trpc.ts';

export const specs = {
  getSpec: allow(...R)
    .meta(rest('GET', '/configuration_manager/config_specs/:id', 'The rules of one node'))
    .input(z.strictObject({ id: z.string().describe('Id of the spec') }))
    .output(answer(Spec))
    .query(({ ctx, input }) => getSpec(ctx, input.id)),
};
