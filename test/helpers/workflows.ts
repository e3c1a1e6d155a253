import type { Task } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';

/** A task as an invented workflow holds it. */
export const task = (
  name: string,
  incoming: Record<string, unknown> = {},
  outgoing: Record<string, unknown> = {},
  more: Partial<Task> = {},
): Task => ({
  name,
  app: 'WorkFlowEngine',
  location: 'Application',
  locationType: null,
  type: 'operation',
  variables: { incoming, outgoing },
  ...more,
});

const standard = (state: 'success' | 'failure' | 'error' | 'loop') => ({ type: 'standard' as const, state });
export const success = standard('success');
export const failure = standard('failure');
export const onError = standard('error');
export const loop = standard('loop');
export const revert = (state: 'success' | 'failure' | 'error') => ({ type: 'revert' as const, state });

type NewWorkflow = Pick<Workflow, 'name' | 'tasks' | 'transitions'> & Partial<Workflow>;

/** A workflow of these tasks; without transitions of its own they follow each other in the order given. */
export function workflowOf(
  name: string,
  tasks: Record<string, Task> = {},
  more: Partial<Workflow> = {},
): NewWorkflow {
  const ids = ['workflow_start', ...Object.keys(tasks), 'workflow_end'];
  const chain = Object.fromEntries(
    ids.map((id, at) => [id, at + 1 < ids.length ? { [String(ids[at + 1])]: success } : {}]),
  );
  return {
    name,
    tasks: {
      workflow_start: { name: 'workflow_start' },
      ...tasks,
      workflow_end: { name: 'workflow_end' },
    },
    transitions: chain,
    ...more,
  };
}

/** A childJob task that runs a workflow. */
export const runs = (workflow: string, variables: Record<string, unknown> = {}): Task =>
  task(
    'childJob',
    { task: '', workflow, variables, data_array: '', transformation: '', loopType: '' },
    { job_details: null },
  );

/** A manual task: it shows something, and completes when a user finishes it. */
export const view = (more: Record<string, unknown> = {}): Task =>
  task(
    'ViewData',
    { header: 'Look', btn_success: 'Go', ...more },
    {},
    { type: 'manual', view: '/workflow_engine/task/ViewData' },
  );

/** A task that sets a variable of its job. */
export const variable = (name: string, value: unknown): Task =>
  task('newVariable', { name, value }, { value: null });

/** A task that leaves a trace in the world (tracing-runs.ts). */
export const traceTask = (text: string): Task =>
  task('stringLength', { str: text }, { length: null }, { type: 'automatic', actor: 'Pronghorn' });
