import { setTimeout as sleep } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import type { Job } from '#db/schemas/workflow/job.ts';
import { jobFans } from '#db/tables/workflow/jobs.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { isLong, sampled } from '../../helpers/long.ts';
import {
  failure,
  loop,
  revert,
  runs,
  success,
  task,
  traceTask,
  variable,
  view,
  workflowOf,
} from '../../helpers/workflows.ts';

const service = await openJobs();
const { done, store, start, comes, taskComes, deeds } = service;

test('a job waits for its child job, and receives its variables', async () => {
  await store(
    workflowOf('Child', { a: task('arrayLength', { arr: '$var.job.list' }, { length: '$var.job.count' }) }),
  );
  await store(
    workflowOf('Parent', {
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

test.each(sampled(['parallel', 'sequential'], 1))(
  'child jobs of a list, %s, leave their variables in its order',
  async (loopType) => {
    await store(
      workflowOf(`Each ${loopType}`, {
        a: task(
          'stringConcat',
          { str: '$var.job.name', stringN: '!' },
          { combinedStrings: '$var.job.called' },
        ),
      }),
    );
    const each = runs(`Each ${loopType}`);
    await store(
      workflowOf(`All ${loopType}`, {
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
    const over = await comes(_id, 'complete');
    const details = over.tasks.a?.variables?.outgoing?.job_details as { loop: Record<string, unknown>[] };
    expect(details.loop.map(({ called }) => called)).toEqual(names.map((name) => `${name}!`));
    expect(details.loop[7]).toMatchObject({ status: 'complete', childJobLoopIndex: 7 });
  },
);

test('canceling a job cancels its child jobs; a canceled child is an error of its task', async () => {
  await store(workflowOf('Waits', { a: view() }));
  await store(workflowOf('Waits for it', { a: runs('Waits') }));
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

test.skipIf(!isLong)(
  'a child job that is created while its parent is paused waits until the parent is resumed',
  async () => {
    await store(workflowOf('Asks', { a: view() }));
    const each = runs('Asks');
    const incoming = {
      ...each.variables?.incoming,
      loopType: 'sequential',
      data_array: [{ n: 1 }, { n: 2 }],
    };
    await store(workflowOf('Asks twice', { a: { ...each, variables: { ...each.variables, incoming } } }));
    const { _id } = await start('Asks twice');
    const childAt = async (element: number) => {
      const found = async () =>
        (await done<Job[]>('GET', `/jobs?equals[parent.job]=${_id}`)).find(
          ({ parent }) => parent?.element === element,
        );
      await expect.poll(found).toBeDefined();
      return String((await found())?._id);
    };
    const finish = (jobId: string) =>
      done('POST', `/jobs/${jobId}/tasks/a/finish`, { taskData: { finish_state: 'success' } });
    const first = await childAt(0);
    await taskComes(first, 'a', 'running');
    await done('POST', '/jobs/pause', { jobIds: [_id] });
    await comes(first, 'paused');
    // Resumed by itself, it ends, and the next one is created.
    await done('POST', '/jobs/resume', { jobIds: [first] });
    await finish(first);
    const second = await childAt(1);
    expect((await service.job(second)).status).toBe('paused');
    await done('POST', '/jobs/resume', { jobIds: [_id] });
    await taskComes(second, 'a', 'running');
    await finish(second);
    await comes(_id, 'complete');
  },
);

test('a loop runs its body for each element; a delay holds no process', async () => {
  await store({
    ...workflowOf('Loop', {
      a: task('forEach', { data_array: '$var.job.list' }, { current_item: '$var.job.item' }),
      b: traceTask('x'),
      c: task('push', { job_variable: 'seen', item_to_push: '$var.job.item' }, { job_variable_value: null }),
      d: task('delay', { time: 0.2 }, { time_in_milliseconds: null }),
      e: variable('seen', []),
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

test.skipIf(!isLong)('values over 1 MiB are stored separately, and tasks get them whole', async () => {
  await store(
    workflowOf('Heavy', {
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
  const made = await store(workflowOf('Old', { a: view(), b: variable('which', 'old') }));
  const { _id } = await start('Old');
  await taskComes(_id, 'a', 'running');
  const update = workflowOf('Old', { a: view(), b: variable('which', 'new') });
  await service.send('admin', 'PUT', `/automation-studio/automations/${made._id}`, { update });
  await done('POST', `/jobs/${_id}/tasks/a/finish`, { taskData: { finish_state: 'success' } });
  expect((await comes(_id, 'complete')).variables).toMatchObject({ which: 'old' });
});

test('an error starts the workflow that handles errors', async () => {
  await store(
    workflowOf('Handles', {
      a: task('arrayLength', { arr: '$var.job.error' }, { length: '$var.job.faults' }),
    }),
  );
  await store(
    workflowOf('Breaks', { a: traceTask('fail') }, { errorHandler: { type: 'workflow', name: 'Handles' } }),
  );
  const { _id } = await start('Breaks');
  await comes(_id, 'error');
  const [handler] = await done<Job[]>('GET', `/jobs?equals[parent.job]=${_id}`);
  expect((await comes(String(handler?._id), 'complete')).variables).toMatchObject({ job_id: _id, faults: 2 });
});

test.skipIf(!isLong)('a workflow that handles its own errors runs at most 50 levels deep', async () => {
  const errorHandler = { type: 'workflow', name: 'Handles itself' };
  const fails = task('query', { obj: 5, query: '((((' }, { return_data: null });
  await store(workflowOf('Handles itself', { a: fails }, { errorHandler } as never));
  const { _id } = await start('Handles itself');
  const deepest = async () =>
    (
      await rows<{ depth: number; error: string }>(
        service.db,
        sql`select jsonb_array_length(doc -> 'ancestors') as depth, doc ->> 'error' as error from jobs
            where doc #>> '{ancestors,0}' = ${_id} and status = 'error' order by 1 desc limit 1`,
      )
    )[0];
  await expect.poll(async () => (await deepest())?.depth, { timeout: 120_000, interval: 200 }).toBe(50);
  expect((await deepest())?.error).toContain('nested more than 50 levels');
});

test('a job that would have too many jobs below it ends in error, whatever its tasks begin', async () => {
  await store(workflowOf('Waits below', { a: view() }));
  await store(
    workflowOf('Begins many', { a: runs('Waits below'), b: view(), c: runs('Waits below') }, {
      transitions: {
        workflow_start: { a: success, b: success },
        a: { workflow_end: success },
        b: { c: success },
        c: { workflow_end: success },
        workflow_end: {},
      },
    } as never),
  );
  const { _id } = await start('Begins many');
  await taskComes(_id, 'a', 'running');
  const waits = await taskComes(_id, 'b', 'running');
  await service.db.update(jobFans).set({ total: 60_000 }).where(eq(jobFans.jobId, _id));
  // The count of jobs is used for a second.
  await sleep(1100);
  await done('POST', `/jobs/${_id}/tasks/b/finish`, { taskData: { finish_state: 'success' } });
  expect(waits.status).toBe('running');
  const failed = await taskComes(_id, 'c', 'error');
  expect(JSON.stringify(failed.error)).toContain('more than 50000 jobs below it');
});

test.skipIf(!isLong)(
  'a job that is started while the child jobs of a long list wait does not wait for them',
  async () => {
    const short = { a: task('stringLength', { str: 'x' }, { length: null }) };
    await store(workflowOf('Short', short));
    const each = runs('Short');
    const incoming = { ...each.variables?.incoming, loopType: 'parallel', data_array: '$var.job.list' };
    const many = { a: { ...each, variables: { ...each.variables, incoming } } };
    await store(workflowOf('Long list', many));
    const list = Array.from({ length: 300 }, () => ({}));
    const { _id } = await start('Long list', { list });
    const children = async (status: string) =>
      (
        await rows<{ count: number }>(
          service.db,
          sql`select count(*)::int as count from jobs where parent_job = ${_id} and status like ${status}`,
        )
      )[0]?.count;
    await expect.poll(() => children('%'), { timeout: 60_000, interval: 20 }).toBe(300);
    const other = await start('Short');
    await comes(other._id, 'complete');
    expect(await children('complete')).toBeLessThan(200);
    await comes(_id, 'complete');
  },
);

test('child jobs of a list whose tasks take long leave room for other jobs, and are canceled while they run', async () => {
  const long = { a: task('stringLength', { str: 'wait 60000' }, { length: null }) };
  await store(workflowOf('Takes long', long));
  const each = runs('Takes long');
  const incoming = { ...each.variables?.incoming, loopType: 'parallel', data_array: '$var.job.list' };
  await store(workflowOf('Long tasks', { a: { ...each, variables: { ...each.variables, incoming } } }));
  const { _id } = await start('Long tasks', { list: Array.from({ length: 40 }, () => ({})) });
  const begun = async () =>
    (
      await rows<{ count: number }>(
        service.db,
        sql`select count(*)::int as count from deeds
            where exists(select 1 from jobs where parent_job = ${_id} and starts_with(key, id))`,
      )
    )[0]?.count;
  // As many as this process runs of a list at once.
  await expect.poll(begun, { timeout: 30_000 }).toBe(16);
  await store(workflowOf('Other', { a: traceTask('c') }));
  const other = await start('Other');
  await comes(other._id, 'complete', 20);
  await done('POST', '/jobs/cancel', { jobIds: [_id] });
  const canceled = async () =>
    (
      await rows<{ count: number }>(
        service.db,
        sql`select count(*)::int as count from jobs where parent_job = ${_id} and status = 'canceled'`,
      )
    )[0]?.count;
  await expect.poll(canceled, { timeout: 20_000 }).toBe(40);
});

test.skipIf(!isLong)('jobs with loops that do not end leave other jobs their turn', async () => {
  await store(
    workflowOf('Never ends', { a: traceTask('a'), b: traceTask('b') }, {
      transitions: {
        workflow_start: { a: success },
        a: { b: success },
        b: { a: revert('success'), workflow_end: failure },
        workflow_end: {},
      },
    } as never),
  );
  const endless = await Promise.all(Array.from({ length: 20 }, () => start('Never ends')));
  await store(workflowOf('Ends', { a: traceTask('c') }));
  const other = await start('Ends');
  await comes(other._id, 'complete', 20);
  const jobIds = endless.map(({ _id }) => _id);
  await done('POST', '/jobs/cancel', { jobIds });
  for (const id of jobIds) await comes(id, 'canceled');
});
