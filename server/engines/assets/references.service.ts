import { sql } from 'drizzle-orm';
import {
  analyticTemplates,
  assetReferences,
  automations,
  commandTemplates,
  forms,
  templates,
  transformations,
  triggers,
  workflows,
} from '#db/asset-tables.ts';
import { type Database, rows } from '#db/client.ts';
import { type Documents, find, replace } from '#db/collection.ts';
import type { ComponentType } from '#db/schemas/project.ts';
import { conflict } from '#server/errors.ts';
import { type Asset, type Author, KINDS, restamped } from './kinds.ts';
import { type Reference, referencesIn, rewritten, type SourceKind } from './references.ts';

/** The table of each kind of asset. */
export const ASSET_TABLES = {
  workflow: workflows,
  template: templates,
  transformation: transformations,
  jsonForm: forms,
  mopCommandTemplate: commandTemplates,
  mopAnalyticTemplate: analyticTemplates,
} as const satisfies Record<ComponentType, unknown>;

/** A kind's table as the functions over all kinds see it. */
export type AssetTable = Documents<Asset> & Pick<typeof workflows, 'projectId' | 'name'>;

// Each table holds its own documents; seen through this door they are assets.
export const tableOf = (kind: ComponentType): AssetTable => ASSET_TABLES[kind] as unknown as AssetTable;

const sourceTable = (kind: SourceKind): Documents<Asset> =>
  (kind === 'automation'
    ? automations
    : kind === 'trigger'
      ? triggers
      : tableOf(kind)) as unknown as Documents<Asset>;

/** A document that names another: what a refusal tells. */
export type User = { kind: SourceKind; id: string; name: string };

/** Which asset each place of a document names, in its order; an id that is not there, or a free name, gives null. */
export async function resolve(
  db: Database,
  references: readonly Reference[],
): Promise<({ kind: ComponentType; id: string; name: string } | null)[]> {
  const kinds = Object.keys(KINDS) as ComponentType[];
  const found = new Map<string, { kind: ComponentType; id: string; name: string }>();
  for (const kind of kinds) {
    const asked = references.filter((one) => one.kind === kind || one.kind === null);
    if (asked.length === 0) continue;
    const values = JSON.stringify([...new Set(asked.map(({ value }) => value))]);
    const known = await rows<{ id: string; name: string }>(
      db,
      sql`select id, name from ${tableOf(kind)}
          where id = any(array(select jsonb_array_elements_text(${values}::text::jsonb)))
             or name = any(array(select jsonb_array_elements_text(${values}::text::jsonb)))`,
    );
    for (const one of known) {
      found.set(`${kind} id ${one.id}`, { kind, ...one });
      found.set(`${kind} name ${one.name}`, { kind, ...one });
    }
  }
  return references.map(({ kind, by, value }) => {
    for (const one of kind ? [kind] : kinds) {
      const hit =
        (by !== 'name' && found.get(`${one} id ${value}`)) ||
        (by !== 'id' && found.get(`${one} name ${value}`));
      if (hit) return hit;
    }
    return null;
  });
}

/** Write down what a document names, in the transaction that writes the document; what it named before is forgotten. */
export async function recordReferences(
  db: Database,
  kind: SourceKind,
  documents: readonly { id: string; doc: Asset }[],
): Promise<void> {
  const found = documents.flatMap(({ id, doc }) =>
    referencesIn(kind, doc).map((reference) => ({ id, reference })),
  );
  await forgetReferences(
    db,
    kind,
    documents.map(({ id }) => id),
  );
  if (found.length === 0) return;
  const targets = await resolve(
    db,
    found.map(({ reference }) => reference),
  );
  const written = new Map(
    found.map(({ id, reference }, at) => {
      const target = targets[at];
      const row = {
        sourceId: id,
        targetKind: target?.kind ?? reference.kind,
        targetName: reference.value,
        targetId: target?.id ?? null,
      };
      return [JSON.stringify(row), row];
    }),
  );
  await db.execute(sql`
    insert into ${assetReferences} (source_kind, source_id, target_kind, target_name, target_id)
    select ${kind}::text, r ->> 'sourceId', r ->> 'targetKind', r ->> 'targetName', r ->> 'targetId'
    from jsonb_array_elements(${JSON.stringify([...written.values()])}::text::jsonb) r`);
}

/** Documents that are gone name nothing. */
export async function forgetReferences(
  db: Database,
  kind: SourceKind,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await db.execute(sql`
    delete from ${assetReferences} where source_kind = ${kind}
      and source_id = any(array(select jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb)))`);
}

/** A document that is here now is what others named before it came. */
export const adopt = (db: Database, kind: ComponentType, id: string, name: string): Promise<void> =>
  adoptAll(db, kind, [{ id, name }]);

/** `adopt` for many documents of a kind, in one statement. */
export async function adoptAll(
  db: Database,
  kind: ComponentType,
  documents: readonly { id: string; name: string }[],
): Promise<void> {
  const keys = JSON.stringify(
    documents.flatMap(({ id, name }) => [
      [name, id],
      [id, id],
    ]),
  );
  await db.execute(sql`
    update ${assetReferences} r set target_id = d.id, target_kind = ${kind}
    from (select one ->> 0 as key, one ->> 1 as id from jsonb_array_elements(${keys}::text::jsonb) one) d
    where r.target_id is null and r.target_name = d.key
      and (r.target_kind = ${kind} or r.target_kind is null)`);
}

/**
 * Let every document that names this one by its old name or id name it by the new ones.
 *
 * @param to the asset as it is called from now on
 */
export async function followRename(
  db: Database,
  author: Author,
  kind: ComponentType,
  from: { id: string; name: string },
  to: { id: string; name: string },
): Promise<void> {
  const sources = await rows<{ source_kind: SourceKind; source_id: string }>(
    db,
    sql`select distinct source_kind, source_id from ${assetReferences}
        where target_id = ${from.id} and target_kind = ${kind} order by 1, 2`,
  );
  for (const source of sources) {
    const table = sourceTable(source.source_kind);
    const stored = await find(db, table, source.source_id, true);
    if (!stored) continue;
    const doc = rewritten(source.source_kind, stored.doc, ({ kind: named, by, value }) => {
      if (named !== null && named !== kind) return undefined;
      if (by !== 'name' && value === from.id) return to.id;
      return by !== 'id' && value === from.name ? to.name : undefined;
    });
    const followed = source.source_kind === 'automation' ? { ...doc, componentName: to.name } : doc;
    if (followed === stored.doc) continue;
    // Only workflows name assets among those, and automations and triggers are stamped as transformations are.
    const stampedLike = source.source_kind === 'workflow' ? 'workflow' : 'transformation';
    await replace(db, table, stored, restamped(stampedLike, followed, stored.doc, author));
  }
  await db.execute(sql`
    update ${assetReferences} set target_id = ${to.id},
      target_name = case when target_name = ${from.id} then ${to.id} when target_name = ${from.name} then ${to.name}
        else target_name end
    where target_id = ${from.id} and target_kind = ${kind}`);
}

/** Who names these assets, apart from documents that are themselves among `leaving`. */
export async function usersOf(
  db: Database,
  targets: readonly { kind: ComponentType; id: string }[],
  leaving: readonly { kind: SourceKind; id: string }[] = targets,
): Promise<(User & { target: string })[]> {
  if (targets.length === 0) return [];
  const found = await rows<{ source_kind: SourceKind; source_id: string; target_id: string }>(
    db,
    sql`select distinct r.source_kind, r.source_id, r.target_id from ${assetReferences} r
        join jsonb_to_recordset(${JSON.stringify(targets)}::text::jsonb) as t(kind text, id text)
          on r.target_id = t.id and r.target_kind = t.kind
        order by 1, 2, 3 limit 1000`,
  );
  const going = new Set(leaving.map(({ kind, id }) => `${kind} ${id}`));
  const users: (User & { target: string })[] = [];
  for (const { source_kind, source_id, target_id } of found) {
    if (going.has(`${source_kind} ${source_id}`)) continue;
    const [row] = await rows<{ name: string }>(
      db,
      sql`select name from ${sourceTable(source_kind)} where id = ${source_id}`,
    );
    if (row) users.push({ kind: source_kind, id: source_id, name: row.name, target: target_id });
    if (users.length === MOST_TOLD) break;
  }
  return users;
}

/** Users that one refusal names. */
const MOST_TOLD = 20;

const WORDS: Record<SourceKind, string> = {
  ...(Object.fromEntries(
    Object.entries(KINDS).map(([kind, { word }]) => [kind, word.toLowerCase()]),
  ) as Record<ComponentType, string>),
  automation: 'automation',
  trigger: 'trigger',
};

/**
 * Refuse to take out what others name.
 *
 * @param what names the asset, or the assets, in the message
 * @throws ServiceError CONFLICT with the users in `data`
 */
export async function assertUnused(
  db: Database,
  what: string,
  targets: readonly { kind: ComponentType; id: string }[],
  leaving?: readonly { kind: SourceKind; id: string }[],
): Promise<void> {
  const users = await usersOf(db, targets, leaving);
  if (users.length === 0) return;
  const told = users.slice(0, 3).map(({ kind, name }) => `${WORDS[kind]} ${name}`);
  const more = users.length > told.length ? ` and ${users.length - told.length} more` : '';
  throw conflict(`${what} is used by ${told.join(', ')}${more}`, { data: { usedBy: users } });
}
