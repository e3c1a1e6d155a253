import { findProject, getAsset } from '#server/domains/assets/index.ts';
import { findMissing, type MissingList } from '#server/domains/workflow/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';

/**
 * Returns what the documents of a project need and this installation lacks (contract/lifecycle#missing).
 *
 * @throws ServiceError NOT_FOUND
 */
export async function listMissing(ctx: ReadContext, id: string): Promise<MissingList> {
  const { doc } = await findProject(ctx, id);
  return findMissing(ctx, { projectId: doc._id });
}

/** Returns what one workflow needs and this installation lacks. @throws ServiceError NOT_FOUND */
export async function listMissingOfWorkflow(ctx: ReadContext, id: string): Promise<MissingList> {
  await getAsset(ctx, 'workflow', id);
  return findMissing(ctx, { documents: [{ kind: 'workflow', id }] });
}
