import { expect, test } from 'vitest';
import { z } from 'zod';
import { listQuery, projectedQuery } from '#db/schemas/query-options.ts';
import { everySchema, inner } from './every-schema.ts';

const WRAPPERS = new Set(['optional', 'nullable', 'nonoptional']);

/** What the OpenAPI document says about a member: its own words, or those of the schema it wraps. */
function description(schema: z.core.$ZodType): string | undefined {
  const own = z.globalRegistry.get(schema)?.description;
  if (own) return own;
  const [wrapped] = WRAPPERS.has(schema._zod.def.type) ? inner(schema) : [];
  return wrapped && description(wrapped[1]);
}

const letters = (words: string) => words.toLowerCase().replace(/[^a-z]/g, '');

/** Paths of members, at any depth, that say nothing or only repeat their name. */
function unexplained(schema: z.core.$ZodType, path: string, seen = new Set<z.core.$ZodType>()): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const isObject = schema._zod.def.type === 'object';
  return inner(schema).flatMap(([key, member]) => {
    const at = isObject ? `${path}.${key}` : `${path}${key}`;
    const words = description(member);
    const missing = isObject && (!words || letters(words) === letters(key));
    return [...(missing ? [at] : []), ...unexplained(member, at, seen)];
  });
}

const schemas = await everySchema();

test('the schemas of the service are found', () => {
  expect(schemas.length).toBeGreaterThan(100);
});

test.each(schemas)('$file: every member of $name is explained, at every depth', ({ name, schema }) => {
  expect(unexplained(schema, name)).toEqual([]);
});

test('every component of the OpenAPI document is explained', () => {
  const silent = schemas.filter(({ schema }) => schema.meta()?.id && !schema.description);
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('a component is named as its export', () => {
  const renamed = schemas.filter(({ name, schema }) => (schema.meta()?.id ?? name) !== name);
  expect(renamed.map(({ name }) => name)).toEqual([]);
});

test('the parameters of both filter dialects are explained', () => {
  expect(unexplained(listQuery({}), 'list')).toEqual([]);
  expect(unexplained(projectedQuery(), 'projected')).toEqual([]);
});

test('a field without a description is found, however deep it lies', () => {
  const planted = z.looseObject({
    reported: z.string().optional().describe('Address of the device'),
    silent: z.string(),
    repeated: z.boolean().describe('Repeated.'),
    list: z
      .array(z.union([z.string(), z.looseObject({ deep: z.int().nullable().optional() })]))
      .describe('Rows'),
    keyed: z.record(z.string(), z.strictObject({ leaf: z.boolean() })).describe('Leaves by name'),
    get self() {
      return z.lazy(() => planted).describe('Itself');
    },
  });
  expect(unexplained(planted, 'P')).toEqual(['P.silent', 'P.repeated', 'P.list[]|1.deep', 'P.keyed{}.leaf']);
});
