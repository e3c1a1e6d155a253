import type { WorkItem } from '#server/durable/port.ts';
import type { Caller } from '#server/kernel/principal.ts';
import type { TaskOutcome } from '../../tasks/outcome.ts';
import type { Attempt, Head } from './document.ts';

/** When something happens, where, and of what new ids are made. */
export type Moment = {
  /** Milliseconds since 1970. */
  at: number;
  /** A UUID that no other event has: ids of passes are made of it. */
  seed: string;
  /** Name of this process. */
  server: string;
};

/** The account that makes something happen to a job, and the personal token that it came with. */
export type Actor = Pick<Caller, 'id' | 'token'>;

/**
 * Everything that can happen to a job: nothing else changes one (`applyEvent` in reducer.ts). The same event a second time
 * changes nothing, a fault aside. `by` is absent where a process, the clock or another job makes it happen.
 */
export type Event = Moment & { by?: Actor } & (
    | { type: 'start' }
    /** What was left over goes on. */
    | { type: 'more' }
    /** A task has its outcome; `by` finishes a manual task. */
    | ({ type: 'finish'; outcome: TaskOutcome } & Attempt)
    /** More of the child jobs is done that a task waits for: a share, 0 to 1. */
    | ({ type: 'share'; share: number } & Attempt)
    /** The task that waits for this job was told its progress. */
    | { type: 'told' }
    /** The moment has come that a task waits for. */
    | ({ type: 'wake' } & Attempt)
    | { type: 'pause' }
    | { type: 'resume' }
    | { type: 'cancel' }
    /** The time is over that the job may take. */
    | { type: 'expire'; until: number }
    /** `given` replaces incoming values for this attempt; the job acts for `by` from then on, as after the next two. */
    | ({ type: 'retry'; given: Record<string, unknown> } & Attempt)
    | ({ type: 'revert'; to: string } & Attempt)
    | { type: 'continue'; task: string }
    /** Nobody does what is under way again: it ended its processes. Without a task, it is what would begin next. */
    | { type: 'putAside'; reason: string; attempt: Attempt | null }
    /** Something around the job went wrong, such as the start of its error handler. */
    | { type: 'fault'; fault: Head['error'][number] }
    /** Somebody takes a manual task, or lets go of it (null). */
    | ({ type: 'own'; owner: string | null } & Attempt)
  );

/** An event without its moment. */
export type What = Event extends infer One ? (One extends Event ? Omit<One, keyof Moment> : never) : never;

/** The kind of durable work that jobs are. */
export const JOBS = 'jobs';

/** Work that lets one thing happen in its job and does nothing else. */
export type LoneEvent = { do: 'start' | 'more'; job: string } | { do: 'wake'; job: string; attempt: Attempt };

/** What a piece of work is told. */
export type JobWork =
  | LoneEvent
  | { do: 'pause' | 'resume' | 'cancel'; job: string }
  /** The time may be over that the job may take. */
  | { do: 'expire'; job: string; until: number }
  /** The job that waits for this one is to be told that it is over. */
  | { do: 'tell'; job: string }
  /** The workflow that handles the job's errors is to be run. */
  | { do: 'handle'; job: string; workflow: string }
  /** A task that touches the world, and after it whatever follows. */
  | { do: 'effect'; job: string; attempt: Attempt }
  /** Some of the child jobs of a task, by their places. */
  | { do: 'spawn'; fan: string; from: number; to: number };

export const isLone = (asked: JobWork): asked is LoneEvent =>
  asked.do === 'start' || asked.do === 'more' || asked.do === 'wake';

export const startOf = (job: string): WorkItem => ({ id: `${job}:start`, input: { do: 'start', job } });

/** @param seed what no other event has: ids of work are never used again */
export const moreOf = (job: string, seed: string): WorkItem => ({
  id: `${job}:more:${seed}`,
  input: { do: 'more', job },
});

export const commandOf = (job: string, command: 'pause' | 'resume' | 'cancel', seed: string): WorkItem => ({
  id: `${job}:${command}:${seed}`,
  input: { do: command, job },
});

export const reportWorkOf = (job: string): WorkItem => ({ id: `${job}:tell`, input: { do: 'tell', job } });

export const handleOf = (job: string, workflow: string, seed: string): WorkItem => ({
  id: `${job}:handle:${seed}`,
  input: { do: 'handle', job, workflow },
});

export const effectWorkOf = (job: string, attempt: Attempt): WorkItem => ({
  id: fanOf(attempt),
  input: { do: 'effect', job, attempt },
});

export const wakeOf = (job: string, attempt: Attempt, until: number): WorkItem => ({
  id: `${fanOf(attempt)}:wake`,
  input: { do: 'wake', job, attempt },
  runAt: new Date(until),
});

export const expireOf = (job: string, until: number): WorkItem => ({
  id: expiryOf(job, until),
  input: { do: 'expire', job, until },
  runAt: new Date(until),
});

/** The id of that work. */
export const expiryOf = (job: string, until: number): string => `${job}:expire:${until}`;

export const spawnOf = (fan: string, from: number, to: number): WorkItem => ({
  id: `${fan}:spawn:${from}`,
  input: { do: 'spawn', fan, from, to },
});

/** One attempt at one pass, unique for ever: what is asked for on its behalf is called so. */
export const fanOf = ({ iteration, attempt }: Attempt): string => `${iteration}:${attempt}`;

/** The work that may be waiting for an attempt. */
export const workOf = (attempt: Attempt): string[] => [fanOf(attempt), `${fanOf(attempt)}:wake`];
