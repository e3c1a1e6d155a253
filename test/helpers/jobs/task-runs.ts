import type { JobView, TaskEnvironment, TaskOutcome } from '#server/domains/workflow/tasks/outcome.ts';
import { runOf } from '#server/domains/workflow/tasks/runs.ts';

/** A job with these variables, and these results of tasks by task id. */
export const jobWith = (
  variables: Record<string, unknown> = {},
  results: Record<string, Record<string, unknown>> = {},
): JobView => ({
  variables,
  resolve: ({ task, variable }) => {
    if (task === 'static') return variable;
    return task === 'job' ? variables[String(variable)] : (results[task]?.[String(variable)] ?? null);
  },
});

/** Runs a task of WorkFlowEngine that works on values alone. */
export function ran(name: string, incoming: Record<string, unknown>, job: JobView = jobWith()): TaskOutcome {
  const found = runOf('WorkFlowEngine', name);
  if (found?.kind !== 'pure') throw new Error(`${name} is no pure task`);
  return found.run(incoming, job);
}

/** What the task says of values that it cannot work with; undefined: it could. */
export const refusalOf = (
  name: string,
  incoming: Record<string, unknown>,
  job?: JobView,
): string | undefined => {
  const { finish, error } = ran(name, incoming, job);
  return finish === 'error' ? error?.message : undefined;
};

type Service = { db: TaskEnvironment['db']; platform: TaskEnvironment['platform'] };

/** A world for tasks with an effect, in a job of this account. */
export const worldOf = (
  { db, platform }: Service,
  account: string,
  more: Partial<TaskEnvironment> = {},
): TaskEnvironment => ({
  db,
  platform,
  now: platform.now,
  account,
  key: '65f0c1d2e3a4b5c6d7e8f901/a1/1/1',
  signal: new AbortController().signal,
  ...more,
});

/** Runs a task that does something outside its job. */
export function done(
  app: string,
  name: string,
  incoming: Record<string, unknown>,
  world: TaskEnvironment,
): Promise<TaskOutcome> {
  const found = runOf(app, name);
  if (found?.kind !== 'effect') throw new Error(`${name} of ${app} has no effect`);
  return found.run(incoming, world);
}
