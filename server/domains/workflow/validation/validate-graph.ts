import type { Task } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { type Edge, END, type Graph, START } from '../definitions/graph.ts';
import { error, type WorkflowFinding, warning } from './finding.ts';
import type { ValidationContext } from './validation-context.ts';
import { incomingOf, tasksOf } from './variables.ts';

/** Maximum number of tasks on a cycle that one finding names. */
const NAMED = 5;

/** Returns the findings about transitions: jobs that could not begin, continue or complete. */
export function transitionsFound(
  workflow: Pick<Workflow, 'tasks' | 'transitions'>,
  graph: Graph,
  around: Pick<ValidationContext, 'task'>,
): WorkflowFinding[] {
  const found = [...endpointsFound(workflow, graph), ...cycleFound(graph)];
  const cycle = new Set(graph.cycle);
  for (const [id, task] of tasksOf(workflow)) {
    const out = graph.out.get(id) ?? [];
    found.push(...placeFound(id, task, out, graph, around));
    for (const edge of out) found.push(...edgeFound(edge, task, graph, cycle));
  }
  return found;
}

/** Returns the findings about the two tasks with which every workflow begins and ends. */
function endpointsFound({ tasks }: Pick<Workflow, 'tasks'>, graph: Graph): WorkflowFinding[] {
  const missing = [START, END].filter((id) => !Object.hasOwn(tasks, id));
  if (missing.length > 0) return missing.map((id) => error(id, 'tasks', `${id} is missing`));
  if (graph.reached.has(END)) return [];
  return [error(END, 'transitions', 'cannot be reached from workflow_start: a job could never complete')];
}

/** Returns the finding about tasks that wait for each other. */
function cycleFound({ cycle }: Graph): WorkflowFinding[] {
  const [first] = cycle;
  if (first === undefined) return [];
  const named = cycle.slice(0, NAMED).join(', ');
  const more = cycle.length > NAMED ? ` and ${cycle.length - NAMED} more` : '';
  const message = `tasks ${named}${more} wait for each other; only a revert transition may lead back`;
  return [error(first, 'transitions', message)];
}

/** Returns the findings about a task's place in the graph: whether a job can reach it, and whether its transitions are right. */
function placeFound(
  id: string,
  task: Task,
  out: readonly Edge[],
  graph: Graph,
  around: Pick<ValidationContext, 'task'>,
): WorkflowFinding[] {
  if (id === END) {
    return out.length > 0 ? [error(id, 'transitions', 'workflow_end cannot have transitions')] : [];
  }
  if (id === 'error_handler') return [];
  const isReached = id === START || graph.reached.has(id);
  return [
    ...(isReached
      ? []
      : [error(id, 'transitions', 'cannot be reached from workflow_start: the task would never run')]),
    ...outgoingFindings(id, task, out, graph, around),
  ];
}

/** Returns the findings about one edge. */
function edgeFound(
  { from, to, state, type }: Edge,
  task: Task,
  { place }: Graph,
  cycle: ReadonlySet<string>,
) {
  const field = `transitions.${to}`;
  const found: WorkflowFinding[] = [];
  if (to === START)
    found.push(error(from, field, 'leads back to workflow_start, which runs only when a job starts'));
  if (state === 'loop' && task.name !== 'forEach') {
    found.push(error(from, field, `only forEach can have a loop transition, ${task.name} cannot`));
  }
  if (type !== 'revert' || cycle.has(from) || cycle.has(to)) return found;
  const [here, there] = [place.get(from), place.get(to)];
  if (here !== undefined && there !== undefined && there > here) {
    found.push(error(from, field, `reverts to task ${to}, which does not precede this one`));
  }
  return found;
}

/** Returns the findings about the edges that leave one task, by the states in which it can finish. */
function outgoingFindings(
  id: string,
  task: Task,
  out: readonly Edge[],
  { looped }: Graph,
  around: Pick<ValidationContext, 'task'>,
): WorkflowFinding[] {
  // The last task of a loop's body needs no transition: the next element follows.
  if (out.length === 0) {
    return looped.has(id) ? [] : [error(id, 'transitions', 'has no transition: a job would stop here')];
  }
  const found: WorkflowFinding[] = [];
  const states = new Set(out.map(({ state }) => state));
  for (const state of states) {
    if (out.filter((edge) => edge.state === state && edge.type === 'revert').length > 1) {
      found.push(error(id, 'transitions', `has more than one revert transition for ${state}`));
    }
  }
  for (const state of statesOf(id, task, around)) {
    if (states.has(state) || looped.has(id)) continue;
    const message = `has no transition for ${state}: a job whose task finishes this way stops in error`;
    found.push(warning(id, 'transitions', message));
  }
  if (task.name === 'forEach' && !states.has('loop')) {
    found.push(warning(id, 'transitions', 'has no loop transition: no task runs for the elements'));
  }
  return found;
}

/** Returns the states in which a task is likely to finish at some time, and for which a transition should exist. */
function statesOf(id: string, task: Task, around: Pick<ValidationContext, 'task'>): Edge['state'][] {
  if (id === START) return ['success'];
  const incoming = incomingOf(task);
  const own = task.app === 'WorkFlowEngine' ? task.name : '';
  if (own === 'stub') {
    const { type } = incoming;
    return type === 'error' || type === 'failure' ? [type] : ['success'];
  }
  if (['evaluation', 'decision', 'validateJsonSchema'].includes(own)) return ['success', 'failure'];
  if (own === 'query') return incoming.pass_on_null === true ? ['success'] : ['success', 'failure'];
  if (own === 'ViewData') return incoming.btn_failure ? ['success', 'failure'] : ['success'];
  const effect = around.task(task.app ?? '', task.name)?.effect;
  return task.type === 'automatic' && effect !== 'pure' ? ['success', 'error'] : ['success'];
}
