import type { DraftError } from '#db/schemas/assets/draft.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { CommandTemplate } from '#db/schemas/network/mop-template.ts';
import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { type AssetFindings, asErrors, asFindings, documentIssues } from '#server/domains/assets/index.ts';
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

/**
 * Returns why a document could be stored only as a draft.
 *
 * @param doc has been validated as a document of this kind, and exceeds no limit
 */
export const contentErrors = (kind: ComponentType, doc: unknown): DraftError[] =>
  asErrors(asFindings(WITHIN[kind]?.(doc, []) ?? []).errors, []);

/**
 * Returns what is wrong with a document as an asset of this kind. Its shape, its name and limits are issues; content that
 * no run could execute is errors (contract/lifecycle#drafts).
 *
 * @param path the document's path in the request
 */
export function assetFindings(kind: ComponentType, doc: unknown, path: (string | number)[]): AssetFindings {
  const errors: Issue[] = [];
  const issues = documentIssues(kind, doc, path, () => {
    const found = asFindings(WITHIN[kind]?.(doc, path) ?? []);
    errors.push(...found.errors);
    return found.issues;
  });
  return { issues, errors };
}
