import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { readable } from '#db/document-kinds/readable.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { transformations, workflows } from '#db/tables/assets/assets.ts';
import { type ComponentUse, denialsOf, errorsOf, usesOf } from '#server/domains/assets/index.ts';
import { restAdapterNames } from '#server/domains/network/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { mapYielding } from '#server/kernel/timing/map-yielding.ts';
import {
  adapterFindingsOf,
  adapterTasksOf,
  type FoundAdapterTasks,
} from '../adapter-tasks/adapter-types.service.ts';
import { isAdapters } from '../adapter-tasks/adapter-types.ts';
import type { Runnable } from '../transformations/compile.ts';
import { findingsInTime, schemasInTime } from './calculate.service.ts';
import type { ReferencedDocuments } from './calculate.ts';
import { type ComingDocument, missingReferences, type NamedWorkflow } from './missing-references.service.ts';
import type { Schema } from './schema-of-task.ts';
import type { Schemas } from './schemas.ts';
import type { WorkflowFindings } from './validate.ts';
import type { ValidationAuthor } from './validation-context.ts';
import { incomingOf, tasksOf } from './variables.ts';

/**
 * Returns the schemas of a workflow, using the transformations and workflows that it calls and that the caller may see
 * (contract/endpoints#4.23).
 *
 * @throws ServiceError as `schemasInTime`
 */
export const calculateSchemas = async (
  ctx: ReadContext,
  workflow: Pick<Workflow, 'tasks'>,
): Promise<Schemas> => {
  const named = (await namedBy(ctx, [workflow]))(workflow);
  const { adapterTasks } = adapterFindingsOf(await adapterTasksOf(ctx.db, [workflow]), workflow);
  return schemasInTime({ workflow, named, adapterTasks });
};

/**
 * Returns what prevents a workflow from running here and now, and what should be reviewed before a run; the start of jobs
 * uses the same check (contract/lifecycle#5.2).
 *
 * @param warns whether to add warnings about what the caller's own jobs could not use
 * @param adapterTasks its tasks of adapter types, where they have been looked up
 */
export async function findingsOf(
  ctx: ReadContext,
  workflow: NamedWorkflow,
  warns = false,
  adapterTasks?: FoundAdapterTasks,
): Promise<WorkflowFindings> {
  const [missing = []] = await missingReferences(ctx, [workflow], []);
  const named = (await namedBy(ctx, [workflow]))(workflow);
  const found = adapterTasks ?? (await adapterTasksOf(ctx.db, [workflow]));
  const adapters = await adaptersFor(ctx.db, [workflow], found);
  const author = warns ? { author: await authorOf(ctx, workflow) } : {};
  const known = adapterFindingsOf(found, workflow);
  return findingsInTime({ workflow, missing, named, adapters, ...known, ...author });
}

/** Returns the caller, with the components of the workflow that the caller may not use. */
async function authorOf(ctx: ReadContext, workflow: NamedWorkflow): Promise<ValidationAuthor> {
  const { errorHandler } = workflow as Partial<Workflow>;
  const handler = errorHandler?.type === 'workflow' ? errorHandler.name : undefined;
  const uses: { task: string; field: string; use: ComponentUse }[] = [
    ...tasksOf(workflow).flatMap(([task, definition]) =>
      usesOf(definition.name, incomingOf(definition)).map((use) => ({
        task,
        field: `variables.incoming.${use.variable}`,
        use,
      })),
    ),
    ...(typeof handler === 'string'
      ? [
          {
            task: 'error_handler',
            field: 'name',
            use: { kind: 'workflow', by: 'name', value: handler },
          } as const,
        ]
      : []),
  ];
  const denials = await denialsOf(
    ctx,
    uses.map(({ use }) => use),
  );
  const { roles, permissions } = ctx.principal;
  return {
    rights: { roles, permissions },
    denials: uses.flatMap(({ task, field, use }, at) => {
      const { message: reason } = denials[at] ?? {};
      return reason === undefined ? [] : [{ task, field, reason: `${use.value}: ${reason}` }];
    }),
  };
}

/** Returns the adapters that tasks of an unknown type can call; they are read only if a workflow has such a task. */
async function adaptersFor(
  db: Database,
  given: readonly Pick<Workflow, 'tasks'>[],
  { types }: FoundAdapterTasks,
): Promise<string[]> {
  const known = new Set(types.map(({ type }) => type));
  const isNeeded = given.some((workflow) =>
    tasksOf(workflow).some(([, task]) => isAdapters(task) && !known.has(task.app)),
  );
  return isNeeded ? await restAdapterNames(db) : [];
}

/** Calls `findingsOf` for a workflow that may have no transitions yet. */
export const validateWorkflow = (
  ctx: ReadContext,
  workflow: Omit<NamedWorkflow, 'transitions'> & { transitions?: Workflow['transitions'] | undefined },
): Promise<WorkflowFindings> =>
  findingsOf(ctx, { ...workflow, transitions: workflow.transitions ?? {} }, true);

/**
 * Returns a stored workflow with its current findings: documents that it references may have been created or deleted
 * since it was saved.
 *
 * @param warns as in `findingsOf`
 */
export const asOfNow = async <Doc extends NamedWorkflow>(
  ctx: ReadContext,
  workflow: Doc,
  warns = false,
): Promise<Doc & WorkflowFindings> => ({ ...workflow, ...(await findingsOf(ctx, workflow, warns)) });

/** Calls `derivedOf` for one workflow. */
export async function withDerived<Doc extends NamedWorkflow>(
  ctx: ReadContext,
  workflow: Doc,
): Promise<Doc & WorkflowFindings> {
  const [derived] = await derivedOf(ctx, [workflow], []);
  return derived ?? { ...workflow, errors: [], warnings: [] };
}

/**
 * Returns workflows with their derived fields; schemas that they bring are kept. All are processed together: one query
 * per kind of referenced document, regardless of the number of workflows.
 *
 * @param coming documents that will exist together with them
 * @returns the workflows in the given order
 */
export async function derivedOf<Doc extends NamedWorkflow>(
  ctx: ReadContext,
  given: readonly Doc[],
  coming: readonly ComingDocument[],
): Promise<(Doc & WorkflowFindings)[]> {
  const stored = await namedBy(ctx, given);
  const found = await adapterTasksOf(ctx.db, given);
  const inSet = new Map<string, Schema>();
  const namedIn = (workflow: Doc): ReferencedDocuments => {
    const { inputs, transformations } = stored(workflow);
    return {
      inputs: { ...inputs, ...picked(childrenOf([workflow]), (name) => inSet.get(name)) },
      transformations,
    };
  };
  const whole = new Map<Doc, Doc>();
  await mapYielding([...childrenFirst(given)], async (workflow) => {
    const { inputSchema, outputSchema } = workflow as Partial<Workflow>;
    const isWhole = inputSchema && outputSchema;
    const { adapterTasks } = adapterFindingsOf(found, workflow);
    const schemas = isWhole ? {} : await schemasInTime({ workflow, named: namedIn(workflow), adapterTasks });
    const next = {
      ...workflow,
      ...schemas,
      ...(inputSchema && { inputSchema }),
      ...(outputSchema && { outputSchema }),
    };
    whole.set(workflow, next);
    const takes = (next as Partial<Workflow>).inputSchema;
    if (next.name !== undefined && takes) inSet.set(next.name, takes);
  });
  const missing = await missingReferences(ctx, given, coming);
  const adapters = await adaptersFor(ctx.db, given, found);
  const drafts = draftFaults(coming);
  return mapYielding(given, async (workflow, at) => {
    const { tasks, transitions } = workflow;
    const request = {
      workflow: { tasks, transitions },
      missing: missing[at] ?? [],
      named: namedIn(workflow),
      faultsOfComing: picked(calledBy([workflow]), (id) => drafts.get(id)),
      adapters,
      ...adapterFindingsOf(found, workflow),
    };
    return { ...(whole.get(workflow) ?? workflow), ...(await findingsInTime(request)) };
  });
}

/** Returns what keeps transformations from running that come as drafts, by their ids. */
const draftFaults = (coming: readonly ComingDocument[]) =>
  new Map(
    coming.flatMap(({ kind, id, doc }): [string, string[]][] => {
      const errors = kind === 'transformation' ? errorsOf(doc) : [];
      return errors.length > 0
        ? [[id, errors.map(({ path, message }) => `${path.join('.')}: ${message}`)]]
        : [];
    }),
  );

/** Returns workflows after those that they run as child jobs; on a cycle, one comes before its child. */
function childrenFirst<Doc extends NamedWorkflow>(given: readonly Doc[]): Iterable<Doc> {
  const named = new Map(given.map((one) => [one.name, one]));
  const entered = new Set<Doc>();
  const ordered = new Set<Doc>();
  const open = [...given];
  for (let one = open.at(-1); one !== undefined; one = open.at(-1)) {
    if (entered.has(one)) {
      open.pop();
      ordered.add(one);
      continue;
    }
    entered.add(one);
    for (const name of childrenOf([one])) {
      const child = named.get(name);
      if (child && !entered.has(child)) open.push(child);
    }
  }
  return ordered;
}

/**
 * Returns the documents that workflows reference and the caller may see. @returns a function that selects those of one
 * workflow
 */
async function namedBy(
  ctx: ReadContext,
  given: readonly Pick<Workflow, 'tasks'>[],
): Promise<(workflow: Pick<Workflow, 'tasks'>) => ReferencedDocuments> {
  const [input, transformation] = [await inputsOf(ctx, given), await transformationsOf(ctx, given)];
  return (workflow) => ({
    inputs: picked(childrenOf([workflow]), input),
    transformations: picked(calledBy([workflow]), transformation),
  });
}

/** Returns the values that exist for these names. */
const picked = <Value>(
  names: readonly string[],
  found: (name: string) => Value | undefined,
): Record<string, Value> =>
  Object.fromEntries(
    names.flatMap((name): [string, Value][] => {
      const value = found(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Returns the names of the workflows that these run as child jobs. */
const childrenOf = (given: readonly Pick<Workflow, 'tasks'>[]) => givenTo(given, 'childJob', 'workflow');

/** Returns the ids of the transformations that these call. */
const calledBy = (given: readonly Pick<Workflow, 'tasks'>[]) => [
  ...new Set([...givenTo(given, 'transformation', 'tr_id'), ...givenTo(given, 'childJob', 'transformation')]),
];

/** Returns the input schemas of the workflows that these run as child jobs. */
async function inputsOf(
  { db, principal }: ReadContext,
  given: readonly Pick<Workflow, 'tasks'>[],
): Promise<(name: string) => Schema | undefined> {
  const names = childrenOf(given);
  if (names.length === 0) return () => undefined;
  const condition = allOf(sql`name = any(${textArray(names)})`, readable('workflow', principal));
  const found = await rows<{ name: string; schema: string | null }>(
    db,
    sql`select name, (doc -> 'inputSchema')::text as schema from ${workflows} where ${condition}`,
  );
  const known = new Map(found.map(({ name, schema }) => [name, schema]));
  return (name) => (JSON.parse(known.get(name) ?? 'null') as Schema | null) ?? undefined;
}

async function transformationsOf(
  { db, principal }: ReadContext,
  given: readonly Pick<Workflow, 'tasks'>[],
): Promise<(id: string) => Runnable | undefined> {
  const ids = calledBy(given);
  if (ids.length === 0) return () => undefined;
  const condition = allOf(sql`id = any(${textArray(ids)})`, readable('transformation', principal));
  const found = await rows<{ id: string; parts: string }>(
    db,
    sql`select id, json_build_object('incoming', doc -> 'incoming', 'outgoing', doc -> 'outgoing',
          'steps', doc -> 'steps', 'functions', doc -> 'functions')::text as parts
        from ${transformations} where ${condition}`,
  );
  const known = new Map(found.map(({ id, parts }) => [id, JSON.parse(parts) as Runnable]));
  return (id) => known.get(id);
}

/** Returns the distinct texts that tasks of one kind have as an incoming value. */
const givenTo = (
  workflows: readonly Pick<Workflow, 'tasks'>[],
  taskName: string,
  member: string,
): string[] => [
  ...new Set(
    workflows.flatMap(tasksOf).flatMap(([, task]) => {
      const value = task.name === taskName ? incomingOf(task)[member] : undefined;
      return typeof value === 'string' && value !== '' ? [value] : [];
    }),
  ),
];
