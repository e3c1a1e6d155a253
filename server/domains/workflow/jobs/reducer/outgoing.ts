import { jobVariable, outgoingOf } from '../../validation/variables.ts';
import { edit, put, type TransitionContext } from './transition-context.ts';

/** Stores the results of a task, and sets the job variables that they are assigned to (contract/engines#variables). */
export function assignOutgoing(ctx: TransitionContext, id: string, results: Record<string, unknown>): void {
  const { head } = ctx.doc;
  const definition = ctx.plan.tasks[id];
  edit(ctx, id).outgoing = results;
  if (!definition) return;
  for (const [member, goal] of Object.entries(outgoingOf(definition))) {
    const variable = jobVariable(goal);
    if (variable === null) continue;
    put(head.variables, variable, Object.hasOwn(results, member) ? results[member] : null);
  }
}
