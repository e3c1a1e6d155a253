import { z } from 'zod';
import { GatewayCall } from '#db/schemas/network/gateway-call.ts';
import { listQuery } from '#db/schemas/query-options.ts';
import { listCalls } from '#server/domains/network/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest } from '#server/kernel/procedures.ts';
import { ADMIN } from '#server/kernel/roles.ts';
import { Page } from '../authorization/answers.ts';

export const history = {
  listHistory: allow(...ADMIN)
    .meta(
      rest(
        'GET',
        '/automationgateway/history',
        'The calls of the gateway to devices, with the accounts that made them',
        {
          description:
            'Newest first. Commands are kept with secrets masked, outputs are not kept; entries are deleted after 90 days, or when 200,000 newer ones exist.',
        },
      ),
    )
    .input(z.strictObject({ queryOptions: listQuery({}).prefault({}).describe('Filters, page and order') }))
    .output(answer(Page(GatewayCall)))
    .query(({ ctx, input }) => listCalls(ctx, input.queryOptions)),
};
