import { isOneOf } from '#db/expressions.ts';
import type { Bundle, Prebuilt } from '#db/schemas/assets/prebuilt.ts';
import { TreeImport } from '#db/schemas/golden-config/golden-tree.ts';
import { ImportedAutomation } from '#db/schemas/requests/automation.ts';
import { goldenTrees } from '#db/tables/golden-config/configurations.ts';
import type { Asset, Imported } from '#server/domains/assets/index.ts';
import { importTrees } from '#server/domains/golden-config/index.ts';
import type { GroupWarning } from '#server/domains/identity/index.ts';
import {
  findMissing,
  importAssets,
  importAutomation,
  type MissingList,
  type Relinked,
} from '#server/domains/workflow/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { conflict, ServiceError, unprocessable } from '#server/kernel/errors.ts';
import { contentErrors } from '../asset-issues.ts';
import { withCompileErrors } from '../draft-errors.service.ts';
import { draftsOf } from '../drafts.ts';
import { relinkComponents } from '../relink.service.ts';
import { pathOf, storableBundle } from './bundles.ts';
import { assetKindOf } from './check.ts';
import { follow, type InstalledComponent, nameIn, treeIn } from './package.ts';
import { withoutScopes } from './scopes.ts';

/**
 * The result of installing a package: its assets with their ids and names here, bundles that are only kept in the
 * package, unknown groups, assets that cannot run, changed references, and what the assets need and nobody has.
 */
export type Installed = {
  components: InstalledComponent[];
  keptOnly: string[];
  warnings: GroupWarning[];
  drafts: ReturnType<typeof draftsOf>;
  relinked: Relinked[];
  missing: MissingList;
};

/** How a package is installed. */
export type InstallOptions = {
  /** Whether assets of the same name are replaced; otherwise they are rejected. */
  overwrite: boolean;
  /** Whether references to a workflow that does not exist are changed to the only similar one of the package. */
  relink: boolean;
};

type PlacedBundle = { at: number; bundle: Bundle };

/**
 * Passes every bundle of a package to the importer of its domain, in the transaction of the request: assets first, then
 * what references them (contract/lifecycle#8).
 *
 * @param bundles bundles with validated documents (`documentsIssues`)
 * @throws ServiceError BAD_REQUEST for documents that contradict each other; CONFLICT for names that are taken;
 *   UNPROCESSABLE_CONTENT for an automation whose workflow, form or transformation does not exist
 */
export async function installBundles(
  ctx: WriteContext,
  { bundles }: Prebuilt,
  { overwrite, relink }: InstallOptions,
): Promise<Installed> {
  const placed = bundles.map((bundle, at) => ({ at, bundle: storableBundle(bundle) }));
  const isAsset = ({ bundle }: PlacedBundle) => assetKindOf(bundle.type) !== undefined;
  const ofType = (type: string) => placed.filter(({ bundle }) => bundle.type === type);

  const { assets, relinked } = await installAssets(ctx, placed.filter(isAsset), { overwrite, relink });
  const components: InstalledComponent[] = assets.map(({ id, name, type }) => ({ id, name, type }));
  for (const { bundle } of ofType('automation')) {
    components.push(await installAutomation(ctx, bundle, assets, overwrite));
  }
  const trees = await installTrees(ctx, ofType('golden-config'), overwrite);
  components.push(...trees.components);
  const isInstalled = (one: PlacedBundle) =>
    isAsset(one) || one.bundle.type === 'automation' || one.bundle.type === 'golden-config';
  const keptOnly = placed.filter((one) => !isInstalled(one)).map(({ bundle }) => nameIn(bundle));
  const missing = await findMissing(ctx, { documents: assets });
  return {
    components,
    keptOnly,
    warnings: trees.warnings,
    drafts: draftsOf(assets),
    relinked,
    missing,
  };
}

async function installAssets(
  ctx: WriteContext,
  placed: readonly PlacedBundle[],
  { overwrite, relink }: InstallOptions,
) {
  const items = placed.flatMap(({ bundle }) => {
    const kind = assetKindOf(bundle.type);
    // Its shape has been validated.
    return kind ? [{ kind, doc: bundle.data as Asset }] : [];
  });
  const checked = await withCompileErrors(
    withoutScopes(items).map(({ kind, doc }) => ({
      type: kind,
      document: doc,
      errors: contentErrors(kind, doc),
    })),
  );
  const { components, relinked } = relink
    ? await relinkComponents(ctx, checked, null, null)
    : { components: checked, relinked: [] };
  const given = components.map(({ type, document, errors }) => ({ kind: type, doc: document, errors }));
  const made = await importAssets(ctx, given, {
    projectId: null,
    onTaken: overwrite ? 'overwrite' : 'reject',
  }).catch((error: unknown) => {
    throw inBundles(error, placed);
  });
  const assets = made.map((one: Imported, at) => ({ ...one, type: placed[at]?.bundle.type ?? one.kind }));
  return { assets, relinked };
}

/** Translates the paths of an importer's issues, which refer to its own list, to paths in the package. */
function inBundles(error: unknown, placed: readonly PlacedBundle[]): unknown {
  if (!(error instanceof ServiceError) || !error.issues) return error;
  const issues = error.issues.map((one) => {
    const [index, ...rest] = one.path;
    const at = placed[Number(index)]?.at;
    return at === undefined ? one : { ...one, path: [...pathOf(at), ...rest] };
  });
  return new ServiceError(error.code, error.message, { issues, data: error.data, cause: error });
}

async function installAutomation(
  ctx: WriteContext,
  bundle: Bundle,
  assets: readonly Imported[],
  overwrite: boolean,
): Promise<InstalledComponent> {
  const given = follow(ImportedAutomation.parse(bundle.data), assets);
  const { data, triggers } = await importAutomation(ctx, given, overwrite ? 'overwrite' : 'reject', 'reject');
  const failed = triggers.find(({ success }) => !success);
  if (failed) throw unprocessable(`Automation ${given.name}: ${failed.message}`);
  return { id: data._id ?? '', name: data.name, type: bundle.type };
}

async function installTrees(
  ctx: WriteContext,
  placed: readonly PlacedBundle[],
  overwrite: boolean,
): Promise<Pick<Installed, 'components' | 'warnings'>> {
  if (placed.length === 0) return { components: [], warnings: [] };
  const trees = placed.map(({ bundle }) => TreeImport.parse(treeIn(bundle, overwrite)));
  if (!overwrite) {
    const names = trees.flatMap(({ newName, data: [first] }) => newName ?? first?.name ?? []);
    const { name } = goldenTrees;
    const isWanted = isOneOf(name, names);
    const [taken] = await ctx.db.select({ name }).from(goldenTrees).where(isWanted).orderBy(name).limit(1);
    if (taken) throw conflict(`Golden configuration ${taken.name} already exists`);
  }
  const { data, warnings } = await importTrees(ctx, trees);
  return {
    components: data.map(({ treeId, name }) => ({ id: treeId, name, type: 'golden-config' })),
    warnings,
  };
}
