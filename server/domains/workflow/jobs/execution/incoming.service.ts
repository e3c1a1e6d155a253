import type { SystemContext } from '#server/kernel/contexts.ts';
import type { TaskOutcome } from '../../tasks/outcome.ts';
import type { TaskRun } from '../../tasks/runs.ts';

/** Returns whether a task has a run. */
export const isRun = (run: TaskRun | undefined): run is TaskRun => run !== undefined;

/** Runs a stored transformation on values like the task of that name, with the rights of an account. */
export function transformed(
  { db, platform, account }: SystemContext & { account: string },
  { run, kind }: TaskRun,
  id: string,
  variableMap: Record<string, unknown>,
): Promise<TaskOutcome> | TaskOutcome {
  const incoming = { tr_id: id, variableMap, options: { extractOutput: true } };
  if (kind === 'pure') return run(incoming, { variables: {}, resolve: () => undefined });
  const signal = new AbortController().signal;
  return run(incoming, {
    db,
    platform,
    now: platform.now,
    account,
    key: `transformation/${id}`,
    signal,
  });
}
