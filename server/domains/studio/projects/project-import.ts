import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import type { DraftError } from '#db/schemas/assets/draft.ts';
import { ComponentType, type ExportedComponent, type ExportedProject } from '#db/schemas/assets/project.ts';
import type { ProjectFile } from '#db/schemas/requests/project-file.ts';
import {
  type Asset,
  type AssetFindings,
  arranged,
  asErrors,
  assetAsStored,
  nameFault,
} from '#server/domains/assets/index.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { assetFindings } from '../asset-issues.ts';
import { folderFault, treeIssues } from './project-updates.ts';

/** A component of an import whose document can be stored, with its index in the file; with errors as a draft. */
export type ValidComponent = ExportedComponent & { document: Asset; at: number; errors: DraftError[] };

/** The issues of the file itself and, by index, of each of its components. */
export type ProjectFindings = { project: Issue[]; components: Map<number, Issue[]>; warnings: string[] };

/**
 * Returns the file with omitted parts completed: a component without a number gets the next one, and one without a
 * reference gets the id of its document. An empty folder tree is ignored where components name their folders.
 *
 * @param newId returns the id for a document that has none either
 */
export function completed(file: ProjectFile, newId: (kind: string) => string): ExportedProject {
  const { members: _, accessControl: _control, componentIidIndex: _index, ...project } = file;
  const given = project.components ?? [];
  let last = given.reduce((most, { iid }) => Math.max(most, Number.isInteger(iid) ? Number(iid) : 0), 0);
  const components = given.map((one) => {
    const own =
      one.document?._id ??
      one.document?.id ??
      (isKind(one.type) && DOCUMENT_KINDS[one.type].namedById ? one.document?.name : undefined);
    const reference = one.reference ?? (typeof own === 'string' ? own : newId(one.type));
    return { ...one, iid: one.iid ?? ++last, reference };
  });
  const foldersUnsaid =
    project.folders?.length === 0 && components.some(({ folder }) => folder !== undefined);
  // Unknown kinds are reported later, with all other issues.
  return {
    ...project,
    ...(project.components && { components }),
    ...(foldersUnsaid && { folders: undefined }),
  } as ExportedProject;
}

const isKind = (type: string): type is ComponentType => ComponentType.options.some((one) => one === type);

/** Returns the component with its document in storable form: without nulls that mean the same as an absent field. */
export const withoutUndeclaredNulls = (one: ExportedComponent): ExportedComponent =>
  one.document && isKind(one.type) ? { ...one, document: assetAsStored(one.type, one.document) } : one;

/** Returns what is wrong with a component's document. @param path the component's path in the request */
export const documentFindings = (
  { type, document }: ExportedComponent,
  path: (string | number)[],
): AssetFindings =>
  isKind(type) && document !== undefined
    ? assetFindings(type, document, [...path, 'document'])
    : { issues: [], errors: [] };

/** Highest number that a component may bring, so that a next one always exists. */
const HIGHEST_IID = 1_000_000_000;

/** Maximum number of components in a file. */
export const MOST_COMPONENTS = 10_000;

/**
 * Returns all issues of a project to import that the file alone reveals.
 *
 * @param documents what is wrong with each component's document (`documentFindings`), in their order
 * @param top the project's path in the request
 */
export function findingsOf(
  project: ExportedProject,
  documents: readonly AssetFindings[],
  top: (string | number)[],
): ProjectFindings {
  const found: ProjectFindings = { project: [], components: new Map(), warnings: [] };
  const fault = nameFault(project.name);
  if (fault) found.project.push(issue([...top, 'name'], fault));
  const iids = new Set<number>();
  const references = new Set<string>();
  for (const [at, component] of (project.components ?? []).entries()) {
    const path = [...top, 'components', at];
    const issues = componentIssues(component, path);
    if (iids.has(component.iid))
      issues.push(issue([...path, 'iid'], 'is also the number of another component', 'duplicate'));
    iids.add(component.iid);
    const key = `${component.type} ${component.reference}`;
    if (references.has(key)) issues.push(issue([...path, 'reference'], 'comes twice', 'duplicate'));
    references.add(key);
    issues.push(...(documents[at]?.issues ?? []));
    if (issues.length > 0) found.components.set(at, issues);
  }
  for (const one of treeIssues(project.folders ?? [], [...iids], [...top, 'folders'])) {
    if (one.code === 'too_big') found.project.push(one);
    // Harmless issues do not stop an import: the entry is left out.
    else found.warnings.push(`${one.path.slice(top.length).join('.')} ${one.message}, and was omitted`);
  }
  return found;
}

/** Returns the issues of one component by itself. */
function componentIssues(
  { iid, type, folder, document }: NonNullable<ExportedProject['components']>[number],
  path: (string | number)[],
): Issue[] {
  const issues: Issue[] = [];
  if (!Number.isInteger(iid) || iid < 0 || iid > HIGHEST_IID)
    issues.push(issue([...path, 'iid'], `must be an integer from 0 to ${HIGHEST_IID}`));
  const deep = folder === undefined ? null : folderFault(folder);
  if (deep) issues.push(issue([...path, 'folder'], deep, 'too_big'));
  if (!isKind(type)) {
    const kinds = ComponentType.options.join(', ');
    issues.push(issue([...path, 'type'], `must be one of ${kinds}`, 'invalid_value'));
  } else if (document === undefined) issues.push(issue([...path, 'document'], 'is missing', 'invalid_type'));
  return issues;
}

/** Returns the components without issues, each with its errors and its folder in the file's tree. */
export function validComponents(
  project: ExportedProject,
  { components: broken }: ProjectFindings,
  documents: readonly AssetFindings[],
  top: (string | number)[],
): ValidComponent[] {
  const given = (project.components ?? []).map((one, at) => ({
    ...one,
    at,
    errors: asErrors(documents[at]?.errors ?? [], [...top, 'components', at, 'document']),
  }));
  const placed = arranged({
    folders: project.folders,
    components: given.filter(({ at }) => !broken.has(at)),
  });
  // Components without issues have a document, which has a name.
  return placed.components as ValidComponent[];
}

const issue = (path: (string | number)[], message: string, code = 'custom'): Issue => ({
  path,
  message,
  code,
});
