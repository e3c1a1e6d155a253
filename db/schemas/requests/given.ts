import type { z } from 'zod';

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
 * A document as clients send it: null in a member that may be absent says that it is (lifecycle §0.7). Members for which
 * null is a value keep it, and so do those that nobody here knows.
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
