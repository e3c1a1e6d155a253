import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { findAll } from '#db/collection.ts';
import type { TreeVersion } from '#db/schemas/golden-tree.ts';
import { specs } from '#db/tables.ts';
import { staleBudget, withStaleLines } from './derivation.ts';
import { readerFor, readersFor } from './readers.service.ts';
import type { ImportedTree } from './tree-import.ts';

/** The change of a version that gives it these variables: its nodes say anew whether their lines are stale. */
export async function withVariables(
  { db }: { db: Database },
  version: TreeVersion,
  variables: Record<string, unknown>,
): Promise<Pick<TreeVersion, 'variables' | 'root'>> {
  const reader = await readerFor(db, version.deviceType);
  if (!reader) return { variables, root: version.root };
  const owned = await findAll(db, specs, sql`version_id = ${version._id}`);
  const byId = new Map(owned.map(({ id, doc }) => [id, doc]));
  return { variables, root: withStaleLines(version.root, byId, variables, reader) };
}

/** Imported trees whose nodes say whether the lines that came are those that their templates give. */
export async function withStaleness(db: Database, trees: readonly ImportedTree[]): Promise<ImportedTree[]> {
  const budget = staleBudget();
  const readers = await readersFor(
    db,
    trees.map(({ tree }) => tree.deviceType),
  );
  return trees.map(({ tree, versions }) => {
    const reader = readers.get(tree.deviceType);
    if (!reader) return { tree, versions };
    const told = versions.map(({ doc, specs: owned }) => {
      const byId = new Map(owned.map((spec) => [spec._id, spec]));
      return {
        doc: { ...doc, root: withStaleLines(doc.root, byId, doc.variables, reader, budget) },
        specs: owned,
      };
    });
    return { tree, versions: told };
  });
}
