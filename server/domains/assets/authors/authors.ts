import type { Actor, Author as Named } from '#db/schemas/primitives.ts';

/** An account that may be the author of a document that comes in. */
export type KnownAccount = { id: string; username: string; provenance: string };

/** The id or name that a document tells of an author. */
type AuthorReference = { id: string | null; username: string | null; provenance: string | null };

const OBJECT_ID = /^[0-9a-fA-F]{24}$/;

/** What a document says of an author: an id, a username, or the account itself, as exports have it. */
export function authorReferenceOf(author: Named): AuthorReference {
  if (typeof author === 'string') {
    const isId = OBJECT_ID.test(author);
    return { id: isId ? author : null, username: isId ? null : author, provenance: null };
  }
  const { _id, username, provenance } = author ?? {};
  return { id: _id || null, username: username || null, provenance: provenance || null };
}

/**
 * An author in the form that documents are stored in (contract/lifecycle#users). Null, for one whom nobody knows, stays,
 * and so does a name by itself that nobody has here.
 *
 * @param known the accounts that the document can mean
 * @param makeId the id that one without an account here goes by; the same for the same author
 * @returns `foreign` is the author whom the id alone does not tell
 */
export function storedAuthor(
  author: Named,
  form: 'id' | 'username',
  known: readonly KnownAccount[],
  makeId: (author: Actor) => string,
): { stored: string | null; foreign?: { id: string; doc: Actor } } {
  if (author === null) return { stored: null };
  const asked = authorReferenceOf(author);
  const account = accountOf(asked, known);
  if (form === 'username') return { stored: account?.username ?? asked.username ?? asked.id };
  if (account) return { stored: account.id };
  if (typeof author === 'string') return { stored: author };
  const id = asked.id ?? makeId(author);
  const { missing: _, ...doc } = author;
  return { stored: id, foreign: { id, doc } };
}

/** The account of an id, else the one of a name: that of the same directory, or the only one. */
function accountOf({ id, username, provenance }: AuthorReference, known: readonly KnownAccount[]) {
  const same = known.find((one) => one.id === id);
  if (same) return same;
  const named = known.filter((one) => one.username === username);
  if (provenance !== null) return named.find((one) => one.provenance === provenance);
  return named.length === 1 ? named[0] : undefined;
}
