import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { nameFault, projectOf, withRewrittenReferences } from '#server/domains/assets/index.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { malformedIssues } from './graph.ts';

/** A workflow as a request contains it: its id and timestamps may be missing. */
export type WorkflowInput = Pick<Workflow, 'name' | 'tasks' | 'transitions'> & Partial<Workflow>;

/** Returns the issues that keep a document from being stored as a workflow. @param path its path in the request */
export function workflowIssues(workflow: WorkflowInput, path: (string | number)[]): Issue[] {
  const fault = nameFault(workflow.name);
  const named = fault ? [{ path: [...path, 'name'], message: fault, code: 'custom' }] : [];
  return [...named, ...malformedIssues(workflow, path)];
}

/**
 * Returns why a workflow cannot have a name, given the project that owns it; null when it can (contract/lifecycle#5.2).
 *
 * @param projectId its project; null for a global one
 */
export function ownerFault(projectId: string | null, name: string): string | null {
  const owner = projectOf(name);
  if (owner === projectId) return null;
  if (projectId !== null) return `Name must begin with '@${projectId}: '`;
  return `Name must not begin with '@${owner}: ': that prefix is reserved for the workflows of a project`;
}

/** Returns the workflow without the project that owned it on another system. */
export function asGlobal({ namespace: _, ...workflow }: WorkflowInput): WorkflowInput {
  return workflow;
}

/** Returns a new workflow with the fields of every stored one (contract/resources#2.17). @param release of this platform */
export const completed = (workflow: WorkflowInput, release: string): WorkflowInput => ({
  type: 'automation',
  groups: [],
  tags: [],
  createdVersion: release,
  lastUpdatedVersion: release,
  ...workflow,
});

/** Returns the workflow under another name; references to itself as a child job are updated. */
export const renamed = <Doc extends WorkflowInput>(workflow: Doc, from: string, to: string): Doc => ({
  ...withRewrittenReferences('workflow', workflow, ({ kind, by, value }) =>
    (kind === 'workflow' || kind === null) && by !== 'id' && value === from ? to : undefined,
  ),
  name: to,
});
