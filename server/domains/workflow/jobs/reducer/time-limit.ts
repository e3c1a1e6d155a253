import { endJob, noteFault } from './status.ts';
import type { TransitionContext } from './transition-context.ts';

/** How soon a job that is paused when its time is over is looked at again, in milliseconds: no sooner than this. */
const LEAST_MS = 60_000;

/** What errors of a job name as their task when its time was over. */
export const TIME_LIMIT = 'time_limit';

/** The job begins: its time runs from now on. */
export function limited(walk: TransitionContext): void {
  const { limit } = walk.doc.state;
  if (limit) setUntil(walk, limit.seconds, limit.seconds * 1000);
}

/**
 * The time of the job is over: it is canceled, unless it is paused; then it gets the same time once more.
 *
 * @returns false for a moment that no longer counts
 */
export function expired(walk: TransitionContext, until: number): boolean {
  const { head, state } = walk.doc;
  if (state.limit?.until !== until) return false;
  const { seconds } = state.limit;
  if (head.status === 'paused') {
    setUntil(walk, seconds, Math.max(LEAST_MS, seconds * 1000));
    return true;
  }
  const message = `Canceled: took longer than its time limit of ${seconds} s`;
  noteFault(walk, { task: TIME_LIMIT, message, timestamp: walk.moment.at });
  head.timedOut = true;
  endJob(walk, 'canceled');
  return true;
}

function setUntil(walk: TransitionContext, seconds: number, ms: number): void {
  const until = walk.moment.at + Math.round(ms);
  walk.doc.state.limit = { seconds, until };
  walk.todo.push({ type: 'limit', until });
}
