import type { Actor, Author as Named } from '#db/schemas/primitives.ts';

/** An account that may be the author of an imported document. */
export type KnownAccount = { id: string; username: string; provenance: string };

/** The id or name by which a document refers to an author. */
type AuthorReference = { id: string | null; username: string | null; provenance: string | null };

const OBJECT_ID = /^[0-9a-fA-F]{24}$/;

/**
 * Returns the reference that a document contains to an author: an id, a username, or, as in exports, the account itself.
 */
export function authorReferenceOf(author: Named): AuthorReference {
  if (typeof author === 'string') {
    const isId = OBJECT_ID.test(author);
    return { id: isId ? author : null, username: isId ? null : author, provenance: null };
  }
  const { _id, username, provenance } = author ?? {};
  return { id: _id || null, username: username || null, provenance: provenance || null };
}

/**
 * Returns an author in the stored form (contract/lifecycle#users). Null, for an unknown author, is kept, and so is a bare
 * name that no account here has.
 *
 * @param known the accounts that the document can refer to
 * @param makeId returns the id for an author without an account here; the same for the same author
 * @returns `foreign` is set for an author that the id alone does not identify
 */
export function storedAuthor(
  author: Named,
  form: 'id' | 'username',
  known: readonly KnownAccount[],
  makeId: (author: Actor) => string,
): { stored: string | null; foreign?: { id: string; doc: Actor } } {
  if (author === null) return { stored: null };
  const reference = authorReferenceOf(author);
  const account = accountOf(reference, known);
  if (form === 'username') return { stored: account?.username ?? reference.username ?? reference.id };
  if (account) return { stored: account.id };
  if (typeof author === 'string') return { stored: author };
  const id = reference.id ?? makeId(author);
  const { missing: _, ...doc } = author;
  return { stored: id, foreign: { id, doc } };
}

/** Returns the account with the id, else the account with the name: the one of the same directory, or the only one. */
function accountOf({ id, username, provenance }: AuthorReference, known: readonly KnownAccount[]) {
  const same = known.find((one) => one.id === id);
  if (same) return same;
  const named = known.filter((one) => one.username === username);
  if (provenance !== null) return named.find((one) => one.provenance === provenance);
  return named.length === 1 ? named[0] : undefined;
}
