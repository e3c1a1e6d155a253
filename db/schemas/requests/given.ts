import { z } from 'zod';

/** Members that may be absent, and for which null is no value. */
export const spareMembers = ({ shape }: z.ZodObject): string[] =>
  Object.entries(shape).flatMap(([name, member]) => {
    const schema = member as z.ZodType;
    return schema.safeParse(undefined).success && !schema.safeParse(null).success ? [name] : [];
  });

/** The document without those of these members that are null. */
export function withoutNulls<Doc extends object>(doc: Doc, spare: readonly string[]): Doc {
  const members = doc as Record<string, unknown>;
  const nulls = new Set(spare.filter((name) => members[name] === null));
  if (nulls.size === 0) return doc;
  // Without members that may be absent.
  return Object.fromEntries(Object.entries(doc).filter(([name]) => !nulls.has(name))) as Doc;
}

/**
 * The value without nulls, at any depth that its schema knows, in members that may be absent and for which null is no
 * value, and without entries of records that are null where the schema has none. What changes nothing is the same object.
 */
export function withoutNullsWithin(schema: z.ZodType, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (schema instanceof z.ZodUnion) return withoutNullsOfOne(schema.options as z.ZodType[], value);
  const inner = innerOf(schema);
  if (inner) return withoutNullsWithin(inner, value);
  if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return value;
    const next = value.map((one) => withoutNullsWithin(schema.element as z.ZodType, one));
    return next.some((one, at) => one !== value[at]) ? next : value;
  }
  if (Array.isArray(value)) return value;
  if (schema instanceof z.ZodRecord) {
    const entry = schema.valueType as z.ZodType;
    const spare = entry.safeParse(null).success ? [] : Object.keys(value);
    return eachMember(withoutNulls(value, spare), () => entry);
  }
  if (!(schema instanceof z.ZodObject)) return value;
  const spare = known.get(schema) ?? spareMembers(schema);
  known.set(schema, spare);
  return eachMember(withoutNulls(value, spare), (name) =>
    Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined,
  );
}

const known = new WeakMap<z.ZodObject, string[]>();

/** What a schema wraps; undefined for one that wraps nothing. */
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

/** The value as the first of several schemas takes it without such nulls; as it is, where one takes that, or none any. */
function withoutNullsOfOne(schemas: readonly z.ZodType[], value: object): unknown {
  const isTaken = (one: unknown) => schemas.some((schema) => schema.safeParse(one).success);
  if (isTaken(value)) return value;
  for (const schema of schemas) {
    const sound = withoutNullsWithin(schema, value);
    if (sound !== value && schema.safeParse(sound).success) return sound;
  }
  return value;
}

function eachMember(members: object, schemaOf: (name: string) => z.ZodType | undefined): object {
  let next: Record<string, unknown> | undefined;
  for (const [name, one] of Object.entries(members)) {
    const schema = schemaOf(name);
    const sound = schema ? withoutNullsWithin(schema, one) : one;
    if (sound === one) continue;
    next ??= { ...members };
    next[name] = sound;
  }
  return next ?? members;
}

/**
 * A document as clients send it: null in a member that may be absent says that it is (contract/lifecycle#null). Members for
 * which null is a value keep it, and so do those that nobody here knows.
 */
export function given<Document extends z.ZodObject>(
  document: Document,
): z.ZodType<z.output<Document>, z.input<Document>> {
  // One component of the OpenAPI document, however many requests take it.
  const before = made.get(document);
  if (before) return before as z.ZodType<z.output<Document>, z.input<Document>>;
  const spare = spareMembers(document);
  const { id, ...about } = document.meta() ?? {};
  const open = document
    .extend(Object.fromEntries(spare.map((name) => [name, (document.shape[name] as z.ZodType).nullable()])))
    .meta({ ...about, ...(id !== undefined && { id: `Given${id}` }) });
  const whole = open.transform((doc) => withoutNulls(doc, spare));
  made.set(document, whole);
  // Its nulls are gone: what is left meets the document's own schema.
  return whole as unknown as z.ZodType<z.output<Document>, z.input<Document>>;
}

const made = new WeakMap<z.ZodObject, z.ZodType>();

/** Marks the schema of an import's document, so that the OpenAPI document declares the nulls that it accepts. */
export const NULLS_AT_ANY_DEPTH = 'x-nulls-at-any-depth';

/**
 * A document that another system, or this one, exported: the same at any depth, for exports spell out what is not there.
 * Not for what somebody writes by hand, where a null inside is more likely a mistake.
 */
export const imported = <Document extends z.ZodType>(
  document: Document,
): z.ZodType<z.output<Document>, z.input<Document>> =>
  z
    .preprocess((value) => withoutNullsWithin(document, value), document)
    // What it accepts is what it accepted before, and nulls.
    .meta({ [NULLS_AT_ANY_DEPTH]: true }) as unknown as z.ZodType<z.output<Document>, z.input<Document>>;
