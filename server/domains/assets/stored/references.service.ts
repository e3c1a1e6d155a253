import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Member } from '#db/access.ts';
import { type Database, rows, runUnread } from '#db/client.ts';
import { type Documents, find, remove, replace } from '#db/collection.ts';
import { DOCUMENT_KINDS, kindsWhere, type SourceKind } from '#db/document-kinds/kinds.ts';
import { documentsOf, readable } from '#db/document-kinds/readable.ts';
import { isOneOf } from '#db/expressions.ts';
import { ComponentType } from '#db/schemas/assets/project.ts';
import { assetReferences, type workflows } from '#db/tables/assets/assets.ts';
import { conflict } from '#server/kernel/errors.ts';
import { type Asset, restamped, type WriteAuthor } from './kinds.ts';
import { type Reference, referencesIn, renameOf, withRewrittenReferences } from './references.ts';
import { forgetTags } from './tagging.service.ts';

/** The table of a kind, typed for functions that work on all kinds. */
export type AssetTable = Documents<Asset> & Pick<typeof workflows, 'projectId' | 'name'>;

// Each table holds its own type of document; here they are all typed as assets.
/** Returns the table of a kind of asset, with the columns that all of these tables have. */
export const tableOf = (kind: ComponentType): AssetTable =>
  DOCUMENT_KINDS[kind].table as unknown as AssetTable;

/** A document that references another, as error messages name it. */
export type ReferencingDocument = { kind: SourceKind; id: string; name: string };

/** Returns the asset that each reference resolves to, in their order; null for an id or name that does not exist. */
export async function resolve(
  db: Database,
  references: readonly Reference[],
): Promise<({ kind: ComponentType; id: string; name: string } | null)[]> {
  const kinds = ComponentType.options;
  const found = new Map<string, { kind: ComponentType; id: string; name: string }>();
  for (const kind of kinds) {
    const ofKind = references.filter((one) => one.kind === kind || one.kind === null);
    if (ofKind.length === 0) continue;
    const values = JSON.stringify([...new Set(ofKind.map(({ value }) => value))]);
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

/** Records the references of documents, in the transaction that writes them; their previous references are deleted. */
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
  await runUnread(
    db,
    sql`
    insert into ${assetReferences} (source_kind, source_id, target_kind, target_name, target_id)
    select ${kind}::text, r ->> 'sourceId', r ->> 'targetKind', r ->> 'targetName', r ->> 'targetId'
    from jsonb_array_elements(${JSON.stringify([...written.values()])}::text::jsonb) r`,
  );
}

/** Deletes the references of deleted documents. */
export async function forgetReferences(
  db: Database,
  kind: SourceKind,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const { sourceKind, sourceId } = assetReferences;
  const isOurs = sql`${sourceKind} = ${kind} and ${isOneOf(sourceId, ids)}`;
  await runUnread(db, sql`delete from ${assetReferences} where ${isOurs}`);
}

/** Deletes documents of a kind, with their references and tags; references to them are kept without a target. */
export async function removeDocuments(
  db: Database,
  kind: ComponentType,
  ids: readonly string[],
): Promise<void> {
  await remove(db, tableOf(kind), [...ids]);
  await forgetReferences(db, kind, ids);
  await orphanReferences(db, kind, ids);
  await forgetTags(db, ids);
}

/** Resolves references to a document that were recorded before it existed. */
export const adopt = (db: Database, kind: ComponentType, id: string, name: string): Promise<void> =>
  adoptAll(db, kind, [{ id, name }]);

/** Does what `adopt` does for many documents of a kind, in one statement. */
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
 * Updates every document that references this one by its old name or id.
 *
 * @param to the asset with its new id and name
 */
export async function followRename(
  db: Database,
  author: WriteAuthor,
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
    const table = documentsOf(source.source_kind) as Documents<unknown> as Documents<Asset>;
    const stored = await find(db, table, source.source_id, true);
    if (!stored) continue;
    const doc = withRewrittenReferences(source.source_kind, stored.doc, renameOf(kind, from, to));
    // An automation may reference others too; `componentName` is the name of its `componentId`.
    const isStarted = kind === 'workflow' && doc.componentId === to.id;
    const isLabelled = source.source_kind === 'automation' && isStarted;
    const followed = isLabelled && doc.componentName !== to.name ? { ...doc, componentName: to.name } : doc;
    if (followed === stored.doc) continue;
    const written = restamped(source.source_kind, followed, stored.doc, author);
    await replace(db, table, stored, written);
  }
  await db.execute(sql`
    update ${assetReferences} set target_id = ${to.id},
      target_name = case when target_name = ${from.id} then ${to.id} when target_name = ${from.name} then ${to.name}
        else target_name end
    where target_id = ${from.id} and target_kind = ${kind}`);
}

/** Returns the query for the document of a row `u`, found by its id, with whether the reader may see it. */
function sourceOf(reader: Member | undefined): SQL {
  const branches = kindsWhere(({ references }) => references).map(
    (kind) => sql`select id, name, ${(reader && readable(kind, reader)) ?? sql`true`} as seen
        from ${DOCUMENT_KINDS[kind].table} where id = u.source_id and u.source_kind = ${kind}::text`,
  );
  return sql.join(branches, sql` union all `);
}

/**
 * Returns the documents that reference these assets, apart from those in `leaving`.
 *
 * @param reader only documents that it may see are returned; absent: all
 * @param most the maximum number of documents that are read
 */
export async function usersOf(
  db: Database,
  targets: readonly { kind: ComponentType; id: string }[],
  leaving: readonly { kind: SourceKind; id: string }[] = targets,
  reader?: Member,
  most = MOST_USERS_NAMED,
): Promise<(ReferencingDocument & { target: string })[]> {
  const found = await sourcesOf(db, targets, leaving, reader, most);
  return found.flatMap(({ seen, ...user }) => (seen ? [user] : []));
}

type ReferenceSource = ReferencingDocument & { target: string; seen: boolean };

async function sourcesOf(
  db: Database,
  targets: readonly { kind: ComponentType; id: string }[],
  leaving: readonly { kind: SourceKind; id: string }[],
  reader: Member | undefined,
  most: number,
): Promise<ReferenceSource[]> {
  if (targets.length === 0) return [];
  const ids = (list: readonly { kind: string; id: string }[]) =>
    JSON.stringify(list.map(({ kind, id }) => ({ kind, id })));
  return await rows<ReferenceSource>(
    db,
    sql`select u.source_kind as kind, s.id, s.name, u.target, s.seen
        from (
          select distinct r.source_kind, r.source_id, t.id as target from ${assetReferences} r
          join jsonb_to_recordset(${ids(targets)}::text::jsonb) as t(kind text, id text)
            on r.target_id = t.id and r.target_kind = t.kind
          where not exists (
            select from jsonb_to_recordset(${ids(leaving)}::text::jsonb) as l(kind text, id text)
            where l.kind = r.source_kind and l.id = r.source_id)
        ) u cross join lateral (${sourceOf(reader)}) s
        order by s.seen desc, kind, s.name, s.id, u.target limit ${most}::int`,
  );
}

/** Maximum number of users of an asset that one error message names. */
const MOST_USERS_NAMED = 20;

/**
 * Rejects the removal of assets that others reference.
 *
 * @param what the asset or assets, for the message
 * @param reader only the users that it may see are named; absent: all
 * @throws ServiceError CONFLICT with the users in `data`
 */
export async function assertUnused(
  db: Database,
  what: string,
  targets: readonly { kind: ComponentType; id: string }[],
  leaving: readonly { kind: SourceKind; id: string }[] = targets,
  reader?: Member,
): Promise<void> {
  const found = await sourcesOf(db, targets, leaving, reader, MOST_USERS_NAMED);
  if (found.length === 0) return;
  const users = found.flatMap(({ seen, ...user }) => (seen ? [user] : []));
  const names = users
    .slice(0, 3)
    .map(({ kind, name }) => `${DOCUMENT_KINDS[kind].word.toLowerCase()} ${name}`);
  const more = found.length - names.length;
  const others = `${more}${found.length === MOST_USERS_NAMED ? ' or more' : ''} ${more === 1 ? 'other' : 'others'}`;
  const hidden = more > 0 ? others : '';
  const by = [names.join(', '), hidden].filter((part) => part !== '').join(' and ');
  throw conflict(`${what} is used by ${by}`, { data: { usedBy: users } });
}

/** Clears the target of references to deleted assets, until one with the same name or id is created. */
async function orphanReferences(db: Database, kind: ComponentType, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { targetKind, targetId } = assetReferences;
  await db
    .update(assetReferences)
    .set({ targetId: null })
    .where(and(eq(targetKind, kind), isOneOf(targetId, ids)));
}
