import type { z } from 'zod';
import { isObject } from '#server/kernel/json/objects.ts';
import { resolve, type Schema, type Schemas } from './schema.ts';

/**
 * How much of a schema an example shows: required fields only; also optional fields with examples of their own; or
 * everything.
 */
type Extent = 'required' | 'exampled' | 'all';

/** Optional fields are shown down to this depth, so that an example of a deep document stays readable. */
const DEPTH = 3;

/** The result of `sample` for a schema that none of the sample values fits. */
const NONE = Symbol('no example');

/**
 * Returns an example of a schema: its own, or one made from the examples, types and bounds of its fields.
 *
 * @param accepts  validates a candidate; a rejected example is not shown
 * @param name     of the field or parameter, when it has one
 * @returns undefined when no candidate is accepted
 */
export function exampleOf(
  schema: Schema,
  schemas: Schemas,
  accepts: (candidate: unknown) => boolean,
  name?: string,
): { value: unknown } | undefined {
  const fit: unknown[] = [];
  for (const extent of ['exampled', 'required', 'all'] as const) {
    const value = sample(schema, { schemas, extent, depth: 0, within: [], name });
    if (value === NONE || !accepts(value)) continue;
    if (!isEmptyDeep(value)) return { value };
    fit.push(value);
  }
  return fit.length > 0 ? { value: fit[0] } : undefined;
}

/** Returns whether a schema accepts a value; a refinement that throws counts as a rejection. */
export function accepts(schema: z.ZodType, value: unknown): boolean {
  try {
    return schema.safeParse(value).success;
  } catch {
    return false;
  }
}

type ExamplePosition = {
  schemas: Schemas;
  extent: Extent;
  depth: number;
  within: readonly string[];
  /** Name of the field that is shown; it is the example of an unrestricted text. */
  name: string | undefined;
};

function sample(schema: Schema, place: ExamplePosition): unknown {
  if (schema.$ref !== undefined && place.within.includes(schema.$ref)) return NONE;
  const within = schema.$ref === undefined ? place.within : [...place.within, schema.$ref];
  const meant = resolve(schema, place.schemas);
  const at = { ...place, within };
  if (meant.examples && meant.examples.length > 0) return meant.examples[0];
  if (meant.const !== undefined) return meant.const;
  if (meant.default !== undefined) return meant.default;
  if (Array.isArray(meant.enum)) return meant.enum[0];
  const options = meant.anyOf ?? meant.oneOf;
  if (options) return sampleFirst(options, at);
  if (meant.allOf) return sampleAll(meant.allOf, at);
  const type = Array.isArray(meant.type) ? meant.type.find((one) => one !== 'null') : meant.type;
  switch (type) {
    case 'object':
      return sampleObject(meant, at);
    case 'array':
      return sampleArray(meant, at);
    case 'string':
      return sampleText(meant, place.name);
    case 'number':
    case 'integer':
      return sampleNumber(meant);
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return meant.not ? NONE : {};
  }
}

/** Returns the example of the first schema that has one; null only when no other fits. */
function sampleFirst(options: Schema[], place: ExamplePosition): unknown {
  const values = options.map((option) => sample(option, place)).filter((value) => value !== NONE);
  return values.find((value) => value !== null) ?? values[0] ?? NONE;
}

function sampleAll(parts: Schema[], place: ExamplePosition): unknown {
  const values = parts.map((part) => sample(part, place));
  if (values.includes(NONE)) return NONE;
  return values.every(isObject) ? Object.assign({}, ...values) : values[0];
}

function sampleObject({ properties = {}, required = [] }: Schema, place: ExamplePosition): unknown {
  const made: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const needed = required.includes(name);
    if (!needed && (place.extent === 'required' || place.depth >= DEPTH)) continue;
    const value = sample(schema, { ...place, depth: place.depth + 1, name });
    if (value === NONE && needed) return NONE;
    if (value !== NONE && (needed || isShown(schema, value, place))) made[name] = value;
  }
  return made;
}

/** Returns whether an optional field is worth showing: it has examples, or contains fields that do. */
function isShown(schema: Schema, value: unknown, { extent, schemas }: ExamplePosition): boolean {
  const { examples, items } = resolve(schema, schemas);
  if (examples || (typeof items === 'object' && resolve(items, schemas).examples)) return true;
  return extent === 'all' ? !isEmptyDeep(value) : isObject(value) && !isEmptyDeep(value);
}

function sampleArray({ items, prefixItems, minItems }: Schema, place: ExamplePosition): unknown {
  if (Array.isArray(prefixItems)) {
    const values = (prefixItems as Schema[]).map((item) => sample(item, place));
    return values.includes(NONE) ? NONE : values;
  }
  const least = typeof minItems === 'number' ? minItems : 0;
  const value = typeof items === 'object' ? sample(items, { ...place, depth: place.depth + 1 }) : NONE;
  if (value === NONE || (least === 0 && place.extent === 'required')) return least === 0 ? [] : NONE;
  return new Array(Math.max(1, least)).fill(value);
}

/** An example for ids such as `treeId` and `_id`: most are ids of documents. */
const ID = '65f0c1d2e3a4b5c6d7e8f901';
const NAMES_ID = /(^|_|[a-z])(id|Id)$/;

/** Example texts for common formats; the first that fits a schema's format, pattern and length is shown. */
const FORMATS: Record<string, string> = {
  'date-time': '2026-02-03T04:05:06.789Z',
  date: '2026-02-03',
  time: '04:05:06',
  duration: 'PT1H',
  uuid: '5b0e2c8e-3d1f-4a6b-9c7d-8e9f0a1b2c3d',
  email: 'ops@example.net',
  hostname: 'edge-1.example.net',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  cidrv4: '192.0.2.0/24',
  cidrv6: '2001:db8::/32',
  uri: 'https://example.net/',
  base64: 'dGV4dA==',
};
const TEXTS = [
  ID,
  '1',
  '1.0.0',
  '2026.1.0',
  '/path',
  '/path/',
  'base/access',
  'a@b',
  '#FFFFFF',
  'name=value',
  '-----BEGIN CERTIFICATE-----',
  ...Object.values(FORMATS),
];

function sampleText({ format, pattern, minLength, maxLength }: Schema, name = 'text'): unknown {
  const least = typeof minLength === 'number' ? minLength : 0;
  const most = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
  const expression = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined;
  const known = typeof format === 'string' ? FORMATS[format] : undefined;
  const candidates = [...(known === undefined ? [] : [known]), NAMES_ID.test(name) ? ID : name, ...TEXTS].map(
    (text) => text.padEnd(least, '.'),
  );
  const fit = [...candidates, 't'.repeat(least)].find(
    (text) => text.length <= most && (expression?.test(text) ?? true),
  );
  return fit ?? NONE;
}

function sampleNumber(schema: Schema): unknown {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<
    string,
    number | undefined
  >;
  const step = multipleOf ?? (schema.type === 'integer' ? 1 : 0.5);
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + step);
  const most = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - step);
  const wanted = minimum === 0 ? 0 : (multipleOf ?? 1);
  if (least !== undefined && wanted < least) return Math.ceil(least / step) * step;
  return most !== undefined && wanted > most ? Math.floor(most / step) * step : wanted;
}

/** Returns whether a value is an object without fields, or with only such objects. */
const isEmptyDeep = (value: unknown): boolean => isObject(value) && Object.values(value).every(isEmptyDeep);
