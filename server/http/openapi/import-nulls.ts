import { NULLS_AT_ANY_DEPTH } from '#db/schemas/requests/null-fields.ts';
import { OUTPUT_SUFFIX, reachable } from './components.ts';
import { type Discriminator, eachSchema, nameOf, type Schema, type Schemas } from './schema.ts';

/**
 * Declares the nulls that imports accept. The generator describes the document of an import as it is stored; the import
 * also accepts null, at any depth, wherever a property may be absent (`imported` in db/schemas/requests/null-fields.ts). A
 * schema that is also used elsewhere keeps its form, and imports refer to a copy of it.
 *
 * @param schemas receives the copies, each named `<Name>AsImported`
 * @param requests schemas of requests; those of imports change in place
 */
export function declareImportNulls(
  schemas: Schemas,
  requests: readonly Schema[],
  answers: readonly Schema[],
): void {
  const marked: Schema[] = [];
  for (const request of requests) {
    eachSchema(request, (one) => {
      if (NULLS_AT_ANY_DEPTH in one) marked.push(one);
    });
  }
  const others = reachable(schemas, [...requests.map(withoutMarked), ...answers]);
  const copies = new Map<string, string>();
  const nameIn = (name: string): string => {
    const known = copies.get(name);
    if (known) return known;
    const isAlike = ![name, ...reachable(schemas, [schemas[name] ?? {}])].some((one) =>
      hasAbsent(schemas[one] ?? {}, schemas),
    );
    // The generator may describe schemas of responses a second time: until `equalSchemas` has compared them, both are
    // in use.
    const isShared = others.has(name) || others.has(`${name}${OUTPUT_SUFFIX}`);
    const to = isAlike || !isShared ? name : `${name.replace(/^Imported/, '')}AsImported`;
    if (to !== name && schemas[to]) throw new Error(`two schemas are named ${to}`);
    copies.set(name, to);
    if (!isAlike) schemas[to] = withNulls(schemas[name] ?? {}, schemas, nameIn);
    return to;
  };
  for (const one of marked) {
    const { [NULLS_AT_ANY_DEPTH]: _, ...schema } = one;
    for (const keyword of Object.keys(one)) delete one[keyword];
    Object.assign(one, withNulls(schema, schemas, nameIn));
  }
}

/** Returns a schema without the parts that are marked. */
const withoutMarked = (schema: Schema): Schema =>
  JSON.parse(
    JSON.stringify(schema, (_, one: unknown) =>
      typeof one === 'object' && one !== null && NULLS_AT_ANY_DEPTH in one ? {} : one,
    ),
  );

/** Returns whether a schema, apart from those it refers to, has a place where null would mean "absent". */
function hasAbsent(schema: Schema, schemas: Schemas): boolean {
  let found = false;
  eachSchema(schema, (one) => {
    found ||= absentNames(one, schemas).length > 0 || isRecord(one, schemas);
  });
  return found;
}

/** Returns the properties that may be absent and do not accept null. */
const absentNames = ({ properties = {}, required = [] }: Schema, schemas: Schemas): string[] =>
  Object.entries(properties).flatMap(([name, one]) =>
    required.includes(name) || acceptsNull(one, schemas) ? [] : [name],
  );

/** Returns whether a schema has entries of any name whose values do not accept null. */
const isRecord = ({ properties, additionalProperties }: Schema, schemas: Schemas): boolean =>
  properties === undefined &&
  typeof additionalProperties === 'object' &&
  !acceptsNull(additionalProperties, schemas);

function withNulls(schema: Schema, schemas: Schemas, nameIn: (name: string) => string): Schema {
  const within = (one: Schema) => withNulls(one, schemas, nameIn);
  const next: Schema = { ...schema };
  const copyOf = (ref: string) => ref.replace(/[^/]*$/, nameIn(nameOf(ref)));
  if (schema.$ref !== undefined) next.$ref = copyOf(schema.$ref);
  if (schema.discriminator) next.discriminator = discriminatorOf(schema.discriminator, copyOf);
  if (schema.properties) {
    const absent = new Set(absentNames(schema, schemas));
    next.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, one]) => [
        name,
        absent.has(name) ? orNull(within(one)) : within(one),
      ]),
    );
  } else if (typeof schema.additionalProperties === 'object') {
    const entry = within(schema.additionalProperties);
    next.additionalProperties = isRecord(schema, schemas) ? orNull(entry) : entry;
  }
  if (typeof schema.items === 'object' && !schema.prefixItems) next.items = within(schema.items);
  if (schema.anyOf) next.anyOf = schema.anyOf.map(within);
  if (schema.oneOf) next.oneOf = schema.oneOf.map(within);
  return next;
}

const discriminatorOf = ({ propertyName, mapping = {} }: Discriminator, copyOf: (ref: string) => string) => ({
  propertyName,
  mapping: Object.fromEntries(Object.entries(mapping).map(([value, ref]) => [value, copyOf(ref)])),
});

function acceptsNull(schema: Schema, schemas: Schemas): boolean {
  const { $ref, type, anyOf, oneOf, allOf } = schema;
  if ($ref !== undefined) return acceptsNull(schemas[nameOf($ref)] ?? {}, schemas);
  if ('const' in schema) return schema.const === null;
  if (Array.isArray(schema.enum)) return schema.enum.includes(null);
  if (type !== undefined) return [type].flat().includes('null');
  const options = anyOf ?? oneOf;
  if (options) return options.some((one) => acceptsNull(one, schemas));
  return (allOf ?? []).every((one) => acceptsNull(one, schemas)) && schema.not === undefined;
}

/** Returns a schema that also accepts null; description and examples stay outside the choice. */
function orNull(schema: Schema): Schema {
  const { description, examples, ...rest } = schema;
  if (typeof rest.type === 'string' && !('enum' in rest) && !('const' in rest)) {
    return { ...schema, type: [rest.type, 'null'] };
  }
  return {
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
    anyOf: [...(rest.anyOf && Object.keys(rest).length === 1 ? rest.anyOf : [rest]), { type: 'null' }],
  };
}
