import { and, eq, gte, lt, or } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { replace, type Stored } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { ExportedProject, Project } from '#db/schemas/assets/project.ts';
import { projects } from '#db/tables/assets/assets.ts';
import {
  arranged,
  componentsOf,
  type Imported,
  refoldered,
  saveProject,
  withComponents,
  withStoredAuthors,
} from '#server/domains/assets/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { unlessTaken } from '#server/kernel/documents/documents.service.ts';
import { freeName } from '#server/kernel/documents/names.ts';
import { importedStamp } from '#server/kernel/documents/stamps.ts';
import type { RenamedComponent } from './components.service.ts';
import type { ValidComponent } from './project-import.ts';
import { insertProject, renameNamespace } from './projects.service.ts';

/** Fields of a file that are ignored: derived, or assigned by this system (contract/lifecycle#5.1). */
const LEFT_OUT = new Set([
  '_id',
  'iid',
  'name',
  'members',
  'accessControl',
  'componentIidIndex',
  'components',
  'folders',
  'referencedComponentHashes',
]);

/**
 * Creates a project with the file's id and name, where these are free.
 *
 * @param renamed receives an entry when the project gets another name
 */
export async function makeProject(
  ctx: WriteContext,
  project: ExportedProject,
  renamed: RenamedComponent[],
): Promise<Stored<Project>> {
  const { db, platform } = ctx;
  const [taken] = project._id === undefined ? [] : await idsTaken(db, project._id);
  const name = freeName(project.name, await projectNames(db, project.name));
  if (name !== project.name) renamed.push({ type: 'project', from: project.name, to: name });
  const kept = Object.entries(project).filter(([member, value]) => {
    if (LEFT_OUT.has(member)) return false;
    return !/^(created|lastUpdated)$/.test(member) || importedStamp(value, platform.now()) === value;
  });
  const given = { ...Object.fromEntries(kept), description: project.description ?? '', name };
  const [doc] = await withStoredAuthors(db, [{ doc: given, form: 'id' }]);
  return insertProject(ctx, { ...given, ...doc }, taken === undefined ? project._id : newId());
}

const idsTaken = (db: Database, id: string) =>
  db.select({ id: projects.id }).from(projects).where(eq(projects.id, id));

/** Returns which projects have this name or a numbered form of it. */
async function projectNames(db: Database, name: string): Promise<Set<string>> {
  const isNumbered = and(gte(projects.name, `${name} (`), lt(projects.name, `${name} )`));
  const found = await db
    .select({ name: projects.name })
    .from(projects)
    .where(or(eq(projects.name, name), isNumbered));
  return new Set(found.map((one) => one.name));
}

/** Returns the new project with all imported components, in the order and the folders of the file. */
export async function fillProject(
  db: Database,
  stored: Stored<Project>,
  project: ExportedProject,
  given: readonly ValidComponent[],
  made: readonly Imported[],
): Promise<Project> {
  const components = given.map(({ document: _, at, name: _name, errors: _errors, ...component }, index) => ({
    ...component,
    reference: made[index]?.id ?? component.reference,
  }));
  const folders = project.folders === undefined ? {} : { folders: project.folders };
  const doc = arranged({
    ...stored.doc,
    ...folders,
    components,
    componentIidIndex: Math.max(0, ...components.map(({ iid }) => iid)),
  });
  await replace(db, projects, stored, doc);
  return doc;
}

/**
 * Adds components to an existing project and moves others to their folder in the file; none is removed.
 *
 * @param overwrites whether name, description and pictures of the file replace those of the project
 * @param renamed receives an entry when the project gets another name
 * @throws ServiceError CONFLICT when another project takes the name meanwhile
 */
export async function growProject(
  ctx: WriteContext,
  target: Stored<Project>,
  project: ExportedProject,
  given: readonly ValidComponent[],
  made: readonly Imported[],
  overwrites: boolean,
  renamed: RenamedComponent[],
): Promise<Project> {
  let next: Project = target.doc;
  if (overwrites) next = await withBasics(ctx.db, next, project, renamed);
  const there = new Map(componentsOf(next).map((one) => [`${one.type} ${one.reference}`, one]));
  const added = given.flatMap(({ type, folder, iid }, at) => {
    const reference = made[at]?.id ?? '';
    const old = there.get(`${type} ${reference}`);
    if (!old) return [{ type, reference, folder, iid }];
    if (old.folder !== folder) next = refoldered(next, old.iid, folder ?? '/');
    return [];
  });
  const grown = withComponents(next, added).doc;
  const doc = await unlessTaken('projects_name', `Project ${grown.name} already exists`, () =>
    saveProject(ctx, target, grown),
  );
  if (doc.name !== target.doc.name) await renameNamespace(ctx.db, doc);
  return doc;
}

async function withBasics(
  db: Database,
  target: Project,
  { name: wanted, description, backgroundColor, thumbnail }: ExportedProject,
  renamed: RenamedComponent[],
): Promise<Project> {
  const taken = wanted === target.name ? new Set<string>() : await projectNames(db, wanted);
  taken.delete(target.name);
  const name = freeName(wanted, taken);
  if (name !== wanted) renamed.push({ type: 'project', from: wanted, to: name });
  const fields = Object.entries({ description, backgroundColor, thumbnail }).filter(
    ([, value]) => typeof value === 'string',
  );
  return { ...target, name, ...Object.fromEntries(fields) };
}
