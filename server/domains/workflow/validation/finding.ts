/** One finding of the validator: at a task, about a place in it. */
export type WorkflowFinding = {
  /** An error keeps the workflow from running; a warning does not. */
  level: 'error' | 'warning';
  task: string;
  /** Member names from the task down, with dots. */
  field: string;
  message: string;
};

export const error = (task: string, field: string, message: string): WorkflowFinding => ({
  level: 'error',
  task,
  field,
  message,
});

export const warning = (task: string, field: string, message: string): WorkflowFinding => ({
  level: 'warning',
  task,
  field,
  message,
});
