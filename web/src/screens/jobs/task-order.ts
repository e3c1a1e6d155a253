import { errorLine, type Job, type JobTask, msOf, taskTitle } from './job-state.tsx';

/** A task of a job with its id. */
export type Step = { id: string; task: JobTask };

/** Where a task leads to: its successors of every finish state. */
export type Edge = {
  from: string;
  to: string;
  state: 'success' | 'failure' | 'error';
  type: 'standard' | 'loop' | 'revert';
};

/** Returns the transitions of a job. */
export function edgesOf({ tasks = {} }: Job): Edge[] {
  return Object.entries(tasks).flatMap(([from, { transitions }]) =>
    (['success', 'failure', 'error'] as const).flatMap((state) =>
      (transitions?.[state] ?? [])
        .filter(({ task }) => tasks[task] !== undefined)
        .map(({ task: to, type }) => ({ from, to, state, type })),
    ),
  );
}

/** Returns the transitions that go forward, by the task at one of their ends. */
export function edgesBy(end: 'from' | 'to', edges: readonly Edge[]): Map<string, Edge[]> {
  const found = new Map<string, Edge[]>();
  for (const edge of edges) {
    if (edge.type === 'revert') continue;
    const group = found.get(edge[end]);
    if (group) group.push(edge);
    else found.set(edge[end], [edge]);
  }
  return found;
}

/** Returns the tasks in the order of the workflow: breadth first from its start, then what nothing leads to. */
export function stepsOf(job: Job): Step[] {
  const { tasks = {} } = job;
  const after = edgesBy('from', edgesOf(job));
  const seen = new Set<string>();
  const order: string[] = [];
  const visit = (start: string) => {
    const open = [start];
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      if (seen.has(next) || tasks[next] === undefined) continue;
      seen.add(next);
      order.push(next);
      for (const { to } of after.get(next) ?? []) if (to !== 'workflow_end') open.push(to);
    }
  };
  visit('workflow_start');
  for (const id of Object.keys(tasks)) if (id !== 'workflow_end') visit(id);
  if (tasks.workflow_end) order.push('workflow_end');
  return order.flatMap((id) => {
    const task = tasks[id];
    return task ? [{ id, task }] : [];
  });
}

/** When a task began and ended; an end that is missing is now, for a task that runs. */
export function spanOf(task: JobTask): { start: number; end: number | undefined } | undefined {
  const start = msOf(task.start_time);
  return start === undefined ? undefined : { start, end: msOf(task.end_time) };
}

/** The error of a step that finished in a state after which its workflow does not continue. */
const NO_TRANSITION = /^Task finished with (\w+): no available transitions$/;

/**
 * Returns an error of a job in words. Where its workflow does not continue after a step, they say after which states it would, and
 * with which steps.
 *
 * @param task id of the step
 */
export function errorText(job: Job, task: string, message: unknown): string {
  const line = errorLine(message);
  const finish = NO_TRANSITION.exec(line)?.[1];
  if (finish === undefined) return line;
  const next = edgesOf(job)
    .filter(({ from, type }) => from === task && type !== 'revert')
    .map(({ to, state }) => {
      const name = to === 'workflow_end' ? 'the end of the workflow' : `“${taskTitle(to, job.tasks?.[to])}”`;
      return `after ${state} with ${name}`;
    });
  const instead = next.length > 0 ? `it continues ${next.join(', and ')}` : 'no step follows it';
  const text = `The step finished with ${finish}, and the workflow does not say what follows that: ${instead}.`;
  if (job.tasks?.[task]?.status !== 'error') return text;
  return `${text} Retry the step, or add a transition for ${finish} to the workflow.`;
}
