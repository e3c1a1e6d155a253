import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { isLong } from '../../helpers/long.ts';
import { task, traceTask, view, workflowOf } from '../../helpers/workflows.ts';

const service = await openJobs();
const { store, start, job, comes, taskComes, items, call, done, deeds } = service;

const engine = (
  method: string,
  path: string,
  body?: unknown,
  as: Parameters<typeof service.send>[0] = 'admin',
) => service.send(as, method, `/workflow_engine${path}`, body);
const status = async () => (await engine('GET', '/workers/status')).json;
/** Longer than any process believes what it knows of the workers. */
const noticed = () => sleep(1500);

test('a new installation has both workers running and reports that they were never set', async () => {
  const worker = { running: true, clusterValue: 'not defined', localValue: 'enabled' };
  expect(await status()).toEqual({ jobWorker: worker, taskWorker: worker });
});

test.skipIf(!isLong)(
  'while the job worker is deactivated new jobs wait, can be canceled, and begin when it is activated',
  async () => {
    await store(workflowOf('Held', { a: traceTask('held') }));
    expect(await engine('POST', '/jobWorker/deactivate')).toMatchObject({
      status: 200,
      json: { status: 'success', message: 'Successfully deactivated the job worker' },
    });
    expect((await engine('POST', '/jobWorker/deactivate')).status).toBe(200);
    expect(await status()).toMatchObject({
      jobWorker: { running: false, clusterValue: 'disabled' },
      taskWorker: { running: true, clusterValue: 'not defined' },
    });
    await noticed();
    const { _id } = await start('Held');
    const canceled = await start('Held');
    await noticed();
    expect(await deeds(_id)).toEqual([]);
    expect(await job(_id)).toMatchObject({ status: 'running', tasks: { a: { status: 'incomplete' } } });
    expect((await service.send(null, 'GET', '/health/status')).json).toMatchObject({
      services: expect.arrayContaining([{ service: 'jobWorker', status: 'stopped' }]),
    });
    await done('POST', '/jobs/cancel', { jobIds: [canceled._id] });
    await comes(canceled._id, 'canceled');
    await engine('POST', '/jobWorker/activate');
    await comes(_id, 'complete');
    expect(await deeds(_id)).toHaveLength(1);
    expect(await deeds(canceled._id)).toEqual([]);
    expect(await status()).toMatchObject({ jobWorker: { running: true, clusterValue: 'enabled' } });
    expect((await service.send(null, 'GET', '/health/status')).text).not.toContain('jobWorker');
  },
);

test.skipIf(!isLong)(
  'while the task worker is deactivated no task begins, and waiting tasks run once when it is activated',
  async () => {
    await store(workflowOf('Two steps', { a: view(), b: traceTask('after') }));
    const { _id } = await start('Two steps');
    await taskComes(_id, 'a', 'running');
    await engine('POST', '/deactivate');
    await noticed();
    const [item] = await items(`equals[job._id]=${_id}&equals[name]=ViewData`);
    const finished = await call('POST', `/jobs/${_id}/tasks/a/finish`, {
      taskData: { finish_state: 'success' },
    });
    expect(finished.status, finished.text).toBe(200);
    const late = await start('Two steps');
    await noticed();
    expect(item?.status).toBe('running');
    expect(await job(_id)).toMatchObject({
      status: 'running',
      tasks: { a: { status: 'complete' }, b: { status: 'incomplete' } },
    });
    expect((await job(late._id)).tasks.a?.status).toBe('incomplete');
    await engine('POST', '/activate');
    await comes(_id, 'complete');
    await taskComes(late._id, 'a', 'running');
    expect(await deeds(_id)).toHaveLength(1);
  },
);

test('metrics count the jobs and tasks that ended, by workflow and day, with filters and pages', async () => {
  const { _id: workflow } = await store(
    workflowOf(
      'Measured',
      { a: view(), b: task('stub', { delay: 0, response: {} }) },
      { sla: 1, preAutomationTime: 5000 },
    ),
  );
  for (const _ of [1, 2]) {
    const { _id } = await start('Measured');
    await taskComes(_id, 'a', 'running');
    await sleep(5);
    await done('POST', `/jobs/${_id}/tasks/a/finish`, { taskData: { finish_state: 'success' } });
    await comes(_id, 'complete');
  }
  const jobs = await engine('GET', '/jobs/metrics?equals=Measured&equalsField=workflow.name');
  expect(jobs.json).toMatchObject({
    total: 1,
    results: [
      {
        _id: workflow,
        workflow: { id: workflow, name: 'Measured' },
        preAutomationTime: 5000,
        jobsComplete: 2,
        metrics: expect.arrayContaining([
          expect.objectContaining({ startDate: expect.stringMatching(/T00:00:00\.000Z$/) }),
        ]),
      },
    ],
  });
  const [measured] = (jobs.json as { results: { totalRunTime: number; metrics: Record<string, number>[] }[] })
    .results;
  const sumOf = (name: string) => measured?.metrics.reduce((sum, day) => sum + Number(day[name]), 0) ?? 0;
  expect(measured?.totalRunTime).toBe(sumOf('totalRunTime'));
  expect(sumOf('slaTargetsMissed')).toBe(2);
  expect(sumOf('totalManualTime')).toBeGreaterThan(0);
  expect(sumOf('totalManualTime')).toBeLessThanOrEqual(sumOf('totalRunTime'));

  const tasks = await engine('GET', '/tasks/metrics?equals=Measured&equalsField=workflow.name&sort=taskId');
  expect(tasks.json).toMatchObject({
    total: 2,
    results: [
      {
        taskId: 'a',
        name: 'ViewData',
        app: 'WorkFlowEngine',
        taskType: 'manual',
        workflow: { name: 'Measured' },
      },
      { taskId: 'b', name: 'stub', metrics: [expect.objectContaining({ totalErrors: 0 })] },
    ],
  });
  const page = await engine(
    'GET',
    '/tasks/metrics?limit=1&skip=1&equals=Measured&equalsField=workflow.name&sort=taskId',
  );
  expect(page.json).toMatchObject({ total: 2, results: [{ taskId: 'b' }] });
  expect((await engine('GET', '/jobs/metrics?equals=x&equalsField=nonsense')).status).toBe(400);
});

test('metrics leave out jobs that the caller does not see', async () => {
  const group = (
    (await service.send('admin', 'POST', '/authorization/groups', { group: { name: 'Closed' } })).json as {
      data: { _id: string };
    }
  ).data._id;
  await store(
    workflowOf('Secret work', { a: task('stub', { delay: 0, response: {} }) }, { groups: [group] }),
  );
  const { _id } = await start('Secret work');
  await comes(_id, 'complete');
  for (const path of ['/jobs/metrics', '/tasks/metrics']) {
    const query = `${path}?equals=Secret%20work&equalsField=workflow.name`;
    expect((await engine('GET', query)).text).toContain('Secret work');
    expect((await engine('GET', query, undefined, 'engineering')).json).toEqual({ results: [], total: 0 });
  }
});

test('comparisons are tried without a job, and what cannot be compared is rejected by its place', async () => {
  const groups = [
    {
      all_true_flag: true,
      evaluations: [
        {
          operand_1: { memory: 16 },
          query: 'memory',
          operator: '>=',
          operand_2: { task: 'static', variable: 8 },
        },
      ],
    },
  ];
  for (const path of ['/runEvaluationGroups', '/runEvaluationGroup']) {
    const tried = await engine('POST', path, { evaluation_groups: groups, all_true_flag: true }, 'support');
    expect(tried).toMatchObject({
      status: 200,
      json: { return_value: true, details: [[{ left: 16, operator: '>=', right: 8, result: true }]] },
    });
  }
  const evaluate = (evaluation: unknown) =>
    engine('POST', '/runEvaluationGroups', { evaluation_groups: [{ evaluations: [evaluation] }] });
  expect(await evaluate({ operand_1: 1, operator: '~', operand_2: 1 })).toMatchObject({
    status: 400,
    json: { issues: [{ path: ['evaluation_groups', '0', 'evaluations', '0', 'operator'] }] },
  });
  expect(
    await evaluate({ operand_1: { task: 'job', variable: 'x' }, operator: '==', operand_2: 1 }),
  ).toMatchObject({
    status: 400,
    json: { message: expect.stringContaining('no job is running') },
  });
});

test('a query is tried on a value, and finds null where there is nothing', async () => {
  const obj = { interfaces: [{ name: 'Gi0/1' }, { name: 'Gi0/2' }] };
  expect((await engine('POST', '/query', { query: 'interfaces[1].name', obj })).json).toEqual({
    return_data: 'Gi0/2',
  });
  expect((await engine('POST', '/query', { query: 'vlans', obj, pass_on_null: false })).json).toEqual({
    return_data: null,
  });
  expect((await engine('POST', '/query', { query: 'a[', obj })).status).toBe(400);
});
