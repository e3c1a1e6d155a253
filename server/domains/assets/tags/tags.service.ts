import { eq, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { noteChange, remove, replace } from '#db/collection.ts';
import { jsonText } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import type { Tag } from '#db/schemas/assets/tag.ts';
import { tagReferences, tags } from '#db/tables/assets/assets.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { insertUnlessTaken, unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { assertUnchanged, conflictDetails } from '#server/kernel/documents/optimistic-lock.ts';
import { STAMP } from '#server/kernel/documents/release-stamp.service.ts';
import { changedMeanwhile, notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';

/** The fields of a tag that a caller sets; a null description means the same as an absent one. */
export type TagData = { name?: string | undefined; description?: string | null | undefined };

/** Returns all tags (contract/lifecycle#5.7). */
export const listTags = ({ db }: Pick<WriteContext, 'db' | 'answer'>): Promise<JsonText<Tag[]>> =>
  tagsWhere(db);

/** Returns one tag and sets the ETag header. @throws ServiceError NOT_FOUND */
export async function getTag({ db, answer }: Pick<WriteContext, 'db' | 'answer'>, id: string): Promise<Tag> {
  const { doc, stamp } = await readTag(db, id);
  answer.headers.ETag = `"${stamp}"`;
  return doc;
}

/** Returns the tags of a document; an empty list for an unknown id. */
export const tagsOf = (
  { db }: Pick<WriteContext, 'db' | 'answer'>,
  refId: string,
): Promise<JsonText<Tag[]>> =>
  tagsWhere(db, sql`id in (select tag_id from ${tagReferences} where ref_id = ${refId})`);

/** Returns the tag with exactly this name, if it exists. */
export const findTags = (
  { db }: Pick<WriteContext, 'db' | 'answer'>,
  name: string,
): Promise<JsonText<Tag[]>> => tagsWhere(db, eq(tags.name, name));

async function tagsWhere(db: Database, where?: SQL): Promise<JsonText<Tag[]>> {
  const found = await db
    .select({ doc: jsonText(tags.doc) })
    .from(tags)
    .where(where)
    .orderBy(tags.id);
  return json(`[${found.map(({ doc }) => doc).join(',')}]`);
}

/** Creates a tag. @throws ServiceError CONFLICT when the name is taken */
export async function createTag(
  { db, platform }: WriteContext,
  data: TagData & { name: string },
): Promise<Tag> {
  const _id = newId(platform.now().getTime());
  const tag = { _id, name: data.name, description: data.description ?? '' };
  return insertUnlessTaken(db, tags, { id: _id, doc: tag }, { index: 'tags_name', message: taken(tag.name) });
}

/**
 * Changes fields of a tag; absent fields keep their values.
 *
 * @throws ServiceError NOT_FOUND; CONFLICT when the name is taken, or If-Match no longer holds
 */
export async function updateTag({ db, request }: WriteContext, id: string, data: TagData): Promise<Tag> {
  const stored = await readTag(db, id, true);
  const tag = {
    ...stored.doc,
    name: data.name ?? stored.doc.name,
    description: data.description ?? stored.doc.description,
  };
  assertUnchanged(request.ifMatch, stored.stamp, `Tag ${stored.doc.name}`, conflictDetails(stored.doc, tag));
  const written = await unlessTaken('tags_name', taken(tag.name), () => replace(db, tags, stored, tag));
  if (!written) throw changedMeanwhile(`Tag ${stored.doc.name}`);
  return tag;
}

/**
 * Deletes a tag and its links to documents.
 *
 * @returns a confirmation that names the tag
 * @throws ServiceError NOT_FOUND, CONFLICT
 */
export async function deleteTag(
  { db, request }: WriteContext,
  id: string,
): Promise<{ status: 'success'; message: string }> {
  const { doc, stamp } = await readTag(db, id, true);
  assertUnchanged(request.ifMatch, stamp, `Tag ${doc.name}`);
  await remove(db, tags, [id]);
  return { status: 'success', message: `Deleted tag ${doc.name}` };
}

/** The link between a document and a tag. */
export type TagLink = { ref_id: string; tag_id: string };

/** Tags a document; a document that has the tag already is no error. @throws ServiceError NOT_FOUND for an unknown tag */
export async function createReference({ db }: WriteContext, { ref_id, tag_id }: TagLink): Promise<TagLink> {
  const { doc } = await readTag(db, tag_id, true);
  const made = await db
    .insert(tagReferences)
    .values({ tagId: tag_id, refId: ref_id })
    .onConflictDoNothing()
    .returning();
  if (made.length > 0) noteChange(db, { kind: 'tag_references', id: ref_id, name: doc.name });
  return { ref_id, tag_id };
}

async function readTag(db: Database, tag: string, lock = false) {
  const { id, doc, rev } = tags;
  const found = db.select({ id, doc, rev, stamp: STAMP }).from(tags).where(eq(id, tag));
  const [row] = await (lock ? found.for('update') : found);
  if (!row) throw notFound('Tag', tag);
  return row;
}

const taken = (name: string) => `Tag ${name} already exists`;
