import { endJob, noteFault } from './status.ts';
import type { TransitionContext } from './transition-context.ts';

/** Shortest time after which the limit of a job that was paused when it expired is checked again, in milliseconds. */
const LEAST_MS = 60_000;

/** The task that a job's error names when its time limit expired. */
export const TIME_LIMIT = 'time_limit';

/** Starts the time limit of a job that starts now. */
export function startTimeLimit(ctx: TransitionContext): void {
  const { limit } = ctx.doc.state;
  if (limit) setUntil(ctx, limit.seconds, limit.seconds * 1000);
}

/**
 * Cancels a job whose time limit expired, unless it is paused; then it gets the same time once more.
 *
 * @returns false for an expiry that is no longer valid
 */
export function applyTimeLimit(ctx: TransitionContext, until: number): boolean {
  const { head, state } = ctx.doc;
  if (state.limit?.until !== until) return false;
  const { seconds } = state.limit;
  if (head.status === 'paused') {
    setUntil(ctx, seconds, Math.max(LEAST_MS, seconds * 1000));
    return true;
  }
  const message = `Canceled: took longer than its time limit of ${seconds} s`;
  noteFault(ctx, { task: TIME_LIMIT, message, timestamp: ctx.moment.at });
  head.timedOut = true;
  endJob(ctx, 'canceled');
  return true;
}

function setUntil(ctx: TransitionContext, seconds: number, ms: number): void {
  const until = ctx.moment.at + Math.round(ms);
  ctx.doc.state.limit = { seconds, until };
  ctx.todo.push({ type: 'limit', until });
}
