import { type SQL, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { readable } from '#db/document-kinds/readable.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { Missing } from '#db/schemas/assets/missing.ts';
import { ComponentType } from '#db/schemas/assets/project.ts';
import { assetReferences, workflows } from '#db/tables/assets/assets.ts';
import { bareName, projectOf, tableOf } from '#server/domains/assets/index.ts';
import { findAdapterTasks } from '#server/domains/integrations/index.ts';
import { restAdapterNames } from '#server/domains/network/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { isAdapters } from '../adapter-tasks/adapter-types.ts';
import { END, START } from '../definitions/graph.ts';
import { isOurs, KNOWN_TASKS } from '../tasks/catalogue.ts';
import { isAnswered } from '../validation/validate-task.ts';
import {
  MOST_PLACES,
  missingDocument,
  missingParts,
  sorted,
  type UnknownDocument,
  type UnknownTasks,
} from './missing-parts.ts';
import { candidatesFor } from './relink.ts';
import { similarNames } from './similar-names.ts';

/** Documents to look through: those of a project, or these. */
type LookedThrough = { projectId: string } | { documents: readonly { kind: ComponentType; id: string }[] };

/** Everything that is missing, counted, with the first entries. */
export type MissingList = { missing: Missing[]; total: number };

/** Maximum number of entries in one list. */
const MOST_ENTRIES = 1000;
/** Maximum number of different operations, and of different references, that one list is made of. */
const MOST_GROUPS = 5000;

/**
 * Returns what these documents need and this installation lacks: adapters, integrations, applications, documents
 * (contract/lifecycle#missing). PostgreSQL searches the documents: they are not parsed here, however many they are.
 */
export async function findMissing(ctx: ReadContext, where: LookedThrough): Promise<MissingList> {
  const { db } = ctx;
  const { open, adapterTypes } = await openTasks(db, await unknownTasks(db, where));
  const documents = await unknownDocuments(db, where);
  const candidates = await candidatesOf(ctx, documents);
  const missing = sorted([
    ...missingParts(open, adapterTypes),
    ...documents.map((one) => missingDocument(one, candidates(one))),
  ]);
  return { missing: missing.slice(0, MOST_ENTRIES), total: missing.length };
}

/** Tasks that are alike, with the adapter that they name. */
type NamingTasks = UnknownTasks & { adapter: string | null };

/** Returns those tasks that no adapter type of this installation has, and the adapter types that exist. */
async function openTasks(
  db: Database,
  unknown: readonly NamingTasks[],
): Promise<{ open: NamingTasks[]; adapterTypes: ReadonlySet<string> }> {
  const ofAdapters = unknown.filter(isAdapters);
  const found = await findAdapterTasks(
    { db },
    { tasks: ofAdapters.map(({ app, name }) => ({ type: app, name: name ?? '' })) },
  );
  const known = new Set(found.tasks.map(({ type, name }) => keyOf(type, name)));
  const adapterTypes = new Set(found.types.map(({ type }) => type));
  const adapters = new Set(ofAdapters.length > 0 ? await restAdapterNames(db) : []);
  const open = unknown.filter(({ adapter, app, name, location }) => {
    const task = {
      ...(app !== null && { app }),
      ...(location !== null && { location }),
      name: name ?? '',
      variables: { incoming: { adapter_id: adapter } },
    };
    const isProvided = isAdapters(task) && known.has(keyOf(task.app, task.name));
    return !isProvided && !isAnswered(task, { adapters, hasApp: isOurs, adapterTypes });
  });
  return { open, adapterTypes };
}

const keyOf = (type: string, name: string) => JSON.stringify([type, name]);

/** Returns the condition for the documents of a kind. */
const isAmong = (kind: ComponentType, where: LookedThrough): SQL =>
  'projectId' in where
    ? sql`project_id = ${where.projectId}`
    : sql`id = any(${textArray(where.documents.flatMap((one) => (one.kind === kind ? [one.id] : [])))})`;

/** Returns the tasks that the catalogue lacks, grouped by what would decide whether they can run. */
async function unknownTasks(db: Database, where: LookedThrough): Promise<NamingTasks[]> {
  // A value that is known when the job runs counts as one value.
  const adapter = sql`case when t.value #>> '{variables,incoming,adapter_id}' like '$var.%.%' then '$var.job.adapter'
    else t.value #>> '{variables,incoming,adapter_id}' end`;
  const found = await rows<AsText<NamingTasks>>(
    db,
    sql`select app, name, location, "locationType", adapter, count(*)::int as uses,
          ${firstOf(sql`place order by place ->> 'name', place ->> 'task'`)} as "usedBy"
        from (
          select t.value ->> 'app' as app, t.value ->> 'name' as name, t.value ->> 'location' as location,
            t.value ->> 'locationType' as "locationType", ${adapter} as adapter,
            jsonb_build_object('type', 'workflow', '_id', w.id, 'name', w.name, 'task', t.key) as place
          from ${workflows} w cross join lateral jsonb_each(w.doc -> 'tasks') t
          where ${isAmong('workflow', where)} and t.key not in (${START}, ${END}, 'error_handler')
            and not exists (
              select from jsonb_to_recordset(${KNOWN}::text::jsonb) as k(app text, name text)
              where k.app = t.value ->> 'app' and k.name = t.value ->> 'name')
        ) unknown
        group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5 limit ${MOST_GROUPS}::int`,
  );
  return found.map(parsed);
}

/** A row in which the places are JSON text. */
type AsText<Row> = Omit<Row, 'usedBy'> & { usedBy: string };

const parsed = <Row extends { usedBy: string }>(row: Row) => ({
  ...row,
  usedBy: JSON.parse(row.usedBy) as Missing['usedBy'],
});

/** Returns the JSON text of the first of these values within a group. */
const firstOf = (values: SQL): SQL =>
  sql`to_json((array_agg(${values}))[1:${sql.raw(String(MOST_PLACES))}])::text`;

const KNOWN = JSON.stringify(KNOWN_TASKS);

/** Returns the references without a target, grouped by it. */
async function unknownDocuments(db: Database, where: LookedThrough): Promise<UnknownDocument[]> {
  const sources = sql.join(
    ComponentType.options.map(
      (kind) =>
        sql`select ${kind}::text as kind, id, name from ${tableOf(kind)} where ${isAmong(kind, where)}`,
    ),
    sql` union all `,
  );
  const found = await rows<AsText<UnknownDocument>>(
    db,
    sql`select r.target_kind as kind, r.target_name as target, count(*)::int as uses,
          ${firstOf(sql`jsonb_build_object('type', s.kind, '_id', s.id, 'name', s.name) order by s.name, s.id`)} as "usedBy"
        from (${sources}) s join ${assetReferences} r on r.source_kind = s.kind and r.source_id = s.id
        where r.target_id is null and r.target_name is not null
        group by 1, 2 order by 1, 2 limit ${MOST_GROUPS}::int`,
  );
  const documents = found.map(parsed);
  // A name that is also used where its position determines the kind is one document.
  const named = new Set(documents.flatMap(({ kind, target }) => (kind === null ? [] : [target])));
  return documents.filter(({ kind, target }) => kind !== null || !named.has(target));
}

/** Returns a function that finds candidates for a missing workflow, in the project of the workflows that name it. */
async function candidatesOf(
  ctx: ReadContext,
  documents: readonly UnknownDocument[],
): Promise<(missing: UnknownDocument) => { _id: string; name: string }[]> {
  const wanted = documents.filter(({ kind }) => kind === 'workflow');
  const projectIds = [
    ...new Set(wanted.flatMap(({ usedBy }) => usedBy.flatMap(({ name }) => projectOf(name) ?? []))),
  ];
  const known = await workflowsIn(ctx, projectIds);
  const found = new Map(
    [...known].map(([id, inside]) => [id, { inside, find: similarNames(inside.keys()) }] as const),
  );
  return ({ kind, target, usedBy }) => {
    const projects = new Set(usedBy.map(({ name }) => projectOf(name)));
    const [projectId = null] = projects;
    const project =
      kind === 'workflow' && projects.size === 1 && projectId ? found.get(projectId) : undefined;
    if (!project) return [];
    const users = new Set(usedBy.map(({ name }) => bareName(name)));
    return candidatesFor({ name: target, users }, project.find).map((name) => ({
      _id: project.inside.get(name) ?? '',
      name,
    }));
  };
}

/**
 * Returns the workflows of projects that the caller may see: for each project their ids by their names without its prefix.
 */
export async function workflowsIn(
  { db, principal }: ReadContext,
  projectIds: readonly string[],
): Promise<Map<string, Map<string, string>>> {
  const found = new Map<string, Map<string, string>>();
  if (projectIds.length === 0) return found;
  const known = await rows<{ id: string; name: string; project: string }>(
    db,
    sql`select id, name, project_id as project from ${workflows}
        where ${allOf(sql`project_id = any(${textArray(projectIds)})`, readable('workflow', principal))} order by name`,
  );
  for (const { id, name, project } of known) {
    const inside = found.get(project) ?? new Map<string, string>();
    inside.set(bareName(name), id);
    found.set(project, inside);
  }
  return found;
}
