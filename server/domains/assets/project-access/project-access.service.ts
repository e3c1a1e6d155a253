import { sql } from 'drizzle-orm';
import { isListed } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { find, replace, type Stored } from '#db/collection.ts';
import type { Project, ProjectMember } from '#db/schemas/assets/project.ts';
import { projects } from '#db/tables/assets/assets.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { findDocument } from '#server/kernel/documents/documents.service.ts';
import { assertUnchanged, conflictDetails } from '#server/kernel/documents/optimistic-lock.ts';
import { changedMeanwhile, forbidden, invalidRequest, notFound } from '#server/kernel/errors.ts';
import type { Caller } from '#server/kernel/principal.ts';
import { authorOf } from '../authors/writing.service.ts';
import { restamped } from '../stored/kinds.ts';
import { memberIssues, type Right } from './project-members.ts';

/**
 * Returns a project that the caller may see.
 *
 * @param lock prevents others from writing it, or assigning its component numbers, before the transaction ends
 * @throws ServiceError NOT_FOUND
 */
export const findProject = (ctx: ReadContext, id: string, lock = false): Promise<Stored<Project>> =>
  findDocument(ctx, 'project', id, lock);

/**
 * Returns the project that a request is about to write, locked.
 *
 * @param right the right that the caller's membership must include
 * @param change the fields to be written, reported when somebody else wrote first
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
  assertUnchanged(ctx.request.ifMatch, stored.doc.lastUpdated, what, conflictDetails(stored.doc, change));
  return stored;
}

/**
 * Returns a project regardless of the caller, for writes that were authorized before; locked unless `lock` is false.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function lockProject(db: Database, id: string, lock = true): Promise<Stored<Project>> {
  const stored = await find(db, projects, id, lock);
  if (!stored) throw notFound('Project', id);
  return stored;
}

/** Denies what the caller's membership does not include (contract/lifecycle#5.1). @throws ServiceError FORBIDDEN */
export function assertMay(principal: Caller, project: Project, right: Right): void {
  if (principal.roles.includes('admin')) return;
  const allowed = project.accessControl?.[right] ?? [];
  if (isListed(allowed, principal)) return;
  throw forbidden(`Your role in project ${project.name} does not include the right to ${right}`);
}

/** Replaces a locked project. @returns the project as stored @throws ServiceError CONFLICT when another request changed it */
export async function saveProject(
  ctx: WriteContext,
  stored: Stored<Project>,
  next: Project,
): Promise<Project> {
  const doc = restamped('project', next, stored.doc, authorOf(ctx));
  if (!(await replace(ctx.db, projects, stored, doc))) {
    throw changedMeanwhile(`Project ${stored.doc.name}`);
  }
  return doc;
}

/** The known names of an account or a group that a project lists. */
export type KnownPrincipal = { username?: string; name?: string; provenance: string };

/** Returns the accounts and groups with these ids, by `account:<id>` and `group:<id>`, in one query. */
export async function knownMembers(
  db: Database,
  members: readonly { type: 'account' | 'group'; reference: string }[],
): Promise<Map<string, KnownPrincipal>> {
  const ids = (type: string) =>
    JSON.stringify(members.filter((one) => one.type === type).map((one) => one.reference));
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
 * Rejects invalid member lists: without an owner, with duplicates, or with accounts or groups that do not exist.
 *
 * @param before the previous members: one of them may have been deleted meanwhile
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
  if (issues.length > 0) throw invalidRequest(issues);
}
