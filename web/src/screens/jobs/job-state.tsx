import type { Outputs } from '~/api/client.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';

/** A job as the contract answers it: any field may be missing, for a reader may ask for some only. */
export type Job = Outputs['operationsManager']['getJob']['data'];
export type JobTask = NonNullable<Job['tasks']>[string];

export const JOB_STATES = ['running', 'paused', 'error', 'complete', 'canceled'] as const;

const TONES: Record<string, Tone> = {
  running: 'info',
  paused: 'warn',
  error: 'bad',
  complete: 'good',
  success: 'good',
  failure: 'warn',
  waiting: 'warn',
};

/** The state of a job or task as a badge. */
export const StateBadge = ({ state }: { state: string | null | undefined }) => (
  <Badge tone={TONES[state ?? ''] ?? 'neutral'}>{state ?? 'unknown'}</Badge>
);

/** Whether a job has ended, so that it can only be deleted. */
export const isOver = ({ status }: Pick<Job, 'status'>) => status === 'complete' || status === 'canceled';

/**
 * Returns when a job stopped, in milliseconds since 1970; undefined: it still runs. One that failed has no end, because it can be
 * retried: it stopped at its last error.
 */
export function stoppedAt({ status, metrics, error }: Pick<Job, 'status' | 'metrics' | 'error'>) {
  const failed = status === 'error' ? error?.at(-1)?.timestamp : undefined;
  return metrics?.end_time ?? msOf(failed);
}

/**
 * The state of a task in words: a task that was not reached before its job ended was skipped. The start of a workflow does
 * nothing and is recorded with the first task after it: it is complete as soon as there is a job.
 */
export function taskState(id: string, task: JobTask, job: Pick<Job, 'status'>): string {
  if (id === 'workflow_start' && task.status === 'incomplete') return 'complete';
  if (task.status === 'incomplete') return isOver(job) ? 'skipped' : 'not started';
  if (task.status === 'running' && task.type === 'manual') return 'waiting';
  if (task.status === 'complete' && task.finish_state && task.finish_state !== 'success')
    return task.finish_state;
  return task.status ?? 'not started';
}

/** What a task is called: its summary, otherwise the operation that it calls. */
export const taskTitle = (id: string, task: JobTask | undefined): string =>
  task?.summary || task?.canvasName || task?.name || id;

/** Milliseconds of a moment that is either a number or an ISO text. */
export const msOf = (moment: string | number | null | undefined): number | undefined =>
  moment === null || moment === undefined ? undefined : new Date(moment).getTime();

/** One line of an error: its text, or the message of a structured one. */
export function errorLine(message: unknown): string {
  if (typeof message === 'string') return message;
  if (typeof message === 'object' && message !== null && 'message' in message) {
    return errorLine(message.message);
  }
  return message === undefined ? '' : JSON.stringify(message);
}
