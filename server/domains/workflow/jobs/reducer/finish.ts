import { END } from '../../definitions/graph.ts';
import type { TaskOutcome } from '../../tasks/outcome.ts';
import { jobVariable } from '../../validation/variables.ts';
import { withinCapacity } from '../store/capacity.ts';
import { decideTasksAfter } from './decide.ts';
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
export function finish(ctx: TransitionContext, id: string, result: TaskOutcome): void {
  const task = edit(ctx, id);
  const { at } = ctx.moment;
  delete task.outgoing;
  delete task.given;
  const outcome = withinCapacity(ctx, result);
  task.end = at;
  task.finish = outcome.finish;
  delete task.waits;
  delete task.until;
  delete task.share;
  delete task.given;
  if (outcome.stubbed) task.stubbed = true;
  storeOutcome(ctx, id, outcome);
  if (tryAgain(ctx, id, outcome)) return;
  if (id === END) {
    complete(ctx);
    return;
  }
  const [back] = edgesOf(ctx.plan.reverts, id).filter(({ state }) => state === outcome.finish);
  if (back) {
    task.status = 'complete';
    recordIteration(ctx, id);
    if (!revertTo(ctx, id, back.to)) decideTasksAfter(ctx, id);
    return;
  }
  const continues = edgesOf(ctx.plan.out, id).some((edge) => !isLoop(edge) && edge.state === outcome.finish);
  if (continues || endsIteration(ctx.plan, ctx.doc.state.tasks, id, outcome.finish)) {
    task.status = 'complete';
    recordIteration(ctx, id);
    decideTasksAfter(ctx, id);
    return;
  }
  task.status = 'error';
  recordIteration(ctx, id);
  stopWithoutTransition(ctx, id, outcome.finish);
}

function storeOutcome(ctx: TransitionContext, id: string, { outgoing, variables, error }: TaskOutcome): void {
  const { head } = ctx.doc;
  const fault = error ?? null;
  assignOutgoing(ctx, id, fault ? { ...outgoing, error: fault } : outgoing);
  for (const [name, value] of Object.entries(variables ?? {})) put(head.variables, name, value);
  if (!fault) return;
  const goal = jobVariable(ctx.plan.tasks[id]?.variables?.error);
  if (goal !== null) put(head.variables, goal, fault);
  noteFault(ctx, { task: id, message: fault.message, timestamp: ctx.moment.at });
}

/** Starts another attempt, now or after a delay, if the task's retry settings say so. @returns whether it did */
function tryAgain(ctx: TransitionContext, id: string, outcome: TaskOutcome): boolean {
  const settings = ctx.plan.tasks[id]?.retrySettings;
  if (!settings?.autoRetry || !settings.state?.includes(outcome.finish)) return false;
  const task = edit(ctx, id);
  const made = task.retries ?? 0;
  if (made >= (settings.limit ?? 0)) return false;
  const pause = Math.max(0, settings.delay ?? 0);
  task.retries = made + 1;
  task.attempt += 1;
  task.status = 'running';
  task.waits = 'retry';
  if (pause === 0) {
    ctx.doc.state.ready.push(id);
  } else {
    task.until = ctx.moment.at + pause;
    ctx.todo.push({ type: 'wait', until: task.until, ...attemptOf(ctx, id) });
  }
  recordIteration(ctx, id);
  return true;
}
