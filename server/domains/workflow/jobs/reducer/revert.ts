import { edgesOf, isLoop, loopsAround, type Plan, reachableFrom } from './plan.ts';
import { reviveJob } from './status.ts';
import { edit, recordIteration, reset, stateOf, type TransitionContext } from './transition-context.ts';

/**
 * Returns every task that runs again when the job goes back (contract/engines#transitions): its target and all that follow.
 */
export function tasksToUndo(plan: Plan, from: string, to: string): Set<string> {
  const goals = [to];
  for (const loop of loopsAround(plan, to)) {
    const body = plan.loops.get(loop)?.body;
    if (body?.has(from)) continue;
    // A revert from after a loop back into it reopens the loop and everything after it.
    for (const edge of edgesOf(plan.out, loop)) if (!isLoop(edge)) goals.push(edge.to);
  }
  return reachableFrom(plan, goals);
}

/**
 * Goes back to a task and starts it anew, whatever leads to it. The results of the tasks after it are stored but not used.
 *
 * @returns whether the task that goes back runs again itself: else it stays finished
 */
export function revertTo(ctx: TransitionContext, from: string, to: string): boolean {
  const again = tasksToUndo(ctx.plan, from, to);
  for (const id of again) reset(ctx, id);
  for (const loop of loopsAround(ctx.plan, to)) reopen(ctx, loop);
  ctx.doc.state.ready.push(to);
  reviveJob(ctx);
  return again.has(from);
}

function reopen(ctx: TransitionContext, loop: string): void {
  const known = stateOf(ctx, loop);
  if (known.status !== 'complete' || !known.loop) return;
  const task = edit(ctx, loop);
  task.status = 'running';
  delete task.left;
  delete task.end;
  delete task.finish;
  recordIteration(ctx, loop);
}
