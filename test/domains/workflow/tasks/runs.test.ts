import { expect, test } from 'vitest';
import { CATALOGUE } from '#server/domains/workflow/tasks/catalogue.ts';
import { runOf } from '#server/domains/workflow/tasks/runs.ts';

/** Tasks that the engine holds itself, since they need the graph, the clock, a person or other jobs. */
const HELD = ['childJob', 'forEach', 'delay', 'stub', 'reattempt'];

test.each(CATALOGUE)(
  '$app.$name has a run function exactly when the engine does not run it itself',
  (task) => {
    const isHeld = task.type === 'manual' || HELD.includes(task.name);
    const run = runOf(task.app, task.name);
    expect(run !== undefined).toBe(!isHeld);
    if (run) expect(run.kind).toBe(task.effect === 'pure' ? 'pure' : 'effect');
  },
);

test.each(CATALOGUE.filter(({ app, name }) => runOf(app, name)?.kind === 'pure'))(
  '$name with no or wrong values returns an outcome, whose error names a variable',
  ({ app, name, incoming }) => {
    const run = runOf(app, name);
    if (run?.kind !== 'pure') throw new Error('it was pure');
    const job = { variables: {}, resolve: () => undefined };
    const needed = Object.entries(incoming).find(([, { required }]) => required);
    const takesNothing = run.run({}, job);
    if (needed && !['query', 'decision', 'validateJsonSchema'].includes(name)) {
      expect(takesNothing).toMatchObject({ finish: 'error', outgoing: {} });
      expect(Object.keys(incoming)).toContain(String(takesNothing.error?.variable).split('.')[0]);
    }
    for (const wrong of [null, 5, 'text', true, [], {}, [null], { a: 1 }, -1, 1e308, '']) {
      const values = Object.fromEntries(Object.keys(incoming).map((member) => [member, wrong]));
      const { finish, error } = run.run(values, job);
      expect(['success', 'failure', 'error']).toContain(finish);
      if (finish === 'error') expect(error?.message).toMatch(/^(\w+[. ])/);
      expect(error?.message).not.toBe('Internal error');
    }
  },
);

test('an unknown task is an operation of an adapter, unless it names an application of the platform', () => {
  expect(runOf('Gitlab', 'getV4ProjectsId')?.kind).toBe('effect');
  expect(runOf('WorkFlowEngine', 'toString')).toBeUndefined();
  expect(runOf('MOP', 'none')).toBeUndefined();
  expect(runOf('NSOManager', 'restAction')).toBe(runOf('OrchestratorManager', 'restAction'));
});
