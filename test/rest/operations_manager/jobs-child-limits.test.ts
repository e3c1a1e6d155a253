import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Job } from '#db/schemas/workflow/job.ts';
import type { Task } from '#db/schemas/workflow/task.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { isLong } from '../../helpers/long.ts';
import {
  onError,
  runs,
  success,
  task,
  traceTask,
  variable,
  view,
  workflowOf,
} from '../../helpers/workflows.ts';

const service = await openJobs();
const { done, store, start, comes, until } = service;

/** A childJob task that runs a workflow for each element of the job's variable `list`. */
function runsEach(workflow: string, more: Record<string, unknown> = {}): Task {
  const one = runs(workflow);
  const incoming = {
    ...one.variables?.incoming,
    loopType: 'parallel',
    data_array: '$var.job.list',
    ...more,
  };
  return { ...one, variables: { ...one.variables, incoming } };
}

const childrenOf = (id: string) =>
  done<Job[]>('GET', `/jobs?equals[parent.job]=${id}&sort=metrics.start_time&limit=100`);
const progressIs = (id: string, progress: number) =>
  until(id, ({ metrics }) => metrics?.progress === progress);
const finish = (id: string) =>
  done('POST', `/jobs/${id}/tasks/a/finish`, { taskData: { finish_state: 'success' } });

/** The child jobs once as many of them wait for a person. */
async function waiting(parent: string, count: number): Promise<string[]> {
  await until(parent, ({ tasks }) => tasks.a?.status === 'running');
  for (;;) {
    const children = await childrenOf(parent);
    if (children.length === count) {
      for (const { _id } of children) await until(_id, ({ tasks }) => tasks.a?.status === 'running');
      return children.map(({ _id }) => _id);
    }
    await sleep(50);
  }
}

test('the progress of a job counts the child jobs that have ended, in the job and in lists', async () => {
  await store(workflowOf('Asks', { a: view() }));
  await store(workflowOf('Asks all', { a: runsEach('Asks') }));
  const { _id } = await start('Asks all', { list: [{}, {}, {}, {}] });
  const [first, second] = (await waiting(_id, 4)) as [string, string];
  expect((await service.job(_id)).metrics?.progress).toBe(0.333);
  await finish(first);
  await progressIs(_id, 0.417);
  await finish(second);
  await progressIs(_id, 0.5);
  const [listed] = await done<Job[]>('GET', `/jobs?equals[_id]=${_id}`);
  expect(listed?.metrics?.progress).toBe(0.5);
});

test('the progress of a job counts what its child jobs have done of child jobs of their own', async () => {
  await store(workflowOf('Leaf', { a: view() }));
  await store(workflowOf('Branch', { a: runsEach('Leaf') }));
  await store(
    workflowOf('Root', { a: runs('Branch', { list: { task: 'job', variable: 'list', value: 'list' } }) }),
  );
  const { _id } = await start('Root', { list: [{}, {}] });
  const [branch] =
    (await until(_id, ({ tasks }) => tasks.a?.status === 'running')) && (await childrenOf(_id));
  const [first, second] = (await waiting(String(branch?._id), 2)) as [string, string];
  await finish(first);
  // Half of the branch's one task of three, which is half of the branch, which is the root's one task of three.
  expect((await progressIs(String(branch?._id), 0.5)).status).toBe('running');
  await progressIs(_id, 0.5);
  await finish(second);
  expect((await comes(_id, 'complete')).metrics?.progress).toBe(1);
});

test.skipIf(!isLong)(
  'a child job that exceeds its time limit is canceled, and its task follows the error transition',
  async () => {
    await store(workflowOf('Reaches', { a: traceTask('fail') }));
    await store(
      workflowOf('Waits', { a: task('delay', { time: '$var.job.wait' }, { time_in_milliseconds: null }) }),
    );
    const goesOn = {
      transitions: {
        workflow_start: { a: success },
        a: { b: success, c: onError },
        b: { workflow_end: success },
        c: { workflow_end: success },
      },
    };
    const ends = { b: variable('ended', 'well'), c: variable('ended', 'late') };
    await store(workflowOf('Limits errors', { a: runsEach('Reaches', { timeLimit: 1 }), ...ends }, goesOn));
    const limited = runsEach('Waits', { timeLimit: '$var.job.limit' });
    await store(workflowOf('Limits waits', { a: limited, ...ends }, goesOn));

    const inError = await start('Limits errors', { list: [{}, {}] });
    const over = await comes(inError._id, 'complete');
    expect(over.variables).toMatchObject({ ended: 'late' });
    expect(over.error?.[0]?.message).toBe(
      '2 of 2 child jobs were canceled, 2 of them because they took longer than their time limit',
    );
    const details = over.tasks.a?.variables?.outgoing?.job_details as { loop: Record<string, unknown>[] };
    expect(details.loop).toMatchObject([{ status: 'canceled' }, { status: 'canceled' }]);

    const { _id } = await start('Limits waits', { list: [{ wait: 0 }, { wait: 600 }], limit: 2 });
    const late = await comes(_id, 'complete');
    const children = await childrenOf(_id);
    const [first, second] = [0, 1].map((at) => children.find(({ parent }) => parent?.element === at)?._id);
    expect(late.error?.[0]?.message).toBe(
      `Child job ${second} was canceled: it took longer than its time limit`,
    );
    const canceled = await service.job(String(second));
    expect(canceled).toMatchObject({
      status: 'canceled',
      timedOut: true,
      tasks: { a: { status: 'canceled' } },
    });
    expect(canceled.error).toMatchObject([
      { task: 'time_limit', message: 'Canceled: took longer than its time limit of 2 s' },
    ]);
    expect((await service.job(String(first))).status).toBe('complete');
  },
);

test('a time limit that is none is an error of the workflow, or of its task', async () => {
  await store(workflowOf('Any', { a: variable('x', 1) }));
  const made = await store(workflowOf('Bad limit', { a: { ...runsEach('Any', { timeLimit: -5 }) } }));
  const message = 'must be a number of seconds, more than 0 and up to 31536000';
  expect(made.errors).toMatchObject([{ task: 'a', message: `variables.incoming.timeLimit: ${message}` }]);
  await store(workflowOf('Given limit', { a: runsEach('Any', { timeLimit: '$var.job.limit' }) }));
  const { _id } = await start('Given limit', { list: [{}], limit: 0 });
  expect((await comes(_id, 'error')).error?.[0]?.message).toBe(`timeLimit ${message}`);
});
