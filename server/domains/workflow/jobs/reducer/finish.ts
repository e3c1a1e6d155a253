import { END } from '../../definitions/graph.ts';
import type { Outcome } from '../../tasks/outcome.ts';
import { jobVariable } from '../../validation/variables.ts';
import { fits } from '../store/capacity.ts';
import { decided } from './decide.ts';
import { endsPass } from './loop.ts';
import { settleOutgoing } from './outgoing.ts';
import { edgesOf, isLoop } from './plan.ts';
import { goBack } from './revert.ts';
import { complete, noteFault, noWay } from './status.ts';
import { attemptOf, edit, notePass, put, type Walk } from './transition-context.ts';

/**
 * A running task has its outcome: what it gave is kept, and the job goes on by the ways of its finish state
 * (contract/engines#transitions).
 */
export function finish(walk: Walk, id: string, told: Outcome): void {
  const task = edit(walk, id);
  const { at } = walk.moment;
  delete task.outgoing;
  delete task.given;
  const outcome = fits(walk, told);
  task.end = at;
  task.finish = outcome.finish;
  delete task.waits;
  delete task.until;
  delete task.share;
  delete task.given;
  keep(walk, id, outcome);
  if (tryAgain(walk, id, outcome)) return;
  if (id === END) {
    complete(walk);
    return;
  }
  const [back] = edgesOf(walk.plan.reverts, id).filter(({ state }) => state === outcome.finish);
  if (back) {
    task.status = 'complete';
    notePass(walk, id);
    if (!goBack(walk, id, back.to)) decided(walk, id);
    return;
  }
  const goesOn = edgesOf(walk.plan.out, id).some((edge) => !isLoop(edge) && edge.state === outcome.finish);
  if (goesOn || endsPass(walk.plan, walk.doc.state.tasks, id, outcome.finish)) {
    task.status = 'complete';
    notePass(walk, id);
    decided(walk, id);
    return;
  }
  task.status = 'error';
  notePass(walk, id);
  noWay(walk, id, outcome.finish);
}

function keep(walk: Walk, id: string, { outgoing, variables, error }: Outcome): void {
  const { head } = walk.doc;
  const fault = error ?? null;
  settleOutgoing(walk, id, fault ? { ...outgoing, error: fault } : outgoing);
  for (const [name, value] of Object.entries(variables ?? {})) put(head.variables, name, value);
  if (!fault) return;
  const goal = jobVariable(walk.plan.tasks[id]?.variables?.error);
  if (goal !== null) put(head.variables, goal, fault);
  noteFault(walk, { task: id, message: fault.message, timestamp: walk.moment.at });
}

/** Whether the task's own settings have it try again, now or after a pause. */
function tryAgain(walk: Walk, id: string, outcome: Outcome): boolean {
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
  notePass(walk, id);
  return true;
}
