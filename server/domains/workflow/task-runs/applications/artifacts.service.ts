import { sql } from 'drizzle-orm';
import { textArray } from '#db/list/row-expressions.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import { findAssets, referencesIn } from '#server/domains/assets/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { listDocuments } from '#server/kernel/documents/documents.service.ts';
import type { EffectRun } from '../../tasks/outcome.ts';
import { succeeded } from '../finish.ts';
import { callerFor } from '../task-contexts.service.ts';
import { object, required, TaskInputError } from '../task-input.ts';
import {
  applicationsIn,
  type Discovered,
  discoveryTypeOf,
  emptyMap,
  entriesOf,
  MOST_COMPONENTS,
  type Wanted,
} from './discovery.ts';

/** Maximum number of URLs in one task. */
const MOST_URLS = 100;

/** Reads from this platform with the rights of the job's account: one URL returns its body, a list of several returns a list. */
const gatherInternalGet: EffectRun = async (incoming, world) => {
  const value = required(incoming, 'internalURL');
  const urls: unknown[] = Array.isArray(value) ? value : [value];
  if (urls.length === 0 || urls.length > MOST_URLS)
    throw new TaskInputError('internalURL', `must be 1 to ${MOST_URLS} URLs`);
  const targets = urls.map((url) => {
    if (typeof url === 'string' && /^\/(?!\/)[^\s#\\]*$/.test(url)) return url;
    throw new TaskInputError('internalURL', 'must be a path of this platform that begins with /');
  });
  const caller = await callerFor(world);
  const bodies: unknown[] = [];
  for (const target of targets) bodies.push(await world.platform.internalGet(caller, target, world.signal));
  return succeeded({ responseBody: bodies.length === 1 ? bodies[0] : bodies });
};

/** A document that was found, as its kind of source. */
type Found = { id: string; name: string; doc: Record<string, unknown> };

/**
 * Finds documents of one kind by id or name: one query, whatever their number. An id wins over a name.
 *
 * @param kind null: automations
 */
async function findByIdOrName(
  ctx: ReadContext,
  kind: ComponentType | null,
  values: readonly string[],
): Promise<(value: string) => Found | undefined> {
  const wanted = textArray(values);
  const where = sql`(id = any(${wanted}) or name = any(${wanted}))`;
  const documents =
    kind === null
      ? (JSON.parse(await listDocuments(ctx, 'automation', { where })) as Found['doc'][]).map((doc) => ({
          id: String(doc._id),
          doc,
        }))
      : await findAssets(ctx, kind, where);
  const byName = new Map<string, Found>();
  const byId = new Map<string, Found>();
  for (const { id, doc } of documents) {
    const found = { id, name: String(doc.name), doc: doc as Found['doc'] };
    byId.set(id, found);
    if (!byName.has(found.name)) byName.set(found.name, found);
  }
  return (value) => byId.get(value) ?? byName.get(value);
}

/** Finds all documents of a level, with one query for each kind. @returns them in the order of `level` */
async function findLevel(ctx: ReadContext, level: readonly Wanted[]): Promise<(Found | undefined)[]> {
  const finders = new Map<ComponentType | null, (value: string) => Found | undefined>();
  for (const kind of new Set(level.map((one) => one.kind))) {
    const values = level.filter((one) => one.kind === kind).map(({ value }) => value);
    finders.set(kind, await findByIdOrName(ctx, kind, [...new Set(values)]));
  }
  return level.map(({ kind, value }) => finders.get(kind)?.(value));
}

/**
 * Finds the components that automations, workflows and other components use, directly or through others, as far as the
 * account of the job may see them. A component that does not exist, or that it may not see, is listed as invalid.
 */
const componentDiscovery: EffectRun = async (incoming, world) => {
  const entries = entriesOf(object(incoming, 'entryPoint'));
  if ('wrong' in entries)
    throw new TaskInputError(`entryPoint.${entries.wrong}`, 'is no list of names of a known kind');
  const ctx: ReadContext = { db: world.db, principal: await callerFor(world) };
  const discovery: Discovery = {
    componentMap: emptyMap(),
    invalidComponents: [],
    seen: new Map(),
    applications: new Set(),
  };
  for (let level: Wanted[] = entries; level.length > 0; ) {
    world.signal.throwIfAborted();
    const documents = await findLevel(ctx, level);
    level = level.flatMap((wanted, at) => addComponent(discovery, wanted, documents[at]));
  }
  const { componentMap, invalidComponents, applications } = discovery;
  const dependencies = [...applications].sort();
  return succeeded({ discovery: { componentMap, dependencies, invalidComponents } });
};

/** The components that a discovery has found so far, and those that do not exist. */
type Discovery = {
  componentMap: Record<string, Discovered[]>;
  invalidComponents: { type: string; component: object }[];
  /** Components by type and id. */
  seen: Map<string, Discovered>;
  applications: Set<string>;
};

/**
 * Adds a component, or another component that uses it.
 *
 * @param found its document; undefined: it does not exist
 * @returns the components that it uses itself; none when it was known
 */
function addComponent(
  { componentMap, invalidComponents, seen, applications }: Discovery,
  { type, kind, value, parent }: Wanted,
  found: Found | undefined,
): Wanted[] {
  const parents = parent ? [parent] : [];
  if (!found) {
    invalidComponents.push({ type, component: { name: value, parent: parents } });
    return [];
  }
  const key = `${type} ${found.id}`;
  const known = seen.get(key);
  if (known) {
    known.parent.push(...parents.filter(({ name }) => !known.parent.some((one) => one.name === name)));
    return [];
  }
  const one: Discovered = { name: found.name, id: found.id, parent: parents };
  seen.set(key, one);
  if (seen.size > MOST_COMPONENTS)
    throw new TaskInputError('entryPoint', `leads to more than ${MOST_COMPONENTS} components`);
  componentMap[type]?.push(one);
  for (const app of applicationsIn(found.doc)) applications.add(app);
  return referencesIn(kind ?? 'automation', { ...found.doc, name: found.name }).flatMap((reference) =>
    reference.kind === null
      ? []
      : {
          type: discoveryTypeOf(reference.kind),
          kind: reference.kind,
          value: reference.value,
          parent: { name: found.name, type },
        },
  );
}

/** The runs of these tasks, by application and name. */
export const ARTIFACT_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'AppArtifacts.componentDiscovery': componentDiscovery,
  'AppArtifacts.gatherInternalGET': gatherInternalGet,
};
