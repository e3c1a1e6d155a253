import type { Task } from '#db/schemas/workflow/task.ts';
import type { PlannedAdapterTask } from '#server/domains/integrations/index.ts';
import { END, START } from '../../definitions/graph.ts';
import { taskTypeOf } from '../../tasks/catalogue.ts';
import type { TaskRun } from '../../tasks/runs.ts';
import type { Effect } from '../../tasks/task-type.ts';
import type { TaskExecution, TaskExecutionOf } from '../reducer/transition-context.ts';

/** Looks up the run function of a task: `runOf` of server/domains/workflow/tasks/runs.ts. */
export type RunOf = (app: string, name: string) => TaskRun | undefined;

/** The tasks that the engine executes itself: they need the graph, the clock or other jobs. */
const OWN = new Map<string, TaskExecution>([
  ['WorkFlowEngine.forEach', { kind: 'forEach' }],
  ['WorkFlowEngine.childJob', { kind: 'childJob' }],
  ['WorkFlowEngine.delay', { kind: 'delay' }],
  ['WorkFlowEngine.stub', { kind: 'stub' }],
  ['MOP.reattempt', { kind: 'reattempt' }],
]);

/** Returns how each task of a job is executed, given the available runs. */
export const executionsBy =
  (runOf: RunOf): TaskExecutionOf =>
  (task: Task): TaskExecution | undefined => {
    const { app, name, type } = task;
    if (name === START) return { kind: 'start' };
    if (name === END) return { kind: 'end' };
    if (!app) return undefined;
    const own = OWN.get(`${app}.${name}`);
    if (own) return own;
    // The catalogue decides for its tasks: exports have some as manual that need nobody here.
    if ((taskTypeOf(app, name)?.type ?? type) === 'manual') return { kind: 'person' };
    const run = runOf(app, name);
    if (!run) return undefined;
    return run.kind === 'pure' ? run : { kind: 'effect' };
  };

/**
 * Returns the effect of a task, which decides what happens when its process is lost; unknown tasks count as unsafe.
 *
 * @param planned how the job carries out the task, where it belongs to an adapter type
 * @param adapter value of `adapter_id`: settings of an adapter may make the effect another one
 */
export function effectOf({ app, name }: Task, planned?: PlannedAdapterTask, adapter?: unknown): Effect {
  if (!planned) return taskTypeOf(app ?? '', name)?.effect ?? 'unsafe';
  const { effect, effects = {} } = planned;
  const names = Object.keys(effects);
  // Without a name the adapter is chosen when the task runs: the repetition may not rest on which one it was.
  if (typeof adapter !== 'string' || !names.includes(adapter)) return effect;
  return effects[adapter] ?? effect;
}

/** Returns whether a task may be repeated without knowing if it ran before (contract/engines#side-effects). */
export const isRepeatable = (effect: Effect): boolean => effect !== 'unsafe';
