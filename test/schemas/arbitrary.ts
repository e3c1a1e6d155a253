import fc from 'fast-check';
import type { z } from 'zod';
import { nullAsAbsent } from './every-schema.ts';

/** Nested lists and optional members stop below this depth, so that recursive documents end. */
const DEEPEST = 7;

const key = fc.string({ minLength: 1, maxLength: 6 }).filter((name) => name !== '__proto__');

/** Addresses of the protocols that documents name. */
const URLS = [
  'https://a.example.net/b?c=d',
  'http://192.0.2.1:8080',
  'ldaps://a.example.net',
  'ldap://192.0.2.1',
];

/** Texts that hold to the formats of a schema; free text when it has none. */
function texts(schema: z.ZodString): fc.Arbitrary<string> {
  if (schema.format === 'datetime') {
    const years = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') };
    return fc.date({ ...years, noInvalidDate: true }).map((date) => date.toISOString());
  }
  if (schema.format === 'url') {
    return fc.constantFrom(...URLS.filter((url) => schema.safeParse(url).success));
  }
  const checks = (schema.def.checks ?? []) as z.core.$ZodStringFormatChecks[];
  const pattern = checks.find((check) => check._zod.def.check === 'string_format')?._zod.def.pattern;
  if (!pattern) return fc.string({ minLength: schema.minLength ?? 0 });
  const { minLength, maxLength } = schema;
  return fc
    .stringMatching(pattern)
    .filter(({ length }) => length >= (minLength ?? 0) && length <= (maxLength ?? length));
}

/** Names of the members of a record: any, or those that its schema lists. */
const keysOf = ({ _zod: { def } }: z.core.$ZodType): fc.Arbitrary<string> =>
  def.type === 'enum'
    ? fc.constantFrom(...Object.values((def as z.core.$ZodEnumDef).entries).map(String))
    : key;

/** Numbers within a schema's bounds. */
function numbers(schema: z.ZodNumber): fc.Arbitrary<number> {
  if (!schema.isInt) {
    const { minValue, maxValue } = schema;
    return fc.double({
      noNaN: true,
      min: Math.max(minValue ?? -Number.MAX_VALUE, -Number.MAX_VALUE),
      max: Math.min(maxValue ?? Number.MAX_VALUE, Number.MAX_VALUE),
    });
  }
  return fc.integer({
    min: Math.max(schema.minValue ?? -1e9, -1e9),
    max: Math.min(schema.maxValue ?? 1e9, 1e9),
  });
}

/**
 * Documents that a schema describes, each open object with one member more than it knows of.
 *
 * @param schema  what to make documents of
 * @param depth   how many schemas it lies inside of
 */
export function documentsOf(schema: z.core.$ZodType, depth = 0): fc.Arbitrary<unknown> {
  const known = schema as z.core.$ZodTypes;
  const { def } = known._zod;
  const within = (part: z.core.$ZodType) => documentsOf(part, depth + 1);
  switch (def.type) {
    case 'string':
      return texts(schema as z.ZodString);
    case 'number':
      return numbers(schema as z.ZodNumber);
    case 'boolean':
      return fc.boolean();
    case 'unknown':
      return fc.jsonValue({ maxDepth: 2 });
    case 'literal':
      return fc.constantFrom(...def.values);
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'nullable':
      return fc.option(documentsOf(def.innerType, depth), { nil: null });
    case 'pipe': {
      const sent = nullAsAbsent(schema);
      if (!sent) throw new Error('no documents for a schema that rewrites what it reads');
      return documentsOf(sent, depth);
    }
    case 'optional':
    case 'nonoptional':
      return documentsOf(def.innerType, depth);
    case 'union':
      return fc.oneof(...def.options.map((option) => documentsOf(option, depth)));
    case 'array': {
      const checks = (def.checks ?? []) as z.core.$ZodCheckMinLength[];
      const minLength = checks.find((check) => check._zod.def.check === 'min_length')?._zod.def.minimum ?? 0;
      return fc.array(within(def.element), { minLength, maxLength: depth > DEEPEST ? minLength : 2 });
    }
    case 'tuple':
      return fc.tuple(...def.items.map(within));
    case 'record':
      return depth > DEEPEST
        ? fc.constant({})
        : fc.dictionary(keysOf(def.keyType), within(def.valueType), { maxKeys: 2, noNullPrototype: true });
    case 'object': {
      const members = Object.entries(def.shape).filter(
        ([, m]) => depth <= DEEPEST || m._zod.optin !== 'optional',
      );
      const required = members.filter(([, member]) => member._zod.optin !== 'optional').map(([name]) => name);
      const open = def.catchall?._zod.def.type === 'unknown';
      const own = fc.record(Object.fromEntries(members.map(([name, member]) => [name, within(member)])), {
        requiredKeys: required,
        noNullPrototype: true,
      });
      if (!open) return own;
      return fc
        .tuple(own, fc.jsonValue({ maxDepth: 1 }))
        .map(([doc, more]) => ({ ...doc, 'x-not-known': more }));
    }
    default:
      throw new Error(`no documents for a schema of type ${def.type}`);
  }
}
