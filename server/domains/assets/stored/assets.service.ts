import { type SQL, sql } from 'drizzle-orm';
import { isListed } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { find, insert, replace, type Stored } from '#db/collection.ts';
import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import { readable } from '#db/document-kinds/readable.ts';
import type { ComponentType, Project } from '#db/schemas/assets/project.ts';
import { projects } from '#db/tables/assets/assets.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { allOf, unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { changedMeanwhile, conflict, forbidden, notFound } from '#server/kernel/errors.ts';
import { differencesOf } from '#server/kernel/json/document-differences.ts';
import { authorOf } from '../authors/writing.service.ts';
import { lockProject, saveProject } from '../project-access/project-access.service.ts';
import { withComponents, withReference } from '../project-access/project-tree.ts';
import { type Asset, editorOf, restamped, stamped, stampOf, stampsOf, withId } from './kinds.ts';
import {
  type AssetTable,
  adopt,
  assertUnused,
  followRename,
  forgetReferences,
  recordReferences,
  removeDocuments,
  tableOf,
  usersOf,
} from './references.service.ts';
import { renameOf, withRewrittenReferences } from './references.ts';
import { namespaceOf, ownedBy } from './scope.ts';
import { moveTags } from './tagging.service.ts';

export { authorOf } from '../authors/writing.service.ts';

/** An asset as stored, with the project that owns it. */
export type StoredAsset<Doc extends Asset = Asset> = Stored<Doc> & { projectId: string | null };

/**
 * Returns an asset that the caller may see, by its id or by any condition on its table.
 *
 * @param where the id, or a condition that at most one asset meets
 * @param lock prevents others from writing it before the transaction ends
 * @throws ServiceError NOT_FOUND, naming `called` or the id
 */
export async function getAsset<Doc extends Asset>(
  ctx: ReadContext,
  kind: ComponentType,
  where: string | SQL,
  { lock = false, called }: { lock?: boolean; called?: string } = {},
): Promise<StoredAsset<Doc>> {
  const condition = typeof where === 'string' ? sql`id = ${where}` : where;
  const [stored] = await findAssets<Doc>(ctx, kind, condition, lock);
  if (!stored)
    throw notFound(DOCUMENT_KINDS[kind].word, called ?? (typeof where === 'string' ? where : 'asked for'));
  return stored;
}

/** Returns the assets of a kind that match a condition and that the caller may see, in the order of ids and of locks. */
export async function findAssets<Doc extends Asset>(
  { db, principal }: ReadContext,
  kind: ComponentType,
  where: SQL,
  lock = false,
): Promise<StoredAsset<Doc>[]> {
  const found = await rows<{ id: string; doc: string; rev: number; project_id: string | null }>(
    db,
    sql`select id, doc::text as doc, rev, project_id from ${tableOf(kind)}
        where ${allOf(where, readable(kind, principal))} order by id ${lock ? sql`for update` : sql``}`,
  );
  // The kind determines which documents its table holds.
  return found.map(({ id, doc, rev, project_id }) => ({
    id,
    doc: JSON.parse(doc) as Doc,
    rev,
    projectId: project_id,
  }));
}

/**
 * Denies a write of an asset in a project where the caller lacks the right (contract/lifecycle#5.1).
 *
 * @throws ServiceError FORBIDDEN
 */
export async function assertMayWriteIn(
  { db, principal }: ReadContext,
  projectId: string | null,
  right: 'write' | 'manage' | 'execute' = 'write',
): Promise<void> {
  if (projectId === null || principal.roles.includes('admin')) return;
  const project = await find<Project>(db, projects, projectId);
  const allowed = project?.doc.accessControl?.[right] ?? [];
  if (isListed(allowed, principal)) return;
  throw forbidden(`Project ${project?.doc.name ?? projectId} allows you to read but not to ${right}`);
}

/**
 * Stores a new asset, with its references. Its name already contains its project (`scopedName`); the project lists it at
 * its top level.
 *
 * @param keep keeps the stamps of the document
 * @throws ServiceError CONFLICT when the name or id is taken
 */
export async function insertAsset<Doc extends Asset>(
  ctx: WriteContext,
  kind: ComponentType,
  id: string,
  given: Doc,
  {
    projectId = null,
    keep = false,
    taken,
  }: { projectId?: string | null; keep?: boolean; taken?: string } = {},
): Promise<Doc> {
  const owner = projectId === null ? null : await lockProject(ctx.db, projectId);
  const owned = ownedBy(owner && namespaceOf(owner.doc), given);
  const doc = withId(kind, stamped(kind, owned, authorOf(ctx), keep), id);
  const message = taken ?? `${DOCUMENT_KINDS[kind].word} ${doc.name} already exists`;
  await unlessTaken(DOCUMENT_KINDS[kind].unique, message, () =>
    insert(ctx.db, tableOf(kind), id, doc, { projectId }),
  );
  await recordReferences(ctx.db, kind, [{ id, doc }]);
  await adopt(ctx.db, kind, id, doc.name);
  if (owner) await saveProject(ctx, owner, withComponents(owner.doc, [{ type: kind, reference: id }]).doc);
  return doc;
}

/**
 * Replaces an asset that was read and locked; when its name changes, references to it are updated, its own included.
 * Another `projectId` changes its owner: the caller changes the components of both projects.
 *
 * @param projectId id of the project that owns it from now on; null: none
 * @param taken message of the error when the new name is taken
 * @throws ServiceError CONFLICT when the new name is taken, or If-Match no longer holds
 */
export async function replaceAsset<Doc extends Asset>(
  ctx: WriteContext,
  kind: ComponentType,
  stored: StoredAsset<Doc>,
  given: Doc,
  { projectId = stored.projectId, taken }: { projectId?: string | null; taken?: string } = {},
): Promise<Doc> {
  const { word, unique, namedById, idFields } = DOCUMENT_KINDS[kind];
  const author = authorOf(ctx);
  assertUnchanged(ctx.request.ifMatch, stampOf(stored.doc), `${word} ${stored.doc.name}`, () => ({
    by: editorOf(stored.doc),
    differences: differencesOf(stored.doc, given, new Set([...stampsOf(kind), ...idFields])),
  }));
  const from = { id: stored.id, name: stored.doc.name };
  const to = { id: namedById ? given.name : stored.id, name: given.name };
  const isRenamed = to.name !== from.name || to.id !== from.id;
  const owner = projectId === null ? null : await lockProject(ctx.db, projectId, to.id !== from.id);
  const owned = ownedBy(owner && namespaceOf(owner.doc), given);
  const followed = isRenamed ? withRewrittenReferences(kind, owned, renameOf(kind, from, to)) : owned;
  const doc = withId(kind, restamped(kind, followed, stored.doc, author), to.id);
  const message = taken ?? `${word} ${doc.name} already exists`;
  const written = await unlessTaken(unique, message, () =>
    replace(ctx.db, tableOf(kind), stored, doc, { id: to.id, projectId }),
  );
  if (!written) throw changedMeanwhile(`${word} ${stored.doc.name}`);
  if (to.id !== from.id) {
    await forgetReferences(ctx.db, kind, [from.id]);
    await moveTags(ctx.db, from.id, to.id);
  }
  await recordReferences(ctx.db, kind, [{ id: to.id, doc }]);
  if (!isRenamed) return doc;
  await followRename(ctx.db, author, kind, from, to);
  await adopt(ctx.db, kind, to.id, to.name);
  if (owner && to.id !== from.id && projectId === stored.projectId) {
    await saveProject(ctx, owner, withReference(owner.doc, kind, from.id, to.id));
  }
  return doc;
}

/**
 * Removes assets, all or none. Those of a project are removed through the project (contract/endpoints#4.7), so that it
 * never lists a deleted asset.
 *
 * @param leaving what else is deleted in the same transaction: its references do not count
 * @throws ServiceError CONFLICT naming what uses one of them, or the project that it belongs to
 */
export async function removeAssets(
  ctx: WriteContext,
  kind: ComponentType,
  stored: readonly StoredAsset[],
  leaving: readonly { kind: ComponentType; id: string }[] = stored.map(({ id }) => ({ kind, id })),
): Promise<void> {
  const { db, principal, request } = ctx;
  for (const { doc, projectId } of stored) {
    const what = `${DOCUMENT_KINDS[kind].word} ${doc.name}`;
    assertUnchanged(request.ifMatch, stampOf(doc), what);
    if (projectId !== null) {
      const project = await find<Project>(db, projects, projectId);
      throw conflict(`${what} is used by project ${project?.doc.name ?? projectId}`);
    }
  }
  const [first] = stored;
  const ids = stored.map(({ id }) => id);
  const targets = ids.map((id) => ({ kind, id }));
  if (stored.length > 1) {
    const used = await usersOf(db, targets, leaving);
    const one = stored.find(({ id }) => id === used[0]?.target);
    if (one) {
      await assertUnused(
        db,
        `${DOCUMENT_KINDS[kind].word} ${one.doc.name}`,
        [{ kind, id: one.id }],
        leaving,
        principal,
      );
    }
  } else if (first) {
    await assertUnused(db, `${DOCUMENT_KINDS[kind].word} ${first.doc.name}`, targets, leaving, principal);
  }
  await removeDocuments(db, kind, ids);
}

/**
 * Returns which of these names a kind has in use, numbered forms (`Name (1)`) included: the input of `freeName`.
 *
 * @param group the group in which the names of templates count; absent: any
 */
export async function takenNames(
  db: Database,
  kind: ComponentType,
  names: readonly string[],
  group?: unknown,
): Promise<Set<string>> {
  const table = tableOf(kind);
  const within =
    kind === 'template' && typeof group === 'string' ? sql`a.template_group = ${group}` : sql`true`;
  const found = await rows<{ name: string }>(db, namesTaken(table, names, sql`a.name`, within));
  return new Set(found.map(({ name }) => name));
}

/**
 * Returns the query for the rows of a kind that have one of these names, or a numbered form of it.
 *
 * @param columns the columns to select from the row, whose alias is `a`
 */
export const namesTaken = (
  table: AssetTable,
  names: readonly string[],
  columns: SQL,
  within: SQL = sql`true`,
): SQL => {
  const wanted = sql`jsonb_array_elements_text(${JSON.stringify(names)}::text::jsonb) as n`;
  // The range has the bounds of `Name (` in byte order, so that the index of names serves it. The `offset 0` is an
  // optimization fence: a planner that thinks the expression rare would rather read the whole table.
  return sql`select ${columns} from ${wanted} join ${table} a on a.name = n where ${within}
      union select ${columns} from ${wanted} cross join lateral (
          select * from ${table} one where one.name >= n || ' (' and one.name < n || ' )' offset 0) a
        where a.name ~ ' \\(\\d+\\)$' and ${within}`;
};
