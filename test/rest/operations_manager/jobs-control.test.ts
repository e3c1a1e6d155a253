import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import type { Job } from '#db/schemas/workflow/job.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { runs, traceTask, variable, view, workflowOf } from '../../helpers/workflows.ts';

const service = await openJobs();
const { call, done, store, start, job, comes, taskComes, items } = service;

test('jobs are paused, resumed and canceled; a job that cannot be is reported by its id', async () => {
  await store(workflowOf('Slow', { a: view(), b: traceTask('late') }));
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
  expect(service.logged.filter((line) => line.includes('internal error'))).toEqual([]);
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
  await store(workflowOf('Very slow', { a: traceTask('wait 20000') }));
  const { _id } = await start('Very slow');
  await taskComes(_id, 'a', 'running');
  await service.until(_id, () => true);
  await done('POST', '/jobs/cancel', { jobIds: [_id] });
  expect((await job(_id)).tasks.a?.status).toBe('canceled');
});

test('jobs revert to a task, and continue at one', async () => {
  await store(workflowOf('Steps', { a: variable('x', 1), b: view(), c: view() }));
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

test('jobs that have finished are deleted with all that belongs to them', async () => {
  await store(workflowOf('Goes too', { a: variable('gone', true) }));
  await store(workflowOf('Gone', { a: runs('Goes too') }));
  await store(workflowOf('Stays', { a: view() }));
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

test('lists filter, sort, count and cut; tasks are included only on request', async () => {
  await store(workflowOf('Listed (a)', { a: variable('x', 1) }));
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
  await store(workflowOf('Seen', { a: view() }));
  const { _id } = await start('Seen');
  await taskComes(_id, 'a', 'running');
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

test('a manual task whose groups are the word default is finished by anybody with the role', async () => {
  await store(workflowOf('Open to all', { a: { ...view(), groups: 'default' } }));
  const { _id } = await start('Open to all');
  await taskComes(_id, 'a', 'running');
  expect((await job(_id)).tasks.a?.groups).toBe('default');
  expect(await items(`equals[job._id]=${_id}&equals[type]=manual`)).toMatchObject([{ groups: ['default'] }]);
  await done('POST', `/jobs/${_id}/tasks/a/finish`, { taskData: { finish_state: 'success' } }, 'support');
  await comes(_id, 'complete');
});
