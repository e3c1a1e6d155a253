import { type SQL, sql } from 'drizzle-orm';
import { mayReadAsset, membershipsOf } from '#db/access.ts';
import { projects } from '#db/asset-tables.ts';
import { type Database, rows, violates } from '#db/client.ts';
import { find, insert, remove, replace, type Stored } from '#db/collection.ts';
import type { ComponentType, Project } from '#db/schemas/project.ts';
import type { Caller } from '#server/engines/access/principal.ts';
import { allOf, unlessTaken } from '#server/engines/configuration/documents.service.ts';
import { conflict, forbidden, notFound } from '#server/errors.ts';
import { assertUnchanged } from '#server/unchanged.ts';
import { type Asset, type Author, KINDS, restamped, stamped, stampOf, withId } from './kinds.ts';
import {
  type AssetTable,
  adopt,
  assertUnused,
  followRename,
  forgetReferences,
  recordReferences,
  tableOf,
} from './references.service.ts';

export type Reading = { db: Database; principal: Caller };
export type Writing = Reading & { platform: { now: () => Date }; request: { ifMatch: string | null } };

/** An asset as it is stored, with the project that owns it. */
export type StoredAsset<Doc extends Asset = Asset> = Stored<Doc> & { projectId: string | null };

export const authorOf = ({ principal, platform }: Writing): Author => ({
  id: principal.id,
  username: principal.username,
  now: platform.now(),
});

/** Which assets of a kind the caller may see: for lists, totals and single reads alike. */
export const visible = (kind: ComponentType, principal: Caller): SQL | undefined =>
  mayReadAsset(tableOf(kind), projects, principal);

/**
 * An asset by its id, or by any condition on its table, as far as the caller may see it.
 *
 * @param lock nobody else writes it before the transaction ends
 * @throws ServiceError NOT_FOUND, naming `called` or the id
 */
export async function getAsset<Doc extends Asset>(
  { db, principal }: Reading,
  kind: ComponentType,
  where: string | SQL,
  { lock = false, called }: { lock?: boolean; called?: string } = {},
): Promise<StoredAsset<Doc>> {
  const table = tableOf(kind);
  const condition = typeof where === 'string' ? sql`${table.id} = ${where}` : where;
  const stored = await find(db, table, allOf(condition, visible(kind, principal)), lock);
  if (!stored) throw notFound(KINDS[kind].word, called ?? (typeof where === 'string' ? where : 'asked for'));
  const [row] = await rows<{ project_id: string | null }>(
    db,
    sql`select project_id from ${table} where ${table.id} = ${stored.id}`,
  );
  // The kind says which documents its table holds.
  return { ...(stored as Stored<Doc>), projectId: row?.project_id ?? null };
}

/**
 * Refuse a write of an asset that belongs to a project which the caller may not write (lifecycle §5.1).
 *
 * @throws ServiceError FORBIDDEN
 */
export async function assertMayWriteIn(
  { db, principal }: Reading,
  projectId: string | null,
  right: 'write' | 'manage' | 'execute' = 'write',
): Promise<void> {
  if (projectId === null || principal.roles.includes('admin')) return;
  const project = await find<Project>(db, projects, projectId);
  const allowed = project?.doc.accessControl?.[right] ?? [];
  if (membershipsOf(principal).some((key) => allowed.includes(key))) return;
  throw forbidden(`Project ${project?.doc.name ?? projectId} lets you read but not ${right}`);
}

/**
 * Store a new asset, with what it names. Its name says which project it belongs to already (`scopedName`).
 *
 * @param keep stamps that the document brings stay
 * @throws ServiceError CONFLICT when the name or id is taken
 */
export async function insertAsset<Doc extends Asset>(
  ctx: Writing,
  kind: ComponentType,
  id: string,
  given: Doc,
  {
    projectId = null,
    keep = false,
    taken,
  }: { projectId?: string | null; keep?: boolean; taken?: string } = {},
): Promise<Doc> {
  const doc = withId(kind, stamped(kind, given, authorOf(ctx), keep), id);
  const message = taken ?? `${KINDS[kind].word} ${doc.name} already exists`;
  await unlessTaken(KINDS[kind].unique, message, () => insert(ctx.db, tableOf(kind), id, doc, { projectId }));
  await recordReferences(ctx.db, kind, [{ id, doc }]);
  await adopt(ctx.db, kind, id, doc.name);
  return doc;
}

/**
 * Write an asset over the one that was read and locked; those that name it follow when its name changes.
 *
 * @throws ServiceError CONFLICT when the new name is taken, or If-Match no longer holds
 */
export async function replaceAsset<Doc extends Asset>(
  ctx: Writing,
  kind: ComponentType,
  stored: StoredAsset<Doc>,
  given: Doc,
  { projectId = stored.projectId, taken }: { projectId?: string | null; taken?: string } = {},
): Promise<Doc> {
  const { word, unique, namedById } = KINDS[kind];
  assertUnchanged(ctx.request.ifMatch, stampOf(stored.doc), `${word} ${stored.doc.name}`);
  const id = namedById ? given.name : stored.id;
  const doc = withId(kind, restamped(kind, given, stored.doc, authorOf(ctx)), id);
  const message = taken ?? `${word} ${doc.name} already exists`;
  const written = await unlessTaken(unique, message, () =>
    replace(ctx.db, tableOf(kind), stored, doc, { id, projectId }),
  );
  if (!written) throw conflict(`${word} ${stored.doc.name} was changed meanwhile`);
  if (id !== stored.id) await forgetReferences(ctx.db, kind, [stored.id]);
  await recordReferences(ctx.db, kind, [{ id, doc }]);
  if (doc.name !== stored.doc.name || id !== stored.id) {
    await followRename(
      ctx.db,
      authorOf(ctx),
      kind,
      { id: stored.id, name: stored.doc.name },
      { id, name: doc.name },
    );
    await adopt(ctx.db, kind, id, doc.name);
  }
  return doc;
}

/**
 * Take assets out, all or none.
 *
 * @param leaving what else goes in the same transaction: its references do not count
 * @throws ServiceError CONFLICT naming what uses one of them
 */
export async function removeAssets(
  ctx: Writing,
  kind: ComponentType,
  stored: readonly StoredAsset[],
  leaving: readonly { kind: ComponentType; id: string }[] = stored.map(({ id }) => ({ kind, id })),
): Promise<void> {
  for (const one of stored) {
    const what = `${KINDS[kind].word} ${one.doc.name}`;
    assertUnchanged(ctx.request.ifMatch, stampOf(one.doc), what);
    await assertUnused(ctx.db, what, [{ kind, id: one.id }], leaving);
  }
  const ids = stored.map(({ id }) => id);
  await remove(ctx.db, tableOf(kind), ids);
  await forgetReferences(ctx.db, kind, ids);
}

/** Which of these names are in use in a kind, numbered forms (`Name (1)`) included: what `freeName` asks. */
export async function takenNames(
  db: Database,
  kind: ComponentType,
  names: readonly string[],
): Promise<Set<string>> {
  const found = await rows<{ name: string }>(db, namesTaken(tableOf(kind), names, sql`a.name`));
  return new Set(found.map(({ name }) => name));
}

/**
 * The rows of a kind that bear one of these names, or a numbered form of it.
 *
 * @param columns what is selected of the row, which is called `a`
 */
export const namesTaken = (table: AssetTable, names: readonly string[], columns: SQL): SQL => {
  const wanted = sql`jsonb_array_elements_text(${JSON.stringify(names)}::text::jsonb) as n`;
  // The range begins and ends where `Name (` does: byte order, so the index of names serves it.
  return sql`select ${columns} from ${wanted} join ${table} a on a.name = n
      union select ${columns} from ${wanted}
        join ${table} a on a.name >= n || ' (' and a.name < n || ' )' and a.name ~ ' \\(\\d+\\)$'`;
};

/** Whether an error says that a name or id of this kind is taken. */
export const isTaken = (kind: ComponentType, error: unknown): boolean =>
  violates(error) === KINDS[kind].unique;
