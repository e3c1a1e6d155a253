import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { Issue } from '#server/kernel/errors.ts';
import type { Asset } from '../stored/kinds.ts';
import { projectOf } from '../stored/scope.ts';

/** Fields that the service writes, whatever a sent document contains in them. */
const SERVER_FIELDS = ['created', 'createdBy', 'lastUpdated', 'lastUpdatedBy', 'namespace'];

/** Returns a sent document without the fields that the service writes itself. */
export function authorsAsSent<Doc extends Asset>(kind: ComponentType, doc: Doc): Doc {
  const ours = new Set([...SERVER_FIELDS, '_id', ...DOCUMENT_KINDS[kind].idFields]);
  // Only fields that the schema does not require are removed.
  return Object.fromEntries(Object.entries(doc).filter(([field]) => !ours.has(field))) as Doc;
}

/**
 * Rejects a name that indicates another owner than the asset has: names in a project begin with `@<projectId>: `, no
 * others do (contract/lifecycle#0.7).
 *
 * @param path the document's path in the request
 */
export function ownerIssues(name: string, projectId: string | null, path: (string | number)[]): Issue[] {
  if (projectOf(name) === projectId) return [];
  const message =
    projectId === null
      ? 'must not begin with the prefix of a project’s assets: create the asset, then add it to the project'
      : `must begin with ${JSON.stringify(`@${projectId}: `)}: the asset belongs to that project`;
  return [{ path: [...path, 'name'], message, code: 'custom' }];
}
