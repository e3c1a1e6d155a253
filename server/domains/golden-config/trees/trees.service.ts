import { and, type SQL, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { insert, remove, type Stored } from '#db/collection.ts';
import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import { isOneOf } from '#db/expressions.ts';
import { list } from '#db/list/list.ts';
import { defineResource } from '#db/list/resource.ts';
import { GoldenTree, type TreeUpdate, type TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import type { TreeSearch } from '#db/schemas/requests/configuration-search.ts';
import { goldenTrees, parsers, specs, treeVersions } from '#db/tables/golden-config/configurations.ts';
import {
  assertConsistent,
  assertGroupsKnownOrUnchanged,
  assertMayChange,
  lockDocument,
  lockDocuments,
  unknownInGbac,
  writeDocument,
} from '#server/domains/identity/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import {
  accessOf,
  allOf,
  besideOptions,
  grownStampIn,
  listDocuments,
  makerOf,
  readDocument,
  readSearchAt,
  unlessTaken,
} from '#server/kernel/documents/documents.service.ts';
import { compilePattern } from '#server/kernel/documents/list-filter.ts';
import { wholeGbac } from '#server/kernel/documents/new-document.ts';
import { conflict, invalid, notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { plansUsing } from './plan-uses.service.ts';
import { newTree } from './tree-documents.ts';
import { noParser, parserNamed, parserNames } from './tree-import-check.ts';

const resource = defineResource({
  name: 'golden configuration trees',
  schema: GoldenTree,
  source: goldenTrees,
  columns: { name: goldenTrees.name, deviceType: goldenTrees.deviceType },
});

/** Returns the condition for one tree that the caller may see. */
export const visibleTree = (principal: Caller, treeId: string | SQL): SQL =>
  allOf(sql`${goldenTrees.id} = ${treeId}`, mayRead(goldenTrees, principal));

/** Returns every tree that the caller may see, in order of creation (contract/lifecycle#4.5). */
export const listTrees = async (ctx: ReadContext): Promise<JsonText<GoldenTree[]>> =>
  json(await listDocuments(ctx, 'tree'));

/** A document that was not deleted, and its users. */
type Conflict = { id: string; usedBy: string[] };

/** The outcome of deleting trees. */
export type Removal = { deleted: number; conflicts: Conflict[] };

/**
 * Searches for trees by substrings of name and device type, or regular expressions (contract/lifecycle#4.5).
 *
 * @returns a page of the trees that the caller may read, and the number of all that match
 * @throws ServiceError BAD_REQUEST with every issue of the search
 */
export async function searchTrees(
  { db, principal }: ReadContext,
  { options, ...filter }: TreeSearch,
): Promise<JsonText<{ list: GoldenTree[]; total: number }>> {
  const query = readSearchAt(resource, { ...options, filter }, { pattern: compilePattern }, besideOptions);
  const { body, total } = await list(db, resource, query, accessOf(mayRead(goldenTrees, principal)));
  return json('{"list":[', body, `],"total":${total}}`);
}

/**
 * Returns the summary of a tree as JSON text (contract/endpoints#4.13).
 *
 * @throws ServiceError NOT_FOUND
 */
export const getTree = async (ctx: ReadContext, treeId: string): Promise<JsonText<GoldenTree>> =>
  json(await readDocument(ctx, 'tree', treeId));

/**
 * Creates a tree with a version `initial`, a root node `base` and that node's empty spec (contract/lifecycle#4.5).
 *
 * @param description for readers of the tree
 * @param given `deviceType`: name of a parser, which reads the configurations
 * @throws ServiceError BAD_REQUEST without a parser of that name, CONFLICT when the name is taken
 */
export async function createTree(
  ctx: WriteContext,
  { description = '', ...given }: { name: string; deviceType: string; description?: string | undefined },
): Promise<TreeVersion> {
  const known = await holdParsers(ctx, [given.deviceType]);
  const deviceType = parserNamed(given.deviceType, known);
  if (deviceType === undefined) {
    throw invalid(['deviceType'], noParser(given.deviceType), 'unknown_parser');
  }
  const { tree, version, spec } = newTree({ ...given, deviceType, description }, makerOf(ctx));
  await unlessTaken('golden_trees_name', 'A tree with the name already exists', () =>
    insert(ctx.db, goldenTrees, tree.id, tree),
  );
  await insert(ctx.db, treeVersions, version._id, version, { treeId: tree.id });
  await insert(ctx.db, specs, spec._id, spec, { versionId: version._id });
  return version;
}

/**
 * Renames a tree or changes its access lists; its versions are updated too, and their stamps increase
 * (contract/endpoints#4.15).
 *
 * @throws ServiceError CONFLICT when another tree has the name
 */
export async function updateTree(ctx: WriteContext, treeId: string, change: TreeUpdate): Promise<GoldenTree> {
  assertConsistent(change.gbac, ['options', 'gbac']);
  const unknown = await unknownInGbac(ctx.db, change.gbac, ['options', 'gbac']);
  const stored = await lockTree(ctx, treeId);
  assertGroupsKnownOrUnchanged(unknown, change.gbac, stored.doc.gbac);
  const shared = {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.gbac !== undefined && { gbac: wholeGbac(change.gbac) }),
  };
  assertMayChange(ctx, 'tree', stored, shared);
  const tree = await writeTree(ctx, stored, shared);
  await ctx.db.execute(sql`
    update ${treeVersions} set rev = rev + 1, updated_at = now(),
      doc = doc || ${JSON.stringify(shared)}::text::jsonb
        || jsonb_build_object('lastUpdated', ${grownStampIn(ctx.platform.now())}, 'lastUpdatedBy', ${ctx.principal.id}::text)
    where tree_id = ${treeId}`);
  return tree;
}

/**
 * Deletes trees with their versions and specs; ignores unknown ids and keeps trees that plans use (contract/lifecycle#4.5).
 *
 * @returns the number of deleted trees, and what uses the others
 * @throws ServiceError FORBIDDEN when the caller may not write one of them; none is deleted then
 */
export async function deleteTrees(ctx: WriteContext, treeIds: readonly string[]): Promise<Removal> {
  const found = await lockDocuments(ctx, 'tree', isOneOf(goldenTrees.id, treeIds));
  for (const one of found) assertMayChange(ctx, 'tree', one);
  const conflicts: Conflict[] = [];
  for (const { id } of found) {
    const usedBy = await plansUsing(ctx, { treeId: id });
    if (usedBy.length > 0) conflicts.push({ id, usedBy });
  }
  const used = new Set(conflicts.map(({ id }) => id));
  const free = found.map(({ id }) => id).filter((id) => !used.has(id));
  return { deleted: (await remove(ctx.db, goldenTrees, free)).length, conflicts };
}

/**
 * Deletes one tree with everything in it.
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT when a plan uses it
 */
export async function deleteTree(ctx: WriteContext, treeId: string): Promise<void> {
  const { deleted, conflicts } = await deleteTrees(ctx, [treeId]);
  const [used] = conflicts;
  if (used) throw conflict(`Tree ${treeId} is used by ${used.usedBy.slice(0, 10).join(', ')}`);
  if (deleted === 0) throw notFound(DOCUMENT_KINDS.tree.word, treeId);
}

/**
 * Locks a tree until the transaction ends, for an update of it or of anything in it: all writes below a tree call this and
 * so run sequentially.
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN
 */
export const lockTree = (ctx: WriteContext, treeId: string): Promise<Stored<GoldenTree>> =>
  lockDocument(ctx, 'tree', treeId);

/** Writes a locked tree; also called when only something in it changed, so that its stamp increases. */
export const writeTree = (
  ctx: WriteContext,
  stored: Stored<GoldenTree>,
  change: Partial<GoldenTree>,
): Promise<GoldenTree> => writeDocument(ctx, 'tree', stored, change);

/**
 * Returns those of the parsers that exist and are visible to the caller; they cannot be renamed or deleted until the
 * transaction ends.
 */
export async function holdParsers(
  { db, principal }: ReadContext,
  names: readonly string[],
): Promise<Set<string>> {
  const found = await db
    .select({ name: parsers.name })
    .from(parsers)
    .where(and(isOneOf(parsers.name, [...new Set(names.flatMap(parserNames))]), mayRead(parsers, principal)))
    .orderBy(parsers.id)
    .for('key share');
  return new Set(found.map(({ name }) => name));
}
