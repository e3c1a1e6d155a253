import type { JobDocument, TaskState } from '../reducer/document.ts';
import { largeIdOf } from './large-values.ts';

/**
 * Characters above which a value is stored separately to spare writes: each step of a job writes its row, but only those of
 * these values that it changed (decision 0141). Readers see the values in the job, unlike those over 1 MiB.
 */
export const SEPARATE_SIZE = 16 * 1024;

/** The reference that the row of a job holds in place of a separately stored value. */
export type Mark = { $largeData: string; size: number };

/**
 * Values of a job that are stored separately to spare writes, with their marks. A value is never changed in place: the same
 * object, or an equal text, need not be written again.
 */
export type SeparateValues = ReadonlyMap<unknown, Mark>;

/**
 * Returns a job with its separately stored values filled in.
 *
 * @param values by id; marks of other values stay
 */
export function fillSeparateValues(
  document: JobDocument,
  values: Readonly<Record<string, unknown>>,
): { document: JobDocument; apart: SeparateValues } {
  const apart = new Map<unknown, Mark>();
  const fill = (value: unknown) => {
    const id = largeIdOf(value);
    if (id === null || !Object.hasOwn(values, id)) return value;
    apart.set(values[id], value as Mark);
    return values[id];
  };
  return { document: replaced(document, fill), apart };
}

/** Returns a job with each variable, and each value of its tasks, replaced. What does not change stays the same object. */
export function replaced({ head, state }: JobDocument, replace: (value: unknown) => unknown): JobDocument {
  const variables = replacedMembers(head.variables, replace);
  let tasks = state.tasks;
  for (const [id, task] of Object.entries(state.tasks)) {
    const light = replacedTask(task, replace);
    if (light === task) continue;
    if (tasks === state.tasks) tasks = { ...tasks };
    tasks[id] = light;
  }
  return {
    head: variables === head.variables ? head : { ...head, variables },
    state: tasks === state.tasks ? state : { ...state, tasks },
  };
}

/** Returns the state of a task with each of its values replaced. */
export function replacedTask(task: TaskState, replace: (value: unknown) => unknown): TaskState {
  const { incoming, outgoing } = task;
  const [lightIncoming, lightOutgoing] = [
    incoming && replacedMembers(incoming, replace),
    outgoing && replacedMembers(outgoing, replace),
  ];
  if (lightIncoming === incoming && lightOutgoing === outgoing) return task;
  return {
    ...task,
    ...(lightIncoming && { incoming: lightIncoming }),
    ...(lightOutgoing && { outgoing: lightOutgoing }),
  };
}

function replacedMembers(
  members: Record<string, unknown>,
  replace: (value: unknown) => unknown,
): Record<string, unknown> {
  const entries = Object.entries(members);
  const light = entries.map(([name, value]): [string, unknown] => [name, replace(value)]);
  return light.every(([, value], at) => value === entries[at]?.[1]) ? members : Object.fromEntries(light);
}
