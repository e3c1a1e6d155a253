import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { findAll } from '#db/collection.ts';
import type { TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { specs } from '#db/tables/documents.ts';
import { parserSourceFor, parserSourcesFor } from '../parsers/readers.service.ts';
import { MOST_STEPS } from '../specs/derivation.ts';
import { staleInTime } from './derivations.service.ts';
import type { ImportedTree } from './tree-import.ts';

/** Returns the update that sets the variables of a version and recomputes which nodes have stale lines. */
export async function withVariables(
  { db }: { db: Database },
  version: TreeVersion,
  variables: Record<string, unknown>,
): Promise<Pick<TreeVersion, 'variables' | 'root'>> {
  const source = await parserSourceFor(db, version.deviceType);
  if (!source) return { variables, root: version.root };
  const owned = await findAll(db, specs, eq(specs.versionId, version._id));
  const check = { root: version.root, specs: owned.map(({ doc }) => doc), variables, source };
  const { root } = await staleInTime({ ...check, steps: MOST_STEPS });
  return { variables, root };
}

/** Returns imported trees with a flag on each node whose imported lines differ from those that its template yields. */
export async function withStaleness(db: Database, trees: readonly ImportedTree[]): Promise<ImportedTree[]> {
  let steps = MOST_STEPS;
  const sources = await parserSourcesFor(
    db,
    trees.map(({ tree }) => tree.deviceType),
  );
  const results: ImportedTree[] = [];
  for (const { tree, versions } of trees) {
    const source = sources.get(tree.deviceType);
    const checked: typeof versions = [];
    for (const { doc, specs: owned } of versions) {
      const check = { root: doc.root, specs: owned, variables: doc.variables, source };
      const found = source ? await staleInTime({ ...check, source, steps }) : { root: doc.root, steps };
      steps = found.steps;
      checked.push({ doc: { ...doc, root: found.root }, specs: owned });
    }
    results.push({ tree, versions: checked });
  }
  return results;
}
