import { expect, test } from 'vitest';
import type { Task } from '#db/schemas/workflow/task.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { reported, wait, withTransitions } from '../../../helpers/jobs/validating.ts';
import { failure, loop, onError, revert, success, task, workflowOf } from '../../../helpers/workflows.ts';

test('a workflow whose tasks follow each other is valid', () => {
  expect(reported(workflowOf('x', { a1: wait(), a2: wait() }))).toEqual({ errors: [], warnings: [] });
});

const ends = { workflow_start: { a1: success }, a1: { workflow_end: success } };

test.each<[string, Pick<Workflow, 'tasks' | 'transitions'>, string[]]>([
  [
    'no start',
    { tasks: { workflow_end: { name: 'workflow_end' } }, transitions: {} },
    ['workflow_start is missing'],
  ],
  [
    'no end',
    { tasks: { workflow_start: { name: 'workflow_start' } }, transitions: {} },
    ['workflow_end is missing', 'has no transition'],
  ],
  ['a task key of another form', workflowOf('x', { wait1: wait() }), ['tasks.wait1: is not a task id']],
  [
    'a way to nowhere',
    withTransitions({ a1: wait() }, { ...ends, a1: { workflow_end: success, b2: failure } }),
    ['transitions.a1.b2: leads to task b2, which the workflow does not have'],
  ],
  [
    'a way from nowhere',
    withTransitions({ a1: wait() }, { ...ends, b2: { a1: success } }),
    ['transitions.b2: starts at a task that the workflow does not have'],
  ],
  [
    'a task that nothing leads to',
    withTransitions({ a1: wait(), a2: wait() }, { ...ends, a2: { workflow_end: success } }),
    ['a2 delay transitions: cannot be reached from workflow_start'],
  ],
  [
    'a dead end',
    withTransitions({ a1: wait(), a2: wait() }, { ...ends, a1: { workflow_end: success, a2: failure } }),
    ['a2 delay transitions: has no transition'],
  ],
  [
    'no way to the end',
    withTransitions({ a1: wait() }, { workflow_start: { a1: success }, a1: {} }),
    ['workflow_end workflow_end transitions: cannot be reached', 'a1 delay transitions: has no transition'],
  ],
  [
    'tasks that wait for each other',
    withTransitions(
      { a1: wait(), a2: wait(), a3: wait() },
      {
        workflow_start: { a1: success },
        a1: { a2: success },
        a2: { a1: failure, a3: success },
        a3: { workflow_end: success },
      },
    ),
    ['a1 delay transitions: tasks a1, a2 wait for each other'],
  ],
  [
    'a way back to the start',
    withTransitions(
      { a1: wait() },
      { ...ends, a1: { workflow_end: success, workflow_start: revert('failure') } },
    ),
    ['a1 delay transitions.workflow_start: leads back to workflow_start'],
  ],
  [
    'something after the end',
    withTransitions({ a1: wait() }, { ...ends, workflow_end: { a1: revert('success') } }),
    ['workflow_end cannot have transitions'],
  ],
  [
    'a revert that continues',
    withTransitions(
      { a1: wait(), a2: wait() },
      {
        workflow_start: { a1: success },
        a1: { a2: success, workflow_end: revert('failure') },
        a2: { workflow_end: success },
      },
    ),
    ['a1 delay transitions.workflow_end: reverts to task workflow_end, which does not precede'],
  ],
  [
    'two reverts for one state',
    withTransitions(
      { a1: wait(), a2: wait(), a3: wait() },
      {
        workflow_start: { a1: success },
        a1: { a2: success },
        a2: { a3: success },
        a3: { workflow_end: success, a1: revert('failure'), a2: revert('failure') },
      },
    ),
    ['a3 delay transitions: has more than one revert transition for failure'],
  ],
  [
    'a loop that is none',
    withTransitions({ a1: wait(), a2: wait() }, { ...ends, a1: { workflow_end: success, a2: loop } }),
    ['a1 delay transitions.a2: only forEach can have a loop transition'],
  ],
])('the graph: %s is an error', (_, workflow, expected) => {
  const { errors } = reported(workflow);
  for (const text of expected) expect(errors.join('\n')).toContain(text);
  expect(errors).toHaveLength(expected.length);
});

test('a loop’s body may end where it likes, and a revert leads back', () => {
  const { errors, warnings } = reported(
    withTransitions(
      {
        a1: task('forEach', { data_array: ['a'] }, { current_item: null }),
        a2: wait('$var.a1.current_item'),
        a3: wait(),
      },
      {
        workflow_start: { a1: success },
        a1: { a2: loop, a3: success },
        a2: {},
        a3: { workflow_end: success, a1: revert('failure') },
      },
    ),
  );
  expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
});

test.each<[string, Task, Workflow['transitions'][string], string]>([
  [
    'evaluation without failure',
    task('evaluation', { evaluation_groups: [{ evaluations: [{ operator: '==' }] }] }),
    { workflow_end: success },
    'for failure',
  ],
  ['query without failure', task('query', { obj: {} }), { workflow_end: success }, 'for failure'],
  [
    'a button without a way',
    task('ViewData', { btn_failure: 'Abort' }),
    { workflow_end: success },
    'for failure',
  ],
  ['a way for failure only', wait(), { workflow_end: failure }, 'for success'],
  [
    'an automatic task without error',
    task(
      'reattempt',
      { job_id: '$var.job._id', attemptID: 'a', minutes: 1, attempts: 2 },
      {},
      { app: 'MOP', type: 'automatic' },
    ),
    { workflow_end: success },
    'for error',
  ],
  [
    'forEach without a loop',
    task('forEach', { data_array: [1] }),
    { workflow_end: success },
    'no loop transition',
  ],
])('a state that has no transition is a warning: %s', (_, one, ways, text) => {
  const { errors, warnings } = reported(
    withTransitions({ a1: one }, { workflow_start: { a1: success }, a1: ways }),
  );
  expect(errors).toEqual([]);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(text);
});

test.each<[string, Task]>([
  ['query that passes null on', task('query', { obj: {}, pass_on_null: true })],
  ['stub that succeeds', task('stub', { type: 'success' }, {}, { type: 'automatic' })],
  ['a pure automatic task', task('arrayLength', { arr: [] }, {}, { type: 'automatic' })],
])('a state in which the task cannot finish needs no transition: %s', (_, one) => {
  expect(reported(workflowOf('x', { a1: one }))).toEqual({ errors: [], warnings: [] });
});

test('a stub that ends in error needs only the error transition', () => {
  const workflow = withTransitions(
    { a1: task('stub', { type: 'error' }) },
    { workflow_start: { a1: success }, a1: { workflow_end: onError } },
  );
  expect(reported(workflow)).toEqual({ errors: [], warnings: [] });
});
