import { eq } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { findAll } from '#db/collection.ts';
import type { StoredSpec } from '#db/schemas/golden-config/config-spec.ts';
import type { TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { specs } from '#db/tables/golden-config/configurations.ts';
import { type ParserSource, parserSourcesFor } from '../parsers/readers.service.ts';
import { MOST_STEPS } from '../specs/derivation.ts';
import { staleInTime } from './derivations.service.ts';
import type { ImportedTree } from './tree-import.ts';

/** Returns the update that sets the variables of a version and recomputes which nodes have stale lines. */
export async function withVariables(
  { db }: { db: Database },
  version: TreeVersion,
  variables: Record<string, unknown>,
): Promise<Pick<TreeVersion, 'variables' | 'root'>> {
  const owned = (await findAll(db, specs, eq(specs.versionId, version._id))).map(({ doc }) => doc);
  const sources = await parserSourcesFor(db, [version.deviceType, ...sectionNames(owned)]);
  const source = sources.get(version.deviceType);
  if (!source) return { variables, root: version.root };
  const sections = sectionSources(owned, sources);
  const check = { root: version.root, specs: owned, variables, source, sections };
  const { root } = await staleInTime({ ...check, steps: MOST_STEPS });
  return { variables, root };
}

/** Returns imported trees with a flag on each node whose imported lines differ from those that its template yields. */
export async function withStaleness(db: Database, trees: readonly ImportedTree[]): Promise<ImportedTree[]> {
  let steps = MOST_STEPS;
  const sources = await parserSourcesFor(
    db,
    trees.flatMap(({ tree, versions }) => [
      tree.deviceType,
      ...versions.flatMap(({ specs: owned }) => sectionNames(owned)),
    ]),
  );
  const results: ImportedTree[] = [];
  for (const { tree, versions } of trees) {
    const source = sources.get(tree.deviceType);
    const checked: typeof versions = [];
    for (const { doc, specs: owned } of versions) {
      const sections = sectionSources(owned, sources);
      const check = { root: doc.root, specs: owned, variables: doc.variables, sections };
      const found = source ? await staleInTime({ ...check, source, steps }) : { root: doc.root, steps };
      steps = found.steps;
      checked.push({ doc: { ...doc, root: found.root }, specs: owned });
    }
    results.push({ tree, versions: checked });
  }
  return results;
}

/** Returns the names of the parsers that sections of some specs are for. */
const sectionNames = (owned: readonly StoredSpec[]): string[] => [
  ...new Set(owned.flatMap(({ sections = {} }) => Object.keys(sections))),
];

/** Returns the sources of the readers for the sections of some specs, by the name of their parser. */
const sectionSources = (
  owned: readonly StoredSpec[],
  sources: ReadonlyMap<string, ParserSource>,
): Record<string, ParserSource> =>
  Object.fromEntries(
    sectionNames(owned).flatMap((name) => {
      const source = sources.get(name);
      return source ? [[name, source]] : [];
    }),
  );
