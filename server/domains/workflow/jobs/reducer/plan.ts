import type { Task } from '#db/schemas/workflow/task.ts';
import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { type Edge, END, graphOf, START } from '../../definitions/graph.ts';
import { marksSecrets } from '../store/sealed.ts';

/** What a job keeps of its workflow: its own copy, which no later change of the workflow touches. */
export type WorkflowSnapshot = Pick<Workflow, 'tasks' | 'transitions'> & {
  /** The transformations that its tasks name, by id. */
  transformations?: Readonly<Record<string, Transformation>>;
};

/**
 * A loop: the tasks that run once an element, how they are entered, and the ways that leave them
 * (contract/engines#transitions).
 */
export type Loop = {
  entries: readonly string[];
  body: ReadonlySet<string>;
  /** Ways from the body to a task outside: taking one leaves the loop. */
  exits: readonly Edge[];
};

/** A drawing, ready to be walked. */
export type Plan = {
  tasks: Readonly<Record<string, Task>>;
  /** Ways onward and loop ways into each task, and out of it; reverts are kept apart, for nothing waits for them. */
  into: ReadonlyMap<string, readonly Edge[]>;
  out: ReadonlyMap<string, readonly Edge[]>;
  reverts: ReadonlyMap<string, readonly Edge[]>;
  loops: ReadonlyMap<string, Loop>;
  /** The loops whose body a task is in. */
  within: ReadonlyMap<string, readonly string[]>;
  transformations: Readonly<Record<string, Transformation>>;
  /** Tasks that nothing but a revert leads to: they run only when one does. */
  apart: readonly string[];
  /** Whether a task of it marks values as encrypted. */
  marksSecrets: boolean;
};

const NONE: readonly never[] = [];

/** Read the drawing of a job. Takes time that grows with its tasks and ways, and with the bodies of its loops. */
export function planOf({ tasks, transitions, transformations = {} }: WorkflowSnapshot): Plan {
  const all = graphOf({ tasks, transitions }).out;
  const out = new Map<string, Edge[]>();
  const reverts = new Map<string, Edge[]>();
  const into = new Map<string, Edge[]>(Object.keys(tasks).map((id) => [id, []]));
  for (const [id, edges] of all) {
    const onward = edges.filter(({ type }) => type !== 'revert');
    out.set(id, onward);
    reverts.set(
      id,
      edges.filter(({ type }) => type === 'revert'),
    );
    for (const edge of onward) into.get(edge.to)?.push(edge);
  }
  const loops = new Map<string, Loop>();
  const within = new Map<string, string[]>();
  for (const [id, edges] of out) {
    const entries = edges.filter(isLoop).map(({ to }) => to);
    if (entries.length === 0) continue;
    const loop = loopOf(id, entries, out);
    loops.set(id, loop);
    for (const inside of loop.body) within.set(inside, [...(within.get(inside) ?? []), id]);
  }
  const reached = reachableFrom({ out }, [START]);
  const apart = Object.keys(tasks).filter((id) => !reached.has(id) && id !== START);
  return {
    tasks,
    into,
    out,
    reverts,
    loops,
    within,
    transformations,
    apart,
    marksSecrets: marksSecrets({ tasks }),
  };
}

export const isLoop = ({ state }: Edge): boolean => state === 'loop';

/** The body is what the loop leads to and nothing behind the loop: a way there leaves it. */
function loopOf(id: string, entries: string[], out: Plan['out']): Loop {
  const behind = reachableFrom(
    { out },
    edgesOf(out, id)
      .filter((edge) => !isLoop(edge))
      .map(({ to }) => to),
  );
  const body = reachableFrom({ out }, entries);
  for (const one of [...body]) if (behind.has(one) || one === id || one === END) body.delete(one);
  const exits = [...body].flatMap((one) => edgesOf(out, one).filter(({ to }) => !body.has(to)));
  return { entries: entries.filter((one) => body.has(one)), body, exits };
}

/** Every task that ways onward lead to from these, themselves included. */
export function reachableFrom({ out }: Pick<Plan, 'out'>, from: readonly string[]): Set<string> {
  const seen = new Set(from);
  const open = [...seen];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const { to } of edgesOf(out, id)) {
      if (seen.has(to)) continue;
      seen.add(to);
      open.push(to);
    }
  }
  return seen;
}

/** Every task from which ways onward lead to this one, itself left out. */
export function before({ into }: Pick<Plan, 'into'>, id: string): Set<string> {
  const seen = new Set<string>();
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { from } of edgesOf(into, at)) {
      if (seen.has(from)) continue;
      seen.add(from);
      open.push(from);
    }
  }
  return seen;
}

/** The edges that a map has for a task; none for one that is not drawn. */
export const edgesOf = (edges: ReadonlyMap<string, readonly Edge[]>, id: string): readonly Edge[] =>
  edges.get(id) ?? NONE;

/** The loops around a task, the innermost not known to be first. */
export const loopsAround = ({ within }: Pick<Plan, 'within'>, id: string): readonly string[] =>
  within.get(id) ?? NONE;
