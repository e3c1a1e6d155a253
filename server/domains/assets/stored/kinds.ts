import { type AuthoredKind, DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import { keptStamp } from '#server/kernel/documents/stamps.ts';

/** A document of any kind that a project can hold; members that only some kinds have are open. */
export type Asset = { name: string; [member: string]: unknown };

/** Who writes, and when. */
export type WriteAuthor = { id: string; username: string; now: Date };

/** What a document says of when and by whom it was made, and changed. */
export type Stamps = { made: Record<string, unknown>; changed: Record<string, unknown> };

/** The stamps of a document that is made and changed now. */
export function stampsNow(kind: AuthoredKind, { id, username, now }: WriteAuthor): Stamps {
  const { stamps, authors, stampedHere } = DOCUMENT_KINDS[kind];
  const moment = stampedHere ? now.getTime() : now.toISOString();
  const account = authors === 'username' ? username : id;
  return {
    made: { [stamps.made]: moment, [stamps.madeBy]: account },
    changed: { [stamps.changed]: moment, [stamps.changedBy]: account },
  };
}

/** The document with its id where its kind carries it. */
export const withId = <Doc extends Asset>(kind: ComponentType, doc: Doc, id: string): Doc => ({
  ...doc,
  ...Object.fromEntries(DOCUMENT_KINDS[kind].idMembers.map((member) => [member, id])),
});

/** When the document was last written: what If-Match is compared with (contract/lifecycle#concurrency). */
export const stampOf = (doc: Record<string, unknown>): unknown => doc.lastUpdated ?? doc.last_updated;

/** Id or name of the account that wrote it last. */
export const editorOf = (doc: Asset): unknown => doc.lastUpdatedBy ?? doc.last_updated_by;

/** The members of a kind that a write sets by itself. */
export const stampsOf = (kind: ComponentType): ReadonlySet<string> =>
  new Set(Object.values(DOCUMENT_KINDS[kind].stamps));

/** Members of a document in which it names its authors. */
export const AUTHOR_MEMBERS = ['createdBy', 'lastUpdatedBy', 'created_by', 'last_updated_by'];

/** A new document's stamps; with `keep`, those that an import brings stay (contract/lifecycle#ids). */
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
 * The stamps that an import brings, as far as they tell of a moment that has been; others are left out, so that
 * `stamped` makes new ones (contract/lifecycle#0.7).
 */
export function keptStamps<Doc extends Asset>(kind: ComponentType, doc: Doc, author: WriteAuthor): Doc {
  const { made, changed } = stampsNow(kind, author);
  const unsound = Object.entries({ ...made, ...changed }).flatMap(([member, now]) => {
    if (!/^(created|lastUpdated|last_updated)$/.test(member) || !(member in doc)) return [];
    const given = doc[member];
    const kept =
      typeof now === 'number'
        ? typeof given === 'number' && given >= 0 && given <= now
        : keptStamp(given, author.now) === given;
    return kept ? [] : [member];
  });
  if (unsound.length === 0) return doc;
  // Without some members that only stamps are.
  return Object.fromEntries(Object.entries(doc).filter(([member]) => !unsound.includes(member))) as Doc;
}

/** When a document that was last written at `last` is written now: later in any case, so that two writes tell apart. */
function laterThan(last: unknown, author: WriteAuthor): WriteAuthor {
  const before = typeof last === 'string' ? Date.parse(last) : Number(last);
  const now = Number.isFinite(before) ? new Date(Math.max(author.now.getTime(), before + 1)) : author.now;
  return { ...author, now };
}

/** The document made when and by whom it was, changed now. */
export function restamped<Doc extends Record<string, unknown>>(
  kind: AuthoredKind,
  doc: Doc,
  stored: Record<string, unknown>,
  author: WriteAuthor,
): Doc {
  const { made, changed } = stampsNow(kind, laterThan(stampOf(stored), author));
  const { stampedHere } = DOCUMENT_KINDS[kind];
  const kept = Object.fromEntries(
    Object.keys(made).flatMap((member) => (member in stored ? [[member, stored[member]]] : [])),
  );
  if (!stampedHere) return { ...doc, ...kept, ...changed };
  // Older versions kept an author that was null in a file.
  const told = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== null));
  return { ...doc, ...made, ...told, ...changed };
}

/** The document without what says when and by whom it was made: a copy of it is a new one. */
export function unstamped(kind: ComponentType, doc: Asset): Asset {
  const stamps = stampsOf(kind);
  const rest = Object.entries(doc).filter(([member]) => !stamps.has(member));
  return { name: doc.name, ...Object.fromEntries(rest) };
}

/** Fields in which a document of this kind names its authors by id: files and single reads write them out. */
export const expandedIn = (kind: ComponentType): string[] => {
  const { authors, stamps } = DOCUMENT_KINDS[kind];
  return authors === 'id' ? [stamps.madeBy, stamps.changedBy] : [];
};
