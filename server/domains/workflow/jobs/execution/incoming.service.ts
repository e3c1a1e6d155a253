import type { WorkPlatform } from '#server/kernel/platform.ts';
import type { Outcome } from '../../tasks/outcome.ts';
import type { Run } from '../../tasks/runs.ts';
import type { Making } from '../store/new-job.service.ts';

export const isRun = (run: Run | undefined): run is Run => run !== undefined;

/** Run a stored transformation on values, as the task of that name does, for an account. */
export function transformed(
  { db, platform, account }: Making & { platform: WorkPlatform; account: string },
  { run, kind }: Run,
  id: string,
  variableMap: Record<string, unknown>,
): Promise<Outcome> | Outcome {
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
