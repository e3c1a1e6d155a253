import type { ComponentType } from '#db/schemas/assets/project.ts';
import { keptStamp } from '#server/kernel/documents/stamps.ts';

/** A document of any kind that a project can hold; members that only some kinds have are open. */
export type Asset = { name: string; [member: string]: unknown };

/** Who writes, and when. */
export type Author = { id: string; username: string; now: Date };

/** What a document says of when and by whom it was made, and changed. */
export type Stamps = { made: Record<string, unknown>; changed: Record<string, unknown> };

type Kind = {
  /** What people call it, in messages: `Workflow X does not exist`. */
  word: string;
  /** The unique index that decides whether a name is taken. */
  unique: string;
  /** Where it stands in the document, beside the row's id. */
  idMembers: readonly string[];
  /** The id is the name: a new name is a new id (MOP, contract/lifecycle#7). */
  namedById?: boolean;
  /** Stamps come from the service, whatever an import says (MOP, contract/lifecycle#7). */
  stampedHere?: boolean;
  /** How it calls its authors (contract/lifecycle#users). */
  authors: 'id' | 'username';
  stamps: (author: Author) => Stamps;
};

const byAccount = ({ id, now }: Author) => ({
  made: { created: now.toISOString(), createdBy: id },
  changed: { lastUpdated: now.toISOString(), lastUpdatedBy: id },
});

const byUsername = ({ username, now }: Author) => ({
  made: { created: now.toISOString(), createdBy: username },
  changed: { lastUpdated: now.toISOString(), lastUpdatedBy: username },
});

const mop = (word: string, unique: string): Kind => ({
  word,
  unique,
  idMembers: ['_id'],
  namedById: true,
  stampedHere: true,
  authors: 'username',
  stamps: ({ username, now }) => ({
    made: { created: now.getTime(), createdBy: username },
    changed: { lastUpdated: now.getTime(), lastUpdatedBy: username },
  }),
});

/** The kinds of asset, under the names that projects call them by (contract/decisions#component-type). */
export const KINDS: Record<ComponentType, Kind> = {
  workflow: {
    word: 'Workflow',
    unique: 'workflows_name',
    idMembers: ['_id'],
    authors: 'id',
    stamps: ({ id, now }) => ({
      made: { created: now.toISOString(), created_by: id },
      changed: { last_updated: now.toISOString(), last_updated_by: id },
    }),
  },
  template: {
    word: 'Template',
    unique: 'templates_name',
    idMembers: ['_id'],
    authors: 'id',
    stamps: byAccount,
  },
  transformation: {
    word: 'Transformation',
    unique: 'transformations_name',
    idMembers: ['_id'],
    authors: 'id',
    stamps: byAccount,
  },
  jsonForm: {
    word: 'JSON form',
    unique: 'forms_name',
    idMembers: ['_id', 'id'],
    authors: 'username',
    stamps: byUsername,
  },
  mopCommandTemplate: mop('Command template', 'command_templates_pkey'),
  mopAnalyticTemplate: mop('Analytic template', 'analytic_templates_pkey'),
};

/** The document with its id where its kind carries it. */
export const withId = <Doc extends Asset>(kind: ComponentType, doc: Doc, id: string): Doc => ({
  ...doc,
  ...Object.fromEntries(KINDS[kind].idMembers.map((member) => [member, id])),
});

/** When the document was last written: what If-Match is compared with (contract/lifecycle#concurrency). */
export const stampOf = (doc: Asset): unknown => doc.lastUpdated ?? doc.last_updated;

/** Id or name of the account that wrote it last. */
export const editorOf = (doc: Asset): unknown => doc.lastUpdatedBy ?? doc.last_updated_by;

/** The members of a kind that a write sets by itself. */
export function stampsOf(kind: ComponentType): ReadonlySet<string> {
  const { made, changed } = KINDS[kind].stamps({ id: '', username: '', now: new Date(0) });
  return new Set([...Object.keys(made), ...Object.keys(changed)]);
}

/** Members of a document in which it names its authors. */
export const AUTHOR_MEMBERS = ['createdBy', 'lastUpdatedBy', 'created_by', 'last_updated_by'];

/** A new document's stamps; with `keep`, those that an import brings stay (contract/lifecycle#ids). */
export function stamped<Doc extends Asset>(kind: ComponentType, doc: Doc, author: Author, keep = false): Doc {
  const { made, changed } = KINDS[kind].stamps(author);
  return keep ? { ...made, ...changed, ...doc } : { ...doc, ...made, ...changed };
}

/**
 * The stamps that an import brings, as far as they tell of a moment that has been; others are left out, so that
 * `stamped` makes new ones (contract/lifecycle#0.7).
 */
export function keptStamps<Doc extends Asset>(kind: ComponentType, doc: Doc, author: Author): Doc {
  const { made, changed } = KINDS[kind].stamps(author);
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
function laterThan(last: unknown, author: Author): Author {
  const before = typeof last === 'string' ? Date.parse(last) : Number(last);
  const now = Number.isFinite(before) ? new Date(Math.max(author.now.getTime(), before + 1)) : author.now;
  return { ...author, now };
}

/** The stamps of a document that is no asset (project, automation, trigger) and is written over what is stored. */
export const stampsByAccount = (author: Author, lastUpdated: unknown): Stamps =>
  byAccount(laterThan(lastUpdated, author));

/** The document made when and by whom it was, changed now. */
export function restampedBy<Doc extends Record<string, unknown>>(
  { made, changed }: Stamps,
  doc: Doc,
  stored: Record<string, unknown>,
): Doc {
  const kept = Object.fromEntries(
    Object.keys(made).flatMap((member) => (member in stored ? [[member, stored[member]]] : [])),
  );
  return { ...doc, ...kept, ...changed };
}

/** The stamps of an asset that is written over what is stored. */
export function restamped<Doc extends Asset>(
  kind: ComponentType,
  doc: Doc,
  stored: Asset,
  author: Author,
): Doc {
  const stamps = KINDS[kind].stamps(laterThan(stampOf(stored), author));
  if (!KINDS[kind].stampedHere) return restampedBy(stamps, doc, stored);
  // Older versions kept an author that was null in a file.
  const told = Object.entries(stored).filter(([, value]) => value !== null);
  return restampedBy(stamps, { ...doc, ...stamps.made }, Object.fromEntries(told));
}

/** The document without what says when and by whom it was made: a copy of it is a new one. */
export function unstamped(kind: ComponentType, doc: Asset): Asset {
  const stamps = stampsOf(kind);
  const rest = Object.entries(doc).filter(([member]) => !stamps.has(member));
  return { name: doc.name, ...Object.fromEntries(rest) };
}
