import { sql } from 'drizzle-orm';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import { findAssets, referencesIn } from '#server/domains/assets/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { listDocuments } from '#server/kernel/documents/documents.service.ts';
import type { EffectRun } from '../../tasks/outcome.ts';
import { succeeded } from '../finish.ts';
import { callerFor } from '../task-contexts.service.ts';
import { given, object, ValueRefused } from '../task-input.ts';
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

/** Reads from this platform with the rights of the job's account: one URL gives its body, a list of several gives a list. */
const gatherInternalGet: EffectRun = async (incoming, world) => {
  const value = given(incoming, 'internalURL');
  const urls: unknown[] = Array.isArray(value) ? value : [value];
  if (urls.length === 0 || urls.length > MOST_URLS)
    throw new ValueRefused('internalURL', `must be 1 to ${MOST_URLS} URLs`);
  const targets = urls.map((url) => {
    if (typeof url === 'string' && /^\/(?!\/)[^\s#\\]*$/.test(url)) return url;
    throw new ValueRefused('internalURL', 'must be a path of this platform that begins with /');
  });
  const caller = await callerFor(world);
  const bodies: unknown[] = [];
  for (const target of targets) bodies.push(await world.platform.internalGet(caller, target, world.signal));
  return succeeded({ responseBody: bodies.length === 1 ? bodies[0] : bodies });
};

/** A document that was found, as its kind of source. */
type Found = { id: string; name: string; doc: Record<string, unknown> };

async function findWanted(ctx: ReadContext, { kind, value }: Wanted): Promise<Found | undefined> {
  const where = sql`(id = ${value} or name = ${value})`;
  const order = sql`id <> ${value}, id`;
  if (kind === null) {
    const found = JSON.parse(await listDocuments(ctx, 'automation', { where, order })) as Found['doc'][];
    const [doc] = found;
    return doc && { id: String(doc._id), name: String(doc.name), doc };
  }
  const found = await findAssets(ctx, kind, where);
  const one = found.find(({ id }) => id === value) ?? found[0];
  return one && { id: one.id, name: String(one.doc.name), doc: one.doc as Record<string, unknown> };
}

/**
 * Finds the components that automations, workflows and other components use, directly or through others, as far as the
 * account of the job may see them. A component that does not exist, or that it may not see, is listed as invalid.
 */
const componentDiscovery: EffectRun = async (incoming, world) => {
  const entries = entriesOf(object(incoming, 'entryPoint'));
  if ('wrong' in entries)
    throw new ValueRefused(`entryPoint.${entries.wrong}`, 'is no list of names of a known kind');
  const ctx: ReadContext = { db: world.db, principal: await callerFor(world) };
  const componentMap = emptyMap();
  const seen = new Map<string, Discovered>();
  const applications = new Set<string>();
  const invalidComponents: { type: string; component: object }[] = [];
  const waiting = [...entries];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    world.signal.throwIfAborted();
    const { type, parent } = next;
    const parents = parent ? [parent] : [];
    const found = await findWanted(ctx, next);
    if (!found) {
      invalidComponents.push({ type, component: { name: next.value, parent: parents } });
      continue;
    }
    const known = seen.get(`${type} ${found.id}`);
    if (known) {
      known.parent.push(...parents.filter(({ name }) => !known.parent.some((one) => one.name === name)));
      continue;
    }
    const one: Discovered = { name: found.name, id: found.id, parent: parents };
    seen.set(`${type} ${found.id}`, one);
    if (seen.size > MOST_COMPONENTS)
      throw new ValueRefused('entryPoint', `leads to more than ${MOST_COMPONENTS} components`);
    componentMap[type]?.push(one);
    for (const app of applicationsIn(found.doc)) applications.add(app);
    const by = { name: found.name, type };
    const kind = next.kind ?? 'automation';
    for (const reference of referencesIn(kind, { ...found.doc, name: found.name })) {
      if (reference.kind === null) continue;
      const kindOf: ComponentType = reference.kind;
      waiting.push({ type: discoveryTypeOf(kindOf), kind: kindOf, value: reference.value, parent: by });
    }
  }
  const dependencies = [...applications].sort();
  return succeeded({ discovery: { componentMap, dependencies, invalidComponents } });
};

/** The runs of these tasks, by application and name. */
export const ARTIFACT_EFFECTS: Readonly<Record<string, EffectRun>> = {
  'AppArtifacts.componentDiscovery': componentDiscovery,
  'AppArtifacts.gatherInternalGET': gatherInternalGet,
};
