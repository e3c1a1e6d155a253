import type { Task } from '#db/schemas/workflow/task.ts';
import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import type { TaskOutcome } from '../../tasks/outcome.ts';
import { QUICK } from '../../transformations/run.ts';
import { transformationOutcome } from '../../transformations/task.ts';
import { incomingOf, sourceOf } from '../../validation/variables.ts';
import type { Moment } from '../reducer/job-events.ts';
import type { Plan } from '../reducer/plan.ts';

/** Room of a step that a transformation uses: it may take as long as that many other tasks. */
export const ROOM_OF_ONE = 10;

const isTransformation = ({ app, name }: Task): boolean =>
  app === 'WorkFlowEngine' && name === 'transformation';

/** Returns the ids of the transformations that the tasks of a workflow name, except ids known only when the job runs. */
export function transformationsNamed(tasks: Readonly<Record<string, Task>>): string[] {
  const ids = Object.values(tasks).flatMap((task) => {
    const { tr_id: id } = isTransformation(task) ? incomingOf(task) : {};
    return typeof id === 'string' && id !== '' && sourceOf(id) === null ? [id] : [];
  });
  return [...new Set(ids)];
}

/** Returns the job's own copy of the transformation that a task runs. */
export function copyOf(
  plan: Plan,
  task: Task,
  { tr_id: id }: Record<string, unknown>,
): Transformation | undefined {
  const { transformations } = plan;
  if (!isTransformation(task) || typeof id !== 'string' || !Object.hasOwn(transformations, id))
    return undefined;
  return transformations[id];
}

/**
 * Runs a transformation within a short time limit. The same event always produces the same result: the clock is the event's
 * time, and random numbers come from the event's seed.
 *
 * @returns null when it takes longer or fails: a worker process then runs it with the full limits
 */
export function withinTime(
  copy: Transformation,
  incoming: Record<string, unknown>,
  { at, seed }: Moment,
): TaskOutcome | null {
  const outcome = transformationOutcome(copy, incoming, { now: () => at, random: diceOf(seed) }, QUICK);
  return outcome.finish === 'success' ? outcome : null;
}

/** Returns a generator of numbers in [0, 1): mulberry32, seeded with the first 8 hex digits of a UUID. */
function diceOf(seed: string): () => number {
  let at = Number.parseInt(seed.slice(0, 8), 16) | 0;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
