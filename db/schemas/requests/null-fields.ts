import { z } from 'zod';
import { preprocessed, transformed } from '../transformed.ts';

/** Returns the names of fields that may be absent but not null. */
export const optionalFields = ({ shape }: z.ZodObject): string[] =>
  Object.entries(shape).flatMap(([name, field]) => {
    const schema = field as z.ZodType;
    return schema.safeParse(undefined).success && !schema.safeParse(null).success ? [name] : [];
  });

/** Returns the document without those of these fields that are null. */
export function withoutNulls<Doc extends object>(doc: Doc, spare: readonly string[]): Doc {
  const fields = doc as Record<string, unknown>;
  const nulls = new Set(spare.filter((name) => fields[name] === null));
  if (nulls.size === 0) return doc;
  // Only fields that may be absent were removed, so the result is still a Doc.
  return Object.fromEntries(Object.entries(doc).filter(([name]) => !nulls.has(name))) as Doc;
}

/**
 * Returns a value of an imported document as it is stored: without null fields that may be absent but not null, at any depth
 * that the schema describes, and without null entries of records whose values cannot be null; its stamps in the form that
 * their fields have here. An unchanged value is returned as the same object.
 */
export function asStored(schema: z.ZodType, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const option = optionOf(schema, value as Record<string, unknown>);
    return option ? asStored(option, value) : value;
  }
  if (schema instanceof z.ZodUnion) return asStoredByOne(schema.options as z.ZodType[], value);
  const inner = innerOf(schema);
  if (inner) return asStored(inner, value);
  if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return value;
    const next = value.map((one) => asStored(schema.element as z.ZodType, one));
    return next.some((one, at) => one !== value[at]) ? next : value;
  }
  if (Array.isArray(value)) return value;
  if (schema instanceof z.ZodRecord) {
    const entry = schema.valueType as z.ZodType;
    const spare = entry.safeParse(null).success ? [] : Object.keys(value);
    return mapFields(withoutNulls(value, spare), (_, one) => asStored(entry, one));
  }
  if (!(schema instanceof z.ZodObject)) return value;
  const spare = known.get(schema) ?? optionalFields(schema);
  known.set(schema, spare);
  return mapFields(withoutNulls(value, spare), (name, one) => {
    if (!Object.hasOwn(schema.shape, name)) return one;
    const field = schema.shape[name] as z.ZodType;
    return STAMPS.has(name) ? stampAsStored(field, one) : asStored(field, one);
  });
}

const known = new WeakMap<z.ZodObject, string[]>();

/** Fields that say when and by whom a document was stored and changed: the service sets them, and an import only keeps them. */
const STAMPS = new Set([
  ...['created', 'updated', 'lastUpdated', 'last_updated'],
  ...['createdBy', 'updatedBy', 'lastUpdatedBy', 'created_by', 'last_updated_by'],
]);

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
/** Latest time that ISO 8601 writes with four digits of the year, in milliseconds since 1970. */
const LATEST = Date.UTC(9999, 11, 31);

/**
 * Returns a stamp in the form of its field: other versions of a format write milliseconds for ISO 8601, or the reverse, and
 * an account for its id.
 */
function stampAsStored(schema: z.ZodType, value: unknown): unknown {
  const field = innerOf(schema);
  if (field) return stampAsStored(field, value);
  if (typeof value === 'number' && schema instanceof z.ZodISODateTime) {
    return value >= 0 && value <= LATEST ? new Date(value).toISOString() : value;
  }
  if (typeof value === 'string' && schema instanceof z.ZodNumber && ISO_TIME.test(value)) {
    const time = Date.parse(value);
    return Number.isNaN(time) ? value : time;
  }
  if (typeof value !== 'object' || value === null || !(schema instanceof z.ZodString))
    return asStored(schema, value);
  const { _id, username } = value as { _id?: unknown; username?: unknown };
  return _id ?? username ?? value;
}

/** Returns the schema inside a wrapper; undefined for a schema that is no wrapper. */
function innerOf(schema: z.ZodType): z.ZodType | undefined {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodLazy
  ) {
    return schema.unwrap() as z.ZodType;
  }
  if (!(schema instanceof z.ZodPipe)) return undefined;
  return (schema.in instanceof z.ZodTransform ? schema.out : schema.in) as z.ZodType;
}

/** Returns the one schema of a union that a value may have by the field that tells them apart; undefined: none. */
function optionOf(
  { _zod: { def } }: z.ZodDiscriminatedUnion,
  value: Record<string, unknown>,
): z.ZodType | undefined {
  const { discriminator, options } = def;
  const told = Object.hasOwn(value, discriminator) ? value[discriminator] : undefined;
  return (options as readonly z.ZodType[]).find(({ _zod }) =>
    _zod.propValues?.[discriminator]?.has(told as string),
  );
}

/** Returns the value if one of the schemas accepts it; else the value without nulls that the first such schema accepts. */
function asStoredByOne(schemas: readonly z.ZodType[], value: object): unknown {
  const isAccepted = (one: unknown) => schemas.some((schema) => schema.safeParse(one).success);
  if (isAccepted(value)) return value;
  for (const schema of schemas) {
    const candidate = asStored(schema, value);
    if (candidate !== value && schema.safeParse(candidate).success) return candidate;
  }
  return value;
}

function mapFields(fields: object, stored: (name: string, value: unknown) => unknown): object {
  let next: Record<string, unknown> | undefined;
  for (const [name, one] of Object.entries(fields)) {
    const replacement = stored(name, one);
    if (replacement === one) continue;
    next ??= { ...fields };
    next[name] = replacement;
  }
  return next ?? fields;
}

/**
 * Returns a schema for a document as clients send it: null in a field that may be absent means absent
 * (contract/lifecycle#null). Fields that accept null keep it, and so do unknown fields.
 */
export function nullTolerant<Document extends z.ZodObject>(
  document: Document,
): z.ZodType<z.output<Document>, z.input<Document>> {
  // The OpenAPI document gets one component, however many requests use the schema.
  const before = TOLERANT.get(document);
  if (before) return before as z.ZodType<z.output<Document>, z.input<Document>>;
  const spare = optionalFields(document);
  const { id, ...about } = document.meta() ?? {};
  const open = document
    .extend(Object.fromEntries(spare.map((name) => [name, (document.shape[name] as z.ZodType).nullable()])))
    .meta({ ...about, ...(id !== undefined && { id: `Given${id}` }) });
  const whole = transformed(open, (doc) => withoutNulls(doc, spare));
  TOLERANT.set(document, whole);
  // The nulls were removed, so the result meets the document's own schema.
  return whole as unknown as z.ZodType<z.output<Document>, z.input<Document>>;
}

const TOLERANT = new WeakMap<z.ZodObject, z.ZodType>();

/** Marks the schema of an import's document, so that the OpenAPI document declares the nulls that it accepts. */
export const NULLS_AT_ANY_DEPTH = 'x-nulls-at-any-depth';

/**
 * Returns a schema for a document exported by this or another system: the same at any depth, because exports write null
 * for absent values, and stamps in several forms. Not for documents written by hand, where a nested null is more likely a mistake.
 */
export const imported = <Document extends z.ZodType>(
  document: Document,
): z.ZodType<z.output<Document>, z.input<Document>> =>
  preprocessed((value) => asStored(document, value), document)
    // It accepts the same values as before, and nulls.
    .meta({ [NULLS_AT_ANY_DEPTH]: true }) as unknown as z.ZodType<z.output<Document>, z.input<Document>>;
