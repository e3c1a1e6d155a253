import { sql } from 'drizzle-orm';
import { transformations, workflows } from '#db/asset-tables.ts';
import { type Database, rows } from '#db/client.ts';
import { textArray } from '#db/list/place.ts';
import type { Workflow } from '#db/schemas/workflow.ts';
import type { Caller } from '#server/engines/access/principal.ts';
import { visible } from '#server/engines/assets/assets.service.ts';
import { resolve } from '#server/engines/assets/references.service.ts';
import { referencesIn } from '#server/engines/assets/references.ts';
import { allOf } from '#server/engines/configuration/documents.service.ts';
import type { Schema } from './json-schema.ts';
import { type Schemas, schemasOf, type TaskTypes } from './schemas.ts';
import type { Surroundings } from './surroundings.ts';
import { APPS, taskTypeOf } from './tasks/catalogue.ts';
import { type Findings, validate } from './validate.ts';
import { incomingOf, tasksOf } from './variables.ts';

type Reading = { db: Database; principal: Caller };
type Drawn = Pick<Workflow, 'tasks' | 'transitions'> & { name?: string | undefined };

/**
 * The schemas of a workflow, with what is known of the transformations and workflows that it calls and the caller may
 * see (interface §4.23).
 */
export async function calculateSchemas(ctx: Reading, workflow: Pick<Workflow, 'tasks'>): Promise<Schemas> {
  const [input, transformation] = await Promise.all([
    inputsOf(ctx, workflow),
    transformationsOf(ctx, workflow),
  ]);
  return schemasOf(workflow, { task: taskTypeOf, transformation, input });
}

/**
 * What keeps a workflow from running here and now, and what should be looked at before a run: what guards the start of
 * jobs too (lifecycle §5.2).
 *
 * @param coming names of workflows that will be there when this one is
 */
export async function findingsOf(
  ctx: Reading,
  workflow: Drawn,
  coming: ReadonlySet<string> = new Set(),
): Promise<Findings> {
  return validate(workflow, {
    task: taskTypeOf,
    hasApp: (app) => APPS.includes(app),
    missing: await missingOf(ctx.db, workflow, coming),
    input: await inputsOf(ctx, workflow),
  });
}

/** `findingsOf` for a drawing that may have no transitions yet. */
export const validateWorkflow = (
  ctx: Reading,
  workflow: Omit<Drawn, 'transitions'> & { transitions?: Workflow['transitions'] | undefined },
): Promise<Findings> => findingsOf(ctx, { ...workflow, transitions: workflow.transitions ?? {} });

/** The members of a workflow that are made of its others; schemas that it brings stay. */
export async function withDerived<Doc extends Drawn>(
  ctx: Reading,
  workflow: Doc,
  coming?: ReadonlySet<string>,
): Promise<Doc & Findings> {
  const { inputSchema, outputSchema } = workflow as Partial<Workflow>;
  const schemas = inputSchema && outputSchema ? {} : await calculateSchemas(ctx, workflow);
  const findings = await findingsOf(ctx, workflow, coming);
  return {
    ...workflow,
    ...schemas,
    ...(inputSchema && { inputSchema }),
    ...(outputSchema && { outputSchema }),
    ...findings,
  };
}

/** The places of a workflow that name documents which are not there; it may call itself. */
async function missingOf(
  db: Database,
  { name = '', ...workflow }: Drawn,
  coming: ReadonlySet<string>,
): Promise<Surroundings['missing']> {
  const references = referencesIn('workflow', { ...workflow, name }).filter(
    ({ kind, value }) => !((kind === 'workflow' || kind === null) && (value === name || coming.has(value))),
  );
  const targets = await resolve(db, references);
  return references.filter((_, at) => !targets[at]);
}

/** What the workflows that this one runs as child jobs take. */
async function inputsOf(
  { db, principal }: Reading,
  workflow: Pick<Workflow, 'tasks'>,
): Promise<TaskTypes['input']> {
  const names = givenTo(workflow, 'childJob', 'workflow');
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
  workflow: Pick<Workflow, 'tasks'>,
): Promise<TaskTypes['transformation']> {
  const ids = givenTo(workflow, 'transformation', 'tr_id');
  if (ids.length === 0) return () => undefined;
  const condition = allOf(sql`id = any(${textArray(ids)})`, visible('transformation', principal));
  const found = await rows<{ id: string; types: string }>(
    db,
    sql`select id, json_build_object('incoming', doc -> 'incoming', 'outgoing', doc -> 'outgoing')::text as types
        from ${transformations} where ${condition}`,
  );
  const known = new Map(found.map(({ id, types }) => [id, JSON.parse(types) as object]));
  return (id) => known.get(id);
}

/** The distinct texts that tasks of one kind are given for a value. */
const givenTo = (workflow: Pick<Workflow, 'tasks'>, taskName: string, member: string): string[] => [
  ...new Set(
    tasksOf(workflow).flatMap(([, task]) => {
      const value = task.name === taskName ? incomingOf(task)[member] : undefined;
      return typeof value === 'string' && value !== '' ? [value] : [];
    }),
  ),
];
