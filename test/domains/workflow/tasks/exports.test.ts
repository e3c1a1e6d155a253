import { describe, expect, test } from 'vitest';
import type { Task } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { parseQuery } from '#server/domains/workflow/query/parse.ts';
import { taskTypeOf } from '#server/domains/workflow/tasks/catalogue.ts';
import { runOf } from '#server/domains/workflow/tasks/runs.ts';
import { incomingOf, outgoingOf, sourceOf, tasksOf } from '#server/domains/workflow/validation/variables.ts';
import { exportedWorkflows } from '../../../helpers/documents/exported-workflows.ts';

/** A value of a kind that a variable of the catalogue allows, for what is known only when a job runs. */
function sampleOf(task: Task, member: string): unknown {
  const known: Record<string, unknown> = {
    'makeData.input': '{"port":"<!port!>"}',
    'makeData.variables': { port: 'Gi0/1' },
    'parse.text': '{"port":"Gi0/1"}',
    'query.obj': {
      response: { id: 7, name: 'edge' },
      result: true,
      templateResults: { result: true },
      value: [],
    },
  };
  const found = known[`${task.name}.${member}`];
  if (found !== undefined) return found;
  const type = taskTypeOf(task.app ?? '', task.name)?.incoming[member]?.schema.type;
  const [first] = [type].flat();
  if (first === 'array') return ['edge-1'];
  if (first === 'object') return { site: 'oslo' };
  if (first === 'number' || first === 'integer') return 1;
  return first === 'boolean' ? true : 'edge-1';
}

/** Incoming values as a job would give them: references replaced by a value, but for queries, which are looked at. */
const givenTo = (task: Task): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(incomingOf(task)).map(([member, value]) => {
      if (sourceOf(value) === null) return [member, value];
      if (task.name === 'makeData' && member === 'input' && incomingOf(task).outputType === 'number')
        return [member, 7];
      return [member, member === 'query' ? ':get(ietf:ports)[0]' : sampleOf(task, member)];
    }),
  );

const exported = exportedWorkflows();
const places = (workflow: Pick<Workflow, 'tasks'>) =>
  tasksOf(workflow).filter(([, { app, name }]) => app && runOf(app, name)?.kind === 'pure');

describe.skipIf(exported.length === 0)('tasks of the real exports', () => {
  test.each(exported)(
    '$title: every task that works on values accepts a value from there',
    ({ workflow }) => {
      const job = {
        variables: { message: [], result: [] },
        resolve: ({ task, variable }: { task: string; variable: unknown }) =>
          task === 'static' ? variable : 'SUCCESS',
      };
      for (const [id, task] of places(workflow)) {
        const run = runOf(task.app ?? '', task.name);
        const outcome = run?.kind === 'pure' ? run.run(givenTo(task), job) : undefined;
        expect(outcome, `${id} ${task.name}`).toMatchObject({
          finish: expect.stringMatching(/^(success|failure)$/),
        });
        // Outgoing variables that the workflow uses must be among those that the run returns.
        expect(Object.keys(outcome?.outgoing ?? {}), `${id} ${task.name}`).toEqual(
          expect.arrayContaining(Object.keys(outgoingOf(task))),
        );
      }
    },
  );

  test('every query of the exported workflows can be parsed', () => {
    const queries = exported.flatMap(({ workflow }) =>
      [...JSON.stringify(workflow).matchAll(/"(?:query|rightQuery)":"((?:[^"\\]|\\.)*)"/g)].map(
        ([, text = '']) => JSON.parse(`"${text}"`) as string,
      ),
    );
    expect(queries.length).toBeGreaterThan(100);
    for (const query of queries) expect(() => parseQuery(query), query).not.toThrow();
  });

  test('most tasks have a run function, and all others are operations of adapters', () => {
    const tasks = exported.flatMap(({ workflow }) => tasksOf(workflow));
    expect(
      tasks.filter(([, { app, name }]) => app && runOf(app, name)?.kind === 'pure').length,
    ).toBeGreaterThan(200);
  });
});
