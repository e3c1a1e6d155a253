import { eq, sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { remove, replace } from '#db/collection.ts';
import { isoOf } from '#db/expressions.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import { GitRemote, type GitRemoteInput, type GitRemoteUpdates } from '#db/schemas/git/remote.ts';
import { gitDocuments, gitRemotes } from '#db/tables/git/remotes.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import {
  insertUnlessTaken,
  makerOf,
  readDocument,
  unlessTaken,
} from '#server/kernel/documents/documents.service.ts';
import { core } from '#server/kernel/documents/list-envelope.ts';
import { madeBy } from '#server/kernel/documents/new-document.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { assertQuota } from '#server/kernel/documents/quota.service.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';
import { changedMeanwhile, notFound } from '#server/kernel/errors.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { assertWholeAccount } from '#server/kernel/principal.ts';
import { maskedIssues, openedFields, SHOWN, sealedFields } from '#server/kernel/secrets/secret-fields.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { movedIssues, nextRunOf, REMOTE_SECRETS, remoteIssues } from './remote-rules.ts';

/** Maximum number of remotes. */
const MOST_REMOTES = 100;

const resource = defineResource({
  name: 'Git remotes',
  schema: GitRemote,
  source: gitRemotes,
  columns: { name: gitRemotes.name },
  defaultSort: [{ field: 'name', order: 1 }],
  unlimited: true,
});

/**
 * Returns one page of the remotes; secrets are masked.
 *
 * @param query options of a list (contract/decisions#get-options)
 * @throws ServiceError BAD_REQUEST for an unknown option
 */
export const listRemotes = async ({ db }: { db: Database }, query: Readonly<Record<string, unknown>>) =>
  core<GitRemote>(await list(db, resource, readList(resource, query)));

/** Returns one remote. @throws ServiceError NOT_FOUND */
export const getRemote = async (ctx: ReadContext, id: string): Promise<JsonText<GitRemote>> =>
  json(await readDocument(ctx, 'gitRemote', id));

/**
 * Returns a remote with its secrets opened.
 *
 * @param secrets its sealed secrets by field
 * @returns a copy with secrets, or references to them; it must not be stored or answered
 */
export function openedRemote(
  vault: Pick<Vault, 'open'>,
  remote: GitRemote,
  secrets: Readonly<Record<string, string>>,
): GitRemote {
  if (!remote.credential) return remote;
  const opened = openedFields(REMOTE_SECRETS, vault, remote._id, secrets);
  return { ...remote, credential: { ...remote.credential, ...opened } };
}

/** What a personal token needs all roles of its account for (`assertWholeAccount`). */
const RUNS = 'Git remotes run';

/**
 * Stores a new remote.
 *
 * @throws ServiceError BAD_REQUEST with every issue; FORBIDDEN for a personal token with fewer roles than its account;
 *   CONFLICT when the name is taken
 */
export async function createRemote(ctx: WriteContext<'config'>, given: GitRemoteInput) {
  assertWholeAccount(ctx.principal, RUNS);
  await assertQuota(ctx.db, gitRemotes, { most: MOST_REMOTES, what: 'Git remotes' });
  assertNone([
    ...maskedIssues(REMOTE_SECRETS, given.credential ?? {}),
    ...remoteIssues(given, ctx.platform.config.allowPrivateTargets, ctx.platform.now()),
  ]);
  const id = newId(ctx.platform.now().getTime());
  const { doc, secrets } = sealed(ctx, id, given);
  const data: GitRemote = {
    ...doc,
    _id: id,
    runAs: ctx.principal.id,
    nextRunAt: nextRunOf(doc, ctx.platform.now()),
    ...madeBy(makerOf(ctx)),
  };
  const name = { index: 'git_remotes_name', message: taken(given.name) };
  await insertUnlessTaken(ctx.db, gitRemotes, { id, doc: data, secrets }, name);
  return { status: 'Created' as const, message: `Created ${given.name}.`, data };
}

/**
 * Changes fields of a remote: masks and absent fields keep what is stored. The caller becomes the account whose rights
 * count. Another repository, branch or folder has no common base with what is here.
 *
 * @throws ServiceError BAD_REQUEST with every issue, NOT_FOUND, CONFLICT; FORBIDDEN as createRemote
 */
export async function updateRemote(ctx: WriteContext<'config'>, id: string, updates: GitRemoteUpdates) {
  assertWholeAccount(ctx.principal, RUNS);
  const stored = await lockRemote(ctx, id);
  const before = stored.doc;
  const {
    _id,
    runAs: _,
    created,
    createdBy,
    lastUpdated,
    lastUpdatedBy: _by,
    nextRunAt: _next,
    ...old
  } = before;
  const { credential, ...changed } = updates;
  const kept = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
  const sent = Object.entries(credential ?? {}).filter(([, value]) => value !== undefined && value !== SHOWN);
  const after = {
    ...old,
    ...kept,
    ...((old.credential || credential) && { credential: { ...old.credential, ...Object.fromEntries(sent) } }),
  } as GitRemoteInput;
  const issues = remoteIssues(after, ctx.platform.config.allowPrivateTargets, ctx.platform.now());
  assertNone([...issues, ...(issues.length > 0 ? [] : movedIssues(before, after, updates))]);
  const { doc, secrets } = sealed(ctx, id, after, stored.secrets);
  const data: GitRemote = {
    ...doc,
    _id: id,
    runAs: ctx.principal.id,
    nextRunAt: nextRunOf(doc, ctx.platform.now()),
    created,
    createdBy,
    lastUpdated: grownStamp(ctx.platform.now(), lastUpdated),
    lastUpdatedBy: ctx.principal.id,
  };
  const written = await unlessTaken('git_remotes_name', taken(after.name), () =>
    replace(ctx.db, gitRemotes, stored, data, { secrets }),
  );
  if (!written) throw changedMeanwhile(`Remote ${stored.name}`);
  if (
    after.url !== before.url ||
    after.branch !== before.branch ||
    (after.path ?? '') !== (before.path ?? '')
  )
    await ctx.db.delete(gitDocuments).where(eq(gitDocuments.remoteId, id));
  return { status: 'OK' as const, message: `Updated ${after.name}.`, data };
}

/** Deletes a remote with its runs; the repository stays as it is. @throws ServiceError NOT_FOUND */
export async function deleteRemote(ctx: WriteContext<'config'>, id: string) {
  const stored = await lockRemote(ctx, id);
  await remove(ctx.db, gitRemotes, [id]);
  return { status: 'OK' as const, message: `Deleted ${stored.name}.` };
}

async function lockRemote(ctx: WriteContext<'config'>, id: string) {
  const [found] = await ctx.db.select().from(gitRemotes).where(eq(gitRemotes.id, id)).for('update');
  if (!found) throw notFound('Git remote', id);
  assertUnchanged(ctx.request.ifMatch, found.doc.lastUpdated, `Remote ${found.name}`);
  return found;
}

const taken = (name: string) => `A Git remote with the name ${name} already exists`;

/** Returns the document with masks, and its secrets sealed. */
function sealed(
  { platform: { vault } }: WriteContext<'config'>,
  id: string,
  { credential, ...rest }: GitRemoteInput,
  stored?: Readonly<Record<string, string>>,
): { doc: GitRemoteInput; secrets: Record<string, string> } {
  if (!credential) return { doc: rest, secrets: {} };
  const { shown, secrets } = sealedFields(REMOTE_SECRETS, vault, id, credential, stored);
  const { username } = credential;
  return { doc: { ...rest, credential: { ...(username !== undefined && { username }), ...shown } }, secrets };
}

/** A remote whose latest run failed. */
export type FailingRemote = { id: string; name: string; since: string; lastError: string | null };

/**
 * Returns the enabled remotes whose latest run failed, by name.
 *
 * @returns the remotes with the message of the failure
 */
export const failingRemotes = (db: Database): Promise<FailingRemote[]> =>
  rows<FailingRemote>(
    db,
    sql`select id, name, last_error as "lastError",
          ${isoOf(sql`failing_since`)} as since
        from git_remotes
        where failing_since is not null and doc -> 'enabled' is distinct from 'false'::jsonb order by name`,
  );
