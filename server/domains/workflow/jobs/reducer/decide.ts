import type { Edge } from '../../definitions/graph.ts';
import { nextIteration } from './loop.ts';
import { edgesOf, isLoop, loopsAround, reachableFrom } from './plan.ts';
import { edit, followers, stateOf, type TransitionContext } from './transition-context.ts';

/**
 * Returns the state of a transition (contract/engines#transitions): open until the task that it leaves has finished or can
 * never run. A transition out of a loop is open until the loop has finished.
 */
function verdictOf(ctx: TransitionContext, { from, to, state, ...edge }: Edge): 'open' | 'taken' | 'dead' {
  const origin = stateOf(ctx, from);
  if (origin.status === 'skipped') return 'dead';
  if (isLoop({ from, to, state, ...edge })) {
    if (origin.loop && origin.loop.of > 0) return 'taken';
    return origin.status === 'complete' ? 'dead' : 'open';
  }
  if (origin.status !== 'complete') return 'open';
  for (const loop of loopsAround(ctx.plan, from)) {
    if (ctx.plan.loops.get(loop)?.body.has(to)) continue;
    if (!['complete', 'skipped'].includes(stateOf(ctx, loop).status)) return 'open';
  }
  if (origin.toward !== undefined) {
    const leads = to === origin.toward || reachableFrom(ctx.plan, [to]).has(origin.toward);
    return leads ? 'taken' : 'dead';
  }
  return !origin.left && state === origin.finish ? 'taken' : 'dead';
}

/**
 * Decides which tasks run. Once all transitions into a task are decided, the task becomes ready if one of them is taken;
 * else it is skipped, and the tasks after it are considered in turn.
 */
export function decideTasks(ctx: TransitionContext, ids: readonly string[]): void {
  const { ready } = ctx.doc.state;
  const queued = new Set(ready);
  const open = [...ids];
  for (let id = open.shift(); id !== undefined; id = open.shift()) {
    if (stateOf(ctx, id).status !== 'incomplete' || queued.has(id)) continue;
    const verdicts = edgesOf(ctx.plan.into, id).map((edge) => verdictOf(ctx, edge));
    if (verdicts.length === 0 || verdicts.includes('open')) continue;
    if (verdicts.includes('taken')) {
      ready.push(id);
      queued.add(id);
      continue;
    }
    edit(ctx, id).status = 'skipped';
    open.push(...followers(ctx, id));
    nextPasses(ctx, id);
  }
}

/** Considers the tasks after a task or loop that has finished. */
export function decideTasksAfter(ctx: TransitionContext, id: string): void {
  const exits = ctx.plan.loops.get(id)?.exits ?? [];
  decideTasks(ctx, [...followers(ctx, id), ...exits.map(({ to }) => to)]);
  nextPasses(ctx, id);
}

/** Continues each loop around a task when the task was the last open one of the loop's iteration. */
function nextPasses(ctx: TransitionContext, id: string): void {
  for (const loop of loopsAround(ctx.plan, id)) {
    const went = nextIteration(ctx, loop);
    if (went === 'again') decideTasks(ctx, ctx.plan.loops.get(loop)?.entries ?? []);
    if (went === 'over') decideTasksAfter(ctx, loop);
  }
}
