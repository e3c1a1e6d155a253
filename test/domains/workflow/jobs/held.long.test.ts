import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { openJobs } from '../../../helpers/jobs/running-jobs.ts';
import { until } from '../../../helpers/processes/processes.ts';
import { kill, openProcesses } from '../../../helpers/processes/started.ts';
import { task, view, workflowOf } from '../../../helpers/workflows.ts';

/** The service answers requests; jobs are run by processes that the tests start and kill. */
const service = await openJobs({ works: false });
const { store, start, job, comes, taskComes, done } = service;
const started = openProcesses('jobs-process');
const processes = (count: number) => started.running(count, JSON.stringify(service.connection));
afterAll(started.end);

const engine = async (path: string) => {
  const answer = await service.send('admin', 'POST', `/workflow_engine${path}`);
  if (answer.status !== 200) throw new Error(answer.text);
};
const status = async () => (await service.send('admin', 'GET', '/workflow_engine/workers/status')).json;
/** Longer than any process believes what it knows of the workers. */
const noticed = () => sleep(1500);
const deeds = (ids: readonly string[]) =>
  rows<{ key: string; pid: number }>(service.db, sql`select key, pid from deeds order by at`).then((all) =>
    all.filter(({ key }) => ids.some((id) => key.startsWith(id))),
  );
const held = async (worker: string) =>
  (await rows(service.db, sql`select from held_work where worker = ${worker}`)).length;
const startMany = async (workflow: string, count: number) => {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) ids.push((await start(workflow))._id);
  return ids;
};
/** Jobs that are enough work for two processes. */
const COUNT = 60;
const traceTask = (text: string) =>
  task('stringLength', { str: text }, { length: null }, { type: 'automatic' });

beforeAll(async () => {
  await store(workflowOf('One deed', { a: traceTask('wait 100') }));
  await store(workflowOf('Asked first', { a: view(), b: traceTask('after') }));
  await store(workflowOf('Slow deed', { a: traceTask('wait 1500'), b: traceTask('after') }));
});

test('two processes begin no task while the task worker is deactivated, and both do when it is activated', async () => {
  await processes(2);
  await engine('/deactivate');
  await noticed();
  const ids = await startMany('One deed', COUNT);
  await noticed();
  expect(await deeds(ids)).toEqual([]);
  await engine('/activate');
  for (const id of ids) await comes(id, 'complete');
  const found = await deeds(ids);
  expect(found).toHaveLength(COUNT);
  expect(new Set(found.map(({ pid }) => pid)).size).toBe(2);
});

test('a task that runs when the task worker is deactivated is finished, and the one behind it waits', async () => {
  await processes(1);
  const { _id } = await start('Slow deed');
  await until('the first deed', async () => (await deeds([_id])).length === 1 || undefined);
  await engine('/deactivate');
  await taskComes(_id, 'a', 'complete');
  await noticed();
  expect(await deeds([_id])).toHaveLength(1);
  await engine('/activate');
  await comes(_id, 'complete');
  expect(await deeds([_id])).toHaveLength(2);
});

test('deactivated workers stay deactivated after a restart of every process', async () => {
  await processes(1);
  await engine('/jobWorker/deactivate');
  await engine('/deactivate');
  await started.end();
  await processes(1);
  const { _id } = await start('One deed');
  await noticed();
  expect(await deeds([_id])).toEqual([]);
  expect(await status()).toMatchObject({
    jobWorker: { running: false, clusterValue: 'disabled' },
    taskWorker: { running: false, clusterValue: 'disabled' },
  });
  await engine('/jobWorker/activate');
  await noticed();
  expect(await deeds([_id])).toEqual([]);
  await engine('/activate');
  await comes(_id, 'complete');
  expect(await deeds([_id])).toHaveLength(1);
});

test('processes that are killed while workers are held lose no job and no task', async () => {
  const [first, second] = await processes(2);
  const requested = await startMany('Asked first', 10);
  for (const id of requested) await taskComes(id, 'a', 'running');
  await engine('/jobWorker/deactivate');
  await engine('/deactivate');
  await noticed();
  const ids = await startMany('One deed', 20);
  for (const id of requested) {
    await done('POST', `/jobs/${id}/tasks/a/finish`, { taskData: { finish_state: 'success' } });
  }
  await until('some work is held', async () => (await held('job')) > 0 || undefined);
  if (first) await kill(first);
  await until(
    'all of it is held',
    async () => ((await held('job')) >= 20 && (await held('task')) >= 10) || undefined,
  );
  if (second) await kill(second);
  expect(await deeds([...ids, ...requested])).toEqual([]);
  expect(await job(String(ids[0]))).toMatchObject({ status: 'running' });
  // Asked for again while nobody works, and killed once more in the middle of it.
  await engine('/activate');
  await engine('/jobWorker/activate');
  const [third] = await processes(1);
  await until('some jobs are done', async () => (await deeds(ids)).length > 0 || undefined);
  if (third) await kill(third);
  await processes(1);
  for (const id of [...ids, ...requested]) await comes(id, 'complete');
  expect(await held('job')).toBe(0);
  expect(await held('task')).toBe(0);
  expect(new Set((await deeds([...ids, ...requested])).map(({ key }) => key)).size).toBe(30);
});
