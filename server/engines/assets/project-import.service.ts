import { sql } from 'drizzle-orm';
import { mayReadProject } from '#db/access.ts';
import { assetReferences, projects } from '#db/asset-tables.ts';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { find, replace, type Stored } from '#db/collection.ts';
import { newId } from '#db/ids.ts';
import type { ComponentType, ExportedProject, Project } from '#db/schemas/project.ts';
import type { ProjectFile } from '#db/schemas/requests/project-file.ts';
import { allOf, unlessTaken } from '#server/engines/configuration/documents.service.ts';
import { freeName } from '#server/engines/configuration/names.ts';
import { keptStamp } from '#server/engines/configuration/stamps.ts';
import { type Issue, invalid, refused, ServiceError } from '#server/errors.ts';
import { assertUnchanged } from '#server/unchanged.ts';
import { type Renamed, renamedOf } from './components.service.ts';
import { type Imported, importAssets, newIdOf } from './import.service.ts';
import { KINDS } from './kinds.ts';
import { assertMay, saveProject } from './project-access.service.ts';
import {
  completed,
  type Findings,
  findingsOf,
  type Missing,
  MOST_COMPONENTS,
  missingIssue,
  missingOf,
  type SoundComponent,
  soundComponents,
  withSoundNulls,
} from './project-import.ts';
import { arranged, componentsOf, refoldered, withComponents } from './project-tree.ts';
import { projectView } from './project-views.service.ts';
import { insertProject, renameNamespace } from './projects.service.ts';
import { resolve } from './references.service.ts';
import { bareName, scopedName } from './scope.ts';
import type { Writing } from './writing.service.ts';

/** A project to import, and how (lifecycle §5.1). */
export type ProjectImport = {
  project: ProjectFile;
  conflictMode?: 'insert-new' | 'overwrite' | undefined;
  assignNewReferences?: boolean | undefined;
  skipReferenceValidation?: boolean | undefined;
  dryRun?: boolean | undefined;
  partial?: boolean | undefined;
};

/** A component that could not be imported, and why. */
export type FailedComponent = {
  type: string;
  reference: string;
  iid: number;
  name: string | null;
  issues: Issue[];
};

export type ProjectImported = {
  project: Project;
  failedComponents: FailedComponent[];
  renamed: Renamed[];
  warnings: string[];
};

/** Where the project stands in the request. */
const TOP = ['project'];

/** Warnings that one answer lists. */
const MOST_WARNINGS = 100;

/** Takes back what a dry run did. */
class DryRun extends Error {
  readonly outcome: ProjectImported;
  constructor(outcome: ProjectImported) {
    super('dry run');
    this.outcome = outcome;
  }
}

/**
 * Import a project with its assets: all of it, or nothing. Onto a project that is there, new components are added and
 * those of the same reference stay as they are (insert-new) or are replaced (overwrite); nothing is taken away.
 *
 * @throws ServiceError BAD_REQUEST with everything that is wrong, by its path; FORBIDDEN when the caller may not write
 *   the project that is there
 */
export async function importProject(ctx: Writing, given: ProjectImport): Promise<ProjectImported> {
  if (!given.dryRun) return runImport(ctx, given);
  try {
    return await inTransaction(ctx.db, async (db) => {
      throw new DryRun(await runImport({ ...ctx, db }, given));
    });
  } catch (error) {
    if (error instanceof DryRun) return error.outcome;
    throw error;
  }
}

async function runImport(ctx: Writing, asked: ProjectImport): Promise<ProjectImported> {
  const { db } = ctx;
  const given = { ...asked, project: withSoundNulls(completed(asked.project, newIdOf)) };
  const { project, conflictMode = 'insert-new', assignNewReferences: newIds = false } = given;
  const from = project._id ?? null;
  const target = await findTarget(ctx, from);
  const { components, failed, warnings } = await readComponents(db, given, target?.id ?? null);

  const renamed: Renamed[] = [];
  const stored = target ?? (await makeProject(ctx, project, renamed));
  const overwrites = conflictMode === 'overwrite';
  const fresh =
    target && !overwrites && !newIds ? components.filter((one) => !isThere(target.doc, one)) : components;
  const made = await importAssets(
    { ...ctx, request: { ...ctx.request, ifMatch: null } },
    fresh.map(({ type, reference, document }) => ({ kind: type, doc: document, reference })),
    { projectId: stored.id, onTaken: overwrites ? 'overwrite' : 'rename', from, newIds },
  );
  renamed.push(...renamedOf(made));
  const doc = target
    ? await growProject(ctx, target, project, fresh, made, overwrites, renamed)
    : await fillProject(db, stored, project, fresh, made);
  if (!given.skipReferenceValidation) warnings.push(...(await dangling(db, made)));
  return {
    project: await projectView(db, doc),
    failedComponents: failed,
    renamed,
    warnings: warnings.slice(0, MOST_WARNINGS),
  };
}

/** The project that is there under the file's id, locked; one that the caller does not see counts as a taken id. */
async function findTarget(ctx: Writing, id: string | null): Promise<Stored<Project> | undefined> {
  if (id === null) return undefined;
  const { db, principal, request } = ctx;
  const where = allOf(sql`${projects.id} = ${id}`, mayReadProject(projects, principal));
  const found = await find(db, projects, where, true);
  if (!found) return undefined;
  assertMay(principal, found.doc, 'write');
  assertUnchanged(request.ifMatch, found.doc.lastUpdated, `Project ${found.doc.name}`);
  return found;
}

/** @throws ServiceError BAD_REQUEST with every finding, unless only components failed and the import is partial */
async function readComponents(
  db: Database,
  {
    project,
    skipReferenceValidation,
    partial,
  }: Omit<ProjectImport, 'project'> & { project: ExportedProject },
  targetId: string | null,
): Promise<{ components: SoundComponent[]; failed: FailedComponent[]; warnings: string[] }> {
  if ((project.components ?? []).length > MOST_COMPONENTS) {
    throw invalid([...TOP, 'components'], `must be at most ${MOST_COMPONENTS}`, 'too_big');
  }
  const findings = findingsOf(project, TOP);
  let components = soundComponents(project, findings);
  const from = project._id;
  if (from !== undefined && !skipReferenceValidation) {
    // A component that fails may be what another names.
    for (;;) {
      const missing = await unknownOf(db, missingOf(components, from), targetId === from);
      if (missing.length === 0) break;
      for (const one of missing) {
        const { at } = one.component;
        findings.components.set(at, [...(findings.components.get(at) ?? []), missingIssue(one, TOP)]);
      }
      components = soundComponents(project, findings);
    }
  }
  const failed = failedOf(project, findings);
  const issues = [...findings.project, ...failed.flatMap((one) => one.issues)];
  if (findings.project.length > 0 || (failed.length > 0 && !partial)) throw refusedImport(issues, failed);
  return { components, failed, warnings: findings.warnings };
}

/** Issues that one refusal lists. */
const MOST_ISSUES = 100;

function refusedImport(issues: readonly Issue[], failedComponents: FailedComponent[]): ServiceError {
  const { message } = refused(issues.slice(0, MOST_ISSUES), 'The project cannot be imported');
  const more = issues.length - MOST_ISSUES;
  const rest = more > 0 ? [{ path: [], message: `and ${more} more issues`, code: 'too_many_issues' }] : [];
  return new ServiceError('BAD_REQUEST', message, {
    issues: [...issues.slice(0, MOST_ISSUES), ...rest],
    data: {
      failedComponents: failedComponents.map((one) => ({
        ...one,
        issues: one.issues.slice(0, MOST_ISSUES),
      })),
    },
  });
}

/** Those that the project on this system does not hold either. */
async function unknownOf(db: Database, missing: Missing[], isThere: boolean): Promise<Missing[]> {
  if (missing.length === 0 || !isThere) return missing;
  const found = await resolve(
    db,
    missing.map(({ reference }) => reference),
  );
  return missing.filter((_, at) => !found[at]);
}

const failedOf = ({ components = [] }: ExportedProject, findings: Findings): FailedComponent[] =>
  [...findings.components]
    .sort(([one], [other]) => one - other)
    .flatMap(([at, issues]) => {
      const component = components[at];
      if (!component) return [];
      const { type, reference, iid, document } = component;
      const name = typeof document?.name === 'string' ? document.name : null;
      return [{ type, reference, iid, name, issues }];
    });

const isThere = (target: Project, { type, reference, document }: SoundComponent): boolean => {
  const id = KINDS[type].namedById ? scopedName(target._id, document.name) : reference;
  return componentsOf(target).some((one) => one.type === type && one.reference === id);
};

/** Members of a file that say nothing here: derived, or this system's own (lifecycle §5.1). */
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

/** A new project under the file's id and name, where these are free. */
async function makeProject(
  ctx: Writing,
  project: ExportedProject,
  renamed: Renamed[],
): Promise<Stored<Project>> {
  const { db, platform } = ctx;
  const [taken] = project._id === undefined ? [] : await idsTaken(db, project._id);
  const name = freeName(project.name, await projectNames(db, project.name));
  if (name !== project.name) renamed.push({ type: 'project', from: project.name, to: name });
  const kept = Object.entries(project).filter(([member, value]) => {
    if (LEFT_OUT.has(member)) return false;
    return !/^(created|lastUpdated)$/.test(member) || keptStamp(value, platform.now()) === value;
  });
  const given = { ...Object.fromEntries(kept), description: project.description ?? '', name };
  return insertProject(ctx, given, taken === undefined ? project._id : newId());
}

const idsTaken = (db: Database, id: string) =>
  rows<{ id: string }>(db, sql`select id from ${projects} where id = ${id}`);

/** Which numbered forms of a name projects have. */
async function projectNames(db: Database, name: string): Promise<Set<string>> {
  const found = await rows<{ name: string }>(
    db,
    sql`select name from ${projects} where name = ${name}
          or (name >= ${`${name} (`} and name < ${`${name} )`})`,
  );
  return new Set(found.map((one) => one.name));
}

/** The new project with all that came, in the order and the folders of the file. */
async function fillProject(
  db: Database,
  stored: Stored<Project>,
  project: ExportedProject,
  given: readonly SoundComponent[],
  made: readonly Imported[],
): Promise<Project> {
  const components = given.map(({ document: _, at, name: _name, ...component }, index) => ({
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

/** The project that was there with what was added or replaced; nothing of it goes. */
async function growProject(
  ctx: Writing,
  target: Stored<Project>,
  project: ExportedProject,
  given: readonly SoundComponent[],
  made: readonly Imported[],
  overwrites: boolean,
  renamed: Renamed[],
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
  renamed: Renamed[],
): Promise<Project> {
  const taken = wanted === target.name ? new Set<string>() : await projectNames(db, wanted);
  taken.delete(target.name);
  const name = freeName(wanted, taken);
  if (name !== wanted) renamed.push({ type: 'project', from: wanted, to: name });
  const told = Object.entries({ description, backgroundColor, thumbnail }).filter(
    ([, value]) => typeof value === 'string',
  );
  return { ...target, name, ...Object.fromEntries(told) };
}

/** What the imported documents name and nobody has: told, because files travel without what they name outside. */
async function dangling(db: Database, made: readonly Imported[]): Promise<string[]> {
  const names = new Map(made.map(({ kind, id, name }) => [`${kind} ${id}`, name]));
  const ids = JSON.stringify(made.map(({ kind, id }) => ({ kind, id })));
  const found = await rows<{ source: ComponentType; id: string; kind: ComponentType | null; target: string }>(
    db,
    sql`select distinct r.source_kind as source, r.source_id as id, r.target_kind as kind, r.target_name as target
        from ${assetReferences} r
        join jsonb_to_recordset(${ids}::text::jsonb) as m(kind text, id text)
          on m.kind = r.source_kind and m.id = r.source_id
        where r.target_id is null order by 1, 2, 3, 4 limit ${MOST_WARNINGS}::int`,
  );
  return found.map(({ source, id, kind, target }) => {
    const word = kind ? KINDS[kind].word.toLowerCase() : 'asset';
    const name = bareName(names.get(`${source} ${id}`) ?? id);
    return `${KINDS[source].word} ${name} names ${word} ${target}, which is not here`;
  });
}
