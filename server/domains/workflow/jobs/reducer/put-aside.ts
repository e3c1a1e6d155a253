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
  walk: TransitionContext,
  { reason, attempt }: Extract<Event, { type: 'putAside' }>,
): boolean {
  const { state } = walk.doc;
  const id = attempt?.task ?? state.ready[0] ?? runningTask(walk) ?? START;
  const known = stateOf(walk, id);
  if (attempt && (iterationOf(known) !== attempt.iteration || known.attempt !== attempt.attempt))
    return false;
  if (attempt && known.status !== 'running') return false;
  cancelTask(walk, id);
  if (id === START) for (const other of walk.plan.onlyByRevert) edit(walk, other).status = 'skipped';
  const task = edit(walk, id);
  const { at } = walk.moment;
  if (known.status !== 'running') beginIteration(walk, id);
  task.start ??= at;
  task.end = at;
  task.status = 'error';
  task.finish = 'error';
  delete task.waits;
  delete task.until;
  // A retry starts this very task.
  state.ready = state.ready.filter((one) => one !== id);
  recordIteration(walk, id);
  noteFault(walk, { task: id, message: reason, timestamp: at });
  stopped(walk);
  return true;
}

/** Returns a task that waits for a worker process or child jobs, whose outcome crashed the process that applied it. */
const runningTask = ({ doc }: TransitionContext): string | undefined =>
  Object.entries(doc.state.tasks).find(
    ([, { status, waits }]) => status === 'running' && (waits === 'effect' || waits === 'children'),
  )?.[0];
