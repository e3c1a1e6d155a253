import type { TaskOutcome } from '../../tasks/outcome.ts';
import { membersLength, reserve } from '../store/capacity.ts';
import type { TaskState } from './document.ts';
import { assignOutgoing } from './outgoing.ts';
import { edgesOf, loopsAround, type Plan } from './plan.ts';
import { stopWithoutTransition } from './status.ts';
import {
  edit,
  failed,
  recordIteration,
  reset,
  stateOf,
  type TransitionContext,
} from './transition-context.ts';

/**
 * Starts a forEach.
 *
 * @returns its outcome when there is nothing to iterate over; null while it runs
 */
export function beginLoop(ctx: TransitionContext, id: string): TaskOutcome | null {
  const task = edit(ctx, id);
  const elements = task.incoming?.data_array;
  if (!Array.isArray(elements)) return failed('data_array must be a list');
  const entries = ctx.plan.loops.get(id)?.entries ?? [];
  if (elements.length === 0 || entries.length === 0) {
    return { finish: 'success', outgoing: { current_item: null } };
  }
  task.loop = { at: 0, of: elements.length };
  delete task.waits;
  giveItem(ctx, id, elements[0]);
  return null;
}

/**
 * Continues a loop once its whole body is decided: with the next element, or after the loop. A taken transition out of the
 * body leaves the loop (docs/workflows.md).
 */
export function nextIteration(ctx: TransitionContext, id: string): 'again' | 'over' | 'busy' {
  const known = stateOf(ctx, id);
  const loop = ctx.plan.loops.get(id);
  if (known.status !== 'running' || !known.loop || !loop) return 'busy';
  const { ready } = ctx.doc.state;
  for (const inside of loop.body) {
    const { status } = stateOf(ctx, inside);
    if ((status !== 'complete' && status !== 'skipped') || ready.includes(inside)) return 'busy';
  }
  const leaves = loop.exits.some(({ from, state }) => {
    const { status, finish } = stateOf(ctx, from);
    return status === 'complete' && finish === state;
  });
  const task = edit(ctx, id);
  const { at, of } = known.loop;
  if (leaves || at + 1 >= of) {
    const continues =
      leaves || endsIteration(ctx.plan, ctx.doc.state.tasks, id, 'success') || leadsOn(ctx, id);
    task.status = continues ? 'complete' : 'error';
    task.finish = 'success';
    task.end = ctx.moment.at;
    if (leaves) task.left = true;
    recordIteration(ctx, id);
    if (!continues) stopWithoutTransition(ctx, id, 'success');
    return continues ? 'over' : 'busy';
  }
  for (const inside of loop.body) reset(ctx, inside);
  task.loop = { at: at + 1, of };
  const elements = task.incoming?.data_array;
  giveItem(ctx, id, Array.isArray(elements) ? elements[at + 1] : null);
  return 'again';
}

/** Passes an element to the body. If the job has no room for it, the next task with values reports that. */
function giveItem(ctx: TransitionContext, id: string, current_item: unknown): void {
  reserve(ctx, 2 * membersLength({ current_item }));
  assignOutgoing(ctx, id, { current_item });
}

const leadsOn = (ctx: TransitionContext, id: string) =>
  edgesOf(ctx.plan.out, id).some(({ state }) => state === 'success');

/** Returns whether a task that finishes without a transition ends its loop iteration instead of stopping the job. */
export function endsIteration(
  plan: Plan,
  states: Readonly<Record<string, TaskState>>,
  id: string,
  finish: TaskOutcome['finish'],
): boolean {
  if (!loopsAround(plan, id).some((loop) => states[loop]?.status === 'running')) return false;
  return finish === 'success' || (finish === 'failure' && edgesOf(plan.out, id).length === 0);
}
