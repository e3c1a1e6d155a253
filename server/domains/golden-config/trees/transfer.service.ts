import { and, eq, not, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { replace, type Stored } from '#db/collection.ts';
import { isOneOf } from '#db/expressions.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { StoredSpec } from '#db/schemas/golden-config/config-spec.ts';
import type { GoldenTree, TreeImport, TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { goldenTrees, specs, treeVersions } from '#db/tables/golden-config/configurations.ts';
import { assertMayWrite, type GroupWarning, withoutUnknownGroups } from '#server/domains/identity/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { batches } from '#server/kernel/documents/batches.ts';
import { makerOf, recordChanges } from '#server/kernel/documents/documents.service.ts';
import { createNameAllocator } from '#server/kernel/documents/names.ts';
import { changedMeanwhile, conflict, notFound } from '#server/kernel/errors.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { assertMayWriteRules } from '../rules/rule-writers.ts';
import { assertPlansWhole } from './plan-uses.service.ts';
import { withStaleness } from './stale-lines.service.ts';
import { type ExistingTree, exportedVersion, type ImportedTree, importedTree } from './tree-import.ts';
import { type Element, parserIssues, parserNamed, parsersOf, readElements } from './tree-import-check.ts';
import { holdParsers, visibleTree } from './trees.service.ts';

/** The outcome of one element of an import. */
export type ImportedSummary = { treeId: string; name: string; versions: string[] };

/**
 * Returns every version of a tree in their order, each node with its spec inside, from one snapshot
 * (contract/lifecycle#4.7).
 *
 * @throws ServiceError NOT_FOUND
 */
export async function exportTree({ db, principal }: ReadContext, treeId: string): Promise<TreeVersion[]> {
  const found = await rows<{ version: string; specs: string; names: string }>(
    db,
    sql`select version.doc::text as version, (${goldenTrees.doc} -> 'versions')::text as names,
          coalesce((select json_agg(spec.doc)::text from ${specs} as spec
            where spec.version_id = version.id), '[]') as specs
        from ${treeVersions} as version join ${goldenTrees} on ${goldenTrees.id} = version.tree_id
        where ${visibleTree(principal, treeId)}`,
  );
  const [first] = found;
  if (!first) throw notFound('Golden configuration tree', treeId);
  const names = JSON.parse(first.names) as string[];
  const versions = found.map((row) => {
    const owned = JSON.parse(row.specs) as StoredSpec[];
    return exportedVersion(JSON.parse(row.version) as TreeVersion, new Map(owned.map((s) => [s._id, s])));
  });
  return versions.sort((a, b) => names.indexOf(a.version) - names.indexOf(b.version));
}

/**
 * Imports exported trees, all or none (contract/lifecycle#4.7). The number of statements does not depend on the number of
 * nodes.
 *
 * @returns the stored tree of each element, in their order, and the groups of access lists that do not exist
 * @throws ServiceError BAD_REQUEST with all issues, FORBIDDEN as `assertMayWriteRules`, FORBIDDEN or CONFLICT for a tree that
 *   may not be overwritten
 */
export async function importTrees(
  ctx: WriteContext,
  given: readonly TreeImport[],
): Promise<{ data: ImportedSummary[]; warnings: GroupWarning[] }> {
  assertMayWriteRules(ctx.principal);
  const known = await holdParsers(
    ctx,
    given.flatMap(({ data }) => data.flatMap(parsersOf)),
  );
  const { of, warnings } = await withoutUnknownGroups(
    ctx.db,
    given.flatMap(({ data }) => data),
  );
  const trees = given.map((tree) => ({
    ...tree,
    data: tree.data.map((version) => ({
      ...(of.get(version)?.document ?? version),
      deviceType: parserNamed(version.deviceType, known) ?? version.deviceType,
    })),
  }));
  const { elements, issues } = readElements(trees);
  assertNone([...issues, ...parserIssues(elements, known)]);

  const before = await lockOverwritten(ctx, elements);
  const made = new Map<Element, ImportedTree>();
  const fresh: Element[] = [];
  for (const element of elements) {
    const old = element.overwrite ? before.get(element.name) : undefined;
    if (old) made.set(element, importedTree(element, element.name, makerOf(ctx), old));
    else fresh.push(element);
  }
  await overwriteTrees(ctx, [...before.values()], [...made.values()]);
  for (const [element, imported] of await insertTrees(ctx, fresh)) made.set(element, imported);

  const inOrder = await withStaleness(
    ctx.db,
    elements.flatMap((element) => made.get(element) ?? []),
  );
  await storeVersions(ctx.db, inOrder);
  await storeSpecs(ctx.db, inOrder);
  await assertPlansWhole(
    ctx,
    [...before.values()].map(({ stored }) => stored.id),
  );
  const data = inOrder.map(({ tree }) => ({ treeId: tree.id, name: tree.name, versions: tree.versions }));
  return { data, warnings };
}

type Overwritten = ExistingTree & { stored: Stored<GoldenTree> };

/** Locks the trees that are to be overwritten, where they exist, and returns them by name. */
async function lockOverwritten(
  { db, principal }: WriteContext,
  elements: readonly Element[],
): Promise<Map<string, Overwritten>> {
  const names = elements.filter(({ overwrite }) => overwrite).map(({ name }) => name);
  if (names.length === 0) return new Map();
  const visible = sql<boolean>`(${mayRead(goldenTrees, principal) ?? sql`true`})`;
  const found = await db
    .select({ id: goldenTrees.id, doc: goldenTrees.doc, rev: goldenTrees.rev, visible })
    .from(goldenTrees)
    .where(isOneOf(goldenTrees.name, names))
    .orderBy(goldenTrees.id)
    .for('update');
  const { treeId, doc: version } = treeVersions;
  const ofFound = isOneOf(
    treeId,
    found.map(({ id }) => id),
  );
  const versions = await db.select({ treeId, version }).from(treeVersions).where(ofFound);
  const stamps = await db
    .select({ id: specs.id, stamp: sql<string | null>`${specs.doc} ->> 'lastUpdated'` })
    .from(specs)
    .innerJoin(treeVersions, eq(treeVersions.id, specs.versionId))
    .where(ofFound);
  const stampOf = new Map(stamps.map(({ id, stamp }) => [id, stamp]));
  return new Map(
    found.map(({ visible: isVisible, ...stored }) => {
      const tree = stored.doc;
      if (!isVisible) throw conflict(`A tree with the name ${tree.name} already exists`);
      assertMayWrite(tree.gbac, principal, `Tree ${tree.name}`);
      const own = versions.filter((one) => one.treeId === stored.id).map((one) => one.version);
      return [tree.name, { stored, tree, versions: own, stamps: stampOf }];
    }),
  );
}

/** Writes the new summaries, and deletes versions and specs that the import does not contain. */
async function overwriteTrees(
  { db }: WriteContext,
  before: readonly Overwritten[],
  trees: readonly ImportedTree[],
): Promise<void> {
  if (trees.length === 0) return;
  for (const { tree } of trees) {
    const stored = before.find(({ stored: one }) => one.id === tree.id)?.stored;
    if (!stored || !(await replace(db, goldenTrees, stored, tree))) {
      throw changedMeanwhile(`Tree ${tree.name}`);
    }
  }
  const versions = trees.flatMap((tree) => tree.versions);
  const kept = versions.map(({ doc }) => doc._id);
  const keptSpecs = versions.flatMap((version) => version.specs.map(({ _id }) => _id));
  const treeIds = trees.map(({ tree }) => tree.id);
  await db
    .delete(treeVersions)
    .where(and(isOneOf(treeVersions.treeId, treeIds), not(isOneOf(treeVersions.id, kept))));
  await db.delete(specs).where(and(isOneOf(specs.versionId, kept), not(isOneOf(specs.id, keptSpecs))));
}

/** Stores new trees under free names: `Name`, `Name (1)` … Retries with other names when a concurrent import takes one. */
async function insertTrees(
  ctx: WriteContext,
  elements: readonly Element[],
): Promise<Map<Element, ImportedTree>> {
  const made = new Map<Element, ImportedTree>();
  for (let open = [...elements]; open.length > 0; open = open.filter((element) => !made.has(element))) {
    const taken = await takenNames(
      ctx.db,
      open.map(({ name }) => name),
    );
    const allocateName = createNameAllocator(taken);
    const wanted = open.map((element) => {
      const name = allocateName(element.name);
      return { element, imported: importedTree(element, name, makerOf(ctx)) };
    });
    const stored = await ctx.db
      .insert(goldenTrees)
      // All callers use the same order, so that two imports wait for each other instead of deadlocking.
      .values(
        wanted
          .map(({ imported: { tree } }) => ({ id: tree.id, doc: tree }))
          .sort((a, b) => (a.doc.name < b.doc.name ? -1 : 1)),
      )
      .onConflictDoNothing({ target: goldenTrees.name })
      .returning({ id: goldenTrees.id });
    const ids = new Set(stored.map(({ id }) => id));
    const inserted = wanted.filter(({ imported }) => ids.has(imported.tree.id));
    for (const { element, imported } of inserted) made.set(element, imported);
    recordChanges(
      ctx.db,
      'golden_trees',
      inserted.map(({ imported }) => imported.tree),
    );
  }
  return made;
}

/** Returns the names in use among those wanted and their numbered forms. */
async function takenNames(db: Database, wanted: readonly string[]): Promise<Set<string>> {
  const found = await rows<{ name: string }>(
    db,
    sql`select name from ${goldenTrees}
        where name = any(${textArray(wanted)}) or regexp_replace(name, ' \\(\\d+\\)$', '') = any(${textArray(wanted)})`,
  );
  return new Set(found.map(({ name }) => name));
}

/**
 * Inserts new versions and replaces those of overwritten trees; `rev` increases, so that nothing cached for them remains
 * valid.
 */
async function storeVersions(db: Database, trees: readonly ImportedTree[]): Promise<void> {
  const texts = trees.flatMap((tree) => tree.versions.map(({ doc }) => JSON.stringify(doc)));
  for (const batch of batches(texts, (text) => text)) {
    await db.execute(sql`
      insert into ${treeVersions} (id, doc, tree_id)
      select doc ->> '_id', doc, doc ->> 'treeId' from jsonb_array_elements(${`[${batch.join(',')}]`}::text::jsonb) as doc
      on conflict (id) do update
        set doc = excluded.doc, rev = ${treeVersions.rev} + 1, updated_at = now()`);
  }
}

async function storeSpecs(db: Database, trees: readonly ImportedTree[]): Promise<void> {
  const texts = trees.flatMap((tree) =>
    tree.versions.flatMap(({ doc, specs: owned }) =>
      owned.map((spec) => `{"version":${JSON.stringify(doc._id)},"spec":${JSON.stringify(spec)}}`),
    ),
  );
  for (const batch of batches(texts, (text) => text)) {
    await db.execute(sql`
      insert into ${specs} (id, doc, version_id)
      select item -> 'spec' ->> '_id', item -> 'spec', item ->> 'version'
        from jsonb_array_elements(${`[${batch.join(',')}]`}::text::jsonb) as item
      on conflict (id) do update
        set doc = excluded.doc, rev = ${specs.rev} + 1, updated_at = now()`);
  }
}
