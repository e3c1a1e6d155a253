import { z } from 'zod';
import { Done } from '#db/schemas/primitives.ts';

/** The response of a write of rules, with warnings about likely mistakes in the template (contract/lifecycle#4.5). */
export const Warned = Done.extend({
  warnings: z
    .array(
      z.object({
        line: z.int().min(1).describe('Line of the template'),
        column: z.int().min(1).describe('Column of that line'),
        message: z.string().describe('Likely mistake'),
      }),
    )
    .describe('Likely mistakes in the template'),
});
