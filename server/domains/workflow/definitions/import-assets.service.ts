import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import {
  type Asset,
  type Imported,
  type ImportItem,
  type ImportOptions,
  storeImport,
} from '#server/domains/assets/index.ts';
import { RELEASE } from '#server/kernel/config.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { derivedOf } from '../validation/derived.service.ts';
import { completed } from './documents.ts';

/**
 * Stores assets of any kind, workflows with their derived schemas and findings.
 *
 * @returns the stored assets, in the order of `items`
 * @throws as `storeImport`
 */
export const importAssets = (
  ctx: WriteContext,
  items: readonly ImportItem[],
  options: Omit<ImportOptions, 'complete'>,
): Promise<readonly Imported[]> => storeImport(ctx, items, { ...options, complete: withDerived });

/**
 * Adds derived data to the workflows of a set: schemas that they lack, and findings given the whole set
 * (contract/lifecycle#5.2).
 */
async function withDerived(ctx: WriteContext, built: readonly Imported[]): Promise<Imported[]> {
  const workflows = built.flatMap(({ kind, doc }) =>
    // Has been validated as a workflow.
    kind === 'workflow' ? [completed(doc as Asset & Workflow, RELEASE)] : [],
  );
  const derived = (await derivedOf(ctx, workflows, built)).values();
  return built.map((one) =>
    one.kind === 'workflow' ? { ...one, doc: derived.next().value ?? one.doc } : one,
  );
}
