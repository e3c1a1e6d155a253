import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import type { Job } from '#db/schemas/job.ts';
import { openJobs } from '../../helpers/running-jobs.ts';
import { drawn, failure, loop, onError, revert, runs, success, task } from '../../helpers/workflows.ts';

const service = await openJobs();
const { call, done, store, start, job, comes, taskComes, items } = service;

const view = (more: Record<string, unknown> = {}) =>
  task(
    'ViewData',
    { header: 'Look', btn_success: 'Go', ...more },
    {},
    { type: 'manual', view: '/workflow_engine/task/ViewData' },
  );
const set = (name: string, value: unknown) => task('newVariable', { name, value }, { value: null });
const deed = (text: string) =>
  task('stringLength', { str: text }, { length: null }, { type: 'automatic', actor: 'Pronghorn' });
const deeds = async (jobId: string) =>
  (
    await rows<{ key: string }>(
      service.db,
      sql`select key from deeds where starts_with(key, ${jobId}) order by at`,
    )
  ).map(({ key }) => key);

const issuesIn = (body: unknown) => (body as { issues?: { path: (string | number)[] }[] }).issues ?? [];

test('a job is answered as it was stored, with every member at its place, and runs to its end', async () => {
  await store(
    drawn('Greet', { a: set('greeting', 'hello'), b: deed('one') }, { description: 'Greets', tags: [] }),
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

test('a workflow that is not there, a draft, and variables that do not fit are refused by name', async () => {
  expect((await call('POST', '/jobs/start', { workflow: 'Nobody' })).status).toBe(404);
  await store(drawn('Half drawn', { a: task('conjure') }));
  const draft = await call('POST', '/jobs/start', { workflow: 'Half drawn' });
  expect([draft.status, issuesIn(draft.body)[0]?.path]).toEqual([409, ['tasks', 'a']]);
  await store(drawn('Asks', { a: task('arrayLength', { arr: '$var.job.list' }, { length: null }) }));
  const unfit = await call('POST', '/jobs/start', { workflow: 'Asks', options: { variables: { list: 5 } } });
  expect([unfit.status, issuesIn(unfit.body)[0]?.path]).toEqual([400, ['options', 'variables', 'list']]);
  const missing = await call('POST', '/jobs/start', { workflow: 'Asks' });
  expect(issuesIn(missing.body)[0]?.path).toEqual(['options', 'variables', 'list']);
  expect((await call('POST', '/jobs/start', { workflow: 'Asks' }, 'apiread')).status).toBe(403);
});

test('what every job has of itself is asked of nobody', async () => {
  const stringLength = (str: string) =>
    task('stringLength', { str }, { length: '$var.job.length' }, { type: 'automatic', actor: 'Pronghorn' });
  await store(
    drawn('Knows itself', { a: stringLength('$var.job._id'), b: stringLength('$var.job.initiator') }),
  );
  const { body, status } = await call('POST', '/jobs/start', { workflow: 'Knows itself' });
  expect(status).toBe(200);
  expect((await comes((body.data as Job)._id, 'complete')).validationErrors).toEqual([]);
});

test('a manual task waits, is claimed by one, and finished exactly once', async () => {
  await store({
    ...drawn('Ask', { a: view({ message: 'Well?', body: { n: 1 } }), b: set('answer', 'yes') }),
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
  await store(drawn('Ask once', { a: view() }));
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

test('the way back to a call that failed does it again, as often as the person asks', async () => {
  await store({
    ...drawn('Retry by hand', { a: deed('fail'), b: view({ btn_failure: 'Abort' }) }),
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
  await store(drawn('Fails', { a: deed('fail') }));
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

test('jobs are paused, resumed and canceled; what cannot be is told by its id', async () => {
  await store(drawn('Slow', { a: view(), b: deed('late') }));
  const { _id } = await start('Slow');
  await taskComes(_id, 'a', 'running');
  const paused = await call('POST', '/jobs/pause', { jobIds: [_id, '65f000000000000000000000'] });
  expect(paused.body).toEqual({
    message: 'Successfully paused jobs',
    data: {
      [_id]: { status: 'paused' },
      '65f000000000000000000000': { error: 'Job 65f000000000000000000000 does not exist' },
    },
    metadata: {},
  });
  await done('POST', `/jobs/${_id}/tasks/a/finish`, { taskData: { finish_state: 'success' } });
  expect((await job(_id)).tasks.b?.status).toBe('paused');
  const failed = await call('POST', '/jobs/pause', { jobIds: [_id] });
  expect(failed.status).toBe(500);
  expect(failed.body).toMatchObject({
    message: 'Failed to pause all jobs',
    data: { [_id]: { error: 'Job is paused, not running' } },
  });
  expect((await call('POST', '/jobs/resume', { jobIds: [_id] })).body).toMatchObject({
    data: { [_id]: { status: 'running' } },
  });
  await comes(_id, 'complete');
  const other = await start('Slow');
  await taskComes(other._id, 'a', 'running');
  expect((await call('POST', '/jobs/cancel', { jobIds: [other._id] })).body).toMatchObject({
    message: 'Successfully canceled jobs',
    data: { [other._id]: { status: 'canceled' } },
  });
  expect(
    (await call('POST', `/jobs/${other._id}/tasks/a/finish`, { taskData: { finish_state: 'success' } }))
      .status,
  ).toBe(409);
  expect((await call('POST', '/jobs/cancel', { jobIds: [other._id] })).body.message).toBe(
    'Failed to cancel all jobs',
  );
});

test('a cancel reaches what runs', async () => {
  await store(drawn('Very slow', { a: deed('wait 20000') }));
  const { _id } = await start('Very slow');
  await taskComes(_id, 'a', 'running');
  await service.until(_id, () => true);
  await done('POST', '/jobs/cancel', { jobIds: [_id] });
  expect((await job(_id)).tasks.a?.status).toBe('canceled');
});

test('a job waits for its child job, and takes what it leaves', async () => {
  await store(
    drawn('Child', { a: task('arrayLength', { arr: '$var.job.list' }, { length: '$var.job.count' }) }),
  );
  await store(
    drawn('Parent', {
      a: { ...runs('Child', { list: { task: 'static', value: [1, 2] } }) },
      b: task('query', { obj: '$var.a.job_details', query: 'count' }, { return_data: '$var.job.found' }),
    }),
  );
  const { _id } = await start('Parent');
  const over = await comes(_id, 'complete');
  expect(over.variables).toMatchObject({ found: 2 });
  const [child] = await done<Job[]>('GET', `/jobs?equals[parent.job]=${_id}`);
  expect(child).toMatchObject({
    name: 'Child',
    ancestors: [_id, child?._id],
    parent: { job: _id, task: 'a', iteration: 0, element: null },
  });
});

test.each(['sequential', 'parallel'])(
  'child jobs of a list, %s, leave their variables in its order',
  async (loopType) => {
    await store(
      drawn(`Each ${loopType}`, {
        a: task(
          'stringConcat',
          { str: '$var.job.name', stringN: '!' },
          { combinedStrings: '$var.job.called' },
        ),
      }),
    );
    const each = runs(`Each ${loopType}`);
    await store(
      drawn(`All ${loopType}`, {
        a: {
          ...each,
          variables: {
            ...each.variables,
            incoming: { ...each.variables?.incoming, loopType, data_array: '$var.job.list' },
          },
        },
      }),
    );
    const names = Array.from({ length: 120 }, (_, at) => `n${at}`);
    const { _id } = await start(`All ${loopType}`, { list: names.map((name) => ({ name })) });
    const over = await comes(_id, 'complete', 30);
    const details = over.tasks.a?.variables?.outgoing?.job_details as { loop: Record<string, unknown>[] };
    expect(details.loop.map(({ called }) => called)).toEqual(names.map((name) => `${name}!`));
    expect(details.loop[7]).toMatchObject({ status: 'complete', childJobLoopIndex: 7 });
  },
  60_000,
);

test('canceling a job cancels its child jobs; a canceled child is an error of its task', async () => {
  await store(drawn('Waits', { a: view() }));
  await store(drawn('Waits for it', { a: runs('Waits') }));
  const first = await start('Waits for it');
  const childOf = async (id: string) => {
    await taskComes(id, 'a', 'running');
    const [child] = await done<Job[]>('GET', `/jobs?equals[parent.job]=${id}`);
    return String(child?._id);
  };
  const child = await childOf(first._id);
  await done('POST', '/jobs/pause', { jobIds: [first._id] });
  await comes(child, 'paused');
  await done('POST', '/jobs/cancel', { jobIds: [first._id] });
  await comes(child, 'canceled');
  const second = await start('Waits for it');
  await done('POST', '/jobs/cancel', { jobIds: [await childOf(second._id)] });
  expect((await comes(second._id, 'error')).error?.[0]?.message).toMatch(/Child job \w+ was canceled/);
});

test('a loop runs its body for each element; a delay holds no process', async () => {
  await store({
    ...drawn('Loop', {
      a: task('forEach', { data_array: '$var.job.list' }, { current_item: '$var.job.item' }),
      b: deed('x'),
      c: task('push', { job_variable: 'seen', item_to_push: '$var.job.item' }, { job_variable_value: null }),
      d: task('delay', { time: 0.2 }, { time_in_milliseconds: null }),
      e: set('seen', []),
    }),
    transitions: {
      workflow_start: { e: success },
      e: { a: success },
      a: { b: loop, d: success },
      b: { c: success },
      d: { workflow_end: success },
    },
  });
  const { _id } = await start('Loop', { list: [1, 2, 3] });
  const over = await comes(_id, 'complete');
  expect(over.variables).toMatchObject({ seen: [1, 2, 3] });
  expect(await deeds(_id)).toHaveLength(3);
});

test('jobs go back to a task, and go on at one', async () => {
  await store(drawn('Steps', { a: set('x', 1), b: view(), c: view() }));
  const { _id } = await start('Steps');
  await taskComes(_id, 'b', 'running');
  expect((await call('POST', `/jobs/${_id}/revert`, { fromTask: 'c', toTask: 'a' })).status).toBe(409);
  expect((await call('POST', `/jobs/${_id}/continue`, { fromTask: 'a' })).status).toBe(409);
  const on = await call('POST', `/jobs/${_id}/continue`, { fromTask: 'c' });
  expect(on.body).toMatchObject({ message: 'Successfully continued job' });
  await taskComes(_id, 'c', 'running');
  const back = await call('POST', `/jobs/${_id}/revert`, { fromTask: 'c', toTask: 'b' });
  expect(back.body).toMatchObject({ message: 'Successfully reverted job' });
  expect((await taskComes(_id, 'b', 'running')).tasks.c?.status).toBe('incomplete');
});

test('jobs that are over are deleted with all that belongs to them', async () => {
  await store(drawn('Gone', { a: runs('Child', { list: { task: 'static', value: [] } }) }));
  await store(drawn('Stays', { a: view() }));
  const gone = await start('Gone');
  const stays = await start('Stays');
  await comes(gone._id, 'complete');
  expect((await call('DELETE', `/jobs/${gone._id}`, undefined, 'engineering')).status).toBe(403);
  expect(await done('POST', '/jobs/delete', { jobIds: [gone._id, stays._id] })).toEqual([
    { _id: gone._id, status: 'deleted' },
    { _id: stays._id, status: 'ignored' },
  ]);
  expect((await call('GET', `/jobs/${gone._id}`)).status).toBe(404);
  expect(await done('GET', `/jobs?equals[parent.job]=${gone._id}`)).toEqual([]);
  expect(await items(`equals[job._id]=${gone._id}`)).toEqual([]);
});

test('lists filter, sort, count and cut; tasks come only when they are asked for', async () => {
  await store(drawn('Listed (a)', { a: set('x', 1) }));
  const made = [await start('Listed (a)'), await start('Listed (a)'), await start('Listed (a)')];
  for (const { _id } of made) await comes(_id, 'complete');
  const list = await call('GET', '/jobs?contains[name]=listed%20(A&equals[status]=complete&limit=2');
  expect(list.body).toMatchObject({
    message: 'Successfully retrieved jobs',
    metadata: { total: 3, nextPageSkip: 2 },
  });
  const [newest] = list.body.data as Job[];
  expect(newest?._id).toBe(made[2]?._id);
  expect(newest).not.toHaveProperty('tasks');
  const cut = await done<Job[]>(
    'GET',
    '/jobs?equals[name]=Listed%20(a)&include=name,status&sort=metrics.start_time&limit=1',
  );
  expect(cut).toEqual([{ _id: made[0]?._id, name: 'Listed (a)', status: 'complete' }]);
  const whole = await done<Job[]>('GET', '/jobs?equals[name]=Listed%20(a)&include=tasks.a.status&limit=1');
  expect(whole).toEqual([{ _id: made[2]?._id, tasks: { a: { status: 'complete' } } }]);
  expect((await call('GET', '/jobs/counts?equals[name]=Listed%20(a)')).body).toEqual({
    counts: { complete: 3 },
    total: 3,
  });
  expect(
    (
      await call(
        'GET',
        `/jobs/counts?gte[metrics.start_time]=${made[1]?.metrics?.start_time}&equals[name]=Listed%20(a)`,
      )
    ).body,
  ).toMatchObject({ total: 2 });
  expect((await call('GET', `/tasks/counts?equals[job._id]=${made[0]?._id}`)).body).toEqual({
    counts: { complete: 3 },
    total: 3,
  });
  expect((await call('GET', '/jobs?equals[nonsense]=1')).status).toBe(400);
  expect(await done('GET', `/jobs/${made[0]?._id}?include=status`)).toEqual({
    _id: made[0]?._id,
    status: 'complete',
  });
});

test('watchers and groups of a job change, and groups decide who sees it', async () => {
  await store(drawn('Seen', { a: view() }));
  const { _id } = await start('Seen');
  const { caller } = await service.callerWith('support');
  expect(await done('POST', `/jobs/${_id}/watch`, {}, 'support')).toEqual([{ _id, watchers: [caller.id] }]);
  expect(await done('POST', '/jobs/unwatch', { jobIds: [_id] }, 'support')).toEqual([{ _id, watchers: [] }]);
  expect((await call('POST', `/jobs/${_id}/add-watchers`, { watchers: ['nobody'] })).status).toBe(400);
  expect((await call('POST', `/jobs/${_id}/groups`, { groups: ['nobody'] })).status).toBe(400);
  const [group] = await rows<{ id: string }>(service.db, sql`select id from groups limit 1`);
  expect(await done('PUT', `/jobs/${_id}/groups`, { groups: [group?.id] })).toEqual([group?.id]);
  expect((await call('GET', `/jobs/${_id}`, undefined, 'support')).status).toBe(404);
  expect(await done('GET', '/jobs?equals[name]=Seen', undefined, 'support')).toEqual([]);
  expect((await call('GET', '/jobs?equals[name]=Seen&skip=1', undefined, 'support')).body).toMatchObject({
    metadata: { total: 0 },
  });
  expect(await items(`equals[job._id]=${_id}`)).not.toEqual([]);
  expect(await done('GET', `/tasks?equals[job._id]=${_id}`, undefined, 'support')).toEqual([]);
  expect(await done('DELETE', `/jobs/${_id}/groups/${group?.id}`)).toEqual([]);
  expect((await call('GET', `/jobs/${_id}`, undefined, 'support')).status).toBe(200);
});

test('values over 1 MiB stand apart, and tasks get them whole', async () => {
  await store(
    drawn('Heavy', {
      a: task('arrayLength', { arr: '$var.job.list' }, { length: '$var.job.count' }),
      b: task('arrayPush', { arr: '$var.job.list', elementN: 'x' }, { pushedArray: '$var.job.longer' }),
      c: task('arrayLength', { arr: '$var.job.longer' }, { length: '$var.job.more' }),
    }),
  );
  const list = Array.from({ length: 1200 }, () => 'x'.repeat(1000));
  const { _id } = await start('Heavy', { list });
  const over = await comes(_id, 'complete');
  expect(over.variables).toMatchObject({
    count: 1200,
    more: 1201,
    list: { $largeData: expect.any(String), size: expect.any(Number) },
  });
  const { $largeData } = (over.variables?.list ?? {}) as { $largeData?: string };
  expect((await service.send('admin', 'GET', `/operations-manager/large-data/${$largeData}`)).json).toEqual(
    list,
  );
  // Values of one job are its own.
  const other = await comes((await start('Heavy', { list: [...list, 'y'] }))._id, 'complete');
  expect(other.variables).toMatchObject({ count: 1201 });
});

test('a workflow that changes while a job runs changes nothing for that job', async () => {
  const made = await store(drawn('Old', { a: view(), b: set('which', 'old') }));
  const { _id } = await start('Old');
  await taskComes(_id, 'a', 'running');
  const update = drawn('Old', { a: view(), b: set('which', 'new') });
  await service.send('admin', 'PUT', `/automation-studio/automations/${made._id}`, { update });
  await done('POST', `/jobs/${_id}/tasks/a/finish`, { taskData: { finish_state: 'success' } });
  expect((await comes(_id, 'complete')).variables).toMatchObject({ which: 'old' });
});

test('an error starts the workflow that handles errors', async () => {
  await store(
    drawn('Handles', { a: task('arrayLength', { arr: '$var.job.error' }, { length: '$var.job.faults' }) }),
  );
  await store(drawn('Breaks', { a: deed('fail') }, { errorHandler: { type: 'workflow', name: 'Handles' } }));
  const { _id } = await start('Breaks');
  await comes(_id, 'error');
  const [handler] = await done<Job[]>('GET', `/jobs?equals[parent.job]=${_id}`);
  expect((await comes(String(handler?._id), 'complete')).variables).toMatchObject({ job_id: _id, faults: 2 });
});
