import type { WorkItem } from '#server/durable/port.ts';
import type { Caller } from '#server/kernel/principal.ts';
import type { TaskOutcome } from '../../tasks/outcome.ts';
import type { Attempt, Head } from './document.ts';

/** When and where an event happens, and the seed of new ids. */
export type Moment = {
  /** Milliseconds since 1970. */
  at: number;
  /** A UUID that no other event has: iteration ids are made of it. */
  seed: string;
  /** Name of this process. */
  server: string;
};

/** The account that causes an event in a job, and the personal token that it used. */
export type Actor = Pick<Caller, 'id' | 'token'>;

/**
 * Everything that can happen to a job: nothing else changes one (`applyEvent` in reducer.ts). Apart from `fault`, the same
 * event a second time changes nothing. `by` is absent when a process, the clock or another job causes it.
 */
export type Event = Moment & { by?: Actor } & (
    | { type: 'start' }
    /** Starts the ready tasks that the previous step left over. */
    | { type: 'more' }
    /** A task has its outcome; `by` is the user who finished a manual task. */
    | ({ type: 'finish'; outcome: TaskOutcome } & Attempt)
    /** The child jobs that a task waits for made progress: a share, 0 to 1. */
    | ({ type: 'share'; share: number } & Attempt)
    /** The progress of this job was reported to the task that waits for it. */
    | { type: 'reported' }
    /** The time has come that a task waits for. */
    | ({ type: 'wake' } & Attempt)
    | { type: 'pause' }
    | { type: 'resume' }
    | { type: 'cancel' }
    /** The time limit of the job has expired. */
    | { type: 'expire'; until: number }
    /** `given` replaces incoming values for this attempt. After this and the next two events the job acts for `by`. */
    | ({ type: 'retry'; given: Record<string, unknown> } & Attempt)
    | ({ type: 'revert'; to: string } & Attempt)
    | { type: 'continue'; task: string }
    /** The work of an attempt crashed its processes and is abandoned. Without an attempt: whatever would start next. */
    | { type: 'putAside'; reason: string; attempt: Attempt | null }
    /** Something around the job failed, such as the start of its error handler. */
    | { type: 'fault'; fault: Head['error'][number] }
    /** A user claims a manual task, or releases it (null). */
    | ({ type: 'own'; owner: string | null } & Attempt)
  );

/** An event without its `Moment`. */
export type EventData = Event extends infer One
  ? One extends Event
    ? Omit<One, keyof Moment>
    : never
  : never;

/** The kind of durable work items that jobs use. */
export const JOBS = 'jobs';

/** The kind that runs the tasks of child jobs of lists, and of jobs below them. */
export const JOB_LISTS = 'job lists';

/** A work item that only applies one event to its job. */
export type LoneEvent = { do: 'start' | 'more'; job: string } | { do: 'wake'; job: string; attempt: Attempt };

/** The input of a work item. */
export type JobWork =
  | LoneEvent
  | { do: 'pause' | 'resume' | 'cancel'; job: string }
  /** The time limit of the job may have expired. */
  | { do: 'expire'; job: string; until: number }
  /** The outcome of this job has to be reported to the job that waits for it. */
  | { do: 'tell'; job: string }
  /** The workflow that handles the job's errors has to be started. */
  | { do: 'handle'; job: string; workflow: string }
  /** Runs a task that has side effects, and then whatever follows it. */
  | { do: 'effect'; job: string; attempt: Attempt }
  /** Starts some of the child jobs of a task, from index `from` to `to`. */
  | { do: 'spawn'; fan: string; from: number; to: number };

/** Returns whether a work item runs tasks of its job, and not only a command or a report. */
export const runsTasks = ({ do: does }: JobWork): boolean =>
  does === 'start' || does === 'more' || does === 'wake' || does === 'effect';

/** Returns whether a work item only applies one event to its job. */
export const isLone = (work: JobWork): work is LoneEvent =>
  work.do === 'start' || work.do === 'more' || work.do === 'wake';

/**
 * Returns the work item that starts a job. The child jobs of several lists start in turn, so that a long list holds up no
 * other.
 *
 * @param element index in the list of which the job is; absent: of none
 */
export const startOf = (job: string, element?: number): WorkItem => ({
  id: `${job}:start`,
  input: { do: 'start', job },
  ...(element !== undefined && { priority: element + 1 }),
});

/**
 * Returns the work item that continues a job.
 *
 * @param seed a value that no other event has: ids of work items are never reused
 */
export const moreOf = (job: string, seed: string): WorkItem => ({
  id: `${job}:more:${seed}`,
  input: { do: 'more', job },
});

/** Returns the work item of an operator's command. @param seed differs for each repetition of the command */
export const commandOf = (job: string, command: 'pause' | 'resume' | 'cancel', seed: string): WorkItem => ({
  id: `${job}:${command}:${seed}`,
  input: { do: command, job },
});

/** Returns the work item that reports the end of a child job to its parent. */
export const reportWorkOf = (job: string): WorkItem => ({ id: `${job}:tell`, input: { do: 'tell', job } });

/**
 * Returns the work item that starts the error handler of a job.
 *
 * @param workflow name of the handler
 * @param seed differs for each error
 */
export const handleOf = (job: string, workflow: string, seed: string): WorkItem => ({
  id: `${job}:handle:${seed}`,
  input: { do: 'handle', job, workflow },
});

/** Returns the work item that runs a task which acts on other systems. */
export const effectWorkOf = (job: string, attempt: Attempt): WorkItem => ({
  id: fanOf(attempt),
  input: { do: 'effect', job, attempt },
});

/** Returns the work item that ends the wait of a task. @param until milliseconds since 1970 */
export const wakeOf = (job: string, attempt: Attempt, until: number): WorkItem => ({
  id: `${fanOf(attempt)}:wake`,
  input: { do: 'wake', job, attempt },
  runAt: new Date(until),
});

/** Returns the work item that ends a job which exceeds its time limit. @param until milliseconds since 1970 */
export const expireOf = (job: string, until: number): WorkItem => ({
  id: expiryOf(job, until),
  input: { do: 'expire', job, until },
  runAt: new Date(until),
});

/** Returns the id of that work item. */
export const expiryOf = (job: string, until: number): string => `${job}:expire:${until}`;

/**
 * Returns the work item that starts some iterations of a fan-out.
 *
 * @param from index of the first
 * @param to index after the last
 */
export const spawnOf = (fan: string, from: number, to: number): WorkItem => ({
  id: `${fan}:spawn:${from}`,
  input: { do: 'spawn', fan, from, to },
  priority: 1,
});

/** Returns the id of one attempt at one iteration, unique forever: its work items and child jobs carry it. */
export const fanOf = ({ iteration, attempt }: Attempt): string => `${iteration}:${attempt}`;

/** Returns the ids of the work items that may be waiting for an attempt. */
export const workOf = (attempt: Attempt): string[] => [fanOf(attempt), `${fanOf(attempt)}:wake`];
