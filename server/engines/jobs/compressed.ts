import { type Head, idOf, type JobDocument, type State, type TaskState } from './document.ts';
import { LARGE, largeIdOf } from './large.ts';

/** A job that can be written: what is large stands apart, and a mark in its place (lifecycle §6.3). */
export type Compressed = { head: Head; state: State; values: { id: string; text: string }[] };

/** Text of a document below which it cannot hold a large value: most jobs are not looked into. */
const roomy = (value: unknown): boolean => JSON.stringify(value).length > LARGE;

/**
 * Take values over 1 MiB out of a job.
 *
 * @param fetched values that stand apart already, by id
 * @param seed a UUID: ids of values are made of it
 */
export function compressed(
  { head, state }: JobDocument,
  fetched: ReadonlyMap<string, unknown>,
  seed: string,
): Compressed {
  const values: Compressed['values'] = [];
  const inHead = roomy(head.variables);
  const heavy = Object.entries(state.tasks).filter(([, task]) => roomy([task.incoming, task.outgoing]));
  if (!inHead && heavy.length === 0) return { head, state, values };
  const marks = new Map<unknown, object>();
  for (const [id, value] of fetched) marks.set(value, { $largeData: id, size: sizeOf(value) });
  const apart = (members: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, mark(value)]));
  const mark = (value: unknown): unknown => {
    if (value === null || value === undefined || largeIdOf(value) !== null) return value;
    const known = marks.get(value);
    if (known) return known;
    const text = JSON.stringify(value);
    if (text === undefined || text.length <= LARGE) return value;
    const made = { $largeData: idOf(seed, values.length), size: text.length };
    values.push({ id: made.$largeData, text });
    marks.set(value, made);
    return made;
  };
  const lighter = ({ incoming, outgoing, ...task }: TaskState): TaskState => ({
    ...task,
    ...(incoming && { incoming: apart(incoming) }),
    ...(outgoing && { outgoing: apart(outgoing) }),
  });
  return {
    head: inHead ? { ...head, variables: apart(head.variables) } : head,
    state: {
      ...state,
      tasks: { ...state.tasks, ...Object.fromEntries(heavy.map(([id, task]) => [id, lighter(task)])) },
    },
    values,
  };
}

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;
