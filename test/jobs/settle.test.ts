import { expect, test } from 'vitest';
import { echo, effect, manual, openJob } from '../helpers/settling.ts';
import { drawn, failure, loop, onError, revert, success, task } from '../helpers/workflows.ts';

const start = (...args: Parameters<typeof openJob>) => {
  const job = openJob(...args);
  job.send({ type: 'start' });
  return job;
};

test('a chain of tasks on values alone is settled in one step, from the start to the end', () => {
  const job = start(
    drawn('Chain', { a: echo('$var.job.x', { value: '$var.job.y' }), b: echo('$var.a.value') }),
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

test('all ways of the finish state are followed; a join waits for what is under way and not for what never comes', () => {
  const job = start({
    tasks: { ...drawn('x', { a: effect(), b: effect(), c: effect(), d: effect(), e: echo(1) }).tasks },
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

test('a task without a way for its finish state stops the job in error while other branches go on, and a retry revives it', () => {
  const job = start({
    tasks: drawn('x', { a: effect(), b: effect(), c: effect() }).tasks,
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

test('what a task throws is its error: kept with it, in the variable that it names, and followed by its way', () => {
  const broken = { ...task('breaks'), variables: { incoming: {}, outgoing: {}, error: '$var.job.trouble' } };
  const job = start({
    tasks: drawn('x', { a: broken, b: echo('$var.a.error') }).tasks,
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

test('a task that nothing here can do ends in error by its name', () => {
  const job = start(drawn('x', { a: task('conjure') }));
  expect(job.job()).toMatchObject({
    status: 'error',
    error: [{ task: 'a', message: 'nothing here does conjure' }, {}],
  });
});

test('references count only as the whole value of a member; what is missing is left out, or null where a task was asked', () => {
  const job = start(
    drawn('x', {
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

test('a revert does its goal and all behind it again, with new iterations; old results are not used and late ones are dropped', () => {
  const job = start({
    tasks: drawn('x', { a: effect(), b: effect(), c: effect(), d: manual() }).tasks,
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

test('forEach runs its body once an element; the last task of a body needs no way onward', () => {
  const job = start(
    {
      tasks: drawn('x', {
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

test('forEach without elements goes on at once; without a list it is an error', () => {
  const flow = {
    tasks: drawn('x', { a: task('forEach', { data_array: '$var.job.list' }), b: echo(1) }).tasks,
    transitions: { workflow_start: { a: success }, a: { b: loop, workflow_end: success } },
  };
  const none = start(flow, { list: [] });
  expect([none.job().status, none.status('b')]).toEqual(['complete', 'skipped']);
  expect(start(flow, { list: 5 }).job().error?.[0]).toMatchObject({ message: 'data_array must be a list' });
});

test('a way out of the body of a loop leaves the loop', () => {
  const job = start({
    tasks: drawn('x', {
      a: task('forEach', { data_array: [1, 2, 3] }),
      b: effect(),
      c: task('append', { list: 'seen', item: '$var.a.current_item' }),
      d: echo('left'),
    }).tasks,
    transitions: {
      workflow_start: { a: success },
      a: { b: loop, workflow_end: success },
      b: { c: success, d: error() },
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
function error() {
  return onError;
}

test('loops in loops go through all pairs', () => {
  const job = start({
    tasks: drawn('x', {
      a: task('forEach', { data_array: [[1, 2], [], [3]] }),
      b: task('forEach', { data_array: '$var.a.current_item' }),
      c: task('append', { list: 'seen', item: '$var.b.current_item' }),
    }).tasks,
    transitions: { workflow_start: { a: success }, a: { b: loop, workflow_end: success }, b: { c: loop } },
  });
  expect(job.job()).toMatchObject({ status: 'complete', variables: { seen: [1, 2, 3] } });
});

test('a task tries again by itself as often as its settings say, each attempt after their pause', () => {
  const flow = drawn('x', {
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
    drawn('x', {
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

test('reattempt allows as many attempts as it is told, and is an error afterwards', () => {
  const job = start({
    tasks: drawn('x', {
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

test('a pause holds what comes next and lets what runs end; resuming goes on with it', () => {
  const job = start(drawn('x', { a: effect(), b: effect() }));
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
  const job = start(drawn('x', { a: manual(), b: effect() }));
  const attempt = job.attempt('a');
  const settled = job.send({ type: 'cancel' });
  expect(settled.todo).toEqual([{ type: 'stop', waits: 'person', ...attempt }, { type: 'end' }]);
  expect(job.job()).toMatchObject({ status: 'canceled', tasks: { a: { status: 'canceled' } } });
  expect(job.again().changed).toBe(false);
  expect(job.send({ type: 'finish', ...attempt, outcome: { finish: 'success', outgoing: {} } }).changed).toBe(
    false,
  );
});

test('a person may go back to a task before, and the job goes on from there', () => {
  const job = start(drawn('x', { a: echo(1), b: effect(), c: effect() }));
  job.finish('b');
  job.send({ type: 'revert', ...job.attempt('c'), to: 'a' });
  expect(job.again().changed).toBe(false);
  expect(job.running()).toEqual(['b']);
  expect(job.send({ type: 'revert', ...job.attempt('b'), to: 'c' }).changed).toBe(false);
});

test('a person may go on at a task: those before it count as done, and ways beside it are not taken', () => {
  const job = start({
    tasks: drawn('x', { a: effect(), b: effect(), c: effect() }).tasks,
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

test('a manual task is claimed, let go, and told who finished it', () => {
  const job = start(drawn('x', { a: manual({ btn_success: 'Go' }) }));
  job.send({ type: 'own', ...job.attempt('a'), owner: 'ada' });
  expect(job.again().changed).toBe(false);
  expect(job.job().tasks.a?.owner).toBe('ada');
  job.send({ type: 'own', ...job.attempt('a'), owner: null });
  expect(job.job().tasks.a?.owner).toBe(null);
});

test('a job that goes into error asks once for the workflow that handles it', () => {
  const job = start(
    drawn('x', { a: task('breaks') }),
    {},
    { errorHandler: { type: 'workflow', name: 'Clean up' } },
  );
  expect(job.todo).toEqual([{ type: 'handler', workflow: 'Clean up' }]);
});

test('more tasks than one step holds go on in the next', () => {
  const job = start({
    tasks: drawn('x', {
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
    drawn('x', { a: secret }),
    { password: 'Lantern-1' },
    { decorators: [{ type: 'encryption', pointer: '/variables/password' }] },
  );
  expect(job.job().variables).toEqual({ password: '********' });
  expect(job.job().tasks.a?.variables?.incoming).toEqual({ value: '********' });
});
