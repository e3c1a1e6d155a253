import { z } from 'zod';
import { Selection } from '#db/schemas/network/selection.ts';
import { listSelection } from '#server/domains/network/index.ts';
import { answer } from '#server/kernel/json-text.ts';
import { allow, rest } from '#server/kernel/procedures.ts';
import { CONFIG_READ } from '#server/kernel/roles.ts';

export const selection = {
  listSelection: allow(...CONFIG_READ)
    .meta(
      rest('POST', '/inventory/selection', 'List the devices that a selection matches', {
        description:
          'Only devices that the caller may see. An unknown name is left out; an unknown group is rejected.',
      }),
    )
    .input(
      z.strictObject({
        selection: Selection,
        skip: z.int().min(0).max(10_000_000).optional().describe('Number of devices to skip; absent: 0'),
        limit: z
          .int()
          .min(1)
          .max(1000)
          .optional()
          .describe('Maximum number of devices to return; absent: 25'),
      }),
    )
    .output(
      answer(
        z.object({
          total: z.int().min(0).describe('Number of matching devices in total'),
          devices: z
            .array(z.string())
            .meta({ description: 'Names of this page, in order', examples: [['edge-1']] }),
        }),
      ),
    )
    .query(({ ctx, input: { selection: wanted, ...page } }) => listSelection(ctx, wanted, page)),
};
