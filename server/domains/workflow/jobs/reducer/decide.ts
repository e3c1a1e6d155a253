import type { Edge } from '../../definitions/graph.ts';
import { nextIteration } from './loop.ts';
import { edgesOf, isLoop, loopsAround, reachableFrom } from './plan.ts';
import { edit, followers, stateOf, type TransitionContext } from './transition-context.ts';

/**
 * Whether a way is taken (contract/engines#transitions): open until the task that it leaves has finished or is known never
 * to run. A way out of a loop is open until the loop is over.
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
 * Look at tasks that something was decided for. One whose turn it is becomes ready; one that never comes to its turn is
 * skipped, and so on behind it.
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

/** A task has finished, or a loop is over: what comes behind it is looked at. */
export function decided(walk: TransitionContext, id: string): void {
  const exits = walk.plan.loops.get(id)?.exits ?? [];
  consider(walk, [...followers(walk, id), ...exits.map(({ to }) => to)]);
  nextPasses(walk, id);
}

/** Where a task of a body was the last of its pass, the loop goes on. */
function nextPasses(walk: TransitionContext, id: string): void {
  for (const loop of loopsAround(walk.plan, id)) {
    const went = nextIteration(walk, loop);
    if (went === 'again') consider(walk, walk.plan.loops.get(loop)?.entries ?? []);
    if (went === 'over') decided(walk, loop);
  }
}
