import type { Task } from '#db/schemas/workflow/task.ts';
import { END, START } from '../../definitions/graph.ts';
import { taskTypeOf } from '../../tasks/catalogue.ts';
import type { TaskRun } from '../../tasks/runs.ts';
import type { Effect } from '../../tasks/task-type.ts';
import type { TaskExecution, TaskExecutionOf } from '../reducer/transition-context.ts';

/** Where the runs of tasks come from: `runOf` of server/domains/workflow/tasks/runs.ts. */
export type RunOf = (app: string, name: string) => TaskRun | undefined;

/** The tasks that the engine does itself: they need the graph, the clock or other jobs. */
const OWN = new Map<string, TaskExecution>([
  ['WorkFlowEngine.forEach', { kind: 'forEach' }],
  ['WorkFlowEngine.childJob', { kind: 'childJob' }],
  ['WorkFlowEngine.delay', { kind: 'delay' }],
  ['WorkFlowEngine.stub', { kind: 'stub' }],
  ['MOP.reattempt', { kind: 'reattempt' }],
]);

/** How each task of a job is done, by the runs that there are. */
export const howBy =
  (runOf: RunOf): TaskExecutionOf =>
  (task: Task): TaskExecution | undefined => {
    const { app, name, type } = task;
    if (name === START) return { kind: 'start' };
    if (name === END) return { kind: 'end' };
    if (!app) return undefined;
    const own = OWN.get(`${app}.${name}`);
    if (own) return own;
    if (type === 'manual' || taskTypeOf(app, name)?.type === 'manual') return { kind: 'person' };
    const run = runOf(app, name);
    if (!run) return undefined;
    return run.kind === 'pure' ? run : { kind: 'effect' };
  };

/** What becomes of a task whose process was lost while it ran; nobody knows of one that the catalogue does not have. */
export const effectOf = ({ app, name }: Task): Effect => taskTypeOf(app ?? '', name)?.effect ?? 'unsafe';

/** A task that cannot be told to have been done or not is never done again by itself (contract/engines#side-effects). */
export const isRepeatable = (effect: Effect): boolean => effect !== 'unsafe';
