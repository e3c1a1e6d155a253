import { eq, sql } from 'drizzle-orm';
import { type Database, perDatabase, rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { adapterCatalogueTasks } from '#db/tables/integrations/catalogues.ts';
import { integrationModels, integrationOperations } from '#db/tables/integrations/integration-models.ts';
import { keepLatest } from '#server/kernel/calculations/latest.ts';
import type { AdapterTask } from '../adapter-task.ts';
import type { ApiOperation } from '../api-operation.ts';
import { adapterTaskOf, type CatalogueTask } from '../catalogues/pronghorn.ts';
import {
  findOperations,
  type OperationName,
  operationKey,
  operationsOfModel,
} from '../models/lookup.service.ts';
import { taskOf } from '../models/task.ts';
import { findPackageTasks, listPackageTasks } from '../packages/packages.service.ts';
import {
  type AdapterFacts,
  type AdapterType,
  effectThrough,
  NO_ADAPTERS,
  type PlannedAdapterTask,
} from './adapter-type.ts';
import { entryOf, type FaceIndex, indexOperations, type OperationHead } from './face.ts';
import { faceTask } from './face-task.ts';
import {
  instanceView,
  readAllSources,
  readSources,
  type StoredInstance,
  type TypeSources,
} from './sources.service.ts';

/** A task that a workflow names. */
export type WantedTask = {
  type: string;
  name: string;
  /** Names of its incoming values in the workflow, which decide how the values of a face are matched. */
  values?: readonly string[];
};

/** Names of adapters, types and tasks in workflows. */
export type WantedAdapters = {
  tasks: readonly WantedTask[];
  /** Names of adapters in `adapter_id`. */
  instances?: readonly string[];
};

type FoundAdapters = AdapterFacts & { planned: readonly PlannedAdapterTask[] };

/**
 * Finds tasks of adapter types, with their types and the adapters that serve them.
 *
 * @returns besides what was found, the tasks as jobs keep them
 */
export async function findAdapterTasks(
  { db }: { db: Database },
  { tasks: wanted, instances: named = [] }: WantedAdapters,
): Promise<FoundAdapters> {
  if (wanted.length === 0 && named.length === 0) return { ...NO_ADAPTERS, planned: [] };
  const all = merged(wanted);
  const sources = await readSources(db, [...new Set(all.map(({ type }) => type))], named);
  const tasks = await tasksFrom(db, sources, all);
  return {
    tasks,
    types: sources.types,
    instances: sources.instances.map(instanceView),
    planned: tasks.map((task) => plannedOf(task, sources.instances)),
  };
}

/** Returns each task once, with the values of all its uses. */
function merged(wanted: readonly WantedTask[]): WantedTask[] {
  const found = new Map<string, WantedTask>();
  for (const { type, name, values = [] } of wanted) {
    const key = JSON.stringify([type, name]);
    found.set(key, { type, name, values: [...new Set([...(found.get(key)?.values ?? []), ...values])] });
  }
  return [...found.values()];
}

const plannedOf = (task: AdapterTask, instances: readonly StoredInstance[]): PlannedAdapterTask => {
  const { type, name, effect, call } = task;
  const others = instances
    .filter((one) => one.type === type || one.face === type)
    .map(({ effects }) => [effects.name, effectThrough(task, effects)] as const)
    .filter(([, own]) => own !== effect);
  return { type, name, effect, call, ...(others.length > 0 && { effects: Object.fromEntries(others) }) };
};

/** Returns those of the wanted tasks that exist. */
async function tasksFrom(
  db: Database,
  { types, instances, catalogues }: TypeSources,
  wanted: readonly WantedTask[],
): Promise<AdapterTask[]> {
  const known = new Map(types.map((type) => [type.type, type]));
  const described = await catalogueTasks(
    db,
    wanted.filter(({ type }) => catalogues.has(type)),
  );
  const packaged = new Map(
    (
      await findPackageTasks(
        db,
        wanted.filter(({ type }) => known.get(type)?.provider === 'package'),
      )
    ).map((task) => [keyOf(task), task]),
  );
  const faces = await facesOf(db, types, instances);
  const behind = (one: WantedTask): OperationName | undefined => {
    const { type, name } = one;
    if (known.get(type)?.provider === 'document') return { versionId: type, name };
    const face = faces.get(type);
    const operation = face?.find(name);
    return face && operation !== undefined ? { versionId: face.model, name: operation } : undefined;
  };
  const names = wanted.flatMap((one) => behind(one) ?? []);
  const operations = await findOperations(db, names);
  return wanted.flatMap((one) => {
    const type = known.get(one.type);
    if (!type) return [];
    if (type.provider === 'package') return packaged.get(keyOf(one)) ?? [];
    const key = behind(one);
    const operation = key && operations.get(operationKey(key));
    const catalogued = described.get(keyOf(one));
    const face = faces.get(one.type);
    return taskFrom(type, one, { operation, catalogued, face }) ?? [];
  });
}

const keyOf = ({ type, name }: Pick<WantedTask, 'type' | 'name'>) => JSON.stringify([type, name]);

type Face = { model: string; find: FaceIndex; settings: StoredInstance['faceSettings'] };

/** Returns a task from what the provider of its type has of it; undefined when it has none of that name. */
function taskFrom(
  type: AdapterType,
  { name, values = [] }: WantedTask,
  {
    operation,
    catalogued,
    face,
  }: { operation: ApiOperation | undefined; catalogued: CatalogueTask | undefined; face: Face | undefined },
): AdapterTask | undefined {
  if (type.provider === 'document') {
    return operation && taskOf(operation, { versionId: type.type, title: type.displayName });
  }
  if (type.provider === 'face' && face && operation) {
    const entry = entryOf(face.settings ?? {}, name);
    return faceTask({ ...type, model: face.model }, { name, values }, operation, entry, catalogued);
  }
  if (!catalogued) return undefined;
  const { type: app, displayName: title } = type;
  return adapterTaskOf({ type: app, title }, catalogued, { call: { provider: 'none' }, effect: 'unsafe' });
}

/** Returns the faces among these types, each with the operations of the model behind it. */
async function facesOf(
  db: Database,
  types: readonly AdapterType[],
  instances: readonly StoredInstance[],
): Promise<ReadonlyMap<string, Face>> {
  const faces = new Map<string, Face>();
  for (const { type, provider } of types) {
    if (provider !== 'face') continue;
    const serving = instances.filter(({ face }) => face === type);
    const [first] = serving;
    if (!first) continue;
    // Entries of all integrations of the face count; the first one in the order of names wins.
    const map = Object.assign({}, ...serving.map(({ faceSettings }) => faceSettings?.map ?? {}).reverse());
    const settings = { type, map };
    const index = await faceIndexOf(db, first.type, first.basePath);
    const find: FaceIndex = (task) => {
      const { operation } = entryOf(settings, task);
      return operation ?? index(task);
    };
    faces.set(type, { model: first.type, find, settings });
  }
  return faces;
}

/** Number of indexes that a process keeps; the one made first is dropped first. */
const MOST_INDEXES = 50;

const indexesOf = perDatabase(() => new Map<string, FaceIndex>());

/** Returns the index of a model's operations; it is made once for each version of the model. */
async function faceIndexOf(db: Database, versionId: string, basePath: string): Promise<FaceIndex> {
  const { id, rev, updatedAt } = integrationModels;
  const [model] = await db.select({ rev, updatedAt }).from(integrationModels).where(eq(id, versionId));
  if (!model) return () => undefined;
  const key = JSON.stringify([versionId, model.rev, model.updatedAt, basePath]);
  const kept = indexesOf(db);
  const known = kept.get(key);
  if (known) return known;
  return keepLatest(kept, MOST_INDEXES, key, indexOperations(await headsOf(db, versionId), basePath));
}

/** Returns the names, methods and paths of the operations of a model. */
async function headsOf(db: Database, versionId: string): Promise<OperationHead[]> {
  const { model, name, method, path, place } = integrationOperations;
  const found = await db
    .select({ name, method, path })
    .from(integrationOperations)
    .where(sql`${model} = ${versionId}`)
    .orderBy(place);
  // Written by the compiler, which knows no other methods.
  return found as OperationHead[];
}

/** Returns stored descriptions of these tasks, by `keyOf`. */
async function catalogueTasks(
  db: Database,
  wanted: readonly WantedTask[],
): Promise<ReadonlyMap<string, CatalogueTask>> {
  if (wanted.length === 0) return new Map();
  const { type, name, task } = adapterCatalogueTasks;
  const types = textArray(wanted.map((one) => one.type));
  const names = textArray(wanted.map((one) => one.name));
  const found = await rows<{ type: string; task: string }>(
    db,
    sql`select ${type} as type, ${task}::text as task from ${adapterCatalogueTasks}
        where (${type}, ${name}) in (select * from unnest(${types}, ${names}))`,
  );
  return new Map(
    found.map((row) => {
      const read = JSON.parse(row.task) as CatalogueTask;
      return [keyOf({ type: row.type, name: read.name }), read];
    }),
  );
}

/** Returns all adapter types with their instances, by name. */
export async function listAdapterTypes({ db }: { db: Database }): Promise<Omit<AdapterFacts, 'tasks'>> {
  const { types, instances } = await readAllSources(db);
  return {
    types: [...types].sort((a, b) => (a.type < b.type ? -1 : 1)),
    instances: instances.map(instanceView),
  };
}

/** Returns every task of a type, in the order of its document or catalogue; empty for an unknown type. */
export async function listAdapterTasks({ db }: { db: Database }, type: string): Promise<AdapterTask[]> {
  const sources = await readSources(db, [type]);
  const [known] = sources.types.filter((one) => one.type === type);
  if (!known) return [];
  if (known.provider === 'document') {
    const source = { versionId: type, title: known.displayName };
    return (await operationsOfModel(db, type)).map((operation) => taskOf(operation, source));
  }
  if (known.provider === 'package') return listPackageTasks(db, type);
  if (sources.catalogues.has(type)) {
    const { type: app, name, place } = adapterCatalogueTasks;
    const named = await db
      .select({ name })
      .from(adapterCatalogueTasks)
      .where(sql`${app} = ${type}`)
      .orderBy(place);
    return tasksFrom(
      db,
      sources,
      named.map((one) => ({ type, name: one.name })),
    );
  }
  const model = sources.instances.find(({ face }) => face === type)?.type;
  const heads = model === undefined ? [] : await headsOf(db, model);
  return tasksFrom(
    db,
    sources,
    heads.map(({ name }) => ({ type, name })),
  );
}
