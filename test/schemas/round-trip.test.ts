import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { lawRuns } from '../helpers/long.ts';
import { documentsOf } from './arbitrary.ts';
import { everySchema } from './every-schema.ts';

const schemas = await everySchema();

/** Objects whose members must agree with one another; what a generator makes of them may not. */
const hasConditions = (schema: z.ZodType) =>
  schema._zod.def.type === 'object' && (schema._zod.def.checks ?? []).length > 0;

test.each(schemas)('$name: what comes in goes out, unknown members at every depth too', ({ schema }) => {
  fc.assert(
    fc.property(documentsOf(schema), (document) => {
      const before = structuredClone(document);
      if (hasConditions(schema)) fc.pre(schema.safeParse(document).success);
      expect(schema.parse(document)).toEqual(before);
      expect(document).toEqual(before);
    }),
    lawRuns(25),
  );
});
