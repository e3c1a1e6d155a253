import type { Outcome } from '../../tasks/outcome.ts';
import type { TaskState } from './document.ts';
import { edgesOf, loopsAround, type Plan } from './plan.ts';

/** Whether a task that finishes so without a way onward ends its pass of a loop, rather than stop the job. */
export function endsPass(
  plan: Plan,
  states: Readonly<Record<string, TaskState>>,
  id: string,
  finish: Outcome['finish'],
): boolean {
  if (!loopsAround(plan, id).some((loop) => states[loop]?.status === 'running')) return false;
  return finish === 'success' || (finish === 'failure' && edgesOf(plan.out, id).length === 0);
}
