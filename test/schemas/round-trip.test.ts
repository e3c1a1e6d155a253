import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { lawRuns } from '../helpers/long.ts';
import { documentsOf } from './arbitrary.ts';
import { everySchema, inner } from './every-schema.ts';

const schemas = await everySchema();

/** Schemas with conditions of their own at any depth, such as members that must agree; what a generator makes may not meet them. */
function hasConditions(schema: z.core.$ZodType, seen = new Set<z.core.$ZodType>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  const checks = (schema._zod.def.checks ?? []) as z.core.$ZodCheck[];
  return (
    checks.some((check) => check._zod.def.check === 'custom') ||
    inner(schema).some(([, part]) => hasConditions(part, seen))
  );
}

test.each(schemas)('$name: what comes in goes out, unknown fields at every depth too', ({ schema }) => {
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
