import { max, type SQL, sql } from 'drizzle-orm';
import { mayReadProject } from '#db/access.ts';
import { acquireLock, type Database, rows } from '#db/client.ts';
import { insert, noteChange, remove, type Stored } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import { list } from '#db/list/list.ts';
import { readList } from '#db/list/read-list.ts';
import { defineResource } from '#db/list/resource.ts';
import {
  ComponentType,
  Project,
  type ProjectFolder,
  type ProjectMember,
} from '#db/schemas/assets/project.ts';
import { projects } from '#db/tables/assets/assets.ts';
import {
  accessOf,
  arranged,
  assertMay,
  assertMembers,
  assertUnused,
  authorOf,
  findProject,
  forgetTags,
  listedProjects,
  type NewComponent,
  openProject,
  projectView,
  removeDocuments,
  sameMembers,
  saveProject,
  stampsNow,
  storedMember,
  tableOf,
} from '#server/domains/assets/index.ts';
import type { ReadContext, WriteContext } from '#server/kernel/contexts.ts';
import { accessOf as listAccess, unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { ops, pageOfTexts } from '#server/kernel/documents/list-envelope.ts';
import { addComponents, type ComponentToAdd } from './components.service.ts';
import { assertSameComponents, readTree } from './project-updates.ts';

const projectList = defineResource({
  name: 'projects',
  schema: Project,
  source: projects,
  columns: { name: projects.name, iid: projects.iid, lastUpdated: projects.lastUpdated },
});

/** Returns a page of the projects that the caller may read, as stored but for their authors (contract/lifecycle#5.1). */
export async function listProjects({ db, principal }: ReadContext, query: object) {
  const listQuery = readList(projectList, query);
  const page = await list(db, projectList, listQuery, listAccess(mayReadProject(projects, principal)));
  const texts = await listedProjects(db, page.texts);
  return ops<Project>('Successfully retrieved projects', pageOfTexts(texts, page.total), listQuery);
}

/** Returns a project. @throws ServiceError NOT_FOUND */
export async function getProject(ctx: ReadContext, id: string): Promise<Project> {
  const { doc } = await findProject(ctx, id);
  return projectView(ctx.db, doc);
}

/** The fields of a project that a request may set freely. */
export type ProjectBasics = {
  name: string;
  description?: string | undefined;
  backgroundColor?: string | undefined;
  thumbnail?: string | undefined;
};

/**
 * Creates a project, with copies of assets where the request lists some.
 *
 * @throws ServiceError CONFLICT when the name is taken, NOT_FOUND for an asset
 */
export async function createProject(
  ctx: WriteContext,
  { components = [], ...given }: ProjectBasics & { components?: ComponentToAdd[] | undefined },
): Promise<Project> {
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  const stored = await insertProject(ctx, { ...Object.fromEntries(fields), name: given.name });
  if (components.length === 0) return projectView(ctx.db, stored.doc);
  const inside = { ...ctx, request: { ...ctx.request, ifMatch: null } };
  const { project } = await addComponents(inside, stored.id, components, 'copy');
  return project;
}

/**
 * Stores a new project with the caller as its only member and owner.
 *
 * @throws ServiceError CONFLICT when the name is taken
 */
export async function insertProject(
  ctx: WriteContext,
  given: ProjectBasics & Record<string, unknown>,
  id = newId(),
): Promise<Stored<Project>> {
  const { db, principal } = ctx;
  const { made, changed } = stampsNow('project', authorOf(ctx));
  const members: ProjectMember[] = [{ type: 'account', reference: principal.id, role: 'owner' }];
  const doc: Project = {
    description: '',
    components: [],
    ...made,
    ...changed,
    ...given,
    _id: id,
    iid: await nextIid(db),
    componentIidIndex: 0,
    members,
    accessControl: accessOf(members),
  };
  await unlessTaken('projects_name', `Project ${given.name} already exists`, () =>
    insert(db, projects, id, doc),
  );
  return { id, doc, rev: 1 };
}

/** Returns the next project number, reserved until the transaction ends. */
async function nextIid(db: Database): Promise<number> {
  await acquireLock(db, 'switchyard project iids');
  const [row] = await db.select({ last: max(projects.iid) }).from(projects);
  return (row?.last ?? 0) + 1;
}

/** The fields that a PATCH may change; absent ones keep their values (contract/lifecycle#5.1). */
export type ProjectUpdate = {
  [Member in keyof ProjectBasics]?: ProjectBasics[Member] | undefined;
} & {
  folders?: ProjectFolder[] | undefined;
  members?: ProjectMember[] | undefined;
  components?: { iid: number; folder?: string | undefined }[] | undefined;
};

/**
 * Changes a project. A member list replaces the previous one; only an owner may change it. Components may get another
 * order or folder.
 *
 * @returns the changed project, and the names of sent fields that cannot be changed
 * @throws ServiceError NOT_FOUND, FORBIDDEN, BAD_REQUEST with every issue, CONFLICT when a component would be dropped,
 *   the name is taken, or If-Match no longer holds
 */
export async function updateProject(
  ctx: WriteContext,
  { projectId, ...update }: ProjectUpdate & { projectId: string },
): Promise<{ project: Project; ignored: string[] }> {
  const { db, principal } = ctx;
  const entries = Object.entries(update).filter(([, value]) => value !== undefined);
  const ignored = entries.map(([member]) => member).filter((member) => READ_ONLY.has(member));
  const { members, components, folders } = update;
  const basics = entries.filter(([member]) => BASICS.has(member));
  const stored = await openProject(ctx, projectId, 'write', Object.fromEntries(basics));
  let next: Project = { ...stored.doc, ...Object.fromEntries(basics) };
  if (members && !sameMembers(members, stored.doc.members ?? [])) {
    assertMay(principal, stored.doc, 'manage');
    await assertMembers(db, members, stored.doc.members ?? []);
    next.members = members.map(storedMember);
    next.accessControl = accessOf(next.members);
  }
  if (components) next = assertSameComponents(next, components);
  if (folders) next = arranged({ ...next, folders: readTree(next, folders) });
  const doc = await unlessTaken('projects_name', `Project ${next.name} already exists`, () =>
    saveProject(ctx, stored, next),
  );
  if (doc.name !== stored.doc.name) await renameNamespace(db, doc);
  return { project: await projectView(db, doc), ignored };
}

const BASICS = new Set(['name', 'description', 'backgroundColor', 'thumbnail']);

/** Fields that clients send back as they read them (contract/lifecycle#0.2.7). */
const READ_ONLY = new Set([
  '_id',
  'iid',
  'accessControl',
  'componentIidIndex',
  'created',
  'createdBy',
  'lastUpdated',
  'lastUpdatedBy',
]);

/** Writes the project's name to its assets, in one statement per kind. */
export async function renameNamespace(db: Database, { _id, name }: Project): Promise<void> {
  for (const table of ComponentType.options.map(tableOf)) {
    await db.execute(sql`
      update ${table} set rev = rev + 1, updated_at = now(),
        doc = jsonb_set(doc, '{namespace}', jsonb_build_object('type', 'project', '_id', ${_id}::text, 'name', ${name}::text))
      where project_id = ${_id}`);
  }
}

/**
 * Deletes a project with its assets.
 *
 * @returns the name of the project and the deleted components
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT naming what uses one of its assets from outside
 */
export async function deleteProject(
  ctx: WriteContext,
  id: string,
): Promise<{ name: string; deletedComponents: Pick<NewComponent, 'type' | 'reference'>[] }> {
  const { db, principal } = ctx;
  const { doc } = await openProject(ctx, id, 'manage');
  const owned = await assetsOf(db, id);
  await assertUnused(db, `Project ${doc.name}`, owned, owned, principal);
  for (const kind of new Set(owned.map((one) => one.kind))) {
    const ids = owned.filter((one) => one.kind === kind).map((one) => one.id);
    await removeDocuments(db, kind, ids);
  }
  await remove(db, projects, [id]);
  await forgetTags(db, [id]);
  return {
    name: doc.name,
    deletedComponents: owned.map(({ kind, id: reference }) => ({ type: kind, reference })),
  };
}

/** Returns every asset that a project owns, in one query. */
export async function assetsOf(db: Database, id: string): Promise<{ kind: ComponentType; id: string }[]> {
  const parts = ComponentType.options.map(
    (kind): SQL => sql`select ${kind}::text as kind, id from ${tableOf(kind)} where project_id = ${id}`,
  );
  return rows(db, sql`${sql.join(parts, sql` union all `)} order by kind, id`);
}

/** Returns the picture of a project; an empty string when it has none. @throws ServiceError NOT_FOUND */
export async function getThumbnail(ctx: ReadContext, id: string): Promise<{ imageData: string }> {
  const { doc } = await findProject(ctx, id);
  return { imageData: doc.thumbnail ?? '' };
}

/**
 * Sets the picture of a project.
 *
 * @param imageData picture as a data URL; "" removes it
 * @returns the picture as stored
 * @throws ServiceError NOT_FOUND, FORBIDDEN, CONFLICT when If-Match no longer holds
 */
export async function setThumbnail(
  ctx: WriteContext,
  id: string,
  imageData: string,
): Promise<{ imageData: string }> {
  const stored = await openProject(ctx, id, 'write');
  await saveProject(ctx, stored, { ...stored.doc, thumbnail: imageData });
  noteChange(ctx.db, { kind: 'projects', id, name: stored.doc.name });
  return { imageData };
}
