import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { type Database, rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import { FaceSettings } from '#db/schemas/integrations/face.ts';
import { adapters } from '#db/tables/integrations/adapters.ts';
import { adapterCatalogues } from '#db/tables/integrations/catalogues.ts';
import { integrationModels } from '#db/tables/integrations/integration-models.ts';
import { adapterPackages } from '#db/tables/integrations/packages.ts';
import type { AdapterInstance, AdapterType, EffectSettings } from './adapter-type.ts';

/** An instance as the database has it, with the settings that decide what its tasks are. */
export type StoredInstance = AdapterInstance & {
  faceSettings: FaceSettings | null;
  /** Path of its server, which names of a face may include. */
  basePath: string;
  effects: EffectSettings;
  /** Outcomes of tasks, by their names. */
  stubs: unknown;
};

/** Where the tasks of some types come from. */
export type TypeSources = {
  types: readonly AdapterType[];
  instances: readonly StoredInstance[];
  /** Types with a catalogue, which describes the tasks of a type without a document or package, or of a face. */
  catalogues: ReadonlySet<string>;
};

type SourceRow = {
  source: 'document' | 'catalogue' | 'instance' | 'package';
  name: string;
  title: string | null;
  active: boolean | null;
  /** JSON text: `virtual` of an adapter, and its `properties` as `own`. */
  properties: string | null;
};

/** Instances that provide a type: by their own type or by their face. */
const instancesWhere = (types: readonly string[], names: readonly string[]) => sql`
  ${adapters.doc} #>> '{properties,type}' = any(${textArray([...types])})
  or ${adapters.doc} #>> '{properties,properties,face,type}' = any(${textArray([...types])})
  or ${adapters.id} = any(${textArray([...names])})`;

/**
 * Returns where the tasks of these types come from, in one query.
 *
 * @param types names of adapter types
 * @param names names of adapters that are read too, whatever their type
 */
export async function readSources(
  db: Database,
  types: readonly string[],
  names: readonly string[] = [],
): Promise<TypeSources> {
  if (types.length === 0 && names.length === 0) return { types: [], instances: [], catalogues: new Set() };
  const isWanted = (id: PgColumn) => sql`${id} = any(${textArray([...types])})`;
  return sourcesOf(await rows(db, sourcesWhere(isWanted, instancesWhere(types, names))), types);
}

/** Returns the sources of every type of which there is an instance, a document or a catalogue. */
export const readAllSources = async (db: Database): Promise<TypeSources> =>
  sourcesOf(
    await rows(
      db,
      sourcesWhere(() => sql`true`, sql`true`),
    ),
    null,
  );

const sourcesWhere = (isWanted: (id: PgColumn) => SQL, isInstance: SQL) =>
  sql`select 'document' as source, ${integrationModels.id} as name, ${integrationModels.title} as title,
        null::boolean as active, null::text as properties
      from ${integrationModels} where ${isWanted(integrationModels.id)}
      union all
      select 'catalogue', ${adapterCatalogues.id}, ${adapterCatalogues.doc} ->> 'title', null, null
      from ${adapterCatalogues} where ${isWanted(adapterCatalogues.id)}
      union all
      select 'package', ${adapterPackages.id}, ${adapterPackages.doc} ->> 'title', null, null
      from ${adapterPackages} where ${isWanted(adapterPackages.id)}
      union all
      select 'instance', ${adapters.id}, null, ${adapters.active}, jsonb_build_object('virtual', ${adapters.doc} -> 'virtual', 'own', ${adapters.doc} -> 'properties')::text
      from ${adapters} where ${isInstance}
      order by 1, 2`;

/** @param wanted the requested types; null: all */
function sourcesOf(found: readonly SourceRow[], wanted: readonly string[] | null): TypeSources {
  const instances = found.flatMap((row) => (row.source === 'instance' ? [instanceOf(row)] : []));
  const types = new Map<string, AdapterType>();
  const catalogues = new Set<string>();
  for (const { source, name, title } of found) {
    const type = { type: name, displayName: title ?? name };
    if (source === 'document' || source === 'package') types.set(name, { ...type, provider: source });
    if (source !== 'catalogue') continue;
    catalogues.add(name);
    if (!types.has(name)) types.set(name, { ...type, provider: 'none' });
  }
  for (const { face } of instances) {
    if (face === null || (wanted && !wanted.includes(face))) continue;
    const { displayName, provider } = types.get(face) ?? { displayName: face, provider: 'none' };
    if (provider === 'none') types.set(face, { type: face, displayName, provider: 'face' });
  }
  return { types: [...types.values()], instances, catalogues };
}

function instanceOf({ name, active, properties }: SourceRow): StoredInstance {
  const { virtual, own } = JSON.parse(properties ?? '{}') as {
    virtual?: boolean | null;
    own?: { type?: string; properties?: Record<string, unknown> };
  };
  const { type = '', properties: connection = {} } = own ?? {};
  // Only integrations have operations that a face could call.
  const face = FaceSettings.safeParse(virtual === true ? connection.face : undefined);
  const server = connection.server as { base_path?: unknown } | null | undefined;
  return {
    name,
    active: active ?? false,
    type,
    face: face.success ? face.data.type : null,
    provider: connection.provider === 'rest' ? 'rest' : 'none',
    faceSettings: face.success ? face.data : null,
    basePath: typeof server?.base_path === 'string' ? server.base_path : '',
    effects: { name, reads: connection.reads, idempotencyHeader: connection.idempotencyHeader },
    stubs: connection.stub,
  };
}

/** Returns an instance without the settings that only the lookup of tasks needs. */
export const instanceView = ({ name, active, type, face, provider }: StoredInstance): AdapterInstance => ({
  name,
  active,
  type,
  face,
  provider,
});
