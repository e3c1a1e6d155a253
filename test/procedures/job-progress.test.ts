import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { sql } from '#db/statement.ts';
import type { Role } from '#server/kernel/roles.ts';
import { type Event, listenTo } from '../helpers/jobs/events.ts';
import { isLong } from '../helpers/long.ts';
import { createGroup } from '../helpers/people.ts';
import { unique } from '../helpers/procedures.ts';
import { openSibling } from '../helpers/processes/sibling.ts';
import { openService } from '../helpers/service.ts';
import { loop, success, task, view, workflowOf } from '../helpers/workflows.ts';

const service = await openService({}, { works: true });
const sibling = await openSibling(service);
const { automationStudio, operationsManager } = await service.as('admin');

type Changed = { task: string; status: string; start_time: number | null; end_time: number | null };

const variable = (name: string) => task('newVariable', { name, value: 1 }, { value: null });

/** Starts a job that waits for a user before its automatic tasks. */
async function startWaiting(tasks: Record<string, ReturnType<typeof variable>>, more = {}, variables = {}) {
  const name = unique('Followed');
  await automationStudio.createWorkflow({ automation: workflowOf(name, { a0: view(), ...tasks }, more) });
  const { data } = await operationsManager.startJob({ workflow: name, options: { variables } });
  const jobId = data._id ?? '';
  await expect
    .poll(async () => (await operationsManager.getJob({ jobId })).data.tasks?.a0?.status)
    .toBe('running');
  return jobId;
}

const finish = (jobId: string, taskId = 'a0') =>
  operationsManager.finishTask({ jobId, taskId, taskData: { finish_state: 'success' } } as never);

async function follow(query: string, { as = 'admin' as Role, url = service.url } = {}) {
  const { token } = await service.callerWith(as);
  const reader = await listenTo(url, { token, query });
  if (reader.status === 200) await reader.begun();
  return reader;
}

const isProgress = ({ topic }: Event) => topic === 'jobProgressed';
const tasksOf = (events: readonly Event[]) => events.flatMap(({ payload }) => payload.tasks as Changed[]);

/** Waits until a reader knows that these tasks have completed. */
const untilComplete = (reader: Awaited<ReturnType<typeof follow>>, ids: readonly string[]) =>
  expect
    .poll(
      () =>
        tasksOf(reader.events().filter(isProgress))
          .filter(({ status }) => status === 'complete')
          .map(({ task: id }) => id),
      { timeout: 20_000 },
    )
    .toEqual(expect.arrayContaining([...ids]));

test('every step of a followed job reaches its streams at any process, and is not stored', async () => {
  const jobId = await startWaiting({ a1: variable('one'), a2: variable('two') });
  const here = await follow(`?progress=${jobId}&topics=jobCompleted`);
  const there = await follow(`?progress=${jobId}&topics=jobCompleted`, { url: sibling.url });
  const other = await follow('');
  await finish(jobId);
  for (const reader of [here, there]) {
    await untilComplete(reader, ['a0', 'a1', 'a2', 'workflow_end']);
    const [completed] = await reader.reported(1, ({ topic }) => topic === 'jobCompleted');
    expect(completed?.payload._id).toBe(jobId);
    const steps = reader.events().filter(isProgress);
    expect(steps.at(-1)?.payload).toMatchObject({ _id: jobId, status: 'complete', progress: 1 });
    const a1 = tasksOf(steps).findLast(({ task: id }) => id === 'a1');
    expect(a1).toEqual({
      task: 'a1',
      status: 'complete',
      start_time: expect.any(Number),
      end_time: expect.any(Number),
      finish_state: 'success',
      owner: null,
    });
    reader.cut();
  }
  await other.reported(1, ({ topic, payload }) => topic === 'jobCompleted' && payload._id === jobId);
  expect(other.events().filter(isProgress)).toEqual([]);
  other.cut();
  expect(await rows(service.db, sql`select id from events where topic = 'jobProgressed'`)).toEqual([]);
});

test('a step that changes many tasks arrives in several events', async () => {
  const ids = Array.from({ length: 90 }, (_, n) => `b${n}`);
  const transitions = {
    workflow_start: { a0: success },
    a0: Object.fromEntries(ids.map((id) => [id, success])),
    ...Object.fromEntries(ids.map((id) => [id, { workflow_end: success }])),
    workflow_end: {},
  };
  const tasks = Object.fromEntries(ids.map((id) => [id, variable(id)]));
  const jobId = await startWaiting(tasks, { transitions });
  const reader = await follow(`?progress=${jobId}`);
  await finish(jobId);
  await untilComplete(reader, ids);
  expect(Math.max(...reader.blocks.map(({ data }) => data.length))).toBeLessThan(8000);
  reader.cut();
});

/** How many rows of tasks the database has written and read since it was created. */
async function taskRows(): Promise<{ written: number; read: number }> {
  const [row] = await rows<{ written: string; read: string }>(
    service.db,
    sql`select (n_tup_ins + n_tup_upd)::text as written, (seq_tup_read + coalesce(idx_tup_fetch, 0))::text as read
        from pg_stat_user_tables where relname = 'job_tasks'`,
  );
  return { written: Number(row?.written), read: Number(row?.read) };
}

test.skipIf(!isLong)(
  'a step of a followed job reads the iterations that it wrote, and not all that the job has',
  async () => {
    // Enough rows for an index: PostgreSQL reads a small table as a whole.
    const many = 500;
    const jobId = await startWaiting(
      {
        b1: task('forEach', { data_array: '$var.job.list' }, { current_item: null }),
        b2: variable('each'),
        b3: view(),
        b4: variable('one'),
        b5: variable('two'),
      },
      {
        transitions: {
          workflow_start: { a0: success },
          a0: { b1: success },
          b1: { b2: loop, b3: success },
          b2: {},
          b3: { b4: success },
          b4: { b5: success },
          b5: { workflow_end: success },
          workflow_end: {},
        },
      },
      { list: Array.from({ length: many }, (_, n) => n) },
    );
    await finish(jobId);
    await expect
      .poll(async () => (await operationsManager.getJob({ jobId })).data.tasks?.b3?.status, {
        timeout: 30_000,
      })
      .toBe('running');
    const reader = await follow(`?progress=${jobId}`);
    // PostgreSQL reports what a session has done when it has been idle for ten seconds: that must not count below.
    let before = { written: 0, read: 0 };
    await expect
      .poll(
        async () => {
          const now = await taskRows();
          const isSettled = now.written === before.written && now.read === before.read && now.written > many;
          before = now;
          return isSettled;
        },
        { interval: 11_000 },
      )
      .toBe(true);
    await finish(jobId, 'b3');
    await untilComplete(reader, ['b3', 'b4', 'b5', 'workflow_end']);
    let after = before;
    await expect
      .poll(
        async () => {
          after = await taskRows();
          return after.written - before.written;
        },
        { timeout: 30_000 },
      )
      .toBeGreaterThanOrEqual(4);
    expect(after.read - before.read).toBeLessThan(many);
    reader.cut();
  },
);

test('a job that no stream follows publishes no step', async () => {
  const jobId = await startWaiting({ a1: variable('one') });
  const followed = await startWaiting({ a1: variable('one') });
  const reader = await follow(`?progress=${followed}`);
  await finish(jobId);
  await reader.reported(1, ({ topic, payload }) => topic === 'jobCompleted' && payload._id === jobId);
  const [row] = await rows<{ n: string }>(
    service.db,
    sql`select count(*)::text as n from jobs where followed_until is not null and id = ${jobId}`,
  );
  expect(row?.n).toBe('0');
  expect(reader.events().filter(isProgress)).toEqual([]);
  // Notifications that were missed: the reader is asked to read the job again.
  service.platform.events.passOn();
  const [unknown] = await reader.reported(1, isProgress);
  expect(unknown?.payload).toEqual({ _id: followed });
  reader.cut();
});

test('steps reach only those who may read the job, also after it was restricted', async () => {
  const jobId = await startWaiting({ a1: variable('one'), a2: view(), a3: variable('two') });
  const reader = await follow(`?progress=${jobId}`, { as: 'support' });
  await finish(jobId);
  await untilComplete(reader, ['a1']);
  const group = await createGroup(service);
  await operationsManager.setJobGroups({ jobId, groups: [group] } as never);
  const before = reader.events().filter(isProgress).length;
  const admin = await follow(`?progress=${jobId}`);
  const rejected = await follow(`?progress=${jobId}`, { as: 'support' });
  await operationsManager.finishTask({
    jobId,
    taskId: 'a2',
    taskData: { finish_state: 'success' },
  } as never);
  await untilComplete(admin, ['a3']);
  expect(reader.events().filter(isProgress)).toHaveLength(before);
  expect(rejected.events().filter(isProgress)).toEqual([]);
  for (const one of [reader, admin, rejected]) one.cut();
});

test('an unknown job is ignored, and too many are rejected', async () => {
  const reader = await follow('?progress=65f0c1d2e3a4b5c6d7e8f901');
  expect(reader.status).toBe(200);
  reader.cut();
  const many = Array.from({ length: 101 }, () => 'progress=65f0c1d2e3a4b5c6d7e8f901').join('&');
  const { status, json } = await service.send('admin', 'GET', `/events?${many}`);
  expect(status).toBe(400);
  expect(JSON.stringify(json)).toContain('progress');
});
