import { END } from '../../definitions/graph.ts';
import type { TaskOutcome } from '../../tasks/outcome.ts';
import type { Head } from './document.ts';
import { cancelTask, edit, recordIteration, stateOf, type TransitionContext } from './transition-context.ts';

/** Entries that a job keeps of what went wrong: the latest. */
const MOST_ERRORS = 1000;

/** Adds an entry to what went wrong with a job. */
export function noteFault({ doc: { head } }: TransitionContext, fault: Head['error'][number]): void {
  head.error.push(fault);
  if (head.error.length > MOST_ERRORS) head.error.splice(0, head.error.length - MOST_ERRORS);
}

/** A task finished in a way from which none leads on: it stops, and the job with it (contract/engines#transitions). */
export function stopWithoutTransition(
  walk: TransitionContext,
  id: string,
  finish: TaskOutcome['finish'],
): void {
  const message = `Task finished with ${finish}: no available transitions`;
  noteFault(walk, { task: id, message, timestamp: walk.moment.at });
  stopped(walk);
}

/** A task stopped in error: so does the job, while its other branches go on; a pause holds that back. */
export function stopped(walk: TransitionContext): void {
  const { head } = walk.doc;
  if (head.status !== 'running') return;
  head.status = 'error';
  const handler = head.errorHandler;
  if (handler?.type === 'workflow' && typeof handler.name === 'string' && handler.name !== '') {
    walk.todo.push({ type: 'handler', workflow: handler.name });
  }
}

/** The job runs again once no task stops it. */
export function reviveJob(walk: TransitionContext): void {
  const { head, state } = walk.doc;
  if (head.status !== 'error') return;
  if (Object.values(state.tasks).some(({ status }) => status === 'error')) return;
  head.status = 'running';
}

/** What `stopped` did not say while the job was paused. */
export function stoppedMeanwhile(walk: TransitionContext): void {
  if (Object.values(walk.doc.state.tasks).some(({ status }) => status === 'error')) stopped(walk);
}

/** The end was reached. What still runs, in a workflow that no validator has seen, is called off. */
export function complete(walk: TransitionContext): void {
  edit(walk, END).status = 'complete';
  recordIteration(walk, END);
  endJob(walk, 'complete');
}

/** The job is over. */
export function endJob(walk: TransitionContext, status: 'complete' | 'canceled'): void {
  const { head, state } = walk.doc;
  for (const id of Object.keys(state.tasks)) {
    if (stateOf(walk, id).status !== 'running') continue;
    cancelTask(walk, id);
    const task = edit(walk, id);
    task.status = 'canceled';
    task.end = walk.moment.at;
    delete task.waits;
    delete task.until;
    recordIteration(walk, id);
  }
  state.ready = [];
  head.status = status;
  head.metrics.end_time = walk.moment.at;
  walk.todo.push({ type: 'end' });
}
