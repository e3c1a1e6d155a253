import { edgesOf, isLoop, loopsAround, onwardFrom, type Plan } from './plan.ts';
import { revived } from './status.ts';
import { edit, notePass, reset, stateOf, type Walk } from './transition-context.ts';

/**
 * Every task that is done again when the job goes back (contract/engines#transitions): the goal and all that comes after
 * it.
 */
export function undone(plan: Plan, from: string, to: string): Set<string> {
  const goals = [to];
  for (const loop of loopsAround(plan, to)) {
    const body = plan.loops.get(loop)?.body;
    if (body?.has(from)) continue;
    // From behind a loop back into it: the loop is not over, and nor is what came after it.
    for (const edge of edgesOf(plan.out, loop)) if (!isLoop(edge)) goals.push(edge.to);
  }
  return onwardFrom(plan, goals);
}

/**
 * Go back: the goal begins anew, whatever leads to it. What its successors gave is kept and not used.
 *
 * @returns whether the task that goes back is itself done again: else it stays as it finished
 */
export function goBack(walk: Walk, from: string, to: string): boolean {
  const again = undone(walk.plan, from, to);
  for (const id of again) reset(walk, id);
  for (const loop of loopsAround(walk.plan, to)) reopen(walk, loop);
  walk.doc.state.ready.push(to);
  revived(walk);
  return again.has(from);
}

function reopen(walk: Walk, loop: string): void {
  const known = stateOf(walk, loop);
  if (known.status !== 'complete' || !known.loop) return;
  const task = edit(walk, loop);
  task.status = 'running';
  delete task.left;
  delete task.end;
  delete task.finish;
  notePass(walk, loop);
}
