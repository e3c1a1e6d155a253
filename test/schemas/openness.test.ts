import { expect, test } from 'vitest';
import { z } from 'zod';
import { listQuery, projectedQuery } from '#db/schemas/query-options.ts';
import { everySchema, inner, nullAsAbsent } from './every-schema.ts';

/** Kinds of schema that could answer something else than they were given. */
const CHANGING = new Set(['default', 'prefault', 'catch', 'pipe', 'transform', 'readonly', 'success']);

/** Why a schema would change what it reads, at any depth: it strips, fills in, coerces or rewrites. */
function changes(schema: z.core.$ZodType, path: string, seen = new Set<z.core.$ZodType>()): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  // The one rewriting that requests are allowed: null says the same as absence (contract/lifecycle#null).
  const sent = nullAsAbsent(schema);
  if (sent) return changes(sent, path, seen);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const checks = (def.checks ?? []) as z.core.$ZodCheck[];
  const found = [
    ...(def.type === 'object' && !def.catchall ? [`${path} strips`] : []),
    ...(CHANGING.has(def.type) ? [`${path} is a ${def.type}`] : []),
    ...('coerce' in def && def.coerce ? [`${path} coerces`] : []),
    ...(checks.some((check) => check._zod.def.check === 'overwrite') ? [`${path} rewrites`] : []),
  ];
  return [...found, ...inner(schema).flatMap(([key, part]) => changes(part, `${path}.${key}`, seen))];
}

const schemas = await everySchema();

test.each(schemas)(
  '$file: $name keeps or rejects unknown properties, and changes nothing',
  ({ name, schema }) => {
    expect(changes(schema, name)).toEqual([]);
  },
);

test('the queries of lists reject unknown properties, and change nothing', () => {
  expect(changes(listQuery({}), 'list')).toEqual([]);
  expect(changes(projectedQuery(), 'projected')).toEqual([]);
});

test('a schema that changes what it reads is found, however deep it lies', () => {
  const planted = z.looseObject({
    kept: z.string().optional(),
    strips: z.array(z.object({})),
    fills: z.string().default('x'),
    coerces: z.record(z.string(), z.coerce.number().nullable()),
    rewrites: z.union([z.string().trim(), z.strictObject({ deep: z.string().transform(Number) })]),
  });
  expect(changes(planted, 'P')).toEqual([
    'P.strips.[] strips',
    'P.fills is a default',
    'P.coerces.{}. coerces',
    'P.rewrites.|0 rewrites',
    'P.rewrites.|1.deep is a pipe',
  ]);
});
