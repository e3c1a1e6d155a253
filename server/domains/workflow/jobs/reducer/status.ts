import { END } from '../../definitions/graph.ts';
import type { TaskOutcome } from '../../tasks/outcome.ts';
import type { Head } from './document.ts';
import { cancelTask, edit, recordIteration, stateOf, type TransitionContext } from './transition-context.ts';

/** Number of error entries that a job keeps: the latest. */
const MOST_ERRORS = 1000;

/** Adds an entry to the errors of a job. */
export function noteFault({ doc: { head } }: TransitionContext, fault: Head['error'][number]): void {
  head.error.push(fault);
  if (head.error.length > MOST_ERRORS) head.error.splice(0, head.error.length - MOST_ERRORS);
}

/** Stops a task whose finish state has no transition, and the job with it (contract/engines#transitions). */
export function stopWithoutTransition(
  ctx: TransitionContext,
  id: string,
  finish: TaskOutcome['finish'],
): void {
  const message = `Task finished with ${finish}: no available transitions`;
  noteFault(ctx, { task: id, message, timestamp: ctx.moment.at });
  stopped(ctx);
}

/** Puts a job in error because a task stopped in error; other branches continue. A paused job changes only once resumed. */
export function stopped(ctx: TransitionContext): void {
  const { head } = ctx.doc;
  if (head.status !== 'running') return;
  head.status = 'error';
  const handler = head.errorHandler;
  if (handler?.type === 'workflow' && typeof handler.name === 'string' && handler.name !== '') {
    ctx.todo.push({ type: 'handler', workflow: handler.name });
  }
}

/** Sets the job back to running once no task is in error. */
export function reviveJob(ctx: TransitionContext): void {
  const { head, state } = ctx.doc;
  if (head.status !== 'error') return;
  if (Object.values(state.tasks).some(({ status }) => status === 'error')) return;
  head.status = 'running';
}

/** Applies `stopped` for tasks that went into error while the job was paused. */
export function stoppedMeanwhile(ctx: TransitionContext): void {
  if (Object.values(ctx.doc.state.tasks).some(({ status }) => status === 'error')) stopped(ctx);
}

/** Completes the job. Tasks that still run, in a workflow that was never validated, are canceled. */
export function complete(ctx: TransitionContext): void {
  edit(ctx, END).status = 'complete';
  recordIteration(ctx, END);
  endJob(ctx, 'complete');
}

/** Ends the job and cancels its running tasks. */
export function endJob(ctx: TransitionContext, status: 'complete' | 'canceled'): void {
  const { head, state } = ctx.doc;
  for (const id of Object.keys(state.tasks)) {
    if (stateOf(ctx, id).status !== 'running') continue;
    cancelTask(ctx, id);
    const task = edit(ctx, id);
    task.status = 'canceled';
    task.end = ctx.moment.at;
    delete task.waits;
    delete task.until;
    recordIteration(ctx, id);
  }
  state.ready = [];
  head.status = status;
  head.metrics.end_time = ctx.moment.at;
  ctx.todo.push({ type: 'end' });
}
