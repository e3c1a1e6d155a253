import fc from 'fast-check';
import type { Json } from '../helpers/http/openapi.ts';

type Schemas = Record<string, Json>;

/** Optional members and elements are left out below this depth, so that recursive schemas end. */
const DEEPEST = 5;

/** Texts that have broken other services; each breaks some schema, or passes it and reaches SQL, paths and patterns. */
const NASTY = [
  '',
  ' x ',
  '\u202e',
  'constructor',
  '../../etc/passwd',
  "'; DROP TABLE accounts;--",
  '%_.*\\',
  '(a+)+$',
  '1e400',
  'x'.repeat(5000),
  '9'.repeat(30),
];

/** Values of every type, for places where a schema requires another. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...NASTY),
  fc.constantFrom<unknown>(2 ** 31, 2 ** 53, 1e308, -1, 0.5, null, true, [], {}, [[]], { a: { b: null } }),
);

/** Returns values that a schema of the OpenAPI document accepts. */
export function valuesOf(schema: Json, schemas: Schemas, depth = 0): fc.Arbitrary<unknown> {
  const within = (part: unknown) => valuesOf((part ?? {}) as Json, schemas, depth + 1);
  if (typeof schema.$ref === 'string') {
    return fc.constant(null).chain(() => within(schemas[String(schema.$ref).split('/').at(-1) ?? '']));
  }
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  const options = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (options) return fc.oneof(...(depth > DEEPEST ? options.slice(-1) : options).map(within));
  // Parts of a whole: the last one adds the narrowest condition, and the first one alone would do as well.
  if (Array.isArray(schema.allOf)) return within(schema.allOf.at(-1));
  const [type = 'any'] = [schema.type].flat() as string[];
  switch (type) {
    case 'string':
      return textsOf(schema);
    case 'integer':
    case 'number': {
      const min = Math.max(Number(schema.minimum ?? schema.exclusiveMinimum ?? -1000), -1e6);
      const max = Math.min(Number(schema.maximum ?? schema.exclusiveMaximum ?? 1e6), 1e6);
      const whole = fc.integer({ min: Math.ceil(min), max: Math.floor(Math.max(min, max)) });
      return type === 'integer' ? whole : fc.oneof(whole, fc.constant((min + max) / 2));
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return listsOf(schema, depth, within);
    case 'object':
      return objectsOf(schema, depth, within);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function textsOf({ pattern, format, minLength = 0, maxLength = 5000 }: Json): fc.Arbitrary<string> {
  if (format === 'date-time' || (typeof pattern === 'string' && pattern.includes('-02-29'))) {
    return fc.constantFrom('2026-02-03T04:05:06.789Z', '2024-02-29T00:00:00.000Z');
  }
  if (typeof pattern === 'string') {
    return fc.stringMatching(new RegExp(pattern)).filter(({ length }) => length <= Number(maxLength));
  }
  const bounds = { minLength: Number(minLength), maxLength: Math.max(Number(minLength), 20) };
  return fc.string({ unit: 'grapheme', ...bounds, maxLength: Math.min(bounds.maxLength, Number(maxLength)) });
}

function listsOf(schema: Json, depth: number, within: (part: unknown) => fc.Arbitrary<unknown>) {
  if (Array.isArray(schema.prefixItems)) return fc.tuple(...schema.prefixItems.map(within));
  const minLength = Number(schema.minItems ?? 0);
  return fc.array(within(schema.items), {
    minLength,
    maxLength: depth > DEEPEST ? minLength : Math.max(minLength, 2),
  });
}

function objectsOf(schema: Json, depth: number, within: (part: unknown) => fc.Arbitrary<unknown>) {
  const properties = Object.entries((schema.properties ?? {}) as Schemas);
  const required = new Set((schema.required ?? []) as string[]);
  const shown = properties.filter(([name]) => depth <= DEEPEST || required.has(name));
  const known = fc.record(Object.fromEntries(shown.map(([name, member]) => [name, within(member)])), {
    requiredKeys: [...required].filter((name) => shown.some(([one]) => one === name)),
    noNullPrototype: true,
  });
  const { additionalProperties: more } = schema;
  if (typeof more !== 'object' || more === null || depth > DEEPEST) return known;
  const key = fc.constantFrom('a', 'edge-1', 'x y');
  const free = fc.dictionary(key, within(more), { maxKeys: 2, noNullPrototype: true });
  return fc.tuple(free, known).map(([first, second]) => ({ ...first, ...second }));
}

/** Returns such values with one place broken: another kind of value, a member too many or one too few. */
export const brokenValuesOf = (schema: Json, schemas: Schemas): fc.Arbitrary<unknown> =>
  fc
    .tuple(valuesOf(schema, schemas), anything, fc.nat(), fc.nat(2))
    .map(([value, bad, at, how]) => broken(value, bad, at, how));

function broken(value: unknown, bad: unknown, at: number, how: number): unknown {
  if (typeof value !== 'object' || value === null) return bad;
  const names = Object.keys(value);
  if (how === 0) return Array.isArray(value) ? [...value, bad] : { ...value, unknownMember: bad };
  const name = names[at % Math.max(names.length, 1)];
  if (name === undefined) return bad;
  const members = value as Record<string, unknown>;
  if (how === 1 && !Array.isArray(value)) {
    return Object.fromEntries(Object.entries(members).filter(([one]) => one !== name));
  }
  const inner = broken(members[name], bad, Math.floor(at / names.length), at % 3);
  return Array.isArray(value) ? value.with(Number(name), inner) : { ...members, [name]: inner };
}
