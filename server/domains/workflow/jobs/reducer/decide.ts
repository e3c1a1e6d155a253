import type { Edge } from '../../definitions/graph.ts';
import { nextIteration } from './loop.ts';
import { edgesOf, isLoop, loopsAround, reachableFrom } from './plan.ts';
import { edit, followers, stateOf, type TransitionContext } from './transition-context.ts';

/**
 * Returns the state of a transition (contract/engines#transitions): open until the task that it leaves has finished or can
 * never run. A transition out of a loop is open until the loop has finished.
 */
function verdictOf(walk: TransitionContext, { from, to, state, ...edge }: Edge): 'open' | 'taken' | 'dead' {
  const origin = stateOf(walk, from);
  if (origin.status === 'skipped') return 'dead';
  if (isLoop({ from, to, state, ...edge })) {
    if (origin.loop && origin.loop.of > 0) return 'taken';
    return origin.status === 'complete' ? 'dead' : 'open';
  }
  if (origin.status !== 'complete') return 'open';
  for (const loop of loopsAround(walk.plan, from)) {
    if (walk.plan.loops.get(loop)?.body.has(to)) continue;
    if (!['complete', 'skipped'].includes(stateOf(walk, loop).status)) return 'open';
  }
  if (origin.toward !== undefined) {
    const leads = to === origin.toward || reachableFrom(walk.plan, [to]).has(origin.toward);
    return leads ? 'taken' : 'dead';
  }
  return !origin.left && state === origin.finish ? 'taken' : 'dead';
}

/**
 * Decides which tasks run. Once all transitions into a task are decided, the task becomes ready if one of them is taken;
 * else it is skipped, and the tasks after it are considered in turn.
 */
export function consider(walk: TransitionContext, ids: readonly string[]): void {
  const { ready } = walk.doc.state;
  const queued = new Set(ready);
  const open = [...ids];
  for (let id = open.shift(); id !== undefined; id = open.shift()) {
    if (stateOf(walk, id).status !== 'incomplete' || queued.has(id)) continue;
    const verdicts = edgesOf(walk.plan.into, id).map((edge) => verdictOf(walk, edge));
    if (verdicts.length === 0 || verdicts.includes('open')) continue;
    if (verdicts.includes('taken')) {
      ready.push(id);
      queued.add(id);
      continue;
    }
    edit(walk, id).status = 'skipped';
    open.push(...followers(walk, id));
    nextPasses(walk, id);
  }
}

/** Considers the tasks after a task or loop that has finished. */
export function decided(walk: TransitionContext, id: string): void {
  const exits = walk.plan.loops.get(id)?.exits ?? [];
  consider(walk, [...followers(walk, id), ...exits.map(({ to }) => to)]);
  nextPasses(walk, id);
}

/** Continues each loop around a task when the task was the last open one of the loop's iteration. */
function nextPasses(walk: TransitionContext, id: string): void {
  for (const loop of loopsAround(walk.plan, id)) {
    const went = nextIteration(walk, loop);
    if (went === 'again') consider(walk, walk.plan.loops.get(loop)?.entries ?? []);
    if (went === 'over') decided(walk, loop);
  }
}
