import { sql } from 'drizzle-orm';
import { mayReadProject } from '#db/access.ts';
import { type Database, inTransaction, rows } from '#db/client.ts';
import { find, type Stored } from '#db/collection.ts';
import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import type { Draft } from '#db/schemas/assets/draft.ts';
import type { Missing } from '#db/schemas/assets/missing.ts';
import type { ComponentType, ExportedProject, Project } from '#db/schemas/assets/project.ts';
import type { ProjectFile } from '#db/schemas/requests/project-file.ts';
import { assetReferences, projects } from '#db/tables/assets/assets.ts';
import {
  assertMay,
  bareName,
  componentsOf,
  type Imported,
  newIdOf,
  projectView,
  scopedName,
} from '#server/domains/assets/index.ts';
import { findMissing, importAssets, type Relinked } from '#server/domains/workflow/index.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { assertUnchanged } from '#server/kernel/documents/optimistic-lock.ts';
import { mapYielding } from '#server/kernel/timing/map-yielding.ts';
import { draftsOf } from '../drafts.ts';
import { relinkComponents } from '../relink.service.ts';
import { type RenamedComponent, renamedOf } from './components.service.ts';
import { fillProject, growProject, makeProject } from './imported-project.service.ts';
import { type FailedComponent, readComponents } from './project-file.service.ts';
import { completed, type ValidComponent, withoutUndeclaredNulls } from './project-import.ts';

/** A project to import, and the import options (contract/lifecycle#5.1). */
export type ProjectImport = {
  project: ProjectFile;
  conflictMode?: 'insert-new' | 'overwrite' | undefined;
  assignNewReferences?: boolean | undefined;
  skipReferenceValidation?: boolean | undefined;
  dryRun?: boolean | undefined;
  relink?: boolean | undefined;
  partial?: boolean | undefined;
};

export type ProjectImported = {
  project: Project;
  failedComponents: FailedComponent[];
  renamed: RenamedComponent[];
  warnings: string[];
  drafts: Draft[];
  draftsTotal: number;
  relinked: Relinked[];
  missing: Missing[];
  missingTotal: number;
};

/** Maximum number of warnings in a response. */
const MOST_WARNINGS = 100;

/** Thrown to roll back a dry run; carries its outcome. */
class DryRun extends Error {
  readonly outcome: ProjectImported;
  constructor(outcome: ProjectImported) {
    super('dry run');
    this.outcome = outcome;
  }
}

/**
 * Imports a project with its assets, completely or not at all. Documents that cannot run are stored as drafts, and what
 * the documents need and nobody has is listed (contract/lifecycle#drafts, #missing). In an existing project, new components
 * are added and those with the same reference are kept (insert-new) or replaced (overwrite); none is removed.
 *
 * @throws ServiceError BAD_REQUEST with every issue and its path; FORBIDDEN when the caller may not write the existing
 *   project
 */
export async function importProject(ctx: WriteContext, given: ProjectImport): Promise<ProjectImported> {
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

async function runImport(ctx: WriteContext, request: ProjectImport): Promise<ProjectImported> {
  const { db } = ctx;
  const given = { ...request, project: await withoutNulls(completed(request.project, newIdOf)) };
  const { project, conflictMode = 'insert-new', assignNewReferences: newIds = false } = given;
  const from = project._id ?? null;
  const target = await findTarget(ctx, from);
  const { components: read, failed, warnings } = await readComponents(project, given.partial);
  const { components, relinked } = given.relink
    ? await relinkComponents(ctx, read, from, target?.id ?? null)
    : { components: read, relinked: [] };

  const renamed: RenamedComponent[] = [];
  const stored = target ?? (await makeProject(ctx, project, renamed));
  const overwrites = conflictMode === 'overwrite';
  const fresh =
    target && !overwrites && !newIds ? components.filter((one) => !isThere(target.doc, one)) : components;
  const made = await importAssets(
    { ...ctx, request: { ...ctx.request, ifMatch: null } },
    fresh.map(({ type, reference, document, errors }) => ({ kind: type, doc: document, reference, errors })),
    { projectId: stored.id, onTaken: overwrites ? 'overwrite' : 'rename', from, newIds },
  );
  renamed.push(...renamedOf(made));
  const doc = target
    ? await growProject(ctx, target, project, fresh, made, overwrites, renamed)
    : await fillProject(db, stored, project, fresh, made);
  if (!given.skipReferenceValidation) warnings.push(...(await dangling(db, made)));
  const { drafts, total: draftsTotal } = draftsOf(made);
  const { missing, total: missingTotal } = await findMissing(ctx, { documents: made });
  return {
    project: await projectView(db, doc),
    failedComponents: failed,
    renamed,
    warnings: warnings.slice(0, MOST_WARNINGS),
    ...{ drafts, draftsTotal, relinked, missing, missingTotal },
  };
}

async function withoutNulls(project: ExportedProject): Promise<ExportedProject> {
  const { components } = project;
  return components
    ? { ...project, components: await mapYielding(components, withoutUndeclaredNulls) }
    : project;
}

/** Returns the existing project with the file's id, locked; one that the caller may not see counts as a taken id. */
async function findTarget(ctx: WriteContext, id: string | null): Promise<Stored<Project> | undefined> {
  if (id === null) return undefined;
  const { db, principal, request } = ctx;
  const where = allOf(sql`${projects.id} = ${id}`, mayReadProject(projects, principal));
  const found = await find(db, projects, where, true);
  if (!found) return undefined;
  assertMay(principal, found.doc, 'write');
  assertUnchanged(request.ifMatch, found.doc.lastUpdated, `Project ${found.doc.name}`);
  return found;
}

const isThere = (target: Project, { type, reference, document }: ValidComponent): boolean => {
  const id = DOCUMENT_KINDS[type].namedById ? scopedName(target._id, document.name) : reference;
  return componentsOf(target).some((one) => one.type === type && one.reference === id);
};

/** Returns warnings for unresolved references of imported documents: files do not contain what is outside the project. */
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
    const word = kind ? DOCUMENT_KINDS[kind].word.toLowerCase() : 'asset';
    const name = bareName(names.get(`${source} ${id}`) ?? id);
    return `${DOCUMENT_KINDS[source].word} ${name} references ${word} ${target}, which does not exist here`;
  });
}
