import { z } from 'zod';
import { CommandPolicy } from '#db/schemas/network/command-policy.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import {
  createPolicy,
  deletePolicy,
  getPolicy,
  listPolicies,
  replacePolicy,
} from '#server/domains/network/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { Ok, Page } from '../authorization/answers.ts';
import { Created, Updated } from './answers.ts';

const PATH = '/automationgateway/command_policies';
const OnePolicy = z.strictObject({ name: z.string().describe('Name of the policy') });

export const policies = {
  listPolicies: allow(...ADMIN)
    .meta(
      rest('GET', PATH, 'List the command policies', {
        description: 'Without policies, every account that may send commands may send any command.',
      }),
    )
    .input(z.strictObject({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(Page(CommandPolicy)))
    .query(({ ctx, input }) => listPolicies(ctx, input.queryOptions)),

  getPolicy: allow(...ADMIN)
    .meta(rest('GET', `${PATH}/:name`, 'One command policy'))
    .input(OnePolicy)
    .output(answer(CommandPolicy))
    .query(({ ctx, input }) => getPolicy(ctx, input.name)),

  createPolicy: allow(...ADMIN)
    .meta(rest('POST', PATH, 'Create a command policy'))
    .input(z.strictObject({ policy: CommandPolicy }))
    .output(answer(Created(CommandPolicy)))
    .mutation(write(({ ctx, input }) => createPolicy(ctx, input.policy))),

  replacePolicy: allow(...ADMIN)
    .meta(rest('PUT', `${PATH}/:name`, 'Create or replace the command policy of this name'))
    .input(OnePolicy.extend({ policy: CommandPolicy }))
    .output(answer(Updated(CommandPolicy)))
    .mutation(write(({ ctx, input }) => replacePolicy(ctx, input.name, input.policy))),

  deletePolicy: allow(...ADMIN)
    .meta(rest('DELETE', `${PATH}/:name`, 'Delete a command policy'))
    .input(OnePolicy)
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => deletePolicy(ctx, input.name))),
};
