import { isObject } from '#server/kernel/json/objects.ts';
import type { DocumentSchema } from '../api-operation.ts';

/** Returns the schema that replaces a `$ref`. */
export type Replacement = (reference: string) => unknown;

/** Keywords whose value is a list of schemas. */
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
/** Keywords whose value is an object of schemas by name. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords whose value is a schema. */
const NESTED = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/** Keywords of OpenAPI that JSON Schema does not know. */
const FOREIGN = new Set([
  'nullable',
  'discriminator',
  'xml',
  'externalDocs',
  'example',
  '$schema',
  'collectionFormat',
]);

/**
 * Writes a schema of a document as JSON Schema (2020-12), with each `$ref` replaced: `nullable` and `x-nullable` become
 * the type null, exclusive bounds become numbers, an example becomes examples, files become binary text.
 *
 * @param replace returns the schema for a reference
 */
export function asJsonSchema(schema: unknown, replace: Replacement): DocumentSchema | boolean {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema)) return {};
  if (typeof schema.$ref === 'string') return referred(schema, schema.$ref, replace);
  const written: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (FOREIGN.has(name) || name.startsWith('x-')) continue;
    if (LISTS.has(name) && Array.isArray(value))
      written[name] = value.map((one) => asJsonSchema(one, replace));
    else if (NAMED.has(name) && isObject(value)) written[name] = eachOf(value, replace);
    else if (NESTED.has(name) && !Array.isArray(value)) written[name] = asJsonSchema(value, replace);
    else written[name] = value;
  }
  return withoutDialect(schema, written);
}

const eachOf = (schemas: Record<string, unknown>, replace: Replacement) =>
  Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, asJsonSchema(one, replace)]));

/** Returns the schema for a reference, with the texts that stand beside it. */
function referred(schema: Record<string, unknown>, reference: string, replace: Replacement): DocumentSchema {
  const target = asObject(replace(reference));
  const { description, title } = schema;
  return {
    ...target,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
  };
}

const asObject = (schema: unknown): DocumentSchema =>
  isObject(schema) ? schema : schema === false ? { not: {} } : {};

/** Completes a written schema with what its dialect says in keywords of its own. */
function withoutDialect(schema: Record<string, unknown>, written: Record<string, unknown>): DocumentSchema {
  const { example } = schema;
  if (example !== undefined && written.examples === undefined) written.examples = [example];
  if (schema.type === 'file') Object.assign(written, { type: 'string', format: 'binary' });
  bound(written, 'exclusiveMinimum', 'minimum');
  bound(written, 'exclusiveMaximum', 'maximum');
  // Before 3.1 `required` may be true on a schema itself, which means nothing here.
  if (typeof written.required === 'boolean') delete written.required;
  const isNullable = schema.nullable === true || schema['x-nullable'] === true;
  return isNullable ? nullable(written) : written;
}

/** Draft 4 marks a bound as exclusive by true. */
function bound(written: Record<string, unknown>, exclusive: string, plain: string): void {
  if (typeof written[exclusive] !== 'boolean') return;
  const isExclusive = written[exclusive] === true && typeof written[plain] === 'number';
  if (isExclusive) written[exclusive] = written[plain];
  else delete written[exclusive];
  if (isExclusive) delete written[plain];
}

function nullable(written: Record<string, unknown>): DocumentSchema {
  const { type, enum: values } = written;
  if (type === undefined) return { anyOf: [written, { type: 'null' }] };
  const types = Array.isArray(type) ? type : [type];
  return {
    ...written,
    type: types.includes('null') ? types : [...types, 'null'],
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }),
  };
}
