import { type AuthoredKind, DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import { importedStamp } from '#server/kernel/documents/stamps.ts';

/** A document of any kind that a project can hold; fields that only some kinds have are not typed. */
export type Asset = { name: string; [field: string]: unknown };

/** The author and time of a write. */
export type WriteAuthor = { id: string; username: string; now: Date };

/** The fields that record when and by whom a document was created and last changed. */
export type Stamps = { made: Record<string, unknown>; changed: Record<string, unknown> };

/** Returns the stamps of a document that is created and changed now. */
export function stampsNow(kind: AuthoredKind, { id, username, now }: WriteAuthor): Stamps {
  const { stamps, authors, stampedHere } = DOCUMENT_KINDS[kind];
  const moment = stampedHere ? now.getTime() : now.toISOString();
  const account = authors === 'username' ? username : id;
  return {
    made: { [stamps.made]: moment, [stamps.madeBy]: account },
    changed: { [stamps.changed]: moment, [stamps.changedBy]: account },
  };
}

/** Returns the document with its id in the fields where its kind stores it. */
export const withId = <Doc extends Asset>(kind: ComponentType, doc: Doc, id: string): Doc => ({
  ...doc,
  ...Object.fromEntries(DOCUMENT_KINDS[kind].idFields.map((field) => [field, id])),
});

/**
 * Returns when the document was last written: the value that If-Match is compared with (contract/lifecycle#concurrency).
 */
export const stampOf = (doc: Record<string, unknown>): unknown => doc.lastUpdated ?? doc.last_updated;

/** Returns the id or name of the account that wrote the document last. */
export const editorOf = (doc: Asset): unknown => doc.lastUpdatedBy ?? doc.last_updated_by;

/** Returns the fields of a kind that every write sets by itself. */
export const stampsOf = (kind: ComponentType): ReadonlySet<string> =>
  new Set(Object.values(DOCUMENT_KINDS[kind].stamps));

/** Fields in which documents name their authors. */
export const AUTHOR_FIELDS = ['createdBy', 'lastUpdatedBy', 'created_by', 'last_updated_by'];

/** Returns a new document with its stamps; with `keep`, those of an import stay (contract/lifecycle#ids). */
export function stamped<Doc extends Asset>(
  kind: ComponentType,
  doc: Doc,
  author: WriteAuthor,
  keep = false,
): Doc {
  const { made, changed } = stampsNow(kind, author);
  return keep ? { ...made, ...changed, ...doc } : { ...doc, ...made, ...changed };
}

/**
 * Returns the document without imported timestamps that are invalid or in the future, so that `stamped` sets new ones
 * (contract/lifecycle#0.7).
 */
export function withoutUnusableStamps<Doc extends Asset>(
  kind: ComponentType,
  doc: Doc,
  author: WriteAuthor,
): Doc {
  const { made, changed } = stampsNow(kind, author);
  const unsound = Object.entries({ ...made, ...changed }).flatMap(([field, now]) => {
    if (!/^(created|lastUpdated|last_updated)$/.test(field) || !(field in doc)) return [];
    const given = doc[field];
    const kept =
      typeof now === 'number'
        ? typeof given === 'number' && given >= 0 && given <= now
        : importedStamp(given, author.now) === given;
    return kept ? [] : [field];
  });
  if (unsound.length === 0) return doc;
  // Only optional stamps are removed.
  return Object.fromEntries(Object.entries(doc).filter(([field]) => !unsound.includes(field))) as Doc;
}

/** Returns the author with a time later than `last`, so that two writes always differ in their timestamps. */
function laterThan(last: unknown, author: WriteAuthor): WriteAuthor {
  const before = typeof last === 'string' ? Date.parse(last) : Number(last);
  const now = Number.isFinite(before) ? new Date(Math.max(author.now.getTime(), before + 1)) : author.now;
  return { ...author, now };
}

/** Returns the document with its creation stamps kept and its change stamps renewed. */
export function restamped<Doc extends Record<string, unknown>>(
  kind: AuthoredKind,
  doc: Doc,
  stored: Record<string, unknown>,
  author: WriteAuthor,
): Doc {
  const { made, changed } = stampsNow(kind, laterThan(stampOf(stored), author));
  const { stampedHere } = DOCUMENT_KINDS[kind];
  const kept = Object.fromEntries(
    Object.keys(made).flatMap((field) => (field in stored ? [[field, stored[field]]] : [])),
  );
  if (!stampedHere) return { ...doc, ...kept, ...changed };
  // Older versions stored null for an author that was null in a file.
  const fields = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== null));
  return { ...doc, ...made, ...fields, ...changed };
}

/** Returns the document without its stamps, for a copy, which is a new document. */
export function unstamped(kind: ComponentType, doc: Asset): Asset {
  const stamps = stampsOf(kind);
  const rest = Object.entries(doc).filter(([field]) => !stamps.has(field));
  return { name: doc.name, ...Object.fromEntries(rest) };
}

/** Returns the fields in which a document of this kind names its authors by id: files and single reads expand them. */
export const expandedIn = (kind: ComponentType): string[] => {
  const { authors, stamps } = DOCUMENT_KINDS[kind];
  return authors === 'id' ? [stamps.madeBy, stamps.changedBy] : [];
};
