import { and, or, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { Actor, Author } from '#db/schemas/primitives.ts';
import { importedAuthors } from '#db/tables/assets/assets.ts';
import { accounts } from '#db/tables/identity/accounts.ts';
import { canonical } from '#server/kernel/json/canonical.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';
import { AUTHOR_FIELDS } from '../stored/kinds.ts';
import { authorReferenceOf, type KnownAccount, storedAuthor } from './authors.ts';

type AuthoredDocument = { doc: Record<string, unknown>; form: 'id' | 'username' };

/**
 * Returns imported documents with their authors in the stored form. Authors without an account here are recorded as the
 * files name them (contract/lifecycle#users).
 *
 * @param given the documents, each with its `form`: whether its kind names authors by id or by username
 */
export async function withStoredAuthors<One extends AuthoredDocument>(
  db: Database,
  given: readonly One[],
): Promise<One['doc'][]> {
  const known = await knownAccounts(
    db,
    given.flatMap(({ doc }) => authorsIn(doc).map(([, author]) => author)),
  );
  const foreign = new Map<string, Actor>();
  const docs = given.map(({ doc, form }): One['doc'] => {
    const fields = authorsIn(doc).map(([field, author]) => {
      const read = storedAuthor(author, form, known, idOf);
      if (read.foreign) foreign.set(read.foreign.id, read.foreign.doc);
      return [field, read.stored];
    });
    return fields.length === 0 ? doc : { ...doc, ...Object.fromEntries(fields) };
  });
  await storeImportedAuthors(db, foreign);
  return docs;
}

const authorsIn = (doc: Record<string, unknown>): [string, Author][] =>
  // Values that are not authors are rejected by the document's schema.
  AUTHOR_FIELDS.flatMap((field) => (doc[field] === undefined ? [] : [[field, doc[field] as Author]]));

/** Returns an id for an author that has none: always the same for the same author. */
const idOf = (author: Actor): string => sha256(canonical(author)).slice(0, 24);

/** Returns the accounts that these authors can refer to, in one query. */
async function knownAccounts(db: Database, authors: readonly Author[]): Promise<KnownAccount[]> {
  const references = authors.map(authorReferenceOf);
  const ids = [...new Set(references.flatMap(({ id }) => id ?? []))];
  const usernames = [...new Set(references.flatMap(({ username }) => username ?? []))];
  if (ids.length + usernames.length === 0) return [];
  const { id, username, provenance, deleted } = accounts;
  return db
    .select({ id, username, provenance })
    .from(accounts)
    .where(and(sql`${deleted} is not true`, or(isOneOf(id, ids), isOneOf(username, usernames))));
}

/** Records authors without an account; a newer file replaces what an older one said. */
async function storeImportedAuthors(db: Database, foreign: ReadonlyMap<string, Actor>): Promise<void> {
  if (foreign.size === 0) return;
  const found = [...foreign].map(([id, doc]) => ({ id, doc })).sort((a, b) => (a.id < b.id ? -1 : 1));
  await db
    .insert(importedAuthors)
    .values(found)
    .onConflictDoUpdate({ target: importedAuthors.id, set: { doc: sql`excluded.doc` } });
}

/** The known authors by id, in the form in which responses name authors. */
export type KnownAuthors = ReadonlyMap<string, Actor>;

/** Returns those of the authors that have an account here or came with an import, by id, in one query. */
export async function knownAuthors(
  db: Database,
  authors: readonly (Author | undefined)[],
): Promise<KnownAuthors> {
  const ids = [...new Set(authors.flatMap((one) => (typeof one === 'string' ? one : (one?._id ?? []))))];
  if (ids.length === 0) return new Map();
  const found = await rows<{ id: string; doc: string }>(
    db,
    sql`select id, json_build_object('_id', id, 'username', username, 'provenance', provenance,
            'missing', false)::text as doc from ${accounts} where id = any(${textArray(ids)})
        union all select id, (doc || jsonb_build_object('_id', id, 'missing', true))::text from ${importedAuthors}
          where id = any(${textArray(ids)}) and id not in (select id from ${accounts})`,
  );
  return new Map(found.map(({ id, doc }) => [id, JSON.parse(doc) as Actor]));
}

/** Returns an author in full (contract/lifecycle#users); an author without an account here has `missing: true`. */
export function fullAuthor(author: Author | undefined, known: KnownAuthors): Author {
  if (!author) return null;
  const id = typeof author === 'string' ? author : author._id;
  const found = id === undefined ? undefined : known.get(id);
  if (found) return found;
  return typeof author === 'string'
    ? { _id: author, username: null, missing: true }
    : { ...author, missing: true };
}
