import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { isOneOf } from '#db/expressions.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { workflows } from '#db/tables/assets.ts';
import { bareName, expanded, getAsset, type ImportItem, knownAuthors } from '#server/domains/assets/index.ts';
import { allOf, type ReadContext, type WriteContext } from '#server/kernel/documents/documents.service.ts';
import { conflict, invalid } from '#server/kernel/errors.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { asOfNow } from '../validation/derived.service.ts';
import { type WorkflowInput, workflowIssues } from './documents.ts';
import { importAssets } from './import-assets.service.ts';

/** What became of one workflow of an import. */
type ImportedWorkflow = { success: true; message: string; original: Workflow; created: Workflow };

/**
 * Import workflows, all or none. They become global ones: the prefix of a project leaves their names. Ids and stamps are
 * kept where they are free and tell of a moment that has been (contract/lifecycle#ids).
 *
 * @param overwrite a global workflow of the same id, or else name, is replaced, and keeps its id: what names it follows
 * @param place where a workflow stands in the request, by its number
 * @throws ServiceError BAD_REQUEST, CONFLICT naming every name that is taken
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
    onTaken: overwrite ? 'overwrite' : 'refuse',
  });
  return given.map((original, at) => {
    const { doc, name } = imported[at] ?? missing();
    // A workflow was given, and its id and stamps were added.
    return { success: true, message: `Imported workflow ${name}`, original, created: doc as Workflow };
  });
}

function missing(): never {
  throw new TypeError('an import answers for each document');
}

/** Import workflows: one is answered bare, several as a list. @throws ServiceError as `importWorkflows` */
export async function importWorkflowFiles(
  ctx: WriteContext,
  given: readonly WorkflowInput[],
  overwrite = false,
): Promise<Workflow | { imported: ImportedWorkflow[] }> {
  const imported = await importWorkflows(ctx, given, overwrite, (at) => ['automations', at]);
  const [first] = imported;
  return first && imported.length === 1 ? first.created : { imported };
}

/** Import one workflow. @throws ServiceError as `importWorkflows` */
export async function importWorkflow(
  ctx: WriteContext,
  given: WorkflowInput,
  overwrite = false,
): Promise<Workflow> {
  const [first = missing()] = await importWorkflows(ctx, [given], overwrite, () => ['workflow']);
  return first.created;
}

const taken = (name: string) => `workflow with name \`${name}\` already exists`;

/** Those of the names of these workflows, with the prefix of a project and without, that are taken. */
async function namesInUse(db: Database, given: readonly WorkflowInput[]): Promise<Set<string>> {
  const names = given.flatMap(({ name }) => [name, bareName(name)]);
  const { name } = workflows;
  const found = await db.select({ name }).from(workflows).where(isOneOf(name, names));
  return new Set(found.map((workflow) => workflow.name));
}

/** Refuse names that are taken, here or twice in the request: the words are those that a client looks for. */
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
    const more = issues.length > 1 ? `, and ${issues.length - 1} more of the names are taken` : '';
    throw conflict(`${first.message}${more}`, { issues });
  }
}

/**
 * One workflow as another platform can import it: who wrote it in full, and no mark of how it is stored here.
 *
 * @throws ServiceError BAD_REQUEST when neither id nor name is given, NOT_FOUND
 */
export async function exportWorkflow(
  ctx: ReadContext,
  { _id, name }: { _id?: string | undefined; name?: string | undefined },
): Promise<Workflow> {
  if (_id === undefined && name === undefined) throw invalid(['options'], 'must hold name or _id');
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
    ...('created_by' in doc && { created_by: expanded(doc.created_by, known) }),
    ...('last_updated_by' in doc && { last_updated_by: expanded(doc.last_updated_by, known) }),
  };
}
