import type { Task } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { APPS, taskTypeOf } from '#server/domains/workflow/tasks/catalogue.ts';
import { validate } from '#server/domains/workflow/validation/validate.ts';
import type { ValidationContext } from '#server/domains/workflow/validation/validation-context.ts';
import { task, workflowOf } from '../workflows.ts';

/** What a workflow finds around it. */
export const AROUND: ValidationContext = {
  task: taskTypeOf,
  hasApp: (app) => APPS.includes(app),
  missing: [],
  faults: (id) => (id === 'strange' ? ['steps.0.method: the method Array.shuffle is not known'] : []),
  input: (name) => (name === 'Check' ? { required: ['device', 'site'] } : undefined),
};

/** The lines of what is wrong with a workflow, and of what is odd. */
export function reported(
  workflow: Pick<Workflow, 'tasks' | 'transitions'>,
  around: Partial<ValidationContext> = {},
) {
  const { errors, warnings } = validate(workflow, { ...AROUND, ...around });
  const lines = (list: typeof errors) => list.map((one) => `${one.task} ${one.name} ${one.message}`);
  return { errors: lines(errors), warnings: lines(warnings) };
}

export const wait = (seconds: unknown = 1) => task('delay', { time: seconds });
export const withTransitions = (
  tasks: Record<string, Task>,
  transitions: Workflow['transitions'],
): ReturnType<typeof workflowOf> => workflowOf('x', tasks, { transitions });
