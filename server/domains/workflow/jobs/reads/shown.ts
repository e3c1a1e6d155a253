import type { Job } from '#db/schemas/workflow/job.ts';
import type { Task } from '#db/schemas/workflow/task.ts';
import { END, START } from '../../definitions/graph.ts';
import { incomingOf, outgoingOf } from '../../validation/variables.ts';
import {
  type Head,
  type Iteration,
  isActive,
  type JobDocument,
  type TaskState,
} from '../reducer/document.ts';
import { edgesOf, isLoop, type Plan } from '../reducer/plan.ts';
import { masked } from '../store/masking.ts';

/** Returns a job as readers see it (contract/resources#2.13): the tasks of its workflow snapshot, with their states. */
export function jobOf(plan: Plan, { head, state }: JobDocument): Job {
  const held = new Set(head.status === 'paused' ? state.ready : []);
  const tasks: Job['tasks'] = {};
  for (const [id, definition] of Object.entries(plan.tasks)) {
    tasks[id] = taskOf(plan, head, state.tasks, id, definition, held.has(id));
  }
  return masked({ ...head, tasks });
}

/** Returns the status of a task for readers: a skipped one is incomplete, one that a pause holds back is paused. */
export const statusOf = ({ status }: Pick<TaskState, 'status'>, isHeld = false) =>
  isHeld ? 'paused' : status === 'skipped' ? 'incomplete' : status;

function taskOf(
  plan: Plan,
  head: Head,
  states: Readonly<Record<string, TaskState>>,
  id: string,
  definition: Task,
  isHeld: boolean,
): Task {
  const state = states[id];
  // Only the job's state says who confirmed a task.
  const { confirmedBy: _, ...own } = definition;
  const { retrySettings } = own;
  const shown: Task = {
    ...own,
    taskId: id,
    status: state || isHeld ? statusOf(state ?? { status: 'incomplete' }, isHeld) : 'incomplete',
    iterations: state?.iterations ?? [],
    previous: previousOf(plan, states, id),
    transitions: transitionsOf(plan, id),
    start_time: state?.start === undefined ? null : new Date(state.start).toISOString(),
    end_time: state?.end ?? null,
    finish_state: state?.finish ?? null,
    serverId: state?.server ?? null,
    owner: state?.owner ?? null,
    ...(state?.confirmedBy && { confirmedBy: state.confirmedBy }),
    ...(state?.stubbed && { stubbed: true }),
    ...(state?.parent && { parent: state.parent }),
    ...(definition.variables && { variables: { ...definition.variables, ...valuesOf(definition, state) } }),
    ...(retrySettings && state?.retries !== undefined && { retrySettings: retried(retrySettings, state) }),
  };
  if (id === START) {
    const { start_time, user } = head.metrics;
    shown.metrics = { start_time, user, finish_state: state?.finish ?? null };
  }
  if (id === END) {
    const end = state?.end ?? null;
    shown.metrics = { end_time: end, run_time: end === null ? null : end - head.metrics.start_time };
    shown.endTasks = edgesOf(plan.into, id)
      .filter(({ from, state: finishState }) => states[from]?.finish === finishState)
      .map(({ from }) => from);
  }
  return shown;
}

/** Returns the actual values of a task once it has started; before, those of the workflow snapshot. */
const valuesOf = (definition: Task, state: TaskState | undefined) => ({
  incoming: state?.incoming ?? incomingOf(definition),
  outgoing: state?.outgoing ?? outgoingOf(definition),
});

const retried = (settings: NonNullable<Task['retrySettings']>, { retries = 0, status }: TaskState) => ({
  ...settings,
  count: retries,
  finishedRetrying: status !== 'running',
});

/** Returns the tasks before one, by their status (contract/engines#job-documents); the start task is not listed. */
function previousOf(plan: Plan, states: Readonly<Record<string, TaskState>>, id: string) {
  const previous = { incomplete: [] as string[], complete: [] as string[], error: [] as string[] };
  for (const { from } of edgesOf(plan.into, id)) {
    if (from === START) continue;
    const { status, finish } = states[from] ?? { status: 'incomplete', finish: undefined };
    if (finish === 'error' || status === 'error') previous.error.push(from);
    else previous[status === 'complete' ? 'complete' : 'incomplete'].push(from);
  }
  return previous;
}

/** Returns the transitions out of a task by finish state; the transition into a loop is listed under success. */
function transitionsOf(plan: Plan, id: string) {
  const transitions = {
    success: [] as TransitionView[],
    failure: [] as TransitionView[],
    error: [] as TransitionView[],
  };
  for (const edge of [...edgesOf(plan.out, id), ...edgesOf(plan.reverts, id)]) {
    if (edge.state === 'loop') transitions.success.push({ task: edge.to, type: 'loop' });
    else transitions[edge.state].push({ task: edge.to, type: isLoop(edge) ? 'loop' : edge.type });
  }
  return transitions;
}

type TransitionView = { task: string; type: 'standard' | 'loop' | 'revert' };

/** Returns an iteration of a task for task lists (contract/lifecycle#6.4), without its values. */
export function taskItemOf(
  head: Pick<Head, '_id' | 'name'>,
  definition: Task,
  { iteration, task, state }: Omit<Iteration, 'past'>,
) {
  return {
    _id: iteration,
    name: definition.name,
    app: definition.app ?? null,
    type: definition.type ?? 'operation',
    location: definition.location ?? null,
    view: definition.view ?? null,
    status: statusOf(state),
    summary: definition.summary ?? '',
    description: definition.description ?? '',
    job: { _id: head._id, name: head.name, task },
    metrics: {
      start_time: state.start ?? null,
      end_time: state.end ?? null,
      owner: state.owner ?? null,
      user: state.user ?? null,
      finish_state: state.finish ?? null,
    },
    groups: taskGroupsOf(definition),
  };
}

/** Returns the ids of the groups that may finish a task, as its author wrote them; none: everybody with access. */
export function taskGroupsOf({ groups = [] }: Pick<Task, 'groups'>): string[] {
  const written = typeof groups === 'string' ? [groups] : groups;
  return written.map((group) => (typeof group === 'string' ? group : (group._id ?? ''))).filter(Boolean);
}

/** Returns whether a manual task waits for a user. */
export const isOpen = (head: Head, state: TaskState | undefined): boolean =>
  isActive(head) && state?.status === 'running' && state.waits === 'person';
