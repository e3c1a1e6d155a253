import { expect, test } from 'vitest';
import type { Job } from '#db/schemas/workflow/job.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import {
  failure,
  onError,
  revert,
  success,
  task,
  traceTask,
  variable,
  view,
  workflowOf,
} from '../../helpers/workflows.ts';

const service = await openJobs();
const { call, done, store, start, job, comes, taskComes, items, deeds } = service;

const issuesIn = (body: unknown) => (body as { issues?: { path: (string | number)[] }[] }).issues ?? [];

test('a job is answered as it was stored, with every field at its place, and runs to its end', async () => {
  await store(
    workflowOf(
      'Greet',
      { a: variable('greeting', 'hello'), b: traceTask('one') },
      { description: 'Greets', tags: [] },
    ),
  );
  const answer = await call('POST', '/jobs/start', {
    workflow: 'Greet',
    options: { description: 'First run', variables: { who: 'ada' } },
  });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ message: 'Successfully started job', metadata: {} });
  const { caller } = await service.callerWith('admin');
  const data = answer.body.data as Job;
  expect(data).toMatchObject({
    _id: expect.stringMatching(/^[0-9a-f]{24}$/),
    type: 'automation',
    name: 'Greet',
    description: 'First run',
    status: 'running',
    created_by: caller.id,
    last_updated_by: caller.id,
    createdVersion: '2026.1.0',
    canvasVersion: 3,
    font_size: 12,
    decorators: [],
    tags: [],
    error: [],
    warnings: [],
    validationErrors: [],
    ancestors: [data._id],
    groups: [],
    watchers: [],
    parent: null,
    variables: { who: 'ada', _id: data._id, initiator: caller.username },
    metrics: { user: caller.id, end_time: null, progress: 0, start_time: expect.any(Number) },
  });
  expect(data.tasks.a).toMatchObject({ taskId: 'a', status: 'incomplete', iterations: [], start_time: null });
  const over = await comes(data._id, 'complete');
  expect(over.variables).toMatchObject({ greeting: 'hello' });
  expect(over.metrics).toMatchObject({ progress: 1, end_time: expect.any(Number) });
  const [iteration] = over.tasks.b?.iterations ?? [];
  expect(await deeds(data._id)).toEqual([`${data._id}/b/${iteration}/1`]);
  const [item] = await items(`equals[job._id]=${data._id}&equals[name]=stringLength`);
  expect(item).toMatchObject({
    _id: iteration,
    status: 'complete',
    variables: { incoming: { str: 'one' }, outgoing: { length: 3 } },
    job: { _id: data._id, name: 'Greet', task: 'b' },
  });
});

test('a missing workflow, a draft, and variables that do not fit are rejected by name', async () => {
  expect((await call('POST', '/jobs/start', { workflow: 'Nobody' })).status).toBe(404);
  await store(workflowOf('Half drawn', { a: task('conjure') }));
  const draft = await call('POST', '/jobs/start', { workflow: 'Half drawn' });
  expect([draft.status, issuesIn(draft.body)[0]?.path]).toEqual([409, ['tasks', 'a']]);
  await store(workflowOf('Asks', { a: task('arrayLength', { arr: '$var.job.list' }, { length: null }) }));
  const unfit = await call('POST', '/jobs/start', { workflow: 'Asks', options: { variables: { list: 5 } } });
  expect([unfit.status, issuesIn(unfit.body)[0]?.path]).toEqual([400, ['options', 'variables', 'list']]);
  const missing = await call('POST', '/jobs/start', { workflow: 'Asks' });
  expect(issuesIn(missing.body)[0]?.path).toEqual(['options', 'variables', 'list']);
  expect((await call('POST', '/jobs/start', { workflow: 'Asks' }, 'apiread')).status).toBe(403);
});

test('fields that every job has need not be sent', async () => {
  const stringLength = (str: string) =>
    task('stringLength', { str }, { length: '$var.job.length' }, { type: 'automatic', actor: 'Pronghorn' });
  await store(
    workflowOf('Knows itself', { a: stringLength('$var.job._id'), b: stringLength('$var.job.initiator') }),
  );
  const { body, status } = await call('POST', '/jobs/start', { workflow: 'Knows itself' });
  expect(status).toBe(200);
  expect((await comes((body.data as Job)._id, 'complete')).validationErrors).toEqual([]);
});

test('a manual task waits, is claimed by one, and finished exactly once', async () => {
  await store({
    ...workflowOf('Ask', { a: view({ message: 'Well?', body: { n: 1 } }), b: variable('answer', 'yes') }),
    transitions: {
      workflow_start: { a: success },
      a: { b: success, workflow_end: failure },
      b: { workflow_end: success },
    },
  });
  const { _id } = await start('Ask');
  await taskComes(_id, 'a', 'running');
  const [item] = await items(`equals[job._id]=${_id}&equals[type]=manual&equals[status]=running`);
  if (!item) throw new Error('no task waits');
  expect((await job(_id)).status).toBe('running');
  expect(await done('GET', `/jobs/${_id}/tasks/a/manual-controller`)).toEqual({
    view: '/workflow_engine/task/ViewData',
    incoming: { header: 'Look', message: 'Well?', body: { n: 1 }, btn_success: 'Go' },
    buttons: { success: 'Go', failure: null },
  });
  const claimed = await call('POST', `/tasks/${item._id}/claim`, {}, 'engineering');
  const { caller } = await service.callerWith('engineering');
  expect(claimed.body).toMatchObject({
    message: 'Successfully claimed task',
    data: { metrics: { owner: caller.id } },
  });
  const finish = { taskData: { finish_state: 'success', variables: { note: 'fine' } } };
  expect((await call('POST', `/tasks/${item._id}/claim`, {}, 'support')).status).toBe(409);
  expect((await call('POST', `/jobs/${_id}/tasks/a/finish`, finish, 'support')).status).toBe(409);
  const finished = await call('POST', `/jobs/${_id}/tasks/a/finish`, finish, 'engineering');
  expect(finished.body).toMatchObject({
    message: 'Successfully finished task',
    data: {
      status: 'complete',
      variables: { outgoing: { note: 'fine' } },
      metrics: { finish_state: 'success', user: caller.id },
    },
  });
  expect((await call('POST', `/jobs/${_id}/tasks/a/finish`, finish, 'engineering')).status).toBe(409);
  expect((await comes(_id, 'complete')).variables).toMatchObject({ answer: 'yes' });
});

test('a task is released, assigned, and not finished in a state that nothing follows', async () => {
  await store(workflowOf('Ask once', { a: view() }));
  const { _id } = await start('Ask once');
  await taskComes(_id, 'a', 'running');
  const [item] = await items(`equals[job._id]=${_id}&equals[type]=manual`);
  const { caller } = await service.callerWith('support');
  expect((await call('POST', `/tasks/${item?._id}/release`, {})).status).toBe(409);
  expect((await call('POST', `/tasks/${item?._id}/assign`, { userId: caller.id })).status).toBe(200);
  expect((await call('POST', `/tasks/${item?._id}/assign`, { userId: 'nobody' })).status).toBe(400);
  expect((await call('POST', `/tasks/${item?._id}/release`, {}, 'engineering')).status).toBe(409);
  expect((await call('POST', `/tasks/${item?._id}/release`, {}, 'support')).status).toBe(200);
  const wrong = await call('POST', `/jobs/${_id}/tasks/a/finish`, { taskData: { finish_state: 'failure' } });
  expect([wrong.status, issuesIn(wrong.body)[0]?.path]).toEqual([400, ['taskData', 'finish_state']]);
  expect(
    (await call('POST', `/jobs/${_id}/tasks/zz/finish`, { taskData: { finish_state: 'success' } })).status,
  ).toBe(404);
  await done('POST', `/jobs/${_id}/tasks/a/finish`, { taskData: { finish_state: 'success' } });
  await comes(_id, 'complete');
});

test('the revert transition to a call that failed runs it again, as often as the user requests', async () => {
  await store({
    ...workflowOf('Retry by hand', { a: traceTask('fail'), b: view({ btn_failure: 'Abort' }) }),
    transitions: {
      workflow_start: { a: success },
      a: { workflow_end: success, b: onError },
      b: { a: revert('success'), workflow_end: failure },
    },
  });
  const { _id } = await start('Retry by hand');
  await taskComes(_id, 'b', 'running');
  await done('POST', `/jobs/${_id}/tasks/b/finish`, { taskData: { finish_state: 'success' } });
  await service.until(_id, ({ tasks }) => tasks.b?.status === 'running' && tasks.b.iterations?.length === 2);
  await done('POST', `/jobs/${_id}/tasks/b/finish`, { taskData: { finish_state: 'failure' } });
  const over = await comes(_id, 'complete');
  expect(over.tasks.a?.iterations).toHaveLength(2);
  expect(await deeds(_id)).toEqual(over.tasks.a?.iterations?.map((one) => `${_id}/a/${one}/1`));
  const passes = await items(`equals[job._id]=${_id}&equals[name]=stringLength&sort=metrics.start_time`);
  expect(passes.map(({ variables }) => variables?.outgoing)).toEqual([
    { error: { message: 'told to fail' } },
    { error: { message: 'told to fail' } },
  ]);
});

test('a task in error is tried again with other values, under another attempt', async () => {
  await store(workflowOf('Fails', { a: traceTask('fail') }));
  const { _id } = await start('Fails');
  const stuck = await comes(_id, 'error');
  expect(stuck.error).toMatchObject([{ task: 'a', message: 'told to fail' }, { task: 'a' }]);
  expect((await call('POST', `/jobs/${_id}/tasks/a/retry`, {}, 'apiread')).status).toBe(403);
  const again = await call('POST', `/jobs/${_id}/tasks/a/retry`, { variables: { str: 'fine' } });
  expect(again.body).toMatchObject({ message: 'Successfully retried task', data: { status: 'running' } });
  await comes(_id, 'complete');
  expect((await deeds(_id)).map((key) => key.split('/')[3])).toEqual(['1', '2']);
  expect((await call('POST', `/jobs/${_id}/tasks/a/retry`, {})).status).toBe(409);
});
