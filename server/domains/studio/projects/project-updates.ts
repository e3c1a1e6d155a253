import type { Project, ProjectFolder } from '#db/schemas/assets/project.ts';
import { componentsOf, refoldered } from '#server/domains/assets/index.ts';
import { conflict, type Issue, invalidRequest } from '#server/kernel/errors.ts';

/** Maximum folder depth: responses must be no deeper than a request may be (server/kernel/validation/input-sanity.ts). */
const DEEPEST = 32;

/** Returns why a path cannot be that of a folder; null when it can. */
export const folderFault = (folder: string): string | null =>
  folder.split('/').length > DEEPEST ? `must be at most ${DEEPEST} folders deep` : null;

/**
 * Returns the project with its components in the order and folders of a request.
 *
 * @throws ServiceError BAD_REQUEST for a number that none of its components has, or that is repeated; CONFLICT when one
 *   is left out (contract/lifecycle#5.1)
 */
export function assertSameComponents(
  project: Project,
  given: readonly { iid: number; folder?: string | undefined }[],
): Project {
  const before = new Map(componentsOf(project).map((one) => [one.iid, one]));
  const seen = new Set<number>();
  const issues = given.flatMap(({ iid, folder }, at): Issue[] => {
    const path = ['components', at];
    const found: Issue[] = [];
    if (!before.has(iid))
      found.push({
        path: [...path, 'iid'],
        message: `is not a component of the project`,
        code: 'unknown_component',
      });
    if (seen.has(iid)) found.push({ path: [...path, 'iid'], message: `comes twice`, code: 'duplicate' });
    seen.add(iid);
    const fault = folder === undefined ? null : folderFault(folder);
    if (fault) found.push({ path: [...path, 'folder'], message: fault, code: 'too_big' });
    return found;
  });
  if (issues.length > 0) throw invalidRequest(issues);
  const dropped = [...before.keys()].filter((iid) => !seen.has(iid));
  if (dropped.length > 0) {
    throw conflict(
      `Components ${dropped.slice(0, 10).join(', ')} would be removed: remove a component with DELETE …/components/:componentId`,
      { data: { dropped } },
    );
  }
  const components = given.flatMap(({ iid }) => before.get(iid) ?? []);
  return given.reduce(
    (next: Project, { iid, folder }) => {
      const now = before.get(iid)?.folder ?? '/';
      return folder === undefined || folder === now ? next : refoldered(next, iid, folder);
    },
    { ...project, components },
  );
}

/**
 * Validates the folder tree of a request and returns it as that of the project.
 *
 * @throws ServiceError BAD_REQUEST with every entry that has no component, or a repeated one
 */
export function readTree(project: Project, folders: readonly ProjectFolder[]): ProjectFolder[] {
  const issues = treeIssues(
    folders,
    componentsOf(project).map(({ iid }) => iid),
    ['folders'],
  );
  if (issues.length > 0) throw invalidRequest(issues);
  return [...folders];
}

/** Returns the issues of a tree: entries without a component or with a repeated one, and folders that are too deep. */
export function treeIssues(
  folders: readonly ProjectFolder[],
  iids: readonly number[],
  top: (string | number)[],
): Issue[] {
  const known = new Set(iids);
  const seen = new Set<number>();
  const walk = (entries: readonly ProjectFolder[], path: (string | number)[], depth: number): Issue[] =>
    entries.flatMap((entry, at): Issue[] => {
      const here = [...path, at];
      if (entry.nodeType === 'folder') {
        if (depth < DEEPEST) return walk(entry.children ?? [], [...here, 'children'], depth + 1);
        return [{ path: here, message: `must be at most ${DEEPEST} folders deep`, code: 'too_big' }];
      }
      const isNew = !seen.has(entry.iid);
      seen.add(entry.iid);
      if (known.has(entry.iid) && isNew) return [];
      const message = isNew ? 'is not a component of the project' : 'already occurs in the tree';
      return [{ path: [...here, 'iid'], message, code: isNew ? 'unknown_component' : 'duplicate' }];
    });
  return walk(folders, top, 1);
}
