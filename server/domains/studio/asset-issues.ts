import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { CommandTemplate } from '#db/schemas/network/mop-template.ts';
import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { documentIssues } from '#server/domains/assets/index.ts';
import { evalIssues } from '#server/domains/network/index.ts';
import { malformedIssues, transformationIssues } from '#server/domains/workflow/index.ts';
import type { Issue } from '#server/kernel/errors.ts';

/** Checks beyond the shape, by kind: for invalid graphs, steps and rules. */
const WITHIN: Partial<Record<ComponentType, (doc: unknown, path: Issue['path']) => Issue[]>> = {
  // Each check is called only with documents that satisfy their schema.
  workflow: (doc, path) => malformedIssues(doc as Workflow, path),
  transformation: (doc, path) => transformationIssues(doc as Transformation, path),
  mopCommandTemplate: (doc, path) => evalIssues(doc as CommandTemplate, path),
};

/** Codes of issues about limits: no draft may exceed them. */
const LIMITS = new Set(['too_deep', 'too_big']);

/** Why a document cannot be stored (`issues`), and why it could be stored only as a draft (`errors`). */
export type AssetFindings = { issues: Issue[]; errors: Issue[] };

/**
 * Returns what is wrong with a document as an asset of this kind. Its shape, its name and limits are issues; content that
 * no run could execute is errors (contract/lifecycle#drafts).
 *
 * @param path the document's path in the request
 */
export function assetFindings(kind: ComponentType, doc: unknown, path: (string | number)[]): AssetFindings {
  const errors: Issue[] = [];
  const issues = documentIssues(kind, doc, path, () => {
    const found = WITHIN[kind]?.(doc, path) ?? [];
    errors.push(...found.filter(({ code }) => !LIMITS.has(code)));
    return found.filter(({ code }) => LIMITS.has(code));
  });
  return { issues, errors };
}

/**
 * Returns why a document cannot be stored as an asset of this kind where no drafts are accepted: its shape, content that
 * no run could execute, and an unusable name.
 *
 * @param path the document's path in the request
 */
export function assetIssues(kind: ComponentType, doc: unknown, path: (string | number)[]): Issue[] {
  const { issues, errors } = assetFindings(kind, doc, path);
  return [...errors, ...issues];
}
