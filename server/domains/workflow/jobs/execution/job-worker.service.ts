import { randomUUID } from 'node:crypto';
import type { Database } from '#db/client.ts';
import { retryUntilAvailable } from '#db/connections/retry-until-available.ts';
import type { PutAside, Worker } from '#server/durable/port.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { callerOfAll } from '../../task-runs/task-contexts.service.ts';
import type { TaskOutcome } from '../../tasks/outcome.ts';
import { usableCopies } from '../control/account-rights.service.ts';
import {
  type DeactivatedWorker,
  holdWork,
  openWorkerSwitches,
  type WorkerName,
  workerFor,
} from '../control/worker-switches.service.ts';
import type { Head } from '../reducer/document.ts';
import { isLone, JOBS, type JobWork, type LoneEvent, startOf, type What } from '../reducer/job-events.ts';
import { failed } from '../reducer/transition-context.ts';
import { findJob, type Loaded } from '../store/store.service.ts';
import {
  advance,
  advanceWithoutEvents,
  handle,
  hasFailed,
  type JobEngine,
  type NextEffect,
  type NextWork,
  reportToParent,
  spawn,
} from './advance.service.ts';
import { cascade, type Transform } from './children.service.ts';
import { logFailure } from './log-failure.ts';
import { openPerformer, type PerformerDependencies } from './perform.service.ts';
import { howBy } from './task-executor.ts';

/**
 * Number of child jobs that one work item starts sequentially: further ones go to another work item, since a process that
 * takes over a work item first replays its whole record.
 */
const MOST_STARTS = 100;

/** Work items that a process runs at once for each of its workers: most of them wait for another system. */
const EACH = 4;

type JobWorkerDependencies = PerformerDependencies & {
  platform: SystemContext<'now' | 'durable' | 'vault'>['platform'];
};

/**
 * Creates the worker that runs jobs (contract/engines#work-items). A work item applies an event to a job, runs the task
 * that needs a worker process, applies its outcome to the job, and so on until the job waits for something or has finished.
 * Every change of the job is one transaction together with its record; a process that takes over a work item learns its
 * progress from these records.
 *
 * @param workers number of workers of this process, for all kinds of work; 0 leaves the work to others
 */
export function jobWorker(parts: JobWorkerDependencies, workers: number): Worker {
  const performer = openPerformer(parts);
  const switches = openWorkerSwitches(parts.db);
  const deactivated = () => retryUntilAvailable(switches.get);
  const howOf = howBy(parts.runOf);
  const advancing = (db: Database): JobEngine => ({
    db,
    platform: parts.platform,
    howOf,
    transform: transformBy(parts),
    callerOf: (account, confirmers, tokenRoles) =>
      callerOfAll(
        { db, platform: parts.platform, isTransaction: db !== parts.db },
        account,
        confirmers,
        tokenRoles,
      ),
  });
  return {
    kind: JOBS,
    atOnce: workers * EACH,
    urgent: true,
    putAside: (tx, work) => putAside(advancing(tx), work),
    run: async (work, input) => {
      // Enqueued by job-events.ts.
      const jobWork = input as JobWork;
      const mine = new Set<string>();
      const mark = () => {
        const by = randomUUID();
        mine.add(by);
        return by;
      };
      let carried: Loaded | undefined;
      const step = async (run: (advancing: JobEngine) => Promise<NextWork | null>) => {
        let latest: string | undefined;
        let failing: Head[] = [];
        carried = undefined;
        const room = roomUnder(await deactivated());
        const outcome = await work.transact(async (tx) => {
          latest = mark();
          failing = [];
          carried = undefined;
          const carry = (job: Loaded) => {
            carried = job;
          };
          const failed = (head: Head) => void failing.push(head);
          return { next: await run({ ...advancing(tx), room, carry, failed }), by: latest };
        });
        if (outcome.by === latest) {
          for (const head of failing) logFailure(parts.log, head);
          return { next: outcome.next, inDoubt: false };
        }
        // The result comes from the record. If another execution wrote it, that one may have started the task. If this one
        // wrote it without receiving the confirmation, the task has not started anywhere, unless another process has taken
        // over the work since.
        carried = undefined;
        await work.assertMine();
        return { next: outcome.next, inDoubt: !mine.has(outcome.by) };
      };
      const quietly = async (job: Loaded | undefined, what: What) => {
        if (roomUnder(await deactivated()) !== undefined) return;
        const usable = job && (await retryUntilAvailable(() => usableCopies(advancing(parts.db), job)));
        const quiet = usable && advanceWithoutEvents({ ...parts, howOf }, job, what, usable);
        if (!quiet || !(await work.write({ next: quiet.next, by: mark() }, quiet.saving))) return;
        carried = quiet.job;
        if (job && hasFailed(job.document, quiet.job.document))
          logFailure(parts.log, quiet.job.document.head);
        return { next: quiet.next, inDoubt: false };
      };
      const lone = async (one: LoneEvent) => {
        const job = await retryUntilAvailable(() => findJob(parts, one.job));
        return (await quietly(job, eventOf(one))) ?? step((tx) => advance(tx, one.job, eventOf(one)));
      };
      const goOn = async ({ job, attempt }: NextEffect, outcome: TaskOutcome) => {
        const what = { type: 'finish', ...attempt, outcome } as const;
        const known = carried?.id === job ? carried : undefined;
        return (await quietly(known, what)) ?? step((one) => advance(one, job, what));
      };
      const holdOrBegin = (worker: WorkerName) =>
        step(async (one) => {
          if (await holdWork(one.db, worker, jobWork)) return null;
          switches.forget();
          const active = worker === 'task' ? { ...one, room: undefined } : one;
          return isLone(jobWork) ? advance(active, jobWork.job, eventOf(jobWork)) : begin(active, jobWork);
        });
      const worker = workerFor(jobWork, await deactivated());
      let { next, inDoubt } = worker
        ? await holdOrBegin(worker)
        : await (isLone(jobWork) ? lone(jobWork) : step((one) => begin(one, jobWork)));
      for (let starts = 1; next; ) {
        if ('start' in next) {
          const job = next.start;
          const goes = starts < MOST_STARTS && !(await deactivated()).has('job');
          ({ next, inDoubt } = await (goes ? lone({ do: 'start', job }) : step((one) => leave(one, job))));
          starts += 1;
          continue;
        }
        const outcome = await performer.perform(next, work, { inDoubt, known: carried });
        // No outcome: the job has continued without this task. Either an earlier run of this work item did so, whose record
        // names the next step, or nothing is left to do here.
        ({ next, inDoubt } = outcome ? await goOn(next, outcome) : await step(async () => null));
      }
    },
  };
}

/**
 * Puts the task that the work item was running in error. The last recorded step names that task; without a step, or when it
 * was about to start a job, the job's own state determines what would start next.
 */
async function putAside(parts: JobEngine, { input, latest, reason }: PutAside): Promise<void> {
  const jobWork = input as JobWork;
  const step = latest.find((one): one is { next: NextWork | null } => isObject(one) && 'next' in one);
  const next = step?.next;
  if (next && 'start' in next) {
    await advance(parts, next.start, { type: 'putAside', reason, attempt: null });
  } else if (next) {
    await advance(parts, next.job, { type: 'putAside', reason, attempt: next.attempt });
  } else if (!step && 'job' in jobWork) {
    const attempt = 'attempt' in jobWork ? jobWork.attempt : null;
    await advance(parts, jobWork.job, { type: 'putAside', reason, attempt });
  }
}

/** Returns the room of a step: while the task worker is deactivated, no step starts a task. */
const roomUnder = (deactivated: DeactivatedWorker): number | undefined =>
  deactivated.has('task') ? 0 : undefined;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const eventOf = (loneEvent: LoneEvent): What =>
  loneEvent.do === 'wake' ? { type: 'wake', ...loneEvent.attempt } : { type: loneEvent.do };

/** Leaves the start of a job to another work item. */
async function leave({ db, platform }: JobEngine, job: string): Promise<null> {
  await platform.durable.enqueue(db, JOBS, [startOf(job)]);
  return null;
}

/** Runs the first step of any other work item. */
async function begin(parts: JobEngine, jobWork: Exclude<JobWork, LoneEvent>): Promise<NextWork | null> {
  switch (jobWork.do) {
    case 'pause':
    case 'resume':
    case 'cancel': {
      // Locks the job first: no child job is created meanwhile that the command would miss.
      const next = await advance(parts, jobWork.job, { type: jobWork.do });
      await cascade(parts, jobWork.job, jobWork.do);
      return next;
    }
    case 'expire':
      return advance(parts, jobWork.job, { type: 'expire', until: jobWork.until });
    case 'effect':
      return { job: jobWork.job, attempt: jobWork.attempt };
    case 'spawn':
      return spawn(parts, jobWork.fan, jobWork.from, jobWork.to);
    case 'tell':
      return reportToParent(parts, jobWork.job);
    case 'handle':
      await handle(parts, jobWork.job, jobWork.workflow);
      return null;
  }
}

/** Runs the stored transformation that creates the variables of an element, like the task of that name. */
const transformBy =
  ({ db, platform, now, runOf }: JobWorkerDependencies): Transform =>
  async ({ actingAccount: account, confirmedBy, tokenRoles }, id, variableMap): Promise<TaskOutcome> => {
    const run = runOf('WorkFlowEngine', 'transformation');
    const incoming = { tr_id: id, variableMap, options: { extractOutput: true } };
    if (run?.kind === 'effect') {
      const signal = new AbortController().signal;
      const forWhom = { account, confirmedBy, tokenRoles };
      return run.run(incoming, { db, platform, now, ...forWhom, key: `child/${id}`, signal });
    }
    return run
      ? run.run(incoming, { variables: {}, resolve: () => undefined })
      : failed('this server cannot run transformations');
  };
