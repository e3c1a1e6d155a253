import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { Issue } from '#server/kernel/errors.ts';
import type { Asset } from '../stored/kinds.ts';
import { projectOf } from '../stored/scope.ts';

/** Members that the service writes, whatever a document that is sent says in them. */
const OURS = ['created', 'createdBy', 'lastUpdated', 'lastUpdatedBy', 'namespace'];

/** A document as it is sent to be stored, without what the service writes itself. */
export function authorsAsSent<Doc extends Asset>(kind: ComponentType, doc: Doc): Doc {
  const ours = new Set([...OURS, '_id', ...DOCUMENT_KINDS[kind].idMembers]);
  // Without some members that its shape does not need.
  return Object.fromEntries(Object.entries(doc).filter(([member]) => !ours.has(member))) as Doc;
}

/**
 * A name that says another owner than the asset has: those of a project begin with `@<projectId>: `, no other does
 * (contract/lifecycle#0.7).
 *
 * @param path where the document stands in the request
 */
export function ownerIssues(name: string, projectId: string | null, path: (string | number)[]): Issue[] {
  if (projectOf(name) === projectId) return [];
  const message =
    projectId === null
      ? 'must not begin as the names of a project’s assets do: create the asset, then add it to the project'
      : `must begin with ${JSON.stringify(`@${projectId}: `)}: the asset belongs to that project`;
  return [{ path: [...path, 'name'], message, code: 'custom' }];
}
