import { expect, test } from 'vitest';
import { echo, effect, manual, startJob as start } from '../../../helpers/settling.ts';
import { loop, onError, revert, success, task, workflowOf } from '../../../helpers/workflows.ts';

test('a revert runs its target and all tasks behind it again, with new iterations; old results are not used and late ones are dropped', () => {
  const job = start({
    tasks: workflowOf('x', { a: effect(), b: effect(), c: effect(), d: manual() }).tasks,
    transitions: {
      workflow_start: { a: success },
      a: { b: success },
      b: { c: success, d: success },
      c: { workflow_end: success },
      d: { workflow_end: success, a: revert('failure') },
    },
  });
  job.finish('a', { outgoing: { value: 1 } });
  job.finish('b');
  const late = job.attempt('c');
  const first = job.attempt('a').iteration;
  const settled = job.finish('d', 'failure');
  expect(settled.todo).toContainEqual({ type: 'stop', waits: 'effect', ...late });
  expect(job.running()).toEqual(['a']);
  expect(job.attempt('a').iteration).not.toBe(first);
  expect(job.job().tasks.a).toMatchObject({
    iterations: [first, job.attempt('a').iteration],
    finish_state: null,
  });
  expect(job.again().changed).toBe(false);
  expect(job.send({ type: 'finish', ...late, outcome: { finish: 'success', outgoing: {} } }).changed).toBe(
    false,
  );
  for (const id of ['a', 'b', 'c', 'd']) job.finish(id);
  expect(job.job().status).toBe('complete');
});

test('forEach runs its body once per element; the last task of a body needs no transition onward', () => {
  const job = start(
    {
      tasks: workflowOf('x', {
        a: task('forEach', { data_array: '$var.job.list' }, { current_item: '$var.job.item' }),
        b: echo('$var.a.current_item'),
        c: task('append', { list: 'seen', item: '$var.b.value' }),
        d: echo('$var.job.item'),
      }).tasks,
      transitions: {
        workflow_start: { a: success },
        a: { b: loop, d: success },
        b: { c: success },
        d: { workflow_end: success },
      },
    },
    { list: ['x', 'y', 'z'] },
  );
  expect(job.job()).toMatchObject({ status: 'complete', variables: { seen: ['x', 'y', 'z'], item: 'z' } });
  expect(job.job().tasks.c).toMatchObject({ parent: { task: 'a', iteration: 0, element: 2 } });
  expect(job.job().tasks.c?.iterations).toHaveLength(3);
  expect(job.job().tasks.a?.transitions?.success).toEqual([
    { task: 'b', type: 'loop' },
    { task: 'd', type: 'standard' },
  ]);
});

test('forEach without elements continues immediately; without a list it is an error', () => {
  const flow = {
    tasks: workflowOf('x', { a: task('forEach', { data_array: '$var.job.list' }), b: echo(1) }).tasks,
    transitions: { workflow_start: { a: success }, a: { b: loop, workflow_end: success } },
  };
  const none = start(flow, { list: [] });
  expect([none.job().status, none.status('b')]).toEqual(['complete', 'skipped']);
  expect(start(flow, { list: 5 }).job().error?.[0]).toMatchObject({ message: 'data_array must be a list' });
});

test('a transition out of the body of a loop leaves the loop', () => {
  const job = start({
    tasks: workflowOf('x', {
      a: task('forEach', { data_array: [1, 2, 3] }),
      b: effect(),
      c: task('append', { list: 'seen', item: '$var.a.current_item' }),
      d: echo('left'),
    }).tasks,
    transitions: {
      workflow_start: { a: success },
      a: { b: loop, workflow_end: success },
      b: { c: success, d: onError },
      d: { workflow_end: success },
    },
  });
  job.finish('b');
  job.finish('b', 'error');
  expect(job.job()).toMatchObject({
    status: 'complete',
    variables: { seen: [1] },
    tasks: { d: { status: 'complete' } },
  });
  expect(job.job().tasks.workflow_end?.endTasks).toContain('d');
});

test('loops in loops go through all pairs', () => {
  const job = start({
    tasks: workflowOf('x', {
      a: task('forEach', { data_array: [[1, 2], [], [3]] }),
      b: task('forEach', { data_array: '$var.a.current_item' }),
      c: task('append', { list: 'seen', item: '$var.b.current_item' }),
    }).tasks,
    transitions: { workflow_start: { a: success }, a: { b: loop, workflow_end: success }, b: { c: loop } },
  });
  expect(job.job()).toMatchObject({ status: 'complete', variables: { seen: [1, 2, 3] } });
});
