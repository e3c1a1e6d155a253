import type { Transition, Workflow } from '#db/schemas/workflow/workflow.ts';
import type { Issue } from '#server/kernel/errors.ts';

/** The task in which every job starts, the one in which it completes, and one that older documents contain. */
export const START = 'workflow_start';
export const END = 'workflow_end';
const SPECIAL = new Set([START, END, 'error_handler']);

const TASK_KEY = /^[0-9a-f]{1,4}$/;

/** A transition from one task to another. */
export type Edge = { from: string; to: string } & Pick<Transition, 'state' | 'type'>;

/** An issue with the graph itself, at a task. */
export type GraphFault = { task: string; path: string[]; message: string };

/**
 * Returns the faults that make a workflow impossible to run: an invalid task key, or a transition from or to a missing task
 * (contract/lifecycle#5.2). An empty set of transitions that a deleted task left behind is no fault.
 */
export function malformed({ tasks, transitions }: Pick<Workflow, 'tasks' | 'transitions'>): GraphFault[] {
  const faults: GraphFault[] = [];
  for (const id of Object.keys(tasks)) {
    if (TASK_KEY.test(id) || SPECIAL.has(id)) continue;
    const message =
      'is not a task id: use one to four characters of 0-9 and a-f, workflow_start or workflow_end';
    faults.push({ task: id, path: ['tasks', id], message });
  }
  for (const [from, targets] of Object.entries(transitions)) {
    const ids = Object.keys(targets);
    if (ids.length > 0 && !Object.hasOwn(tasks, from)) {
      faults.push({
        task: from,
        path: ['transitions', from],
        message: 'starts at a task that the workflow does not have',
      });
    }
    for (const to of ids) {
      if (Object.hasOwn(tasks, to)) continue;
      const message = `leads to task ${to}, which the workflow does not have`;
      faults.push({ task: from, path: ['transitions', from, to], message });
    }
  }
  return faults;
}

/** Returns the faults of `malformed` as issues of a request. @param path path of the workflow in the request */
export const malformedIssues = (
  workflow: Pick<Workflow, 'tasks' | 'transitions'>,
  path: (string | number)[],
): Issue[] =>
  malformed(workflow).map((fault) => ({
    path: [...path, ...fault.path],
    message: fault.message,
    code: 'malformed',
  }));

/** The graph of a workflow, with everything that is computed from it at once. */
export type Graph = {
  /** Transitions that leave each task. */
  out: ReadonlyMap<string, readonly Edge[]>;
  /** Tasks that can be reached from the start. */
  reached: ReadonlySet<string>;
  /** Tasks within the body of a loop. */
  looped: ReadonlySet<string>;
  /** Position of each task in a topological order, after all tasks that lead to it; none on a cycle or after one. */
  place: ReadonlyMap<string, number>;
  /** Tasks on a cycle, and between cycles: they wait for each other. */
  cycle: readonly string[];
};

/** Computes the graph, in time linear in tasks and transitions. Transitions from or to missing tasks are omitted. */
export function graphOf({ tasks, transitions }: Pick<Workflow, 'tasks' | 'transitions'>): Graph {
  const ids = Object.keys(tasks);
  const out = new Map<string, Edge[]>(ids.map((id) => [id, []]));
  for (const [from, targets] of Object.entries(transitions)) {
    const leaving = out.get(from);
    for (const [to, { state, type }] of Object.entries(targets)) {
      if (out.has(to)) leaving?.push({ from, to, state, type });
    }
  }
  const onward = (id: string) => (out.get(id) ?? []).filter(({ type }) => type !== 'revert');
  const loops = [...out.values()].flat().filter(({ state, type }) => state === 'loop' && type !== 'revert');
  const { place, left } = ordered(ids, onward);
  return {
    out,
    reached: walk(
      [START].filter((id) => out.has(id)),
      (id) => (out.get(id) ?? []).map(({ to }) => to),
    ),
    looped: walk(
      loops.map(({ to }) => to),
      (id) => onward(id).map(({ to }) => to),
    ),
    place,
    cycle: withoutTails(left, onward),
  };
}

/**
 * Returns every task reachable from these, themselves included.
 *
 * @param next returns the tasks that follow a task directly
 */
export function walk(from: readonly string[], next: (id: string) => readonly string[]): Set<string> {
  const seen = new Set(from);
  const open = [...seen];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const one of next(id)) {
      if (seen.has(one)) continue;
      seen.add(one);
      open.push(one);
    }
  }
  return seen;
}

/** Numbers tasks so that each comes after all that lead to it; `left` are those on a cycle, or after one. */
function ordered(ids: readonly string[], edges: (id: string) => readonly Edge[]) {
  const waiting = new Map(ids.map((id) => [id, 0]));
  for (const id of ids) for (const { to } of edges(id)) waiting.set(to, (waiting.get(to) ?? 0) + 1);
  const place = new Map<string, number>();
  const open = ids.filter((id) => waiting.get(id) === 0);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    place.set(id, place.size);
    for (const { to } of edges(id)) {
      const still = (waiting.get(to) ?? 0) - 1;
      waiting.set(to, still);
      if (still === 0) open.push(to);
    }
  }
  return { place, left: ids.filter((id) => !place.has(id)) };
}

/** Returns those of the tasks on and after cycles from which a cycle can be reached. */
function withoutTails(left: readonly string[], edges: (id: string) => readonly Edge[]): string[] {
  const among = new Set(left);
  const before = new Map<string, string[]>();
  const leaving = new Map<string, number>();
  for (const id of left) {
    const inside = edges(id).filter(({ to }) => among.has(to));
    leaving.set(id, inside.length);
    for (const { to } of inside) {
      const known = before.get(to);
      if (known) known.push(id);
      else before.set(to, [id]);
    }
  }
  const open = left.filter((id) => leaving.get(id) === 0);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    among.delete(id);
    for (const earlier of before.get(id) ?? []) {
      const still = (leaving.get(earlier) ?? 0) - 1;
      leaving.set(earlier, still);
      if (still === 0) open.push(earlier);
    }
  }
  return left.filter((id) => among.has(id));
}
