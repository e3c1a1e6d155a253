import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { workflows } from '#db/asset-tables.ts';
import { type Database, rows } from '#db/client.ts';
import { textArray } from '#db/list/place.ts';
import type { Actor } from '#db/schemas/primitives.ts';
import type { Workflow } from '#db/schemas/workflow.ts';
import { accounts } from '#db/tables.ts';
import { RELEASE } from '#server/config.ts';
import { getAsset, insertAsset, type Reading, type Writing } from '#server/engines/assets/assets.service.ts';
import { bareName } from '#server/engines/assets/scope.ts';
import { allOf, unlessTaken } from '#server/engines/configuration/documents.service.ts';
import { assertNone } from '#server/engines/configuration/issues.ts';
import { keptStamp } from '#server/engines/configuration/stamps.ts';
import { conflict, invalid } from '#server/errors.ts';
import { withDerived } from './derived.service.ts';
import { asGlobal, completed, type GivenWorkflow, workflowIssues } from './documents.ts';

/** What became of one workflow of an import. */
type ImportedWorkflow = { success: true; message: string; original: Workflow; created: Workflow };

/**
 * Import workflows, all or none. They become global ones: the prefix of a project leaves their names. Ids and stamps are
 * kept where they are free and tell of a moment that has been (lifecycle §0.7).
 *
 * @param place where a workflow stands in the request, by its number
 * @throws ServiceError BAD_REQUEST, CONFLICT naming every name that is taken
 */
async function importWorkflows(
  ctx: Writing,
  given: readonly GivenWorkflow[],
  place: (at: number) => (string | number)[],
): Promise<ImportedWorkflow[]> {
  assertNone(given.flatMap((workflow, at) => workflowIssues(workflow, place(at))));
  const { ids } = await assertFree(ctx.db, given, place);
  const coming = new Set(given.map(({ name }) => bareName(name)));
  const imported: ImportedWorkflow[] = [];
  for (const original of given) {
    const name = bareName(original.name);
    const kept = withSoundStamps({ ...asGlobal(original), name }, ctx.platform.now());
    const workflow = await withDerived(ctx, completed(kept, RELEASE), coming);
    const id =
      original._id && KEEPABLE.test(original._id) && !ids.has(original._id) ? original._id : randomUUID();
    ids.add(id);
    const created = await unlessTaken('workflows_pkey', taken(name), () =>
      insertAsset(ctx, 'workflow', id, workflow, { keep: true, taken: taken(name) }),
    );
    // The id is added as it is stored.
    imported.push({
      success: true,
      message: `Imported workflow ${name}`,
      original,
      created: created as Workflow,
    });
  }
  return imported;
}

/** Import workflows: one is answered bare, several as a list. @throws ServiceError as `importWorkflows` */
export async function importAutomations(
  ctx: Writing,
  given: readonly GivenWorkflow[],
): Promise<Workflow | { imported: ImportedWorkflow[] }> {
  const imported = await importWorkflows(ctx, given, (at) => ['automations', at]);
  const [first] = imported;
  return first && imported.length === 1 ? first.created : { imported };
}

/** Import one workflow. @throws ServiceError as `importWorkflows` */
export async function importWorkflow(ctx: Writing, given: GivenWorkflow): Promise<Workflow> {
  const [first] = await importWorkflows(ctx, [given], () => ['workflow']);
  if (!first) throw new TypeError('nothing was imported');
  return first.created;
}

/** A UUID, or the 24 hexadecimal characters of older ones. */
const KEEPABLE = /^([0-9a-fA-F]{24}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/;

const taken = (name: string) => `workflow with name \`${name}\` already exists`;

/** Refuse names that are taken, here or twice in the request. @returns ids that are in use */
async function assertFree(
  db: Database,
  given: readonly GivenWorkflow[],
  place: (at: number) => (string | number)[],
): Promise<{ ids: Set<string> }> {
  const ids = given.flatMap(({ _id }) => _id ?? []);
  const names = given.flatMap(({ name }) => [name, bareName(name)]);
  const found = await rows<{ id: string; name: string }>(
    db,
    sql`select id, name from ${workflows} where id = any(${textArray(ids)}) or name = any(${textArray(names)})`,
  );
  const known = new Set(found.map(({ name }) => name));
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
  return { ids: new Set(found.map(({ id }) => id)) };
}

function withSoundStamps(workflow: GivenWorkflow, now: Date): GivenWorkflow {
  const { created, last_updated, ...rest } = workflow;
  return {
    ...rest,
    ...(created !== undefined && { created: keptStamp(created, now) }),
    ...(last_updated !== undefined && { last_updated: keptStamp(last_updated, now) }),
  };
}

/**
 * One workflow as another platform can import it: who wrote it in full, and no mark of how it is stored here.
 *
 * @throws ServiceError BAD_REQUEST when neither id nor name is given, NOT_FOUND
 */
export async function exportWorkflow(
  ctx: Reading,
  { _id, name }: { _id?: string | undefined; name?: string | undefined },
): Promise<Workflow> {
  if (_id === undefined && name === undefined) throw invalid(['options'], 'must hold name or _id');
  const where = allOf(
    _id === undefined ? undefined : sql`${workflows.id} = ${_id}`,
    name === undefined ? undefined : sql`${workflows.name} = ${name}`,
  );
  const called = name ?? _id ?? '';
  const { doc } = await getAsset<Workflow>(ctx, 'workflow', where, { called });
  const { encodingVersion: _, ...rest } = doc;
  const [created_by, last_updated_by] = await inFull(ctx.db, [doc.created_by, doc.last_updated_by]);
  return {
    ...rest,
    ...(created_by !== undefined && { created_by }),
    ...(last_updated_by !== undefined && { last_updated_by }),
  };
}

/** Accounts by their ids, as documents show who wrote them; what is no id stays. */
async function inFull<Author>(db: Database, authors: readonly Author[]): Promise<(Author | Actor)[]> {
  const ids = authors.filter((author) => typeof author === 'string');
  const found = await rows<{ id: string; username: string; provenance: string }>(
    db,
    sql`select id, username, provenance from ${accounts} where id = any(${textArray(ids)})`,
  );
  const known = new Map(found.map(({ id, ...account }) => [id, { _id: id, ...account }]));
  return authors.map((author) =>
    typeof author === 'string'
      ? (known.get(author) ?? { _id: author, username: null, provenance: '', missing: true })
      : author,
  );
}
