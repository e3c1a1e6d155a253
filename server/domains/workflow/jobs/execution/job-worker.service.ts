import { randomUUID } from 'node:crypto';
import type { Database } from '#db/client.ts';
import { retryUntilAvailable } from '#db/connections/retry-until-available.ts';
import type { PutAside, Work, Worker } from '#server/durable/port.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import { callerOfAll } from '../../task-runs/task-contexts.service.ts';
import type { TaskOutcome } from '../../tasks/outcome.ts';
import { usableCopies } from '../control/account-rights.service.ts';
import {
  type DeactivatedWorker,
  holdWork,
  openWorkerSwitches,
  workerFor,
} from '../control/worker-switches.service.ts';
import type { Head } from '../reducer/document.ts';
import {
  type EventData,
  isLone,
  JOB_LISTS,
  JOBS,
  type JobWork,
  type LoneEvent,
  startOf,
} from '../reducer/job-events.ts';
import { failed } from '../reducer/transition-context.ts';
import { enqueueJobWork } from '../store/job-work.service.ts';
import { findJob, type Loaded } from '../store/store.service.ts';
import {
  advance,
  advanceWithoutEvents,
  hasFailed,
  type JobEngine,
  type NextEffect,
  type NextWork,
  reportToParent,
  runErrorHandler,
  spawn,
} from './advance.service.ts';
import { cascade, type Transform } from './children.service.ts';
import { logFailure } from './log-failure.ts';
import { openPerformer, type Performer, type PerformerDependencies } from './perform.service.ts';
import { executionsBy } from './task-executor.ts';

/**
 * Number of child jobs that one work item starts sequentially: further ones go to another work item, since a process that
 * takes over a work item first replays its whole record.
 */
const MOST_STARTS = 100;

/**
 * Time in milliseconds after which a work item leaves what follows to another one, so that jobs with many tasks, or with a
 * loop that does not end, do not keep others from their turn.
 */
const TURN_MS = 2000;

/**
 * Work items that a process runs at once for each of its workers, and as many again that run tasks of lists: most of them wait
 * for another system.
 */
const EACH = 4;

type JobWorkerDependencies = PerformerDependencies & {
  platform: SystemContext<'now' | 'durable' | 'vault'>['platform'];
};

/**
 * Creates the workers that run jobs (contract/engines#work-items). A work item applies an event to a job, runs the task
 * that needs a worker process, applies its outcome to the job, and so on until the job waits for something or has finished.
 * Every change of the job is one transaction together with its record; a process that takes over a work item learns its
 * progress from these records.
 *
 * @param workers number of workers of this process, for all kinds of work; 0 leaves the work to others
 */
export function jobWorkers(parts: JobWorkerDependencies, workers: number): Worker[] {
  const performer = openPerformer(parts);
  const switches = openWorkerSwitches(parts.db);
  const executionOf = executionsBy(parts.runOf);
  const engineOn = (db: Database, isOfList: boolean): JobEngine => ({
    db,
    platform: parts.platform,
    isOfList,
    executionOf,
    transform: transformBy(parts),
    callerOf: (account, confirmers, tokenRoles) =>
      callerOfAll(
        { db, platform: parts.platform, isTransaction: db !== parts.db },
        account,
        confirmers,
        tokenRoles,
      ),
  });
  const workerOf = (kind: string, isOfList: boolean): Worker => {
    const around = { parts, performer, switches, engineOn: (db: Database) => engineOn(db, isOfList) };
    return {
      kind,
      atOnce: workers * EACH,
      urgent: true,
      putAside: (tx, work) => putAside(around.engineOn(tx), work),
      // The input was made by job-events.ts.
      run: (work, input) => new JobWorkRun(around, work, input as JobWork).run(),
    };
  };
  return [workerOf(JOBS, false), workerOf(JOB_LISTS, true)];
}

type RunDependencies = {
  parts: JobWorkerDependencies;
  performer: Performer;
  switches: ReturnType<typeof openWorkerSwitches>;
  /** Returns what advances jobs in a transaction, or outside of one. */
  engineOn: (db: Database) => JobEngine;
};

/** The result of a step: what follows, and whether an earlier process may have started it. */
type Step = { next: NextWork | null; inDoubt: boolean };

/** One run of a work item in this process. */
class JobWorkRun {
  readonly #around: RunDependencies;
  readonly #work: Work;
  readonly #jobWork: JobWork;
  /** Ids of the steps that this run began. */
  readonly #mine = new Set<string>();
  readonly #began = performance.now();
  /** The job as this run just wrote it, which saves a read. */
  #carried: Loaded | undefined;

  constructor(around: RunDependencies, work: Work, jobWork: JobWork) {
    this.#around = around;
    this.#work = work;
    this.#jobWork = jobWork;
  }

  /** Runs the work item, and then the work that follows from it, sequentially. */
  async run(): Promise<void> {
    const { performer } = this.#around;
    let { next, inDoubt } = await this.#begin();
    for (let starts = 1; next; ) {
      if ('start' in next) {
        const job = next.start;
        const isHere = starts < MOST_STARTS && !(await this.#deactivated()).has('job');
        const event = { do: 'start', job } as const;
        ({ next, inDoubt } = await (isHere
          ? this.#apply(event)
          : this.#step((engine) => leaveStart(engine, job))));
        starts += 1;
        continue;
      }
      const outcome = await performer.perform(next, this.#work, { inDoubt, known: this.#carried });
      // No outcome: the job has continued without this task. Either an earlier run of this work item did so, whose record
      // names the next step, or nothing is left to do here.
      ({ next, inDoubt } = outcome ? await this.#finish(next, outcome) : await this.#step(async () => null));
    }
  }

  /** Runs the first step, or holds the work item while the worker for it is deactivated. */
  async #begin(): Promise<Step> {
    const { switches } = this.#around;
    const jobWork = this.#jobWork;
    const worker = workerFor(jobWork, await this.#deactivated());
    if (!worker)
      return isLone(jobWork) ? this.#apply(jobWork) : this.#step((engine) => begin(engine, jobWork));
    return this.#step(async (engine) => {
      if (await holdWork(engine.db, worker, jobWork)) return null;
      switches.forget();
      const active = worker === 'task' ? { ...engine, room: undefined } : engine;
      return isLone(jobWork) ? advance(active, jobWork.job, eventOf(jobWork)) : begin(active, jobWork);
    });
  }

  /** Applies the event of a work item. */
  async #apply(loneEvent: LoneEvent): Promise<Step> {
    const { job: id } = loneEvent;
    const job = await retryUntilAvailable(() => findJob(this.#around.parts, id));
    const event = eventOf(loneEvent);
    return (await this.#writeJobOnly(job, event)) ?? this.#step((engine) => advance(engine, id, event));
  }

  /** Applies the outcome of a task to its job. */
  async #finish({ job, attempt }: NextEffect, outcome: TaskOutcome): Promise<Step> {
    const event = { type: 'finish', ...attempt, outcome } as const;
    // The step records what follows, so that another process that runs the work item again decides the same.
    if (performance.now() - this.#began > TURN_MS)
      return this.#step((engine) => advance({ ...engine, handsOver: true }, job, event));
    const known = this.#carried?.id === job ? this.#carried : undefined;
    return (await this.#writeJobOnly(known, event)) ?? this.#step((engine) => advance(engine, job, event));
  }

  /** Runs a step in one transaction together with its record. */
  async #step(run: (engine: JobEngine) => Promise<NextWork | null>): Promise<Step> {
    const { parts, engineOn } = this.#around;
    let latest: string | undefined;
    let failing: Head[] = [];
    this.#carried = undefined;
    const room = roomUnder(await this.#deactivated());
    const outcome = await this.#work.transact(async (tx) => {
      latest = this.#newId();
      failing = [];
      this.#carried = undefined;
      const carry = (job: Loaded) => {
        this.#carried = job;
      };
      const failed = (head: Head) => void failing.push(head);
      return { next: await run({ ...engineOn(tx), room, carry, failed }), by: latest };
    });
    if (outcome.by === latest) {
      for (const head of failing) logFailure(parts.log, head);
      return { next: outcome.next, inDoubt: false };
    }
    // The result comes from the record. If another execution wrote it, that one may have started the task. If this one
    // wrote it without receiving the confirmation, the task has not started anywhere, unless another process has taken
    // over the work since.
    this.#carried = undefined;
    await this.#work.assertMine();
    return { next: outcome.next, inDoubt: !this.#mine.has(outcome.by) };
  }

  /**
   * Runs a step in one statement, for an event after which only the job has to be written.
   *
   * @returns undefined when that is not the case, or nothing was written
   */
  async #writeJobOnly(job: Loaded | undefined, event: EventData): Promise<Step | undefined> {
    const { parts, engineOn } = this.#around;
    if (roomUnder(await this.#deactivated()) !== undefined) return;
    const engine = engineOn(parts.db);
    const usable = job && (await retryUntilAvailable(() => usableCopies(engine, job)));
    const advanced = usable && advanceWithoutEvents(engine, job, event, usable);
    if (!advanced) return;
    if (!(await this.#work.write({ next: advanced.next, by: this.#newId() }, advanced.saving))) return;
    this.#carried = advanced.job;
    if (hasFailed(job.document, advanced.job.document)) logFailure(parts.log, advanced.job.document.head);
    return { next: advanced.next, inDoubt: false };
  }

  #deactivated(): Promise<DeactivatedWorker> {
    return retryUntilAvailable(this.#around.switches.get);
  }

  #newId(): string {
    const id = randomUUID();
    this.#mine.add(id);
    return id;
  }
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

const eventOf = (loneEvent: LoneEvent): EventData =>
  loneEvent.do === 'wake' ? { type: 'wake', ...loneEvent.attempt } : { type: loneEvent.do };

/** Leaves the start of a job to another work item. */
async function leaveStart(engine: JobEngine, job: string): Promise<null> {
  await enqueueJobWork(engine, [startOf(job)]);
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
      await runErrorHandler(parts, jobWork.job, jobWork.workflow);
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
