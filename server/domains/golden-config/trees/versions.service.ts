import { sql } from 'drizzle-orm';
import { find, findText, insert, remove, replace, type Stored } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { GoldenTree, TreeVersion, TreeVersionUpdate } from '#db/schemas/golden-config/golden-tree.ts';
import { goldenTrees, specs, treeVersions } from '#db/tables/golden-config/configurations.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { makerOf } from '#server/kernel/documents/documents.service.ts';
import { segmentFault } from '#server/kernel/documents/names.ts';
import { madeBy } from '#server/kernel/documents/new-document.ts';
import {
  assertUnchanged,
  type ConflictDetails,
  conflictDetails,
} from '#server/kernel/documents/optimistic-lock.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { changedMeanwhile, conflict, invalid, notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { assertMayWriteRules, givenVariables } from '../rules/rule-writers.ts';
import { assertNoPlan, renameInPlans } from './plan-uses.service.ts';
import { withVariables } from './stale-lines.service.ts';
import { mapNodes, specIdsOf } from './tree-nodes.ts';
import { getTree, lockTree, visibleTree, writeTree } from './trees.service.ts';

/** A version that is locked for an update, with its tree. */
export type LockedVersion = { tree: Stored<GoldenTree>; version: Stored<TreeVersion> };

/**
 * Returns one version of a tree with all its nodes, as JSON text (contract/lifecycle#4.5).
 *
 * @throws ServiceError NOT_FOUND
 */
export async function getVersion(
  ctx: ReadContext,
  treeId: string,
  name: string,
): Promise<JsonText<TreeVersion>> {
  const text = await findText(ctx.db, treeVersions, visibleVersion(ctx.principal, treeId, name));
  if (text === undefined) throw await versionMissing(ctx, treeId, name);
  return json(text);
}

/** Returns the condition for one version whose tree the caller may see. */
export const visibleVersion = (principal: Caller, treeId: string, name: string) =>
  sql`${treeVersions.treeId} = ${treeId} and ${treeVersions.version} = ${name}
    and exists (select from ${goldenTrees} where ${visibleTree(principal, sql`${treeVersions.treeId}`)})`;

/**
 * Rejects a version that does not exist, or whose tree the caller may not see.
 *
 * @throws ServiceError NOT_FOUND naming the version, or the tree
 */
export async function assertVersion(ctx: ReadContext, treeId: string, name: string): Promise<void> {
  const found = await ctx.db.$count(treeVersions, visibleVersion(ctx.principal, treeId, name));
  if (found === 0) throw await versionMissing(ctx, treeId, name);
}

/** Returns the error for a missing version; throws when the whole tree is missing. */
export async function versionMissing(ctx: ReadContext, treeId: string, name: string) {
  await getTree(ctx, treeId);
  return notFound('Version', name);
}

/**
 * Creates a version as a deep copy of another one: specs with new ids, the same devices (contract/lifecycle#4.5).
 *
 * @param version name of the new version
 * @param base name of the version to copy
 * @throws ServiceError NOT_FOUND for tree or base, CONFLICT when the name is taken
 */
export async function createVersion(
  ctx: WriteContext,
  treeId: string,
  { version: name, base }: { version: string; base: string },
): Promise<TreeVersion> {
  assertName(name, 'version');
  const { tree, version } = await lockVersion(ctx, treeId, base);
  assertFree(tree.doc, name);
  const stamps = madeBy(makerOf(ctx));
  const _id = newId();
  const copies = new Map(specIdsOf(version.doc.root).map((id) => [id, newId()]));
  const root = mapNodes(version.doc.root, (node) => ({
    ...node,
    attributes: { ...node.attributes, configId: copies.get(node.attributes?.configId ?? '') },
  }));
  const doc: TreeVersion = { ...version.doc, ...stamps, _id, version: name, root };
  await insert(ctx.db, treeVersions, _id, doc, { treeId });
  // The specs are copied inside the database: only their ids are sent.
  await ctx.db.execute(sql`
    insert into ${specs} (id, doc, version_id)
    select copy.id, spec.doc || ${JSON.stringify(stamps)}::text::jsonb
        || jsonb_build_object('id', copy.id, '_id', copy.id), ${_id}
      from jsonb_each_text(${JSON.stringify(Object.fromEntries(copies))}::text::jsonb) as copy(original, id)
      join ${specs} as spec on spec.id = copy.original`);
  await writeTree(ctx, tree, { versions: [...tree.doc.versions, name] });
  return doc;
}

/**
 * Renames a version or replaces its variables (contract/lifecycle#4.5).
 *
 * @throws ServiceError CONFLICT when another version has the name, FORBIDDEN as `assertMayWriteRules`
 */
export async function updateVersion(
  ctx: WriteContext,
  treeId: string,
  name: string,
  { name: newName, variables }: TreeVersionUpdate,
): Promise<void> {
  if (newName !== undefined) assertName(newName, 'name');
  assertMayWriteRules(ctx.principal, givenVariables(variables));
  const locked = await lockVersion(ctx, treeId, name, () => ({
    ...(newName !== undefined && { version: newName }),
    ...(variables !== undefined && { variables }),
  }));
  if (newName !== undefined && newName !== name) assertFree(locked.tree.doc, newName);
  await writeVersion(ctx, locked, {
    ...(newName !== undefined && { version: newName }),
    ...(variables !== undefined && (await withVariables(ctx, locked.version.doc, variables))),
  });
  if (newName !== undefined && newName !== name) {
    await renameInPlans(ctx.db, { treeId, from: name, to: newName }, ctx.platform.now());
  }
}

/**
 * Removes variables from a version; ignores names that it does not have (contract/lifecycle#4.5).
 *
 * @param name name of the version
 * @param names names of the variables
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT when the version was changed in the meantime
 */
export async function deleteVariables(
  ctx: WriteContext,
  treeId: string,
  name: string,
  names: readonly string[],
): Promise<void> {
  const locked = await lockVersion(ctx, treeId, name);
  const gone = new Set(names);
  const kept = Object.entries(locked.version.doc.variables).filter(([variable]) => !gone.has(variable));
  await writeVersion(ctx, locked, await withVariables(ctx, locked.version.doc, Object.fromEntries(kept)));
}

/**
 * Deletes a version with its specs (contract/lifecycle#4.5).
 *
 * @throws ServiceError CONFLICT for the last version, as a tree has at least one, and for one that a plan uses
 */
export async function deleteVersion(ctx: WriteContext, treeId: string, name: string): Promise<void> {
  const { tree, version } = await lockVersion(ctx, treeId, name);
  const versions = tree.doc.versions.filter((one) => one !== name);
  if (versions.length === 0) {
    throw conflict(`Version ${name} is the only version of tree ${tree.doc.name}: delete the tree instead`);
  }
  await assertNoPlan(ctx, { treeId, version: name }, `Version ${name} of tree ${tree.doc.name}`);
  await remove(ctx.db, treeVersions, [version.id]);
  await writeTree(ctx, tree, { versions });
}

/**
 * Locks a version and its tree until the transaction ends. If-Match is compared with the version.
 *
 * @param change the update, whose differences the CONFLICT error lists
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function lockVersion(
  ctx: WriteContext,
  treeId: string,
  name: string,
  change: (version: TreeVersion) => Partial<TreeVersion> = () => ({}),
): Promise<LockedVersion> {
  const locked = await holdVersion(ctx, treeId, name);
  assertVersionUnchanged(ctx, locked, conflictDetails(locked.version.doc, change(locked.version.doc)));
  return locked;
}

/**
 * Locks a version and its tree without comparing If-Match, for callers that compare it with something else, or later.
 *
 * @throws ServiceError NOT_FOUND, FORBIDDEN
 */
export async function holdVersion(ctx: WriteContext, treeId: string, name: string): Promise<LockedVersion> {
  const tree = await lockTree(ctx, treeId);
  const version = await find(ctx.db, treeVersions, sql`tree_id = ${treeId} and version = ${name}`);
  if (!version) throw notFound('Version', name);
  return { tree, version };
}

/**
 * Rejects a change that was made from an older form of a version.
 *
 * @throws ServiceError CONFLICT with the differences when If-Match names another stamp than the version's
 */
export function assertVersionUnchanged(
  { request }: WriteContext,
  { tree, version: { doc } }: LockedVersion,
  details: () => ConflictDetails,
): void {
  const what = `Version ${doc.version} of tree ${tree.doc.name}`;
  assertUnchanged(request.ifMatch, doc.lastUpdated, what, details);
}

/** Writes a locked version and its tree; the stamps of both increase. @throws ServiceError CONFLICT when another request changed it */
export async function writeVersion(
  ctx: WriteContext,
  { tree, version }: LockedVersion,
  change: Partial<TreeVersion>,
): Promise<void> {
  const doc: TreeVersion = {
    ...version.doc,
    ...change,
    lastUpdated: grownStamp(ctx.platform.now(), version.doc.lastUpdated),
    lastUpdatedBy: ctx.principal.id,
  };
  if (!(await replace(ctx.db, treeVersions, version, doc))) {
    throw changedMeanwhile(`Version ${version.doc.version}`);
  }
  const versions = tree.doc.versions.map((name) => (name === version.doc.version ? doc.version : name));
  await writeTree(ctx, tree, { versions });
}

function assertName(name: string, field: string) {
  const fault = segmentFault(name);
  if (fault) throw invalid([field], fault, 'invalid_value');
}

function assertFree(tree: GoldenTree, name: string) {
  if (tree.versions.includes(name)) throw conflict(`Tree ${tree.name} already has a version ${name}`);
}
