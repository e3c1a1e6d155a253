import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import qs from 'qs';
import { findText } from '#db/collection.ts';
import { readable } from '#db/document-kinds/readable.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { Workflow } from '#db/schemas/workflow/workflow.ts';
import { workflows } from '#db/tables/assets/assets.ts';
import {
  assertMayWriteIn,
  getAsset,
  insertAsset,
  removeAssets,
  replaceAsset,
  type StoredAsset,
} from '#server/domains/assets/index.ts';
import { RELEASE } from '#server/kernel/config.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { accessOf, allOf } from '#server/kernel/documents/documents.service.ts';
import { editLink } from '#server/kernel/documents/edit-link.ts';
import { studio } from '#server/kernel/documents/list-envelope.ts';
import { conflict, invalid } from '#server/kernel/errors.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { asOfNow, withDerived } from '../validation/derived.service.ts';
import { asGlobal, completed, ownerFault, renamed, type WorkflowInput, workflowIssues } from './documents.ts';

const resource = defineResource({
  name: 'workflows',
  schema: Workflow,
  source: workflows,
  columns: { name: workflows.name, type: workflows.type, last_updated: workflows.lastUpdated },
  defaultSort: [{ field: 'name', order: 1 }],
});

/** Lists a page of the workflows that the caller may see, by name by default (contract/lifecycle#5.2). */
export async function listWorkflows({ db, principal }: ReadContext, query: object) {
  const listQuery = readList(resource, query);
  const page = await list(db, resource, listQuery, accessOf(readable('workflow', principal)));
  const urlAt = (skip: number) =>
    `/automation-studio/workflows?${qs.stringify({ ...query, start: undefined, skip }, { arrayFormat: 'repeat', encodeValuesOnly: true })}`;
  return studio<Partial<Workflow>>(page, listQuery, urlAt);
}

const named = (name: string) => sql`${workflows.name} = ${name}`;

/** Returns one workflow by its name, with its current findings. @throws ServiceError NOT_FOUND */
export async function getWorkflow(ctx: ReadContext, name: string): Promise<Workflow> {
  const { doc } = await getAsset<Workflow>(ctx, 'workflow', named(name), { called: name });
  return asOfNow(ctx, doc, true);
}

/** Locks and returns a workflow that the caller may write. @throws ServiceError NOT_FOUND, FORBIDDEN */
export async function lockWorkflow(ctx: WriteContext, by: { id: string } | { name: string }) {
  const stored =
    'id' in by
      ? await getAsset<Workflow>(ctx, 'workflow', by.id, { lock: true })
      : await getAsset<Workflow>(ctx, 'workflow', named(by.name), { lock: true, called: by.name });
  await assertMayWriteIn(ctx, stored.projectId);
  return stored;
}

/**
 * Stores a new global workflow; one that could not run is stored as a draft, with its errors (contract/lifecycle#5.2).
 *
 * @param path of the workflow in the request, for issues
 * @returns the workflow as stored, and where people edit it
 * @throws ServiceError BAD_REQUEST for a malformed graph, CONFLICT when the name is taken
 */
export async function createWorkflow(
  ctx: WriteContext,
  given: WorkflowInput,
  path: string[],
): Promise<{ created: Workflow; edit: string }> {
  assertNone(workflowIssues(given, path));
  assertOwner(null, given.name, path);
  const workflow = await withDerived(ctx, completed(asGlobal(given), RELEASE));
  // The id and the timestamps are added on storing.
  const created = (await insertAsset(ctx, 'workflow', randomUUID(), workflow)) as Workflow;
  return { created, edit: editLink('automation', created.name) };
}

/** Fields of a workflow to replace. */
type WorkflowChange = { [Member in keyof Workflow]?: Workflow[Member] | undefined };

/**
 * Changes a workflow: the given fields replace the stored ones, and derived data is recomputed. When the name changes,
 * references to the workflow are updated.
 *
 * @returns the fields of the workflow, and the same once more as `updated`: clients read either; and where people edit it
 * @throws ServiceError BAD_REQUEST, NOT_FOUND, FORBIDDEN, CONFLICT when the name is taken or it was changed meanwhile
 */
export async function updateWorkflow(
  ctx: WriteContext,
  id: string,
  update: WorkflowChange,
): Promise<Workflow & { updated: Workflow; edit: string }> {
  const stored = await lockWorkflow(ctx, { id });
  const updated = await writeOver(ctx, stored, update, ['update']);
  return { ...updated, updated, edit: editLink('automation', updated.name) };
}

async function writeOver(
  ctx: WriteContext,
  stored: StoredAsset<Workflow>,
  update: WorkflowChange,
  path: string[],
): Promise<Workflow> {
  const { inputSchema, outputSchema, ...rest } = stored.doc;
  // The owning project is decided by the stored workflow, not by the update.
  const { namespace: _, ...given } = update;
  // Schemas belong to the tasks that they were derived from.
  const schemas = update.tasks ? {} : { inputSchema, outputSchema };
  // A property with the value undefined is how a typed caller omits it: JSON has no such value.
  const next = { ...rest, ...schemas, lastUpdatedVersion: RELEASE, ...given } as Workflow;
  assertNone(workflowIssues(next, path));
  assertOwner(stored.projectId, next.name, path);
  const doc = next.name === stored.doc.name ? next : renamed(next, stored.doc.name, next.name);
  return replaceAsset(ctx, 'workflow', stored, await withDerived(ctx, doc));
}

/**
 * Renames a workflow; references to it are updated (contract/lifecycle#5.2).
 *
 * @throws ServiceError BAD_REQUEST, NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function renameWorkflow(ctx: WriteContext, name: string, newName: string): Promise<void> {
  const stored = await lockWorkflow(ctx, { name });
  assertOwner(stored.projectId, newName, [], 'newName');
  await writeOver(ctx, stored, { name: newName }, []);
}

/**
 * Creates a workflow, or changes the one with its name (contract/lifecycle#5.2).
 *
 * @returns the workflow as stored: `created` or `updated`, whichever happened, and where people edit it
 * @throws ServiceError as `createWorkflow` and `updateWorkflow`
 */
export async function saveWorkflow(
  ctx: WriteContext,
  workflow: WorkflowInput,
): Promise<{ created?: Workflow; updated?: Workflow; edit: string }> {
  const [found] = await findNamed(ctx, workflow.name);
  if (!found) return createWorkflow(ctx, workflow, ['workflow']);
  const updated = await writeOver(ctx, found, workflow, ['workflow']);
  return { updated, edit: editLink('automation', updated.name) };
}

async function findNamed(ctx: WriteContext, name: string): Promise<StoredAsset<Workflow>[]> {
  const text = await findText(ctx.db, workflows, allOf(named(name), readable('workflow', ctx.principal)));
  return text === undefined ? [] : [await lockWorkflow(ctx, { name })];
}

/**
 * Deletes a workflow that nothing uses.
 *
 * @returns the deleted workflow
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT naming what uses it
 */
export async function deleteWorkflow(ctx: WriteContext, name: string): Promise<Workflow> {
  const stored = await lockWorkflow(ctx, { name });
  if (stored.projectId !== null) {
    throw conflict(
      `Workflow ${name} belongs to project ${stored.projectId}: remove it from the project first`,
    );
  }
  await removeAssets(ctx, 'workflow', [stored]);
  return stored.doc;
}

function assertOwner(projectId: string | null, name: string, path: string[], member = 'name'): void {
  const fault = ownerFault(projectId, name);
  if (fault) throw invalid([...path, member], fault);
}
