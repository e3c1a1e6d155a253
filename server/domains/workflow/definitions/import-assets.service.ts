import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import {
  type Asset,
  type Imported,
  type ImportItem,
  type ImportOptions,
  storeImport,
} from '#server/domains/assets/index.ts';
import { RELEASE } from '#server/kernel/config.ts';
import type { WriteContext } from '#server/kernel/documents/documents.service.ts';
import { derivedOf } from '../validation/derived.service.ts';
import { completed } from './documents.ts';

/** Stores assets of any kind, workflows with the schemas and findings that are derived for them. @throws as `storeImport` */
export const importAssets = (
  ctx: WriteContext,
  items: readonly ImportItem[],
  options: Omit<ImportOptions, 'complete'>,
): Promise<readonly Imported[]> => storeImport(ctx, items, { ...options, complete: withDerived });

/**
 * The set with what is made of its workflows: schemas that they do not bring, and what is found about them once all of
 * the set is there (contract/lifecycle#5.2).
 */
async function withDerived(ctx: WriteContext, built: readonly Imported[]): Promise<Imported[]> {
  const workflows = built.flatMap(({ kind, doc }) =>
    // Its issues were looked for.
    kind === 'workflow' ? [completed(doc as Asset & Workflow, RELEASE)] : [],
  );
  const derived = (await derivedOf(ctx, workflows, built)).values();
  return built.map((one) =>
    one.kind === 'workflow' ? { ...one, doc: derived.next().value ?? one.doc } : one,
  );
}
