import type { Logger } from 'pino';
import { type Database, isUnavailable } from '#db/client.ts';
import type { Worker } from '#server/durable/port.ts';
import { ServiceError } from '#server/kernel/errors.ts';
import { reasonOf } from '#server/kernel/observability/faults.ts';
import type { WorkPlatform } from '#server/kernel/platform.ts';
import { GitFailed } from '#server/southbound/git/ports.ts';
import { endRun, GIT, readRun } from './runs.service.ts';

/** Runs that one process carries out at once: each may hold a copy of a repository. */
const AT_ONCE = 2;

type WorkerDependencies = {
  db: Database;
  platform: WorkPlatform;
  log: Pick<Logger, 'error'>;
};

/**
 * Returns the worker that pushes and pulls. A run compares both sides and writes what differs: one that was cut short is
 * carried out again from the start, and finds what it has written already.
 *
 * @param workers the number of work items that the process carries out at once
 */
export const gitWorker = ({ db, platform, log }: WorkerDependencies, workers: number): Worker => ({
  kind: GIT,
  atOnce: Math.min(workers, AT_ONCE),
  urgent: false,
  putAside: async (tx, { input, reason }) => {
    await endRun(tx, runIdOf(input), { error: reason });
  },
  run: async (work, input) => {
    const id = runIdOf(input);
    const end = await work.step('run', async () => {
      const run = await readRun(db, id);
      if (run?.status !== 'running') return null;
      try {
        // Loaded on first use: it needs every domain whose documents travel.
        const { perform } = await import('./perform.service.ts');
        return { result: await perform(db, platform, run) };
      } catch (error) {
        if (error instanceof ServiceError || error instanceof GitFailed) return { error: error.message };
        if (isUnavailable(error)) throw error;
        log.error({ err: error, run: id }, 'a run of a Git remote failed');
        return { error: reasonOf(error) };
      }
    });
    if (end) await work.transact((tx) => endRun(tx, id, end));
  },
});

/** The input of a work item, which startRun enqueues. */
const runIdOf = (input: unknown): string => (input as { runId: string }).runId;
