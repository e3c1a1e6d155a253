import { eq, sql } from 'drizzle-orm';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { insert, noteChange, remove, replace } from '#db/collection.ts';
import { readable } from '#db/document-kinds/readable.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { textArray } from '#db/list/row-expressions.ts';
import {
  type CatalogueWithTasks,
  Pronghorn,
  StoredCatalogue,
} from '#db/schemas/integrations/adapter-catalogue.ts';
import { workflows } from '#db/tables/assets/assets.ts';
import { adapterCatalogues, adapterCatalogueTasks } from '#db/tables/integrations/catalogues.ts';
import type { ReadContext, SystemContext } from '#server/kernel/contexts.ts';
import { allOf, findDocument, readDocument } from '#server/kernel/documents/documents.service.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { conflict, invalid, invalidRequest } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { issuesOf } from '#server/kernel/validation/zod-issues.ts';
import { assertTypeIsFree } from '../types/names.service.ts';
import { readSources } from '../types/sources.service.ts';
import { learnTasks, type UsedTask } from './learned-tasks.ts';
import { type CatalogueTask, catalogueOf } from './pronghorn.ts';

/** Context of storing a catalogue; an operator at the command line has no account. */
type CatalogueWrite = SystemContext<'now'> & { principal: { id: string | null } };

const resource = defineResource({
  name: 'adapter catalogues',
  schema: StoredCatalogue,
  source: adapterCatalogues,
  defaultSort: [{ field: 'type', order: 1 }],
});

/** Returns one page of the catalogues, without their tasks. */
export async function listCatalogues(
  { db }: Pick<ReadContext, 'db'>,
  query: Readonly<Record<string, unknown>>,
) {
  return core<StoredCatalogue>(await list(db, resource, readList(resource, query, {})));
}

/**
 * Returns one catalogue with its tasks.
 *
 * @param type name of the adapter type
 * @throws ServiceError NOT_FOUND
 */
export async function getCatalogue(ctx: ReadContext, type: string): Promise<JsonText<CatalogueWithTasks>> {
  const text = await readDocument(ctx, 'adapterCatalogue', type);
  const tasks = await tasksOf(ctx.db, type);
  return json(`${text.slice(0, -1)},"tasks":[${tasks.join(',')}]}`);
}

/** Returns the tasks of a catalogue as JSON texts, in their order. */
async function tasksOf(db: Database, type: string): Promise<string[]> {
  const { type: of, task, place } = adapterCatalogueTasks;
  const found = await rows<{ task: string }>(
    db,
    sql`select ${task}::text as task from ${adapterCatalogueTasks} where ${of} = ${type} order by ${place}`,
  );
  return found.map((row) => row.task);
}

/** Stores the catalogue of an adapter package. @throws ServiceError CONFLICT when its type is taken */
export async function createCatalogue(ctx: CatalogueWrite, file: Pronghorn) {
  const { type, id, title, tasks } = catalogueOf(file);
  await assertTypeIsFree(ctx, type, 'catalogue');
  const data = await store(ctx, undefined, { type, package: id, title, origin: 'file' }, tasks);
  return { status: 'Created' as const, message: `Created ${type} with ${tasks.length} tasks.`, data };
}

/**
 * Stores the catalogue in the file of an operator, in a transaction of its own.
 *
 * @throws ServiceError BAD_REQUEST with all issues; CONFLICT when its type is taken
 */
export async function addCatalogue(db: Database, file: unknown, now: Date): Promise<StoredCatalogue> {
  const read = Pronghorn.safeParse(file);
  if (read.error) throw invalidRequest(issuesOf(read.error), 'The file is no catalogue');
  const platform = { now: () => now };
  return inTransaction(
    db,
    async (tx) => (await createCatalogue({ db: tx, principal: NOBODY, platform }, read.data)).data,
  );
}

/** Who stores what an operator brings: no account. */
const NOBODY = { id: null };

/** The workflows to learn from: those of a project, or some by their names; neither: all that the caller may read. */
export type LearnRequest = {
  type: string;
  project?: string | undefined;
  workflows?: readonly string[] | undefined;
};

/**
 * Stores the tasks of an adapter type that workflows use. Repeated, it adds what further workflows show.
 *
 * @throws ServiceError BAD_REQUEST when no workflow uses the type; CONFLICT when its tasks are known from elsewhere
 */
export async function learnCatalogue(ctx: ReadContext<'now'>, { type, ...from }: LearnRequest) {
  const [known] = await ctx.db
    .select({ id: adapterCatalogues.id, doc: adapterCatalogues.doc, rev: adapterCatalogues.rev })
    .from(adapterCatalogues)
    .where(eq(adapterCatalogues.id, type))
    .for('update');
  if (known?.doc.origin !== 'workflows') await assertTypeIsFree(ctx, type, 'catalogue');
  const uses = await findUses(ctx, type, from);
  if (uses.length === 0) throw invalid(['type'], `no workflow that you may read uses tasks of ${type}`);
  const before = known ? (await tasksOf(ctx.db, type)).map((text) => JSON.parse(text) as CatalogueTask) : [];
  const tasks = learnTasks(uses, before);
  const data = await store(ctx, known, { type, package: null, title: type, origin: 'workflows' }, tasks);
  const message = `${known ? 'Updated' : 'Created'} ${type} with ${tasks.length} tasks.`;
  return { status: 'OK' as const, message, data };
}

/** Returns every use of tasks of a type in workflows that the caller may read. */
async function findUses(
  { db, principal }: ReadContext,
  type: string,
  { project, workflows: names }: Omit<LearnRequest, 'type'>,
): Promise<UsedTask[]> {
  const condition = allOf(
    sql`t.value ->> 'location' in ('Adapter', 'Broker')`,
    sql`t.value ->> 'app' = ${type}`,
    project === undefined ? undefined : sql`${workflows.projectId} = ${project}`,
    names === undefined ? undefined : sql`${workflows.name} = any(${textArray([...names])})`,
    readable('workflow', principal),
  );
  const found = await rows<{ task: string }>(
    db,
    sql`select t.value::text as task from ${workflows}, jsonb_each(
          case jsonb_typeof(${workflows.doc} -> 'tasks') when 'object' then ${workflows.doc} -> 'tasks' else '{}' end) t
        where ${condition} order by ${workflows.id}, t.key limit ${MOST_USES}`,
  );
  return found.map(({ task }) => JSON.parse(task) as UsedTask);
}

/** Maximum number of tasks of workflows that are looked at. */
const MOST_USES = 50_000;

type Described = Pick<StoredCatalogue, 'type' | 'package' | 'title' | 'origin'>;

async function store(
  { db, principal, platform }: CatalogueWrite,
  known: { id: string; doc: StoredCatalogue; rev: number } | undefined,
  described: Described,
  tasks: readonly CatalogueTask[],
): Promise<StoredCatalogue> {
  const at = platform.now().toISOString();
  const doc: StoredCatalogue = {
    ...described,
    taskCount: tasks.length,
    created: known?.doc.created ?? at,
    createdBy: known ? known.doc.createdBy : principal.id,
    lastUpdated: at,
    lastUpdatedBy: principal.id,
  };
  const extra = { taskCount: tasks.length };
  if (known) await replace(db, adapterCatalogues, known, doc, extra);
  else await insert(db, adapterCatalogues, doc.type, doc, extra);
  noteChange(db, { kind: 'adapter catalogues', id: doc.type, name: doc.title });
  await db.delete(adapterCatalogueTasks).where(eq(adapterCatalogueTasks.type, doc.type));
  const all = JSON.stringify(tasks);
  await db.execute(sql`
    insert into ${adapterCatalogueTasks} (type, name, place, summary, task)
    select ${doc.type}, task ->> 'name', place, task ->> 'summary', task
    from jsonb_array_elements(${all}::text::jsonb) with ordinality as listed(task, place)`);
  return doc;
}

/**
 * Deletes a catalogue.
 *
 * @param type name of the adapter type
 * @throws ServiceError NOT_FOUND; CONFLICT while there is an adapter of the type
 */
export async function deleteCatalogue(ctx: ReadContext, type: string) {
  const { id } = await findDocument(ctx, 'adapterCatalogue', type, true);
  const { instances, types } = await readSources(ctx.db, [id]);
  const own = instances.filter((one) => one.type === id).map(({ name }) => name);
  const isAlone = types.every(({ provider }) => provider === 'none');
  if (isAlone && own.length > 0)
    throw conflict(`${id} is the type of the adapter ${own.slice(0, 10).join(', ')}`);
  await remove(ctx.db, adapterCatalogues, [id]);
  return { status: 'OK' as const, message: `Deleted ${id}.` };
}
