import { z } from 'zod';
import { Selection, SelectionField, SelectionValue } from '#db/schemas/network/selection.ts';
import { listSelection, listSelectionValues } from '#server/domains/network/index.ts';
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

  listSelectionValues: allow(...CONFIG_READ)
    .meta(
      rest('GET', '/inventory/selection/values', 'List the values that a field of a selection can have', {
        description:
          'Values of devices that the caller may see, and groups that it may read. Those that begin with the text come first, then those of most devices.',
      }),
    )
    .input(
      z.strictObject({
        field: SelectionField.describe('Field of the selection'),
        text: z.string().max(255).default('').describe('Part of the value; case is ignored'),
        limit: z.int().min(1).max(1000).default(25).describe('Maximum number of values to return'),
      }),
    )
    .output(answer(z.object({ values: z.array(SelectionValue).describe('The values') })))
    .query(async ({ ctx, input }) => ({ values: await listSelectionValues(ctx, input) })),
};
