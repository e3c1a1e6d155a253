import { type SQL, sql } from 'drizzle-orm';
import { isListed } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { find, insert, replace, type Stored } from '#db/collection.ts';
import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import { readable } from '#db/document-kinds/readable.ts';
import type { ComponentType, Project } from '#db/schemas/assets/project.ts';
import { projects } from '#db/tables/assets.ts';
import { allOf, unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { conflict, forbidden, notFound } from '#server/kernel/errors.ts';
import { differencesOf } from '#server/kernel/json/document-differences.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { authorOf, type ReadContext, type WriteContext } from '../authors/writing.service.ts';
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

export { authorOf, type ReadContext, type WriteContext } from '../authors/writing.service.ts';

/** An asset as it is stored, with the project that owns it. */
export type StoredAsset<Doc extends Asset = Asset> = Stored<Doc> & { projectId: string | null };

/** Which assets of a kind the caller may see: for lists, totals and single reads alike. */
export const visible = (kind: ComponentType, principal: Caller): SQL | undefined => readable(kind, principal);

/**
 * An asset by its id, or by any condition on its table, as far as the caller may see it.
 *
 * @param lock nobody else writes it before the transaction ends
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

/** Returns the assets of a kind that meet a condition and that the caller may see, by id, which is also how they are locked. */
export async function findAssets<Doc extends Asset>(
  { db, principal }: ReadContext,
  kind: ComponentType,
  where: SQL,
  lock = false,
): Promise<StoredAsset<Doc>[]> {
  const found = await rows<{ id: string; doc: string; rev: number; project_id: string | null }>(
    db,
    sql`select id, doc::text as doc, rev, project_id from ${tableOf(kind)}
        where ${allOf(where, visible(kind, principal))} order by id ${lock ? sql`for update` : sql``}`,
  );
  // The kind says which documents its table holds.
  return found.map(({ id, doc, rev, project_id }) => ({
    id,
    doc: JSON.parse(doc) as Doc,
    rev,
    projectId: project_id,
  }));
}

/**
 * Refuse a write of an asset that belongs to a project which the caller may not write (contract/lifecycle#5.1).
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
  throw forbidden(`Project ${project?.doc.name ?? projectId} lets you read but not ${right}`);
}

/**
 * Store a new asset, with what it names. Its name says which project it belongs to already (`scopedName`); the project
 * lists it from then on, at its top.
 *
 * @param keep stamps that the document brings stay
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
 * Write an asset over the one that was read and locked; those that name it follow when its name changes, itself
 * included. With another `projectId` it changes its owner: the components of both projects are the caller's to change.
 *
 * @throws ServiceError CONFLICT when the new name is taken, or If-Match no longer holds
 */
export async function replaceAsset<Doc extends Asset>(
  ctx: WriteContext,
  kind: ComponentType,
  stored: StoredAsset<Doc>,
  given: Doc,
  { projectId = stored.projectId, taken }: { projectId?: string | null; taken?: string } = {},
): Promise<Doc> {
  const { word, unique, namedById, idMembers } = DOCUMENT_KINDS[kind];
  const author = authorOf(ctx);
  assertUnchanged(ctx.request.ifMatch, stampOf(stored.doc), `${word} ${stored.doc.name}`, () => ({
    by: editorOf(stored.doc),
    differences: differencesOf(stored.doc, given, new Set([...stampsOf(kind), ...idMembers])),
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
  if (!written) throw conflict(`${word} ${stored.doc.name} was changed meanwhile`);
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
 * Take assets out, all or none. Those of a project leave through it (contract/endpoints#4.7), so that it never lists what
 * is gone.
 *
 * @param leaving what else goes in the same transaction: its references do not count
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
 * Which of these names are in use in a kind, numbered forms (`Name (1)`) included: what `freeName` asks.
 *
 * @param group the group in which a template's names count; absent: any
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
 * The rows of a kind that bear one of these names, or a numbered form of it.
 *
 * @param columns what is selected of the row, which is called `a`
 */
export const namesTaken = (
  table: AssetTable,
  names: readonly string[],
  columns: SQL,
  within: SQL = sql`true`,
): SQL => {
  const wanted = sql`jsonb_array_elements_text(${JSON.stringify(names)}::text::jsonb) as n`;
  // The range begins and ends where `Name (` does: byte order, so the index of names serves it. It stands behind a
  // fence (`offset 0`): a planner that thinks the expression rare would rather read the whole table.
  return sql`select ${columns} from ${wanted} join ${table} a on a.name = n where ${within}
      union select ${columns} from ${wanted} cross join lateral (
          select * from ${table} one where one.name >= n || ' (' and one.name < n || ' )' offset 0) a
        where a.name ~ ' \\(\\d+\\)$' and ${within}`;
};
