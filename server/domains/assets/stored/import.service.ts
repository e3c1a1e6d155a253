import { randomUUID } from 'node:crypto';
import { getTableName, type SQL, sql } from 'drizzle-orm';
import { acquireLock, type Database, rows } from '#db/client.ts';
import { find, findAll, insertMany, type Stored } from '#db/collection.ts';
import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import { newId } from '#db/ids.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import { projects, templates } from '#db/tables/assets/assets.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { batches } from '#server/kernel/documents/batches.ts';
import { recordChanges } from '#server/kernel/documents/documents.service.ts';
import { conflict, notFound } from '#server/kernel/errors.ts';
import { mapYielding } from '#server/kernel/timing/map-yielding.ts';
import { withStoredAuthors } from '../authors/authors.service.ts';
import { authorOf, namesTaken } from './assets.service.ts';
import { withErrors } from './drafts.ts';
import {
  type Existing,
  type ImportItem,
  type OnTaken,
  type Planned,
  planImport,
  renamesOf,
  wishes,
} from './import.ts';
import { type Asset, restamped, stamped, type WriteAuthor, withId, withoutUnusableStamps } from './kinds.ts';
import { adoptAll, followRename, recordReferences, tableOf } from './references.service.ts';
import { withRewrittenReferences } from './references.ts';
import { bareName, namespaceOf, ownedBy } from './scope.ts';

export type { ImportItem } from './import.ts';

/** Returns a new id in the format of a kind: a UUID for workflows. */
export const newIdOf = (kind: string): string => (kind === 'workflow' ? randomUUID() : newId());

/** The outcome of one asset of an import. */
export type Imported = {
  kind: ComponentType;
  /** The id in the document or the set; null when it had none. */
  fromId: string | null;
  id: string;
  fromName: string;
  /** The name as stored: in a project with its prefix. */
  name: string;
  outcome: Planned['outcome'];
  /** The document as stored. */
  doc: Asset;
};

export type ImportOptions = {
  /** The project that will own the assets; null makes global ones. The caller adds them to its list. */
  projectId: string | null;
  onTaken: OnTaken;
  /** The project that the set was exported from: names that begin with it change to the new names. */
  from?: string | null;
  /** Whether the ids in the documents are replaced by new ones. */
  newIds?: boolean;
  /** Adds to the documents what depends on the others of the set, before they are stored. */
  complete?: (ctx: WriteContext, built: readonly Imported[]) => Promise<readonly Imported[]>;
};

const asBuilt = async (_ctx: WriteContext, built: readonly Imported[]) => built;

/**
 * Stores assets in the transaction of the request: ids and stamps are kept where they are free and valid, and references
 * within the set follow their target to its new id or name (contract/lifecycle#ids, #5.1). The caller must have validated
 * the documents (`documentIssues`); unknown fields are kept.
 *
 * @returns the outcome of each, in the order of `given`
 * @throws ServiceError CONFLICT with every taken name that `onTaken` does not resolve; NOT_FOUND when the project does
 *   not exist
 */
export async function storeImport(
  ctx: WriteContext,
  given: readonly ImportItem[],
  { projectId, onTaken, from = null, newIds = false, complete = asBuilt }: ImportOptions,
): Promise<readonly Imported[]> {
  const { db } = ctx;
  const items = await withAuthors(db, given);
  const namespace = await namespaceFor(db, projectId);
  // When the same documents are imported twice at once, the second import sees the names of the first.
  await acquireLock(db, 'switchyard asset imports');
  const existing = await findExisting(db, items, projectId);
  const { planned, taken } = planImport(items, existing, { projectId, onTaken, newIds, makeId: newIdOf });
  if (taken.length > 0) throw takenNamesConflict(items, taken);

  const author = authorOf(ctx);
  const rename = renamesOf(planned, projectId, from);
  const old = await findReplaced(db, planned);
  const built = await complete(
    ctx,
    await mapYielding(planned, (one): Imported => {
      const { kind, doc: sent, errors } = one.item;
      const followed = withErrors(withRewrittenReferences(kind, sent, rename), errors);
      const owned = ownedBy(namespace, { ...followed, name: one.name });
      const replaced = old.get(`${kind} ${one.id}`);
      const stampedDoc = replaced
        ? restamped(kind, owned, replaced.doc, author)
        : stamped(
            kind,
            withoutUnusableStamps(kind, owned, author),
            author,
            !DOCUMENT_KINDS[kind].stampedHere,
          );
      return {
        kind,
        fromId: one.fromId,
        id: one.id,
        fromName: sent.name,
        name: one.name,
        outcome: one.outcome,
        doc: withId(kind, stampedDoc, one.id),
      };
    }),
  );
  for (const kind of kindsOf(items)) {
    await store(
      db,
      author,
      kind,
      projectId,
      built.filter((one) => one.kind === kind),
      old,
    );
  }
  // Only now, because assets of the set may reference each other.
  for (const kind of kindsOf(items)) {
    const stored = built.filter((one) => one.kind === kind);
    await recordReferences(db, kind, stored);
    await adoptAll(db, kind, stored);
  }
  return built;
}

/** Returns the set with its authors in the form of each kind. */
async function withAuthors(db: Database, items: readonly ImportItem[]): Promise<ImportItem[]> {
  const docs = await withStoredAuthors(
    db,
    items.map(({ kind, doc }) => ({ doc, form: DOCUMENT_KINDS[kind].authors })),
  );
  // Only authors have changed.
  return items.map((item, at) => ({ ...item, doc: (docs[at] ?? item.doc) as Asset }));
}

const kindsOf = (items: readonly { kind: ComponentType }[]) => [...new Set(items.map(({ kind }) => kind))];

async function namespaceFor(db: Database, projectId: string | null) {
  if (projectId === null) return null;
  const project = await find(db, projects, projectId);
  if (!project) throw notFound('Project', projectId);
  return namespaceOf(project.doc);
}

/** Returns the assets that already have one of the ids or names, in one query per kind. */
async function findExisting(
  db: Database,
  items: readonly ImportItem[],
  projectId: string | null,
): Promise<Existing[]> {
  const found: Existing[] = [];
  for (const kind of kindsOf(items)) {
    const { ids, names } = wishes(
      items.filter((one) => one.kind === kind),
      projectId,
    );
    const table = tableOf(kind);
    const group = kind === 'template' ? sql`a.${sql.identifier(templates.group.name)}` : sql`null`;
    const columns = sql`a.id, a.name, a.project_id as "projectId", ${group} as "group"`;
    const known = await rows<Omit<Existing, 'kind'>>(
      db,
      sql`select ${columns} from ${table} a
            where a.id = any(${textArray(ids)})
          union ${namesTaken(table, names, columns)}`,
    );
    found.push(...known.map((one) => ({ kind, ...one })));
  }
  return found;
}

const takenNamesConflict = (items: readonly ImportItem[], taken: readonly number[]) => {
  const named = taken.map((at) => items[at]).filter((one) => one !== undefined);
  const [first] = named;
  const more = named.length > 1 ? `, and ${named.length - 1} more names are taken` : '';
  return conflict(
    `${first ? `${DOCUMENT_KINDS[first.kind].word} ${bareName(first.doc.name)}` : 'An asset'} already exists${more}`,
    {
      issues: named.map(({ kind, doc }, at) => ({
        path: [taken[at] ?? at],
        message: `${DOCUMENT_KINDS[kind].word} ${doc.name} already exists`,
        code: 'taken',
      })),
    },
  );
};

/** Returns the documents that the import overwrites, locked. */
async function findReplaced(db: Database, planned: readonly Planned[]): Promise<Map<string, Stored<Asset>>> {
  const replaced = new Map<string, Stored<Asset>>();
  const over = planned.filter(({ outcome }) => outcome === 'overwritten');
  for (const kind of kindsOf(over.map(({ item }) => item))) {
    const ids = over.filter(({ item }) => item.kind === kind).map(({ id }) => id);
    const table = tableOf(kind);
    const found = await findAll(db, table, idsIn(ids));
    for (const one of found) replaced.set(`${kind} ${one.id}`, one);
  }
  return replaced;
}

const idsIn = (ids: readonly string[]): SQL => sql`id = any(${textArray(ids)})`;

async function store(
  db: Database,
  author: WriteAuthor,
  kind: ComponentType,
  projectId: string | null,
  built: readonly Imported[],
  old: ReadonlyMap<string, Stored<Asset>>,
): Promise<void> {
  const table = tableOf(kind);
  const texts = new Map(built.map((one) => [one, JSON.stringify(one.doc)]));
  const textOf = (one: Imported) => texts.get(one) ?? '';
  const isOver = ({ id }: Imported) => old.has(`${kind} ${id}`);
  for (const batch of batches(built.filter(isOver), textOf)) {
    const documents = `[${batch.map(textOf).join(',')}]`;
    await db.execute(sql`
      update ${table} t set doc = r.doc, rev = t.rev + 1, updated_at = now()
      from (select one ->> ${DOCUMENT_KINDS[kind].idFields[0]}::text as id, one as doc
            from jsonb_array_elements(${documents}::text::jsonb) one) r
      where t.id = r.id`);
    recordChanges(db, getTableName(table), batch);
    for (const { id, name } of batch) {
      const before = old.get(`${kind} ${id}`)?.doc.name ?? name;
      if (before !== name) await followRename(db, author, kind, { id, name: before }, { id, name });
    }
  }
  const fresh = built.filter((one) => !isOver(one));
  for (const batch of batches(fresh, textOf)) {
    await insertMany(
      db,
      table,
      batch.map(({ id, doc }) => ({ id, doc, extra: { projectId } })),
    );
  }
}
