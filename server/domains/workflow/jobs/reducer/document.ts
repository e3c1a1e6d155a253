import type { Job } from '#db/schemas/workflow/job.ts';
import type { FinishState } from '#db/schemas/workflow/task.ts';

/** The properties of an open object that its schema declares. */
type Declared<T> = { [Name in keyof T as string extends Name ? never : Name]: T[Name] };

/** The fields of a job apart from its tasks: shown in lists, and written by every step. */
export type Head = Omit<Declared<Job>, 'tasks' | 'variables' | 'error' | 'metrics'> & {
  variables: Record<string, unknown>;
  error: NonNullable<Job['error']>;
  metrics: {
    start_time: number;
    end_time: number | null;
    user: string | null;
    progress: number;
    owner: string | null;
  };
};

/**
 * The state of a task in a job. A task that has never been touched has no entry: it is incomplete.
 *
 * `skipped`: the task can never run, since no taken transition leads to it; readers see it as incomplete.
 */
export type TaskState = {
  status: 'incomplete' | 'skipped' | 'running' | 'complete' | 'error' | 'canceled';
  /** Ids of its iterations, the latest last; only the latest `MOST_ITERATIONS` of `passes`. */
  iterations: string[];
  passes: number;
  /** Number of the attempt within this iteration, from 1: a retry adds one. */
  attempt: number;
  /** The event that a running task waits for: of a worker process, child jobs, a user, a point in time, or its next attempt. */
  waits?: Waits;
  /** That point in time, in milliseconds since 1970. */
  until?: number;
  start?: number;
  end?: number;
  finish?: FinishState;
  incoming?: Record<string, unknown>;
  outgoing?: Record<string, unknown>;
  /** The account that claimed it (`owner`), and the one that finished it (`user`). */
  owner?: string | null;
  user?: string | null;
  /** The account that confirmed it by finishing the manual task that its `actor` names. */
  confirmedBy?: string;
  /** The process that started it. */
  server?: string;
  /** Whether a stub of the adapter answered, and nothing was called. */
  stubbed?: true;
  /** Number of automatic attempts after the first one. */
  retries?: number;
  /** Values that a user provided for its next attempt. */
  given?: Record<string, unknown>;
  /** Index of the current element of a forEach, from 0, and the number of elements. */
  loop?: { at: number; of: number };
  /** Progress of the child jobs that it waits for, 0 to 1. */
  share?: number;
  /** Its loop was left from within its body: the transitions out of the loop's own task are not taken. */
  left?: true;
  /** The task at which a user continued the job: this one counts as finished for that reason. */
  toward?: string;
  /** The loop iteration that this iteration belongs to. */
  parent?: { task: string; iteration: number; element: number };
};

export type Waits = 'effect' | 'children' | 'person' | 'time' | 'retry';

/** The internal state of a job. */
export type State = {
  tasks: Record<string, TaskState>;
  /** Tasks that are ready but have not started: a pause holds them back, or the next step starts them. */
  ready: string[];
  /** Attempts counted by `reattempt`, by name. */
  attempts?: Record<string, number>;
  /** Child jobs only: the time limit, and when it expires once the job has started. */
  limit?: TimeLimit;
  /** Child jobs only: the progress last reported to the task that waits for it. */
  told?: number;
};

/** The time that a job may take, in seconds; `until` in milliseconds since 1970. */
export type TimeLimit = { seconds: number; until?: number };

/** Everything about a job that changes. */
export type JobDocument = { head: Head; state: State };

/** Number of iterations that a document lists of each task; the task table stores all of them. */
export const MOST_ITERATIONS = 100;

/** One iteration of a task, as the task table stores it: with its values only when past, else the job document has them. */
export type Iteration = {
  iteration: string;
  task: string;
  state: TaskState;
  past: boolean;
};

/** An iteration of a task and the attempt at it: events for any other attempt are outdated and change nothing. */
export type Attempt = { task: string; iteration: string; attempt: number };

/** Follow-up work of an event, done in the same transaction. */
export type Todo =
  | ({ type: 'effect' } & Attempt)
  | ({ type: 'children' } & Attempt)
  | ({ type: 'person' } & Attempt)
  | ({ type: 'wait'; until: number } & Attempt)
  /** The event `expire` has to be applied at that time. */
  | { type: 'limit'; until: number }
  /** A running attempt was canceled: the work requested for it is no longer needed. */
  | ({ type: 'stop'; waits: Waits } & Attempt)
  /** Too much for one step: the event `more` continues. */
  | { type: 'more' }
  /** The job went into error, and its workflow names an error handler to run. */
  | { type: 'handler'; workflow: string }
  /** The job has finished. */
  | { type: 'end' };

/** Returns the id of a task's current or latest iteration; undefined before it started. */
export const iterationOf = ({ iterations }: TaskState): string | undefined => iterations.at(-1);

/** Returns whether anything can still happen in a job. */
export const isActive = ({ status }: Pick<Head, 'status'>): boolean =>
  status === 'running' || status === 'paused' || status === 'error';

/** Returns a new iteration id: a UUID made of an event's seed and a counter. */
export const idOf = (seed: string, count: number): string =>
  `${seed.slice(0, 24)}${count.toString(16).padStart(12, '0')}`;
