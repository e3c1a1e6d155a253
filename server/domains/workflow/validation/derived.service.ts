import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { Task } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { transformations, workflows } from '#db/tables/assets.ts';
import {
  type ComponentUse,
  denialsOf,
  referencesIn,
  resolve,
  usesOf,
  visible,
} from '#server/domains/assets/index.ts';
import { restAdapterNames } from '#server/domains/network/index.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { isOurs, taskTypeOf } from '../tasks/catalogue.ts';
import { faultsOf, type Runnable } from '../transformations/compile.ts';
import type { Schema } from './schema-of-task.ts';
import { type Schemas, schemasOf, type TaskTypes } from './schemas.ts';
import { type Findings, validate } from './validate.ts';
import type { Author, Surroundings } from './validation-context.ts';
import { incomingOf, tasksOf } from './variables.ts';

type Reading = { db: Database; principal: Caller };
type Drawn = Pick<Workflow, 'tasks' | 'transitions'> & { name?: string | undefined };

/**
 * The schemas of a workflow, with what is known of the transformations and workflows that it calls and the caller may
 * see (interface §4.23).
 */
export async function calculateSchemas(ctx: Reading, workflow: Pick<Workflow, 'tasks'>): Promise<Schemas> {
  const [input, transformation] = await Promise.all([
    inputsOf(ctx, [workflow]),
    transformationsOf(ctx, [workflow]),
  ]);
  return schemasOf(workflow, { task: taskTypeOf, transformation, input });
}

/** A document that will be there when a workflow is: workflows of one import name each other. */
export type Coming = { kind: ComponentType; id: string; name: string };

/**
 * What keeps a workflow from running here and now, and what should be looked at before a run: what guards the start of
 * jobs too (lifecycle §5.2).
 *
 * @param warns whether the caller is warned of what his own jobs could not use
 */
export async function findingsOf(ctx: Reading, workflow: Drawn, warns = false): Promise<Findings> {
  const [missing = []] = await missingOf(ctx.db, [workflow], []);
  const input = await inputsOf(ctx, [workflow]);
  const adapters = await adaptersFor(ctx.db, [workflow]);
  const faults = faultsIn(await transformationsOf(ctx, [workflow]));
  const author = warns ? { author: await authorOf(ctx, workflow) } : {};
  return findingsIn(workflow, { missing, input, adapters, faults, ...author });
}

/** The caller, with the components of the workflow that he may not use. */
async function authorOf(ctx: Reading, workflow: Drawn): Promise<Author> {
  const { errorHandler } = workflow as Partial<Workflow>;
  const handler = errorHandler?.type === 'workflow' ? errorHandler.name : undefined;
  const uses: { task: string; field: string; use: ComponentUse }[] = [
    ...tasksOf(workflow).flatMap(([task, drawn]) =>
      usesOf(drawn.name, incomingOf(drawn)).map((use) => ({
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
  return {
    rights: ctx.principal,
    denials: uses.flatMap(({ task, field, use }, at) => {
      const { message: reason } = denials[at] ?? {};
      return reason === undefined ? [] : [{ task, field, reason: `${use.value}: ${reason}` }];
    }),
  };
}

/** What keeps transformations from running, each looked at once. */
function faultsIn(transformation: (id: string) => Runnable | undefined): Surroundings['faults'] {
  const known = new Map<string, string[]>();
  return (id) => {
    const document = known.has(id) ? undefined : transformation(id);
    const faults = known.get(id) ?? (document ? faultsOf(document) : []);
    known.set(id, faults);
    return faults;
  };
}

const findingsIn = (
  workflow: Drawn,
  around: Pick<Surroundings, 'missing' | 'input' | 'faults' | 'author'> & { adapters: ReadonlySet<string> },
): Findings => validate(workflow, { task: taskTypeOf, hasApp: isOurs, ...around });

/** The adapters that tasks of these workflows can call; none is asked for where no task needs one. */
async function adaptersFor(
  db: Database,
  given: readonly Pick<Workflow, 'tasks'>[],
): Promise<ReadonlySet<string>> {
  const isAdapters = ({ location }: Task) => location === 'Adapter' || location === 'Broker';
  const isNeeded = given.some((workflow) => tasksOf(workflow).some(([, task]) => isAdapters(task)));
  return new Set(isNeeded ? await restAdapterNames(db) : []);
}

/** `findingsOf` for a drawing that may have no transitions yet. */
export const validateWorkflow = (
  ctx: Reading,
  workflow: Omit<Drawn, 'transitions'> & { transitions?: Workflow['transitions'] | undefined },
): Promise<Findings> => findingsOf(ctx, { ...workflow, transitions: workflow.transitions ?? {} }, true);

/**
 * A stored workflow with what is found about it now: what it names may have come or gone since it was written.
 *
 * @param warns as in `findingsOf`
 */
export const asOfNow = async <Doc extends Drawn>(
  ctx: Reading,
  workflow: Doc,
  warns = false,
): Promise<Doc & Findings> => ({ ...workflow, ...(await findingsOf(ctx, workflow, warns)) });

/** `derivedOf` for one workflow. */
export async function withDerived<Doc extends Drawn>(ctx: Reading, workflow: Doc): Promise<Doc & Findings> {
  const [derived] = await derivedOf(ctx, [workflow], []);
  return derived ?? { ...workflow, errors: [], warnings: [] };
}

/**
 * Workflows with the members that are made of their others; schemas that they bring stay. In one go for all of them: a
 * query a kind of what they name, however many they are.
 *
 * @param coming documents that will be there when they are
 * @returns in the order given
 */
export async function derivedOf<Doc extends Drawn>(
  ctx: Reading,
  given: readonly Doc[],
  coming: readonly Coming[],
): Promise<(Doc & Findings)[]> {
  const stored = await inputsOf(ctx, given);
  const transformation = await transformationsOf(ctx, given);
  const inSet = new Map<string, Schema>();
  const input = (name: string) => inSet.get(name) ?? stored(name);
  const whole = new Map<Doc, Doc>();
  for (const workflow of childrenFirst(given)) {
    const { inputSchema, outputSchema } = workflow as Partial<Workflow>;
    const isWhole = inputSchema && outputSchema;
    const schemas = isWhole ? {} : schemasOf(workflow, { task: taskTypeOf, transformation, input });
    const next = {
      ...workflow,
      ...schemas,
      ...(inputSchema && { inputSchema }),
      ...(outputSchema && { outputSchema }),
    };
    whole.set(workflow, next);
    const takes = (next as Partial<Workflow>).inputSchema;
    if (next.name !== undefined && takes) inSet.set(next.name, takes);
  }
  const missing = await missingOf(ctx.db, given, coming);
  const adapters = await adaptersFor(ctx.db, given);
  const faults = faultsIn(transformation);
  return given.map((workflow, at) => ({
    ...(whole.get(workflow) ?? workflow),
    ...findingsIn(workflow, { missing: missing[at] ?? [], input, adapters, faults }),
  }));
}

/** Workflows after those of the set that they run as child jobs; on a circle, one is before its child. */
function childrenFirst<Doc extends Drawn>(given: readonly Doc[]): Iterable<Doc> {
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
    for (const name of givenTo([one], 'childJob', 'workflow')) {
      const child = named.get(name);
      if (child && !entered.has(child)) open.push(child);
    }
  }
  return ordered;
}

/** The places of each workflow that name documents which are not there; it may call itself. */
async function missingOf(
  db: Database,
  given: readonly Drawn[],
  coming: readonly Coming[],
): Promise<Surroundings['missing'][]> {
  const there = new Set(coming.flatMap(({ kind, id, name }) => [keyOf(kind, id), keyOf(kind, name)]));
  const anyNamed = new Set(coming.map(({ name }) => name));
  const open = given.map(({ name = '', ...workflow }) =>
    referencesIn('workflow', { ...workflow, name }).filter(({ kind, value }) => {
      if (value === name && (kind === 'workflow' || kind === null)) return false;
      return !(kind === null ? anyNamed.has(value) : there.has(keyOf(kind, value)));
    }),
  );
  const targets = await resolve(db, open.flat());
  let at = 0;
  return open.map((references) => references.filter(() => !targets[at++]));
}

const keyOf = (kind: ComponentType, value: string) => `${kind} ${value}`;

/** What the workflows that these run as child jobs take. */
async function inputsOf(
  { db, principal }: Reading,
  given: readonly Pick<Workflow, 'tasks'>[],
): Promise<TaskTypes['input']> {
  const names = givenTo(given, 'childJob', 'workflow');
  if (names.length === 0) return () => undefined;
  const condition = allOf(sql`name = any(${textArray(names)})`, visible('workflow', principal));
  const found = await rows<{ name: string; schema: string | null }>(
    db,
    sql`select name, (doc -> 'inputSchema')::text as schema from ${workflows} where ${condition}`,
  );
  const known = new Map(found.map(({ name, schema }) => [name, schema]));
  return (name) => (JSON.parse(known.get(name) ?? 'null') as Schema | null) ?? undefined;
}

async function transformationsOf(
  { db, principal }: Reading,
  given: readonly Pick<Workflow, 'tasks'>[],
): Promise<(id: string) => Runnable | undefined> {
  const ids = [...givenTo(given, 'transformation', 'tr_id'), ...givenTo(given, 'childJob', 'transformation')];
  if (ids.length === 0) return () => undefined;
  const condition = allOf(sql`id = any(${textArray(ids)})`, visible('transformation', principal));
  const found = await rows<{ id: string; parts: string }>(
    db,
    sql`select id, json_build_object('incoming', doc -> 'incoming', 'outgoing', doc -> 'outgoing',
          'steps', doc -> 'steps', 'functions', doc -> 'functions')::text as parts
        from ${transformations} where ${condition}`,
  );
  const known = new Map(found.map(({ id, parts }) => [id, JSON.parse(parts) as Runnable]));
  return (id) => known.get(id);
}

/** The distinct texts that tasks of one kind are given for a value. */
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
