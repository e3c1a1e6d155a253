import { expect, test } from 'vitest';
import { echo, effect, manual, startJob as start } from '../../../helpers/settling.ts';
import { failure, success, task, workflowOf } from '../../../helpers/workflows.ts';

test('a pause stops the next tasks and lets running ones end; a resume continues the job', () => {
  const job = start(workflowOf('x', { a: effect(), b: effect() }));
  job.send({ type: 'pause' });
  expect(job.again().changed).toBe(false);
  job.finish('a');
  expect(job.job()).toMatchObject({
    status: 'paused',
    tasks: { a: { status: 'complete' }, b: { status: 'paused' } },
  });
  job.send({ type: 'resume' });
  expect(job.again().changed).toBe(false);
  expect(job.running()).toEqual(['b']);
});

test('a cancel ends what runs, and nothing happens in the job afterwards', () => {
  const job = start(workflowOf('x', { a: manual(), b: effect() }));
  const attempt = job.attempt('a');
  const settled = job.send({ type: 'cancel' });
  expect(settled.todo).toEqual([{ type: 'stop', waits: 'person', ...attempt }, { type: 'end' }]);
  expect(job.job()).toMatchObject({ status: 'canceled', tasks: { a: { status: 'canceled' } } });
  expect(job.again().changed).toBe(false);
  expect(job.send({ type: 'finish', ...attempt, outcome: { finish: 'success', outgoing: {} } }).changed).toBe(
    false,
  );
});

test('a user may revert to an earlier task, and the job continues from there', () => {
  const job = start(workflowOf('x', { a: echo(1), b: effect(), c: effect() }));
  job.finish('b');
  job.send({ type: 'revert', ...job.attempt('c'), to: 'a' });
  expect(job.again().changed).toBe(false);
  expect(job.running()).toEqual(['b']);
  expect(job.send({ type: 'revert', ...job.attempt('b'), to: 'c' }).changed).toBe(false);
});

test('a user may continue at a task: those before it count as done, and branches beside it are not run', () => {
  const job = start({
    tasks: workflowOf('x', { a: effect(), b: effect(), c: effect() }).tasks,
    transitions: {
      workflow_start: { a: success },
      a: { b: success, c: failure },
      b: { workflow_end: success },
      c: { workflow_end: success },
    },
  });
  job.send({ type: 'continue', task: 'c' });
  expect(job.again().changed).toBe(false);
  expect([job.status('a'), job.status('b'), job.running()]).toEqual(['complete', 'skipped', ['c']]);
  job.finish('c');
  expect(job.job().status).toBe('complete');
});

test('a manual task is claimed, released, and records the user who finished it', () => {
  const job = start(workflowOf('x', { a: manual({ btn_success: 'Go' }) }));
  job.send({ type: 'own', ...job.attempt('a'), owner: 'ada' });
  expect(job.again().changed).toBe(false);
  expect(job.job().tasks.a?.owner).toBe('ada');
  job.send({ type: 'own', ...job.attempt('a'), owner: null });
  expect(job.job().tasks.a?.owner).toBe(null);
});

test('a job that fails starts the workflow of its error handler once', () => {
  const job = start(
    workflowOf('x', { a: task('breaks') }),
    {},
    { errorHandler: { type: 'workflow', name: 'Clean up' } },
  );
  expect(job.todo).toEqual([{ type: 'handler', workflow: 'Clean up' }]);
});

test('values that decorators mark as encrypted are never shown', () => {
  const secret = {
    ...echo('$var.job.password'),
    variables: {
      incoming: { value: '$var.job.password' },
      outgoing: {},
      decorators: [{ type: 'encryption', pointer: '/variables/incoming/value' }],
    },
  };
  const job = start(
    workflowOf('x', { a: secret }),
    { password: 'Lantern-1' },
    { decorators: [{ type: 'encryption', pointer: '/variables/password' }] },
  );
  expect(job.job().variables).toEqual({ password: '********' });
  expect(job.job().tasks.a?.variables?.incoming).toEqual({ value: '********' });
});
