/** A schema of the OpenAPI document: JSON Schema 2020-12, as plain data. */
export type Schema = {
  [keyword: string]: unknown;
  $ref?: string;
  type?: string | string[];
  description?: string;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  discriminator?: Discriminator;
};

/** Which option of a choice a value is: the property that says so, and the reference for each of its values. */
export type Discriminator = { propertyName: string; mapping?: Record<string, string> };

/** The named schemas, by name. */
export type Schemas = Record<string, Schema>;

export const REF = '#/components/schemas/';

/** Returns the name in a reference. @param ref reference to a schema of the document */
export const nameOf = (ref: string) => ref.slice(REF.length);

/** Returns the schema that a reference points to, merged with the keywords next to the reference. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...beside } = schema;
  return { ...resolve(schemas[nameOf($ref)] ?? {}, schemas), ...beside };
}

/** Returns a schema without null, for a place that cannot express it. */
export function withoutNull({ type, anyOf, ...rest }: Schema): Schema {
  const options = anyOf?.filter((one) => one.type !== 'null');
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : [];
  return {
    ...(type !== undefined && { type: types.length === 1 ? types[0] : type }),
    ...(options?.length === 1 ? options[0] : options && { anyOf: options }),
    ...rest,
  };
}

/** Calls `visit` with a schema and every schema inside it, but not inside examples and constants, which are values. */
export function eachSchema(schema: Schema, visit: (schema: Schema) => void): void {
  visit(schema);
  const { properties, patternProperties, $defs } = schema as Record<
    string,
    Record<string, Schema> | undefined
  >;
  for (const named of [properties, patternProperties, $defs]) {
    for (const one of Object.values(named ?? {})) eachSchema(one, visit);
  }
  const { anyOf, oneOf, allOf, prefixItems } = schema as Record<string, Schema[] | undefined>;
  for (const several of [anyOf, oneOf, allOf, prefixItems]) {
    for (const one of several ?? []) eachSchema(one, visit);
  }
  for (const one of [schema.items, schema.additionalProperties, schema.propertyNames, schema.not]) {
    if (typeof one === 'object' && one !== null) eachSchema(one as Schema, visit);
  }
}

/** Returns whether a value of this schema may be an object: its query parameter then nests in brackets. */
export function mayBeObject(schema: Schema, schemas: Schemas): boolean {
  const { type, anyOf, oneOf, allOf } = resolve(schema, schemas);
  if (type === 'object' || (Array.isArray(type) && type.includes('object'))) return true;
  return [...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? [])].some((one) => mayBeObject(one, schemas));
}
