import { END } from '../../definitions/graph.ts';
import type { TaskOutcome } from '../../tasks/outcome.ts';
import { jobVariable } from '../../validation/variables.ts';
import { fits } from '../store/capacity.ts';
import { decided } from './decide.ts';
import { endsIteration } from './loop.ts';
import { assignOutgoing } from './outgoing.ts';
import { edgesOf, isLoop } from './plan.ts';
import { revertTo } from './revert.ts';
import { complete, noteFault, stopWithoutTransition } from './status.ts';
import { attemptOf, edit, put, recordIteration, type TransitionContext } from './transition-context.ts';

/**
 * Stores the outcome of a running task and continues the job by the transitions of its finish state
 * (contract/engines#transitions).
 */
export function finish(walk: TransitionContext, id: string, result: TaskOutcome): void {
  const task = edit(walk, id);
  const { at } = walk.moment;
  delete task.outgoing;
  delete task.given;
  const outcome = fits(walk, result);
  task.end = at;
  task.finish = outcome.finish;
  delete task.waits;
  delete task.until;
  delete task.share;
  delete task.given;
  if (outcome.stubbed) task.stubbed = true;
  keep(walk, id, outcome);
  if (tryAgain(walk, id, outcome)) return;
  if (id === END) {
    complete(walk);
    return;
  }
  const [back] = edgesOf(walk.plan.reverts, id).filter(({ state }) => state === outcome.finish);
  if (back) {
    task.status = 'complete';
    recordIteration(walk, id);
    if (!revertTo(walk, id, back.to)) decided(walk, id);
    return;
  }
  const goesOn = edgesOf(walk.plan.out, id).some((edge) => !isLoop(edge) && edge.state === outcome.finish);
  if (goesOn || endsIteration(walk.plan, walk.doc.state.tasks, id, outcome.finish)) {
    task.status = 'complete';
    recordIteration(walk, id);
    decided(walk, id);
    return;
  }
  task.status = 'error';
  recordIteration(walk, id);
  stopWithoutTransition(walk, id, outcome.finish);
}

function keep(walk: TransitionContext, id: string, { outgoing, variables, error }: TaskOutcome): void {
  const { head } = walk.doc;
  const fault = error ?? null;
  assignOutgoing(walk, id, fault ? { ...outgoing, error: fault } : outgoing);
  for (const [name, value] of Object.entries(variables ?? {})) put(head.variables, name, value);
  if (!fault) return;
  const goal = jobVariable(walk.plan.tasks[id]?.variables?.error);
  if (goal !== null) put(head.variables, goal, fault);
  noteFault(walk, { task: id, message: fault.message, timestamp: walk.moment.at });
}

/** Starts another attempt, now or after a delay, if the task's retry settings say so. @returns whether it did */
function tryAgain(walk: TransitionContext, id: string, outcome: TaskOutcome): boolean {
  const settings = walk.plan.tasks[id]?.retrySettings;
  if (!settings?.autoRetry || !settings.state?.includes(outcome.finish)) return false;
  const task = edit(walk, id);
  const made = task.retries ?? 0;
  if (made >= (settings.limit ?? 0)) return false;
  const pause = Math.max(0, settings.delay ?? 0);
  task.retries = made + 1;
  task.attempt += 1;
  task.status = 'running';
  task.waits = 'retry';
  if (pause === 0) {
    walk.doc.state.ready.push(id);
  } else {
    task.until = walk.moment.at + pause;
    walk.todo.push({ type: 'wait', until: task.until, ...attemptOf(walk, id) });
  }
  recordIteration(walk, id);
  return true;
}
