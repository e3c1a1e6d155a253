import type { Task } from '#db/schemas/workflow/task.ts';
import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import type { PlannedAdapterTask } from '#server/domains/integrations/index.ts';
import { type PlannedLookup, plannedLookup } from '../../adapter-tasks/adapter-types.ts';
import { type Edge, END, graphOf, START, walk } from '../../definitions/graph.ts';
import { marksSecrets } from '../store/sealed.ts';

/** The job's own copy of its workflow, which later changes of the workflow do not affect. */
export type WorkflowSnapshot = Pick<Workflow, 'tasks' | 'transitions'> & {
  /** The transformations that its tasks name, by id. */
  transformations?: Readonly<Record<string, Transformation>>;
  /** How its tasks of adapter types are carried out: a changed model does not affect a job that runs. */
  adapterTasks?: readonly PlannedAdapterTask[];
};

/**
 * A loop: the tasks that run once per element, its entries, and the transitions that leave it
 * (contract/engines#transitions).
 */
export type Loop = {
  entries: readonly string[];
  body: ReadonlySet<string>;
  /** Transitions from the body to a task outside: taking one leaves the loop. */
  exits: readonly Edge[];
};

/** A workflow snapshot, prepared for execution. */
export type Plan = {
  tasks: Readonly<Record<string, Task>>;
  /** Forward and loop transitions into and out of each task; reverts are stored separately: no task waits for them. */
  into: ReadonlyMap<string, readonly Edge[]>;
  out: ReadonlyMap<string, readonly Edge[]>;
  reverts: ReadonlyMap<string, readonly Edge[]>;
  loops: ReadonlyMap<string, Loop>;
  /** The loops whose body contains the task, by task. */
  within: ReadonlyMap<string, readonly string[]>;
  transformations: Readonly<Record<string, Transformation>>;
  /** Returns how a task of an adapter type is carried out. */
  adapterTask: PlannedLookup;
  /** Tasks reachable only by a revert: they run only when one is taken. */
  onlyByRevert: readonly string[];
  /** Whether any of its tasks marks values as encrypted. */
  marksSecrets: boolean;
};

const NONE: readonly never[] = [];

/** Prepares the workflow snapshot of a job. The cost grows with its tasks, transitions and loop bodies. */
export function planOf({
  tasks,
  transitions,
  transformations = {},
  adapterTasks = [],
}: WorkflowSnapshot): Plan {
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
  const onlyByRevert = Object.keys(tasks).filter((id) => !reached.has(id) && id !== START);
  return {
    tasks,
    into,
    out,
    reverts,
    loops,
    within,
    transformations,
    adapterTask: plannedLookup(adapterTasks),
    onlyByRevert,
    marksSecrets: marksSecrets({ tasks }),
  };
}

/** Returns whether a transition is the `loop` transition of its task. */
export const isLoop = ({ state }: Edge): boolean => state === 'loop';

/** Computes a loop. Its body is every task that it leads to, except those that are also reachable after the loop. */
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

/** Returns every task that transitions other than reverts reach from these tasks, themselves included. */
export const reachableFrom = ({ out }: Pick<Plan, 'out'>, from: readonly string[]): Set<string> =>
  walk(from, (id) => edgesOf(out, id).map(({ to }) => to));

/** Returns every task from which transitions other than reverts lead to this one; itself only where it is in a cycle. */
export const before = ({ into }: Pick<Plan, 'into'>, id: string): Set<string> => {
  const sources = (of: string) => edgesOf(into, of).map(({ from }) => from);
  return walk(sources(id), sources);
};

/** Returns the edges that a map has for a task; none for an unknown task. */
export const edgesOf = (edges: ReadonlyMap<string, readonly Edge[]>, id: string): readonly Edge[] =>
  edges.get(id) ?? NONE;

/** Returns the loops around a task, in no particular order. */
export const loopsAround = ({ within }: Pick<Plan, 'within'>, id: string): readonly string[] =>
  within.get(id) ?? NONE;
