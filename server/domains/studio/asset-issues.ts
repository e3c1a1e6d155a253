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

/**
 * Returns why a document cannot be stored as an asset of this kind: its shape, content that no run could execute, and an
 * unusable name.
 *
 * @param path the document's path in the request
 */
export const assetIssues = (kind: ComponentType, doc: unknown, path: (string | number)[]): Issue[] =>
  documentIssues(kind, doc, path, () => WITHIN[kind]?.(doc, path) ?? []);
