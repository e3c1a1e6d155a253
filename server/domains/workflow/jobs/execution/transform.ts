import type { Task } from '#db/schemas/workflow/task.ts';
import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import type { TaskOutcome } from '../../tasks/outcome.ts';
import { QUICK } from '../../transformations/run.ts';
import { transformationOutcome } from '../../transformations/task.ts';
import { incomingOf, sourceOf } from '../../validation/variables.ts';
import type { Moment } from '../reducer/job-events.ts';
import type { Plan } from '../reducer/plan.ts';

/** What of the room of a step a transformation takes: one may take as long as many other tasks. */
export const ROOM_OF_ONE = 10;

const isTransformation = ({ app, name }: Task): boolean =>
  app === 'WorkFlowEngine' && name === 'transformation';

/** Ids of the transformations that the tasks of a workflow name; one that is known only when the job runs is not among them. */
export function transformationsNamed(tasks: Readonly<Record<string, Task>>): string[] {
  const ids = Object.values(tasks).flatMap((task) => {
    const { tr_id: id } = isTransformation(task) ? incomingOf(task) : {};
    return typeof id === 'string' && id !== '' && sourceOf(id) === null ? [id] : [];
  });
  return [...new Set(ids)];
}

/** The job's own copy of the transformation that a task runs. */
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
 * What a transformation makes of these values, when that takes but a moment. The same moment gives the same: its clock is
 * that of the event, its dice are thrown by the event's seed.
 *
 * @returns null when it takes longer or fails: a process then runs it with all the room that there is
 */
export function withinTime(
  copy: Transformation,
  incoming: Record<string, unknown>,
  { at, seed }: Moment,
): TaskOutcome | null {
  const outcome = transformationOutcome(copy, incoming, { now: () => at, random: diceOf(seed) }, QUICK);
  return outcome.finish === 'success' ? outcome : null;
}

/** Numbers from 0 up to 1, by mulberry32 from the first half of a UUID. */
function diceOf(seed: string): () => number {
  let at = Number.parseInt(seed.slice(0, 8), 16) | 0;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
