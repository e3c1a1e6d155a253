import type { Logger } from 'pino';
import { type Database, isUnavailable } from '#db/client.ts';
import { retryUntilAvailable } from '#db/connections/retry-until-available.ts';
import { providedMethodOf } from '#server/domains/integrations/index.ts';
import type { Work } from '#server/durable/port.ts';
import { DATABASE_LOST, INTERRUPTED, translateFault } from '#server/kernel/observability/faults.ts';
import { inSpan } from '#server/kernel/observability/trace.ts';
import { callerFor } from '../../task-runs/task-contexts.service.ts';
import { denialOf } from '../../tasks/authorize.service.ts';
import { maskedOutcome } from '../../tasks/masked-outcome.service.ts';
import type { TaskEnvironment, TaskOutcome } from '../../tasks/outcome.ts';
import { adapterRun } from '../../tasks/runs.ts';
import { outcomeInTime } from '../../transformations/running.service.ts';
import { actingAccountOf, confirmersOf, NOBODY } from '../control/acting.ts';
import { iterationOf } from '../reducer/document.ts';
import { failed } from '../reducer/transition-context.ts';
import { type Large, TooMuchRead, unpacked } from '../store/large-values.ts';
import { endedAmong, findJob, type Loaded, withLarge } from '../store/store.service.ts';
import type { NextEffect } from './advance.service.ts';
import { effectOf, isRepeatable, type RunOf } from './task-executor.ts';
import { copyOf } from './transform.ts';

/** Interval between two checks whether running tasks are still wanted, in milliseconds. */
const LOOK_MS = 1000;

export type PerformerDependencies = {
  db: Database;
  platform: TaskEnvironment['platform'];
  now: () => Date;
  log: Pick<Logger, 'error' | 'info' | 'debug'>;
  runOf: RunOf;
};

/** Runs tasks with side effects; each process has one. */
export type Performer = {
  /**
   * Runs a task.
   *
   * @param known the job as it was just written, which saves a read
   * @param inDoubt whether an earlier process may have started or even finished it; the caller has verified that it still
   *   owns the work
   * @returns null when the job has continued without it
   */
  perform: (
    next: NextEffect,
    work: Pick<Work, 'assertMine'>,
    how: { inDoubt: boolean; known?: Loaded | undefined },
  ) => Promise<TaskOutcome | null>;
  stop: () => void;
};

/** Opens the performer of this process. It aborts a running task when its job has ended meanwhile. */
export function openPerformer({ db, platform, now, log, runOf }: PerformerDependencies): Performer {
  const running = new Map<string, AbortController>();
  const look = async () => {
    if (running.size === 0) return;
    for (const iteration of await endedAmong(db, [...running.keys()])) running.get(iteration)?.abort();
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => log.debug({ err: error }, 'canceled tasks could not be looked up'));
  }, LOOK_MS);
  timer.unref();

  const perform: Performer['perform'] = async (next, { assertMine }, how) => {
    const { job, attempt } = next;
    const task = await preparedTask({ db, platform, runOf }, next, how);
    if (task === null || !('run' in task)) return task;
    const { definition, planned, effect, head, state, incoming, account } = task;
    const controller = new AbortController();
    running.set(attempt.iteration, controller);
    const world: TaskEnvironment = {
      db,
      platform,
      now,
      account,
      confirmedBy: confirmersOf(head, state),
      tokenRoles: head.tokenRoles,
      key: `${job}/${attempt.task}/${attempt.iteration}/${attempt.attempt}`,
      signal: controller.signal,
    };
    try {
      // An unavailable database is no outcome: repeatable tasks run once it is back.
      let tries = 0;
      const once = async () => {
        tries += 1;
        const began = performance.now();
        const { denial, caller } = await retryUntilAvailable(async () => ({
          // An inactive account ends every task, even one that needs no right.
          caller: await callerFor(world),
          denial: await denialOf(world, definition, incoming, planned && providedMethodOf(planned)),
        }));
        // A process that lost the database, or was delayed, may have lost the work to another process as well.
        if (tries > 1 || performance.now() - began > LOOK_MS) await assertMine();
        if (denial) return denial;
        if (task.copy) return outcomeInTime({ document: task.copy, incoming });
        const outcome = async () => task.run(incoming, world);
        return maskedOutcome(outcome, definition, caller, platform.maskConfiguration);
      };
      const attributes = {
        'switchyard.job.id': job,
        'switchyard.task.id': attempt.task,
        'switchyard.task.name': definition.name,
        'switchyard.account.id': account,
      };
      const repeat = () => (isRepeatable(effect) ? retryUntilAvailable(once) : once());
      return await inSpan(`task ${definition.app ?? ''}.${definition.name}`, { attributes }, repeat);
    } catch (error) {
      if (isQuery(error))
        log.error({ err: error, job, task: attempt.task }, 'the database rejected a query of a task');
      return failed(messageOfFault(error));
    } finally {
      running.delete(attempt.iteration);
    }
  };
  return { perform, stop: () => clearInterval(timer) };
}

/** Returns what a task needs to run; its outcome when it cannot; null when the job has continued without it. */
async function preparedTask(
  { db, platform, runOf }: Pick<PerformerDependencies, 'db' | 'platform' | 'runOf'>,
  { job, attempt }: NextEffect,
  { inDoubt, known }: { inDoubt: boolean; known?: Loaded | undefined },
) {
  const loaded = known?.id === job && !inDoubt ? known : await findJob({ db, platform }, job);
  const state = loaded?.document.state.tasks[attempt.task];
  const definition = loaded?.plan.tasks[attempt.task];
  if (!loaded || !definition || state?.status !== 'running') return null;
  if (iterationOf(state) !== attempt.iteration || state.attempt !== attempt.attempt) return null;
  const planned = loaded.plan.adapterTask(definition);
  const effect = effectOf(definition, planned, state.incoming?.adapter_id);
  if (inDoubt && !isRepeatable(effect)) return failed(INTERRUPTED);
  const run = runWith(planned ? adapterRun(planned) : runOf(definition.app ?? '', definition.name));
  if (!run) return failed(`this server cannot run the task ${definition.name}`);
  const { head } = loaded.document;
  const incoming = await withLarge({ db, platform }, job, (large) =>
    openedValues(state.incoming ?? {}, large),
  );
  if (incoming instanceof TooMuchRead) return failed(incoming.message);
  const copy = copyOf(loaded.plan, definition, incoming);
  const account = actingAccountOf(head);
  if (account === null) return failed(NOBODY);
  return { definition, planned, effect, run, copy, head, state, incoming, account };
}

/** Returns the function that does a task outside a step of its job; undefined when there is none. */
const runWith = (run: ReturnType<RunOf>) => (run?.kind === 'pure' ? run.outside : run?.run);

/** Returns whether an error is Drizzle's own, which quotes the statement with its values; these belong to the job. */
const isQuery = (error: unknown): boolean => error instanceof Error && 'query' in error;

/** Returns the message that a job shows for an error of a task. */
function messageOfFault(error: unknown): string {
  // A task that may be repeated never ends with it.
  if (isUnavailable(error)) return DATABASE_LOST;
  const fault = translateFault(error) ?? error;
  if (isQuery(fault))
    return 'the database rejected a query of the task; the log of the process has the reason';
  return fault instanceof Error ? fault.message : String(fault);
}

/** Returns the values of a task, with separately stored ones filled in. */
function openedValues(incoming: Record<string, unknown>, large: Large) {
  try {
    return unpacked(incoming, large);
  } catch (error) {
    if (error instanceof TooMuchRead) return error;
    throw error;
  }
}
