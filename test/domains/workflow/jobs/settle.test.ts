import { expect, test } from 'vitest';
import { echo, effect, startJob as start } from '../../../helpers/settling.ts';
import { failure, loop, onError, revert, success, task, workflowOf } from '../../../helpers/workflows.ts';

test('a chain of tasks on values alone is settled in one step, from the start to the end', () => {
  const job = start(
    workflowOf('Chain', { a: echo('$var.job.x', { value: '$var.job.y' }), b: echo('$var.a.value') }),
    { x: 7 },
  );
  const { status, variables, tasks, metrics } = job.job();
  expect(status).toBe('complete');
  expect(variables).toEqual({ x: 7, y: 7 });
  expect(metrics).toMatchObject({ progress: 1, end_time: 1_000_001 });
  expect(tasks.b).toMatchObject({
    taskId: 'b',
    status: 'complete',
    finish_state: 'success',
    variables: { incoming: { value: 7 }, outgoing: { value: 7 } },
    previous: { incomplete: [], complete: ['a'], error: [] },
    transitions: { success: [{ task: 'workflow_end', type: 'standard' }], failure: [], error: [] },
    start_time: '1970-01-01T00:16:40.001Z',
    end_time: 1_000_001,
    serverId: 'here',
    iterations: [expect.stringMatching(/^[0-9a-f-]{36}$/)],
  });
  expect(tasks.a?.previous).toEqual({ incomplete: [], complete: [], error: [] });
  expect(tasks.workflow_start?.metrics).toEqual({ start_time: 0, user: null, finish_state: 'success' });
  expect(tasks.workflow_end).toMatchObject({
    endTasks: ['b'],
    metrics: { end_time: 1_000_001, run_time: 1_000_001 },
  });
});

test('all transitions of the finish state are followed; a join waits for running tasks and not for tasks that never start', () => {
  const job = start({
    tasks: { ...workflowOf('x', { a: effect(), b: effect(), c: effect(), d: effect(), e: echo(1) }).tasks },
    transitions: {
      workflow_start: { a: success },
      a: { b: success, c: success, d: failure },
      b: { e: success },
      c: { e: success },
      d: { e: success },
      e: { workflow_end: success },
    },
  });
  job.finish('a');
  expect(job.running()).toEqual(['b', 'c']);
  expect(job.status('d')).toBe('skipped');
  job.finish('b');
  expect(job.status('e')).toBe('incomplete');
  job.finish('c');
  expect(job.job().status).toBe('complete');
  expect(job.job().tasks.d?.status).toBe('incomplete');
});

test('a task without a transition for its finish state stops the job in error while other branches continue, and a retry revives it', () => {
  const job = start({
    tasks: workflowOf('x', { a: effect(), b: effect(), c: effect() }).tasks,
    transitions: {
      workflow_start: { a: success, b: success },
      a: { workflow_end: success },
      b: { c: success },
      c: { workflow_end: success },
    },
  });
  job.finish('a', { finish: 'error', outgoing: {}, error: { message: 'no route' } });
  expect(job.job()).toMatchObject({
    status: 'error',
    error: [
      { task: 'a', message: 'no route' },
      { task: 'a', message: 'Task finished with error: no available transitions' },
    ],
    tasks: { a: { status: 'error', finish_state: 'error' } },
  });
  job.finish('b');
  expect(job.running()).toEqual(['c']);
  const [iteration] = job.job().tasks.a?.iterations ?? [];
  job.send({ type: 'retry', ...job.attempt('a'), given: { port: 22 } });
  expect(job.again().changed).toBe(false);
  expect(job.job().status).toBe('running');
  expect(job.job().tasks.a).toMatchObject({ iterations: [iteration], variables: { incoming: { port: 22 } } });
  expect(job.attempt('a').attempt).toBe(2);
  job.finish('a');
  job.finish('c');
  expect(job.job().status).toBe('complete');
});

test('an error of a task is stored with the task and in its variable, and its error transition is followed', () => {
  const broken = { ...task('breaks'), variables: { incoming: {}, outgoing: {}, error: '$var.job.trouble' } };
  const job = start({
    tasks: workflowOf('x', { a: broken, b: echo('$var.a.error') }).tasks,
    transitions: {
      workflow_start: { a: success },
      a: { b: onError, workflow_end: success },
      b: { workflow_end: success },
    },
  });
  expect(job.job()).toMatchObject({
    status: 'complete',
    variables: { trouble: { message: 'out of order' } },
    tasks: {
      a: { status: 'complete', finish_state: 'error' },
      b: { variables: { outgoing: { value: { message: 'out of order' } } }, previous: { error: ['a'] } },
    },
  });
});

test('a task that this server cannot run ends in an error that names it', () => {
  const job = start(workflowOf('x', { a: task('conjure') }));
  expect(job.job()).toMatchObject({
    status: 'error',
    error: [{ task: 'a', message: 'this server cannot run the task conjure' }, {}],
  });
});

test('references count only as the whole value of a property; a missing value is left out, or null where a task was referenced', () => {
  const job = start(
    workflowOf('x', {
      a: echo({ deep: '$var.job.x' }),
      b: task('effect', {
        one: '$var.job.x',
        two: 'is $var.job.x',
        three: '$var.job.none',
        four: '$var.a.none',
        five: '$var.zz.value',
      }),
      c: task('newVariable', { name: 'n', value: '$var.job.x' }),
      d: task('transformation', { tr_id: 't', variableMap: { y: '$var.job.x', z: '$var.job.none' } }),
      e: task('effect', { three: '$var.job.none' }, {}, { location: 'Adapter' }),
    }),
    { x: 7 },
  );
  expect(job.job().tasks.a?.variables?.incoming).toEqual({ value: { deep: '$var.job.x' } });
  expect(job.job().tasks.b?.variables?.incoming).toEqual({
    one: 7,
    two: 'is $var.job.x',
    four: null,
    five: '$var.zz.value',
  });
  const { plan, doc } = job;
  expect(plan.tasks.c).toBeDefined();
  expect(doc().head.variables).toEqual({ x: 7 });
});

test('a task tries again by itself as often as its settings say, each attempt after their pause', () => {
  const flow = workflowOf('x', {
    a: { ...effect(), retrySettings: { state: ['error'], autoRetry: true, limit: 2, delay: 3000 } },
  });
  const job = start(flow);
  const first = job.attempt('a');
  job.finish('a', 'error');
  expect(job.again().changed).toBe(false);
  expect(job.todo.at(-1)).toEqual({ type: 'wait', until: 1_003_002, ...first, attempt: 2 });
  expect(job.running()).toEqual(['a']);
  job.send({ type: 'wake', ...job.attempt('a') });
  expect(job.again().changed).toBe(false);
  expect(job.todo.at(-1)).toEqual({ type: 'effect', ...first, attempt: 2 });
  job.finish('a', 'error');
  job.send({ type: 'wake', ...job.attempt('a') });
  job.finish('a', 'error');
  expect(job.job()).toMatchObject({
    status: 'error',
    tasks: { a: { retrySettings: { count: 2, finishedRetrying: true }, iterations: [first.iteration] } },
  });
});

test('delay and stub wait for the clock, and not at all without a time', () => {
  const job = start(
    workflowOf('x', {
      a: task('delay', { time: 2 }),
      b: task('stub', { type: 'success', delay: '', response: 'ok' }),
    }),
  );
  expect(job.todo).toEqual([{ type: 'wait', until: 1_002_001, ...job.attempt('a') }]);
  job.send({ type: 'wake', ...job.attempt('a') });
  expect(job.job()).toMatchObject({
    status: 'complete',
    tasks: {
      a: { variables: { outgoing: { time_in_milliseconds: 2000 } } },
      b: { variables: { outgoing: { response: 'ok' } } },
    },
  });
});

test('reattempt allows the configured number of attempts, and is an error afterwards', () => {
  const job = start({
    tasks: workflowOf('x', {
      a: echo(1),
      b: task('reattempt', { attemptID: 'n', minutes: 0, attempts: 2 }),
      c: echo(2),
    }).tasks,
    transitions: {
      workflow_start: { a: success },
      a: { b: success },
      b: { a: revert('success'), c: onError },
      c: { workflow_end: success },
    },
  });
  expect(job.job()).toMatchObject({ status: 'complete' });
  expect(job.job().tasks.b?.iterations).toHaveLength(3);
});

test('tasks beyond the limit of one step run in the next', () => {
  const job = start({
    tasks: workflowOf('x', {
      a: task('forEach', { data_array: Array.from({ length: 150 }, (_, at) => at) }),
      b: echo(1),
      c: echo(2),
    }).tasks,
    transitions: { workflow_start: { a: success }, a: { b: loop, workflow_end: success }, b: { c: success } },
  });
  expect(job.todo).toEqual([{ type: 'more' }]);
  job.send({ type: 'more' });
  expect(job.job().status).toBe('complete');
  expect(job.job().tasks.b?.iterations).toHaveLength(100);
});
