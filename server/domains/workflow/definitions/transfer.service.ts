import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import type { Missing } from '#db/schemas/assets/missing.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { workflows } from '#db/tables/assets/assets.ts';
import {
  bareName,
  fullAuthor,
  getAsset,
  type ImportItem,
  knownAuthors,
} from '#server/domains/assets/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { conflict, invalid } from '#server/kernel/errors.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { findMissing } from '../missing/missing.service.ts';
import { asOfNow } from '../validation/derived.service.ts';
import { type WorkflowInput, workflowIssues } from './documents.ts';
import { importAssets } from './import-assets.service.ts';

/** The outcome for one workflow of an import. */
type ImportedWorkflow = { success: true; message: string; original: Workflow; created: Workflow };

/**
 * Imports workflows, all or none. They become global: a project prefix is removed from their names. Ids are kept if free,
 * and timestamps if not in the future (contract/lifecycle#ids).
 *
 * @param overwrite replaces a global workflow of the same id, or else name, which keeps its id: references are updated
 * @param place returns the path of a workflow in the request, by its index
 * @throws ServiceError BAD_REQUEST, CONFLICT with every name that is taken
 */
async function importWorkflows(
  ctx: WriteContext,
  given: readonly WorkflowInput[],
  overwrite: boolean,
  place: (at: number) => (string | number)[],
): Promise<ImportedWorkflow[]> {
  assertNone(given.flatMap((workflow, at) => workflowIssues(workflow, place(at))));
  assertOnce(given, await namesInUse(ctx.db, overwrite ? [] : given), place);
  const items = given.map((doc): ImportItem => ({ kind: 'workflow', doc }));
  const imported = await importAssets(ctx, items, {
    projectId: null,
    onTaken: overwrite ? 'overwrite' : 'reject',
  });
  return given.map((original, at) => {
    const { doc, name } = imported[at] ?? missing();
    // A workflow was given, and its id and timestamps were added.
    return { success: true, message: `Imported workflow ${name}`, original, created: doc as Workflow };
  });
}

function missing(): never {
  throw new TypeError('the import returned no result for a document');
}

/**
 * Imports workflows: returns a single one bare, whose errors name what it lacks, and several as a list, with what
 * they lack.
 *
 * @param overwrite true: replaces workflows whose names are taken, instead of rejecting the import
 * @throws ServiceError as `importWorkflows`
 */
export async function importWorkflowFiles(
  ctx: WriteContext,
  given: readonly WorkflowInput[],
  overwrite = false,
): Promise<Workflow | { imported: ImportedWorkflow[]; missing: Missing[]; missingTotal: number }> {
  const imported = await importWorkflows(ctx, given, overwrite, (at) => ['automations', at]);
  const [first] = imported;
  if (first && imported.length === 1) return first.created;
  const documents = imported.flatMap(({ created: { _id } }) =>
    _id === undefined ? [] : [{ kind: 'workflow' as const, id: _id }],
  );
  const { missing, total: missingTotal } = await findMissing(ctx, { documents });
  return { imported, missing, missingTotal };
}

/**
 * Imports one workflow.
 *
 * @param overwrite true: replaces a workflow of that name, instead of rejecting the import
 * @throws ServiceError as `importWorkflows`
 */
export async function importWorkflow(
  ctx: WriteContext,
  given: WorkflowInput,
  overwrite = false,
): Promise<Workflow> {
  const [first = missing()] = await importWorkflows(ctx, [given], overwrite, () => ['workflow']);
  return first.created;
}

const taken = (name: string) => `workflow with name \`${name}\` already exists`;

/** Returns those of the workflows' names that are taken, with and without the prefix of a project. */
async function namesInUse(db: Database, given: readonly WorkflowInput[]): Promise<Set<string>> {
  const names = given.flatMap(({ name }) => [name, bareName(name)]);
  const { name } = workflows;
  const found = await db.select({ name }).from(workflows).where(isOneOf(name, names));
  return new Set(found.map((workflow) => workflow.name));
}

/** Rejects names that are taken, or occur twice in the request: clients look for the exact wording of the message. */
function assertOnce(
  given: readonly WorkflowInput[],
  known: Set<string>,
  place: (at: number) => (string | number)[],
): void {
  const issues = given.flatMap(({ name }, at) => {
    const bare = bareName(name);
    const isTaken = known.has(name) || known.has(bare);
    known.add(bare);
    return isTaken ? [{ path: [...place(at), 'name'], message: taken(name), code: 'taken' }] : [];
  });
  const [first] = issues;
  if (first) {
    const more = issues.length > 1 ? `, and ${issues.length - 1} more names are taken` : '';
    throw conflict(`${first.message}${more}`, { issues });
  }
}

/**
 * Exports one workflow for import into another platform: with complete authors, and without internal storage fields.
 *
 * @param _id id of the workflow; with a name, both have to match
 * @throws ServiceError BAD_REQUEST when neither id nor name is given, NOT_FOUND
 */
export async function exportWorkflow(
  ctx: ReadContext,
  { _id, name }: { _id?: string | undefined; name?: string | undefined },
): Promise<Workflow> {
  if (_id === undefined && name === undefined) throw invalid(['options'], 'must have name or _id');
  const where = allOf(
    _id === undefined ? undefined : sql`${workflows.id} = ${_id}`,
    name === undefined ? undefined : sql`${workflows.name} = ${name}`,
  );
  const called = name ?? _id ?? '';
  const { doc } = await getAsset<Workflow>(ctx, 'workflow', where, { called });
  const { encodingVersion: _, ...rest } = await asOfNow(ctx, doc);
  const known = await knownAuthors(ctx.db, [doc.created_by, doc.last_updated_by]);
  return {
    ...rest,
    ...('created_by' in doc && { created_by: fullAuthor(doc.created_by, known) }),
    ...('last_updated_by' in doc && { last_updated_by: fullAuthor(doc.last_updated_by, known) }),
  };
}
