import type { Task } from '#db/schemas/workflow/task.ts';
import { loop, revert, runs, success, task, workflowOf } from '../test/helpers/workflows.ts';

/** A random workflow, the number of deeds of a complete run, and the variables at its end. */
export type SoakFlow = {
  flow: ReturnType<typeof workflowOf>;
  deeds: number;
  /** Task iterations of the job itself, including start and end. */
  passes: number;
  /** Number of child jobs. */
  children: number;
  /** Lengths of lists among the job's variables. */
  lengths: Record<string, number>;
};

type Count = { deeds: number; passes: number; children: number };
type Random = () => number;
type Way = typeof success | ReturnType<typeof revert>;

/** The workflow that child jobs run: two deeds, one of them after a fork that joins again. */
const CHILD_NAME = 'Soak child';
const CHILD_DEEDS = 2;

/** Returns a seeded sequence of numbers in [0, 1): mulberry32. */
export function randomOf(seed: number): Random {
  let at = seed;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const whole = (random: Random, from: number, to: number) => from + Math.floor(random() * (to - from + 1));
const traceTask = (random: Random): Task =>
  task('stringLength', { str: `wait ${whole(random, 0, 12)}` }, { length: null }, { type: 'automatic' });
const set = (name: string, value: unknown) => task('newVariable', { name, value }, { value: null });
const push = (list: string, item: unknown) =>
  task('push', { job_variable: list, item_to_push: item }, { job_variable_value: null });
/** Elements of a list that is too large for the row of its job. */
const LINES = 1000;
const lines = (of: number) => Array.from({ length: LINES }, (_, at) => `interface Gi0/${of}/${at}`);

const enough = (variable: string): Task =>
  task(
    'evaluation',
    {
      all_true_flag: true,
      evaluation_groups: [
        {
          all_true_flag: true,
          evaluations: [
            {
              operand_1: { task: 'job', variable },
              operator: '>=',
              operand_2: { task: 'static', variable: 2 },
            },
          ],
        },
      ],
    },
    { return_value: null },
  );

export const childFlow = (): ReturnType<typeof workflowOf> => ({
  ...workflowOf(CHILD_NAME, { a: traceTask(() => 0.3), b: traceTask(() => 0.1), c: set('done', true) }),
  transitions: {
    workflow_start: { a: success, b: success },
    a: { c: success },
    b: { c: success },
    c: { workflow_end: success },
  },
});

/**
 * Returns a workflow of deeds, forks that join, loops, child jobs and large variables in random order; some sections run
 * twice.
 */
export function randomFlow(name: string, random: Random): SoakFlow {
  const tasks: Record<string, Task> = {};
  const transitions: Record<string, Record<string, Way>> = {};
  const lengths: Record<string, number> = {};
  let made = 0;
  let tail = 'workflow_start';
  const add = (one: Task): string => {
    made += 1;
    const id = made.toString(16);
    tasks[id] = one;
    return id;
  };
  const connect = (from: string, to: string, edge: Way = success) => {
    transitions[from] = { ...transitions[from], [to]: edge };
  };
  const next = (one: Task): string => {
    const id = add(one);
    connect(tail, id);
    tail = id;
    return id;
  };
  const stages: (() => Count)[] = [
    () => {
      next(traceTask(random));
      return { deeds: 1, passes: 1, children: 0 };
    },
    () => {
      const from = tail;
      const width = whole(random, 2, 3);
      const branches = Array.from({ length: width }, () => add(traceTask(random)));
      const join = add(set('joined', true));
      for (const branch of branches) {
        connect(from, branch);
        connect(branch, join);
      }
      tail = join;
      return { deeds: width, passes: width + 1, children: 0 };
    },
    () => {
      const count = whole(random, 1, 4);
      const each = next(
        task('forEach', { data_array: Array.from({ length: count }, (_, at) => at) }, { current_item: null }),
      );
      const body = add(traceTask(random));
      const last = add(set('seen', true));
      connect(each, body, loop);
      connect(body, last);
      return { deeds: count, passes: 1 + 2 * count, children: 0 };
    },
    () => {
      const list = random() < 0.6;
      const count = list ? whole(random, 1, 4) : 1;
      const id = next(runs(CHILD_NAME));
      const one = tasks[id];
      if (list && one) {
        const incoming = {
          ...one.variables?.incoming,
          loopType: random() < 0.5 ? 'sequential' : 'parallel',
          data_array: Array.from({ length: count }, (_, at) => ({ at })),
        };
        tasks[id] = { ...one, variables: { incoming, outgoing: { job_details: `$var.job.children${id}` } } };
        lengths[`children${id}`] = count;
      }
      return { deeds: CHILD_DEEDS * count, passes: 1, children: count };
    },
    () => {
      const name = `large${next(traceTask(random))}`;
      next(set(name, lines(made)));
      next(push(name, 'one more'));
      next(set(`${name}copy`, `$var.job.${name}`));
      next(traceTask(random));
      next(push(name, 'and one'));
      lengths[name] = LINES + 2;
      lengths[`${name}copy`] = LINES + 1;
      return { deeds: 2, passes: 6, children: 0 };
    },
  ];
  const total: Count = { deeds: 0, passes: 2, children: 0 };
  const sections = whole(random, 1, 3);
  for (let section = 0; section < sections; section++) {
    const again = random() < 0.5;
    const rounds = `rounds${section}`;
    if (again) {
      next(set(rounds, []));
      total.passes += 1;
    }
    // A task of its own as the target of the revert transition.
    const head = next(set('section', section));
    const inside: Count = { deeds: 0, passes: 1, children: 0 };
    const length = whole(random, 1, 3);
    for (let at = 0; at < length; at++) {
      const done = stages[whole(random, 0, stages.length - 1)]?.() ?? inside;
      inside.deeds += done.deeds;
      inside.passes += done.passes;
      inside.children += done.children;
    }
    if (again) {
      next(push(rounds, 'round'));
      next(task('arrayLength', { arr: `$var.job.${rounds}` }, { length: `$var.job.${rounds}count` }));
      const test = next(enough(`${rounds}count`));
      transitions[test] = { [head]: revert('failure') };
      inside.passes += 3;
      lengths[rounds] = 2;
    }
    const times = again ? 2 : 1;
    total.deeds += inside.deeds * times;
    total.passes += inside.passes * times;
    total.children += inside.children * times;
  }
  next(set('done', true));
  total.passes += 1;
  connect(tail, 'workflow_end');
  return { flow: { ...workflowOf(name, tasks), transitions }, ...total, lengths };
}
