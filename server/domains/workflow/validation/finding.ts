/** A finding of the validator about a field of a task. */
export type WorkflowFinding = {
  /** An error prevents the workflow from running; a warning does not. */
  level: 'error' | 'warning';
  task: string;
  /** Field names from the task down, joined with dots. */
  field: string;
  message: string;
};

/**
 * Returns a finding that prevents the start of a workflow.
 *
 * @param task id of the task
 * @param field path within the task
 */
export const error = (task: string, field: string, message: string): WorkflowFinding => ({
  level: 'error',
  task,
  field,
  message,
});

/**
 * Returns a finding that does not prevent the start of a workflow.
 *
 * @param task id of the task
 * @param field path within the task
 */
export const warning = (task: string, field: string, message: string): WorkflowFinding => ({
  level: 'warning',
  task,
  field,
  message,
});
