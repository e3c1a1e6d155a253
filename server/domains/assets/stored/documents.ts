import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import { asStored } from '#db/schemas/requests/null-fields.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { issuesOf } from '#server/kernel/validation/zod-issues.ts';
import { bareName } from './scope.ts';

/**
 * Returns an imported document without the nulls that mean the same as an absent field (contract/lifecycle#null), and with
 * times in the form of their fields.
 */
export const assetAsStored = <Doc extends object>(kind: ComponentType, doc: Doc): Doc =>
  // Only optional fields can be missing now.
  asStored(DOCUMENT_KINDS[kind].schema, doc) as Doc;

/** Maximum length of an asset's name, without the prefix of its project: names are indexed. */
const LONGEST_NAME = 255;
/** Maximum length of a template's group, for the same reason. */
const LONGEST_GROUP = 255;

/**
 * Returns why a document cannot be stored as an asset of this kind: its shape, an unusable name, and the issues from
 * `more`.
 *
 * @param doc document as it was sent, of any shape
 * @param path the document's path in the request
 * @param more returns further issues of a document whose shape is valid
 */
export function documentIssues(
  kind: ComponentType,
  doc: unknown,
  path: (string | number)[],
  more: () => Issue[] = () => [],
): Issue[] {
  const read = DOCUMENT_KINDS[kind].schema.safeParse(doc);
  const issues = read.success
    ? more()
    : issuesOf(read.error).map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
  const { name, group } = (doc ?? {}) as { name?: unknown; group?: unknown };
  const fault = typeof name === 'string' ? nameFault(name) : null;
  if (fault)
    issues.push({
      path: [...path, 'name'],
      message: `${DOCUMENT_KINDS[kind].word} name ${fault}`,
      code: 'custom',
    });
  if (kind === 'template' && typeof group === 'string' && group.length > LONGEST_GROUP) {
    const message = `must have at most ${LONGEST_GROUP} characters`;
    issues.push({ path: [...path, 'group'], message, code: 'too_big' });
  }
  return issues;
}

/** Returns why a text cannot name an asset; null when it can. A project's prefix does not count. */
export function nameFault(name: string): string | null {
  const bare = bareName(name);
  if (bare.trim() === '') return 'must not be empty';
  return bare.length > LONGEST_NAME ? `must have at most ${LONGEST_NAME} characters` : null;
}
