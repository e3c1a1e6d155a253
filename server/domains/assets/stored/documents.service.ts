import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import { newId } from '#db/ids.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { DraftError } from '#db/schemas/assets/draft.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import { projects } from '#db/tables/assets/assets.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { conflict, type Issue } from '#server/kernel/errors.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { authorsAsSent, ownerIssues } from '../authors/sent.ts';
import {
  assertMayWriteIn,
  findAssets,
  getAsset,
  insertAsset,
  removeAssets,
  replaceAsset,
  type StoredAsset,
} from './assets.service.ts';
import { documentIssues } from './documents.ts';
import { errorsOf, withErrors } from './drafts.ts';
import { type Imported, storeImport } from './import.service.ts';
import type { Asset } from './kinds.ts';
import { usersOf } from './references.service.ts';

type Path = (string | number)[];

/** Options for checking one write of a document and for its messages. */
type WriteOptions<Doc> = {
  /** The document's path in the request. */
  path: Path;
  /** Returns further issues, besides those of its shape and name. */
  issues?: (doc: Doc, path: Path) => Issue[] | Promise<Issue[]>;
  /** The message when its name is taken. */
  taken?: string;
};

/**
 * Stores a new global document, with a new id and new stamps.
 *
 * @throws ServiceError BAD_REQUEST with every issue, CONFLICT when the name is taken
 */
export async function createAsset<Doc extends Asset>(
  ctx: WriteContext,
  kind: ComponentType,
  given: Doc,
  { path, issues, taken }: WriteOptions<Doc>,
): Promise<Doc> {
  const doc = withErrors(authorsAsSent(kind, given));
  assertNone(await allIssues(kind, doc, path, null, async () => (await issues?.(doc, path)) ?? []));
  const id = DOCUMENT_KINDS[kind].namedById ? doc.name : newId(ctx.platform.now().getTime());
  return insertAsset(ctx, kind, id, doc, taken === undefined ? {} : { taken });
}

/**
 * Replaces a stored document; its owner stays, and references to it follow a new name.
 *
 * @param change returns the new document, given the stored one
 * @throws ServiceError NOT_FOUND, FORBIDDEN, BAD_REQUEST with every issue, CONFLICT when the name is taken or If-Match no
 *   longer holds
 */
export async function updateAsset<Doc extends Asset>(
  ctx: WriteContext,
  kind: ComponentType,
  id: string,
  change: (stored: Doc) => Doc,
  {
    path,
    issues,
    taken,
    isStillDraft = () => false,
  }: Omit<WriteOptions<Doc>, 'issues'> & {
    issues?: (doc: Doc, path: Path, stored: Doc) => Issue[] | Promise<Issue[]>;
    /** Returns whether the errors of a draft also apply to the new document; absent: a valid one has none. */
    isStillDraft?: (doc: Doc, stored: Doc) => boolean;
  },
): Promise<Doc> {
  const stored = await getAsset<Doc>(ctx, kind, id, { lock: true });
  await assertMayWriteIn(ctx, stored.projectId);
  const changed = authorsAsSent(kind, change(stored.doc));
  const sent = withErrors(changed, isStillDraft(changed, stored.doc) ? errorsOf(stored.doc) : []);
  const more = async () => (await issues?.(sent, path, stored.doc)) ?? [];
  assertNone(await allIssues(kind, sent, path, stored.projectId, more));
  const { namespace } = stored.doc;
  const doc = namespace === undefined ? sent : { ...sent, namespace };
  return replaceAsset(ctx, kind, stored, doc, taken === undefined ? {} : { taken });
}

/** Returns all issues of a document; `more` is called only when its shape is valid. */
async function allIssues(
  kind: ComponentType,
  doc: Asset,
  path: Path,
  projectId: string | null,
  more: () => Promise<Issue[]>,
): Promise<Issue[]> {
  let isSound = false;
  const issues = documentIssues(kind, doc, path, () => {
    isSound = true;
    return ownerIssues(doc.name, projectId, path);
  });
  return isSound ? [...issues, ...(await more())] : issues;
}

/**
 * Deletes documents, all or none; ids that do not exist, or that the caller may not see, are ignored.
 *
 * @returns the number of deleted documents
 * @throws ServiceError FORBIDDEN, CONFLICT with `ids` of the used documents and `usedBy` in its data
 */
export async function deleteAssets(
  ctx: WriteContext,
  kind: ComponentType,
  ids: readonly string[],
): Promise<number> {
  const stored = await findAssets(ctx, kind, sql`id = any(${textArray(ids)})`, true);
  for (const projectId of new Set(stored.map((one) => one.projectId))) await assertMayWriteIn(ctx, projectId);
  await assertNoneUsed(ctx, kind, stored);
  await removeAssets(ctx, kind, stored);
  return stored.length;
}

/**
 * Rejects the deletion of documents in use: by their project, or by the workflows, automations and triggers that name
 * them (contract/lifecycle#5). Users of a document that the caller may not see count, but are not named.
 */
async function assertNoneUsed(
  { db, principal }: WriteContext,
  kind: ComponentType,
  stored: readonly StoredAsset[],
) {
  const owned = stored.filter(({ projectId }) => projectId !== null);
  const ownerIds = JSON.stringify(owned.map(({ projectId }) => projectId));
  const owners = await rows<{ id: string; name: string }>(
    db,
    sql`select id, name from ${projects}
        where id = any(array(select jsonb_array_elements_text(${ownerIds}::text::jsonb)))`,
  );
  const nameOf = new Map(owners.map(({ id, name }) => [id, name]));
  const targets = stored.map(({ id }) => ({ kind, id }));
  const everyUser = [...owned.map(({ id }) => ({ target: id })), ...(await usersOf(db, targets))];
  const [first] = everyUser;
  if (!first) return;
  const usedBy = [
    ...owned.map(({ id, projectId }) => ({
      kind: 'project',
      id: projectId,
      name: nameOf.get(projectId ?? '') ?? '',
      target: id,
    })),
    ...(await usersOf(db, targets, targets, principal)),
  ];
  const ids = [...new Set(everyUser.map(({ target }) => target))];
  const firstUse = usedBy.find(({ target }) => target === first.target);
  const called = stored.find(({ id }) => id === first.target)?.doc.name;
  const user = firstUse ? `${firstUse.kind} ${firstUse.name}` : 'a document that you cannot see';
  const more = everyUser.length > 1 ? `, and ${everyUser.length - 1} more` : '';
  throw conflict(`${DOCUMENT_KINDS[kind].word} ${called} is used by ${user}${more}`, {
    data: { ids, usedBy },
  });
}

/**
 * Stores imported documents as global ones: ids and stamps are kept where they are free and valid, taken names get a
 * number (contract/lifecycle#0.7).
 *
 * @param pathOf returns the path of each document in the request
 * @param issues returns further reasons to reject a document
 * @param errorsAt returns the errors with which a document is stored as a draft
 * @returns the stored documents, in the order of `given`
 * @throws ServiceError BAD_REQUEST with every issue: then nothing is stored
 */
export async function importDocuments<Doc extends Asset>(
  ctx: WriteContext,
  kind: ComponentType,
  given: readonly Doc[],
  pathOf: (at: number) => Path,
  issues: (doc: Doc, path: Path) => Issue[] = () => [],
  errorsAt: (at: number) => DraftError[] = () => [],
): Promise<readonly Imported[]> {
  assertNone(
    given.flatMap((doc, at) => documentIssues(kind, doc, pathOf(at), () => issues(doc, pathOf(at)))),
  );
  return storeImport(
    ctx,
    given.map((doc, at) => ({ kind, doc, errors: errorsAt(at) })),
    { projectId: null, onTaken: 'rename' },
  );
}

/** Returns the message for the user about one imported document. */
export const importedMessage = ({ kind, fromName, name, outcome }: Imported): string =>
  outcome === 'renamed'
    ? `Imported ${DOCUMENT_KINDS[kind].word} ${fromName} as ${name}: the name was taken`
    : `Imported ${DOCUMENT_KINDS[kind].word} ${name}`;
