import { START } from '../../definitions/graph.ts';
import { beginIteration } from './begin.ts';
import { iterationOf } from './document.ts';
import type { Event } from './job-events.ts';
import { noteFault, stopped } from './status.ts';
import { cancelTask, edit, recordIteration, stateOf, type TransitionContext } from './transition-context.ts';

/**
 * Puts a task whose work will not run again in error, and the job with it. No transition and no retry setting applies: only
 * a retry by a user restarts it.
 */
export function putAside(
  ctx: TransitionContext,
  { reason, attempt }: Extract<Event, { type: 'putAside' }>,
): boolean {
  const { state } = ctx.doc;
  const id = attempt?.task ?? state.ready[0] ?? runningTask(ctx) ?? START;
  const known = stateOf(ctx, id);
  if (attempt && (iterationOf(known) !== attempt.iteration || known.attempt !== attempt.attempt))
    return false;
  if (attempt && known.status !== 'running') return false;
  cancelTask(ctx, id);
  if (id === START) for (const other of ctx.plan.onlyByRevert) edit(ctx, other).status = 'skipped';
  const task = edit(ctx, id);
  const { at } = ctx.moment;
  if (known.status !== 'running') beginIteration(ctx, id);
  task.start ??= at;
  task.end = at;
  task.status = 'error';
  task.finish = 'error';
  delete task.waits;
  delete task.until;
  // A retry starts this very task.
  state.ready = state.ready.filter((one) => one !== id);
  recordIteration(ctx, id);
  noteFault(ctx, { task: id, message: reason, timestamp: at });
  stopped(ctx);
  return true;
}

/** Returns a task that waits for a worker process or child jobs, whose outcome crashed the process that applied it. */
const runningTask = ({ doc }: TransitionContext): string | undefined =>
  Object.entries(doc.state.tasks).find(
    ([, { status, waits }]) => status === 'running' && (waits === 'effect' || waits === 'children'),
  )?.[0];
