import { expect, test } from 'vitest';
import { echo, effect, openJob, startJob } from '../../../helpers/settling.ts';
import { loop, onError, success, task, workflowOf } from '../../../helpers/workflows.ts';

const reason = 'put aside after 3 lost processes';
const errorsOf = (job: ReturnType<typeof openJob>) =>
  job.job().error?.map(({ task, message }) => [task, message]);

test('a task that is put aside ends in error without its transitions or retries, and a retry restarts it', () => {
  const flow = workflowOf('Aside', { a: effect(), b: echo(1) });
  Object.assign(flow.tasks.a ?? {}, {
    retrySettings: { autoRetry: true, state: ['error'], limit: 5, delay: 0 },
  });
  Object.assign(flow.transitions, { a: { b: success, workflow_end: onError } });
  const job = startJob(flow);
  const attempt = job.attempt('a');
  job.send({ type: 'putAside', reason, attempt });
  expect([job.job().status, job.status('a'), job.status('b')]).toEqual(['error', 'error', 'incomplete']);
  expect(errorsOf(job)).toEqual([['a', reason]]);
  expect(job.again().changed).toBe(false);
  job.send({ type: 'retry', ...job.attempt('a'), given: {} });
  expect(job.attempt('a')).toEqual({ ...attempt, attempt: 2 });
  job.finish('a');
  expect(job.job().status).toBe('complete');
});

test('a job that could not even begin is put aside at its start, and begins when that is retried', () => {
  const job = openJob(workflowOf('Never', { a: echo(1) }));
  job.send({ type: 'putAside', reason, attempt: null });
  expect([job.job().status, job.status('workflow_start')]).toEqual(['error', 'error']);
  expect(errorsOf(job)).toEqual([['workflow_start', reason]]);
  job.send({ type: 'retry', ...job.attempt('workflow_start'), given: {} });
  expect(job.job().status).toBe('complete');
});

test('within a loop the element that is put aside continues with its retry', () => {
  const job = startJob({
    tasks: {
      ...workflowOf('Loop', {
        f: task('forEach', { data_array: [1, 2] }, { current_item: null }),
        a: effect(),
        z: echo(1),
      }).tasks,
    },
    transitions: { workflow_start: { f: success }, f: { a: loop, z: success }, z: { workflow_end: success } },
  });
  job.finish('a');
  job.send({ type: 'putAside', reason, attempt: job.attempt('a') });
  expect(job.job().status).toBe('error');
  job.send({ type: 'retry', ...job.attempt('a'), given: {} });
  job.finish('a');
  expect(job.job().status).toBe('complete');
});

test('work that has made progress since is not suspended', () => {
  const job = startJob(workflowOf('Gone', { a: effect(), b: effect() }));
  const attempt = job.attempt('a');
  job.finish('a');
  expect(job.send({ type: 'putAside', reason, attempt }).changed).toBe(false);
});
