import type { WorkItem } from '#server/durable/port.ts';
import type { Attempt } from './document.ts';

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

export const tellOf = (job: string): WorkItem => ({ id: `${job}:tell`, input: { do: 'tell', job } });

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
