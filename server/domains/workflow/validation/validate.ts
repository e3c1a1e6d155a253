import type { TaskWarning } from '#db/schemas/workflow/job.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { graphOf, malformed } from '../definitions/graph.ts';
import { error, type WorkflowFinding, warning } from './finding.ts';
import { transitionsFound } from './validate-graph.ts';
import { referencesFound } from './validate-references.ts';
import { deniedTo, taskFound } from './validate-task.ts';
import type { ValidationContext } from './validation-context.ts';
import { tasksOf } from './variables.ts';

/** Errors, which prevent a workflow from running, and warnings to review before a run (contract/lifecycle#5.2). */
export type WorkflowFindings = { errors: TaskWarning[]; warnings: TaskWarning[] };

/** Maximum number of findings of each kind that are stored with a workflow; the rest is counted. */
const MOST = 1000;

/**
 * Returns all findings of a workflow: errors that would stop a run, and warnings. A workflow without errors can start:
 * the start of jobs uses the same check. The time that it takes depends only on the size of the workflow.
 *
 * @returns findings with the task's id and operation; the message begins with the field: `variables.incoming.obj: …`
 */
export function validate(
  given: Pick<Workflow, 'tasks' | 'transitions'>,
  around: ValidationContext,
): WorkflowFindings {
  const workflow = inOrder(given);
  const graph = graphOf(workflow);
  const found: WorkflowFinding[] = [
    ...malformed(workflow).map(({ task, path, message }) => error(task, path.join('.'), message)),
    ...transitionsFound(workflow, graph, around),
    ...tasksOf(workflow).flatMap(([id, task]) => taskFound(id, task, around)),
    ...referencesFound(workflow, graph, around),
    ...(around.author?.denials ?? []).map(({ task, field, reason }) =>
      warning(task, field, deniedTo(reason)),
    ),
  ];
  found.sort((a, b) => compare(a.task, b.task) || compare(a.field, b.field) || compare(a.message, b.message));
  const findingsOf = (level: WorkflowFinding['level']) => {
    const all = found
      .filter((one) => one.level === level)
      .map(({ task, field, message }) => ({
        task,
        name: Object.hasOwn(workflow.tasks, task) ? (workflow.tasks[task]?.name ?? task) : task,
        message: `${field}: ${message}`,
      }));
    const more = { task: '', name: '', message: `and ${all.length - MOST} more` };
    return all.length > MOST ? [...all.slice(0, MOST), more] : all;
  };
  return { errors: findingsOf('error'), warnings: findingsOf('warning') };
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const byKey = <Value>(fields: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(fields).sort(([a], [b]) => compare(a, b)));

/** Sorts the fields: a stored document has another order than the one that was sent, and the findings must be the same. */
const inOrder = ({ tasks, transitions }: Pick<Workflow, 'tasks' | 'transitions'>) => ({
  tasks: byKey(tasks),
  transitions: Object.fromEntries(
    Object.entries(byKey(transitions)).map(([from, targets]) => [from, byKey(targets)]),
  ),
});
