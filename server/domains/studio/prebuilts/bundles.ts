import { Bundle } from '#db/schemas/assets/prebuilt.ts';
import { TreeImport } from '#db/schemas/golden-config/golden-tree.ts';
import { ImportedAutomation } from '#db/schemas/requests/automation.ts';
import { assetAsStored } from '#server/domains/assets/index.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { issuesOf } from '#server/kernel/validation/zod-issues.ts';
import { assetFindings } from '../asset-issues.ts';
import { assetKindOf } from './check.ts';
import { treeIn } from './package.ts';

/** Returns the bundle with its document in storable form. */
export function storableBundle(bundle: Bundle): Bundle {
  const kind = assetKindOf(bundle.type);
  return kind && bundle.data ? { ...bundle, data: assetAsStored(kind, bundle.data) } : bundle;
}

/** Returns the path of a bundle's document in a request. */
export const pathOf = (at: number): (string | number)[] => ['prebuilt', 'bundles', at, 'data'];

/** Returns the issues of the documents in bundles; malformed bundles are reported elsewhere. */
export function documentsIssues(bundles: unknown): Issue[] {
  if (!Array.isArray(bundles)) return [];
  return bundles.flatMap((given: unknown, at) => {
    const { data: bundle } = Bundle.safeParse(given);
    return bundle?.data ? issuesIn(storableBundle(bundle), at) : [];
  });
}

function issuesIn(bundle: Bundle, at: number): Issue[] {
  const kind = assetKindOf(bundle.type);
  // Content that cannot run becomes a draft.
  if (kind) return assetFindings(kind, bundle.data, pathOf(at)).issues;
  const schema =
    bundle.type === 'automation'
      ? ImportedAutomation.safeParse(bundle.data)
      : bundle.type === 'golden-config'
        ? TreeImport.safeParse(treeIn(bundle, false))
        : null;
  if (!schema?.error) return [];
  return issuesOf(schema.error).map((one) => ({ ...one, path: [...pathOf(at), ...one.path] }));
}
