import { z } from 'zod';
import { GatewayCredential } from '#db/schemas/network/gateway-host.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import {
  createCredential,
  deleteCredential,
  getCredential,
  listCredentials,
  replaceCredential,
} from '#server/domains/network/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest, write } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { Ok, Page } from '../authorization/answers.ts';
import { Created, SECRETS, Updated } from './answers.ts';

const PATH = '/automationgateway/credentials';
const OneCredential = z.strictObject({ name: z.string().describe('Name of the credential') });

export const credentials = {
  listCredentials: allow(...ADMIN)
    .meta(rest('GET', PATH, 'List the credentials of hosts', { description: SECRETS }))
    .input(z.strictObject({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(Page(GatewayCredential)))
    .query(({ ctx, input }) => listCredentials(ctx, input.queryOptions)),

  getCredential: allow(...ADMIN)
    .meta(rest('GET', `${PATH}/:name`, 'One credential', { description: SECRETS }))
    .input(OneCredential)
    .output(answer(GatewayCredential))
    .query(({ ctx, input }) => getCredential(ctx, input.name)),

  createCredential: allow(...ADMIN)
    .meta(rest('POST', PATH, 'Create a credential', { description: SECRETS }))
    .input(z.strictObject({ credential: GatewayCredential }))
    .output(answer(Created(GatewayCredential)))
    .mutation(write(({ ctx, input }) => createCredential(ctx, input.credential))),

  replaceCredential: allow(...ADMIN)
    .meta(
      rest('PUT', `${PATH}/:name`, 'Create or replace the credential of this name', { description: SECRETS }),
    )
    .input(OneCredential.extend({ credential: GatewayCredential }))
    .output(answer(Updated(GatewayCredential)))
    .mutation(write(({ ctx, input }) => replaceCredential(ctx, input.name, input.credential))),

  deleteCredential: allow(...ADMIN)
    .meta(rest('DELETE', `${PATH}/:name`, 'Delete a credential that no host uses'))
    .input(OneCredential)
    .output(answer(Ok))
    .mutation(write(({ ctx, input }) => deleteCredential(ctx, input.name))),
};
