import type { Job } from '#db/schemas/workflow/job.ts';
import type { FinishState } from '#db/schemas/workflow/task.ts';

/** The members of an open object that its schema names. */
type Declared<T> = { [Name in keyof T as string extends Name ? never : Name]: T[Name] };

/** What a job says of itself beside its tasks: what lists show, and what is written with every step. */
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
 * Where a task of a job stands. One that nothing has touched has no entry: it is incomplete.
 *
 * `skipped`: known never to run, since no way that was chosen leads to it; it stays incomplete for those who read.
 */
export type TaskState = {
  status: 'incomplete' | 'skipped' | 'running' | 'complete' | 'error' | 'canceled';
  /** Ids of the passes through it, the latest last; only the latest `MOST_ITERATIONS` of `passes`. */
  iterations: string[];
  passes: number;
  /** Attempts of this pass, from 1: a retry adds one. */
  attempt: number;
  /** What a running task waits for: a process, other jobs, a person, a moment, or its next attempt. */
  waits?: Waits;
  /** That moment, in milliseconds since 1970. */
  until?: number;
  start?: number;
  end?: number;
  finish?: FinishState;
  incoming?: Record<string, unknown>;
  outgoing?: Record<string, unknown>;
  /** The account that claimed it, and the one that finished it. */
  owner?: string | null;
  user?: string | null;
  /** The account that confirmed it: who finished the manual task that its `actor` names. */
  confirmedBy?: string;
  /** The process that began it. */
  server?: string;
  /** Attempts that were made by themselves after the first one. */
  retries?: number;
  /** Values that a person gave for its next attempt. */
  given?: Record<string, unknown>;
  /** Where a forEach is, counted from 0, and of how many. */
  loop?: { at: number; of: number };
  /** How much of the child jobs it waits for is done, 0 to 1. */
  share?: number;
  /** Its loop was left through its body: what follows it is not taken. */
  left?: true;
  /** Counted as done so that the job could go on at this task. */
  toward?: string;
  /** The pass of the loop that this pass belongs to. */
  parent?: { task: string; iteration: number; element: number };
};

export type Waits = 'effect' | 'children' | 'person' | 'time' | 'retry';

/** What a job keeps to itself. */
export type State = {
  tasks: Record<string, TaskState>;
  /** Tasks whose turn it is, and that have not begun: held by a pause, or left over for the next step. */
  ready: string[];
  /** Attempts that `reattempt` has counted, by name. */
  attempts?: Record<string, number>;
  /** Of a child job: the time that it may take, and when that is over once it has begun. */
  limit?: TimeLimit;
  /** Of a child job: the progress that it last told the task which waits for it. */
  told?: number;
};

/** Seconds that a job may take; `until` in milliseconds since 1970. */
export type TimeLimit = { seconds: number; until?: number };

/** All of a job that changes. */
export type JobDocument = { head: Head; state: State };

/** Passes that a document lists of each task; all of them stand in the table of tasks. */
export const MOST_ITERATIONS = 100;

/** One pass through a task, as the table of tasks keeps it. Past passes carry their values; of the latest, the job does. */
export type Iteration = {
  iteration: string;
  task: string;
  state: TaskState;
  past: boolean;
};

/** A pass through a task and the attempt at it: what happens to any other is of the past, and changes nothing. */
export type Attempt = { task: string; iteration: string; attempt: number };

/** What has to be done because of an event, in the same transaction. */
export type Todo =
  | ({ type: 'effect' } & Attempt)
  | ({ type: 'children' } & Attempt)
  | ({ type: 'person' } & Attempt)
  | ({ type: 'wait'; until: number } & Attempt)
  /** The event `expire` is to happen then. */
  | { type: 'limit'; until: number }
  /** A running pass was called off: what was asked for it is not needed any more. */
  | ({ type: 'stop'; waits: Waits } & Attempt)
  /** Too much for one step: the event `more` goes on. */
  | { type: 'more' }
  /** The job went into error, and its workflow says what then runs. */
  | { type: 'handler'; workflow: string }
  /** The job is over. */
  | { type: 'end' };

/** The pass that a task is in, or the last one it was in; undefined before it began. */
export const iterationOf = ({ iterations }: TaskState): string | undefined => iterations.at(-1);

/** Whether anything can still happen in a job. */
export const isActive = ({ status }: Pick<Head, 'status'>): boolean =>
  status === 'running' || status === 'paused' || status === 'error';

/** A new id of a pass: a UUID out of that of the event and a count. */
export const idOf = (seed: string, count: number): string =>
  `${seed.slice(0, 24)}${count.toString(16).padStart(12, '0')}`;
