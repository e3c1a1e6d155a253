import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { nameFault, projectOf, withRewrittenReferences } from '#server/domains/assets/index.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { malformedIssues } from './graph.ts';

/** A workflow as it comes in: its id and stamps may be missing. */
export type WorkflowInput = Pick<Workflow, 'name' | 'tasks' | 'transitions'> & Partial<Workflow>;

/** Everything that keeps a document from being stored as a workflow at all. @param path where it stands in the request */
export function workflowIssues(workflow: WorkflowInput, path: (string | number)[]): Issue[] {
  const fault = nameFault(workflow.name);
  const named = fault ? [{ path: [...path, 'name'], message: fault, code: 'custom' }] : [];
  return [...named, ...malformedIssues(workflow, path)];
}

/**
 * Why a workflow cannot be called so, by the project that owns it; null when it can (contract/lifecycle#5.2).
 *
 * @param projectId its project; null for a global one
 */
export function ownerFault(projectId: string | null, name: string): string | null {
  const owner = projectOf(name);
  if (owner === projectId) return null;
  if (projectId !== null) return `Name must begin with '@${projectId}: '`;
  return `Name must not begin with '@${owner}: ': that is how the workflows of a project are called`;
}

/** The workflow without what it says of a project that owned it elsewhere. */
export function asGlobal({ namespace: _, ...workflow }: WorkflowInput): WorkflowInput {
  return workflow;
}

/** A new workflow with the members that every stored one has (contract/resources#2.17). @param release of this platform */
export const completed = (workflow: WorkflowInput, release: string): WorkflowInput => ({
  type: 'automation',
  groups: [],
  tags: [],
  createdVersion: release,
  lastUpdatedVersion: release,
  ...workflow,
});

/** The workflow under another name; where it runs itself as a child job, it follows. */
export const renamed = <Doc extends WorkflowInput>(workflow: Doc, from: string, to: string): Doc => ({
  ...withRewrittenReferences('workflow', workflow, ({ kind, by, value }) =>
    (kind === 'workflow' || kind === null) && by !== 'id' && value === from ? to : undefined,
  ),
  name: to,
});
