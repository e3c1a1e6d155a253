import { sql } from 'drizzle-orm';
import { isListed } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { find, replace, type Stored } from '#db/collection.ts';
import type { Project, ProjectMember } from '#db/schemas/assets/project.ts';
import { projects } from '#db/tables/assets.ts';
import { findDocument } from '#server/kernel/documents/documents.service.ts';
import { against, assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { conflict, forbidden, notFound, refused } from '#server/kernel/errors.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { authorOf, type ReadContext, type WriteContext } from '../authors/writing.service.ts';
import { restamped } from '../stored/kinds.ts';
import { memberIssues, type Right } from './project-members.ts';

/**
 * A project as far as the caller may see it.
 *
 * @param lock nobody else writes it, or gives out its component numbers, before the transaction ends
 * @throws ServiceError NOT_FOUND
 */
export const findProject = (ctx: ReadContext, id: string, lock = false): Promise<Stored<Project>> =>
  findDocument(ctx, 'project', id, lock);

/**
 * The project that a request is about to write, locked.
 *
 * @param right what the caller's membership must allow
 * @param change what is about to be written, for the one who is told that somebody else was first
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT when If-Match no longer holds
 */
export async function openProject(
  ctx: WriteContext,
  id: string,
  right: Right,
  change: Partial<Project> = {},
): Promise<Stored<Project>> {
  const stored = await findProject(ctx, id, true);
  assertMay(ctx.principal, stored.doc, right);
  const what = `Project ${stored.doc.name}`;
  assertUnchanged(ctx.request.ifMatch, stored.doc.lastUpdated, what, against(stored.doc, change));
  return stored;
}

/**
 * A project whoever asks, for writes that were allowed before; locked unless `lock` says otherwise.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function lockProject(db: Database, id: string, lock = true): Promise<Stored<Project>> {
  const stored = await find(db, projects, id, lock);
  if (!stored) throw notFound('Project', id);
  return stored;
}

/** @throws ServiceError FORBIDDEN when the caller's membership does not allow it (contract/lifecycle#5.1) */
export function assertMay(principal: Caller, project: Project, right: Right): void {
  if (principal.roles.includes('admin')) return;
  const allowed = project.accessControl?.[right] ?? [];
  if (isListed(allowed, principal)) return;
  throw forbidden(`Your membership of project ${project.name} does not include the right to ${right}`);
}

/** Write a project over the one that was locked. @returns it as stored */
export async function saveProject(
  ctx: WriteContext,
  stored: Stored<Project>,
  next: Project,
): Promise<Project> {
  const doc = restamped('project', next, stored.doc, authorOf(ctx));
  if (!(await replace(ctx.db, projects, stored, doc))) {
    throw conflict(`Project ${stored.doc.name} was changed meanwhile`);
  }
  return doc;
}

/** What is known of the accounts and groups that projects name. */
export type KnownPrincipal = { username?: string; name?: string; provenance: string };

/** The accounts and groups with these ids, by `account:<id>` and `group:<id>`: one query. */
export async function knownMembers(
  db: Database,
  asked: readonly { type: 'account' | 'group'; reference: string }[],
): Promise<Map<string, KnownPrincipal>> {
  const ids = (type: string) =>
    JSON.stringify(asked.filter((one) => one.type === type).map((one) => one.reference));
  const found = await rows<{ key: string; name: string; provenance: string }>(
    db,
    sql`select 'account:' || id as key, username as name, provenance from accounts
          where id = any(array(select jsonb_array_elements_text(${ids('account')}::text::jsonb)))
        union all select 'group:' || id, name, provenance from groups
          where id = any(array(select jsonb_array_elements_text(${ids('group')}::text::jsonb)))`,
  );
  return new Map(
    found.map(({ key, name, provenance }) => [
      key,
      key.startsWith('account:') ? { username: name, provenance } : { name, provenance },
    ]),
  );
}

/**
 * Refuse members that cannot be: nobody who owns the project, somebody twice, somebody who is not there.
 *
 * @param before the members so far: one of them may have gone meanwhile
 * @throws ServiceError BAD_REQUEST with every issue
 */
export async function assertMembers(
  db: Database,
  members: readonly ProjectMember[],
  before: readonly ProjectMember[],
): Promise<void> {
  const known = await knownMembers(db, members);
  const key = ({ type, reference }: ProjectMember) => `${type}:${reference}`;
  const old = new Set(before.map(key));
  const issues = memberIssues(
    members,
    (member) => known.has(key(member)),
    (member) => old.has(key(member)),
  );
  if (issues.length > 0) throw refused(issues);
}
