import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { CommandTemplate } from '#db/schemas/network/mop-template.ts';
import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { documentIssues } from '#server/domains/assets/index.ts';
import { evalIssues } from '#server/domains/network/index.ts';
import { malformedIssues, transformationIssues } from '#server/domains/workflow/index.ts';
import type { Issue } from '#server/kernel/errors.ts';

/** What a sound shape may still hide: graphs, steps and rules that nothing could make sense of. */
const WITHIN: Partial<Record<ComponentType, (doc: unknown, path: Issue['path']) => Issue[]>> = {
  // Each is asked only about what has met its schema.
  workflow: (doc, path) => malformedIssues(doc as Workflow, path),
  transformation: (doc, path) => transformationIssues(doc as Transformation, path),
  mopCommandTemplate: (doc, path) => evalIssues(doc as CommandTemplate, path),
};

/**
 * Returns everything that keeps a document from being stored as an asset of this kind, whichever it is: its shape, what no
 * run could make sense of, and a name that nobody could ask for.
 *
 * @param path where the document stands in the request
 */
export const assetIssues = (kind: ComponentType, doc: unknown, path: (string | number)[]): Issue[] =>
  documentIssues(kind, doc, path, () => WITHIN[kind]?.(doc, path) ?? []);
