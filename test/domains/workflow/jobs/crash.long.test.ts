import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction, isUnavailable, rows } from '#db/client.ts';
import { wholeJob } from '#db/tables/workflow/jobs.ts';
import { insertJobs } from '#server/domains/workflow/jobs/store/new-job.service.ts';
import { keepPlan } from '#server/domains/workflow/jobs/store/plans.service.ts';
import { openDeafProxy } from '../../../helpers/processes/deaf-proxy.ts';
import { until } from '../../../helpers/processes/processes.ts';
import { kill, openProcesses } from '../../../helpers/processes/started.ts';
import { openService } from '../../../helpers/service.ts';
import {
  loop,
  onError,
  revert,
  runs,
  success,
  task,
  variable,
  workflowOf,
} from '../../../helpers/workflows.ts';

const service = await openService();
const actingAccount = (await service.callerWith('admin')).caller.id;
const { db } = service;
const started = openProcesses('jobs-process');

const traceTask = (ms: number) =>
  task('stringLength', { str: `wait ${ms}` }, { length: null }, { type: 'automatic' });
const compare = (variable: string, value: number) =>
  task(
    'evaluation',
    {
      all_true_flag: true,
      evaluation_groups: [
        {
          all_true_flag: true,
          evaluations: [
            {
              operand_1: { task: 'job', variable },
              operator: '>=',
              operand_2: { task: 'static', variable: value },
            },
          ],
        },
      ],
    },
    { return_value: null },
  );
const push = (variable: string, item: unknown) =>
  task('push', { job_variable: variable, item_to_push: item }, { job_variable_value: null });

/** Large enough that the list of them is stored apart from the row of its job. */
const ROUND = 'round '.repeat(4000);

/** Fork and join, a revert transition taken twice, a loop over three elements, and a child job: with the child's, 12 deeds. */
const child = workflowOf('Crash child', { a: traceTask(3), b: traceTask(3) });
const parent = {
  ...workflowOf('Crash parent', {
    a: variable('rounds', []),
    b: traceTask(5),
    c: traceTask(5),
    d: traceTask(5),
    e: push('rounds', ROUND),
    f: task('arrayLength', { arr: '$var.job.rounds' }, { length: '$var.job.count' }),
    '10': compare('count', 2),
    '11': task('forEach', { data_array: [1, 2, 3] }, { current_item: null }),
    '12': traceTask(3),
    '13': runs('Crash child'),
    '14': variable('done', true),
  }),
  transitions: {
    workflow_start: { a: success },
    a: { b: success },
    b: { c: success, d: success },
    c: { e: success },
    d: { e: success },
    e: { f: success },
    f: { '10': success },
    '10': { '11': success, b: revert('failure') },
    '11': { '12': loop, '13': success },
    '13': { '14': success, workflow_end: onError },
    '14': { workflow_end: success },
  },
};
const DEEDS = 2 * 3 + 3 + 2;

beforeAll(async () => {
  await db.execute(sql`create table deeds (key text, pid int, at timestamptz default clock_timestamp())`);
  for (const automation of [child, parent]) {
    await service.send('admin', 'POST', '/automation-studio/automations', { automation });
  }
});
afterAll(started.end);

/** Two processes that run jobs: those that an earlier test left, where it left any. */
const twoProcesses = () => started.running(2, JSON.stringify(service.connection));

async function start(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const { json } = await service.send('admin', 'POST', '/operations-manager/jobs/start', {
      workflow: 'Crash parent',
    });
    ids.push((json as { data: { _id: string } }).data._id);
  }
  return ids;
}

const total = async () => Number((await rows<{ n: string }>(db, sql`select count(*) as n from deeds`))[0]?.n);
const left = async () =>
  rows<{ id: string; name: string; status: string; error: string }>(
    db,
    sql`select id, name, status, (doc -> 'error')::text as error from jobs where status <> 'complete' order by id`,
  );

/** Everything came to its end, every task was done, and none again after it had been settled. */
async function assertWhole(jobs: number): Promise<void> {
  const unlessAway = (error: unknown) => (isUnavailable(error) ? undefined : Promise.reject(error));
  await until(
    'all jobs complete',
    () => left().then((jobs) => (jobs.length === 0 ? true : undefined), unlessAway),
    60,
  ).catch(async (error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(await left())}`);
  });
  const deeds = await rows<{ key: string; late: boolean }>(
    db,
    sql`select deeds.key, extract(epoch from deeds.at) * 1000 > (t.doc #>> '{metrics,end_time}')::float8 + 2 as late
        from deeds join job_tasks t on t.id = split_part(deeds.key, '/', 3)`,
  );
  expect(new Set(deeds.map(({ key }) => key)).size).toBe(jobs * DEEDS);
  expect(deeds.filter(({ late }) => late)).toEqual([]);
  const wrong = await rows(
    db,
    sql`select id, doc -> 'variables' from (select id, name, ${wholeJob(sql`jobs`)} as doc from jobs) as whole
        where name = 'Crash parent' and (doc #>> '{variables,done}' is distinct from 'true'
          or doc #> '{variables,rounds}' is distinct from ${JSON.stringify([ROUND, ROUND])}::text::jsonb)`,
  );
  expect(wrong).toEqual([]);
}

test('jobs survive kill -9 of the processes that run them: none is lost, and no completed task is done again', async () => {
  const processes = await twoProcesses();
  let jobs = 0;
  for (const round of [0, 1, 2]) {
    const before = await total();
    await start(12);
    jobs += 12;
    await until('work is under way', async () =>
      (await total()) > before + 20 + round * 20 ? true : undefined,
    );
    const doomed = processes[round % 2];
    if (doomed) await kill(doomed);
    processes.splice(0, 2, ...(await twoProcesses()));
  }
  await assertWhole(jobs);
});

test('jobs survive a process that hangs for a while, and the loss of every connection', async () => {
  const before = await rows<{ n: string }>(
    db,
    sql`select count(*) as n from jobs where name = 'Crash parent'`,
  );
  const [hanging] = await twoProcesses();
  await start(8);
  const known = await total();
  await until('work is under way', async () => ((await total()) > known + 10 ? true : undefined));
  hanging?.kill('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  hanging?.kill('SIGCONT');
  await start(8);
  await until('work continues', async () => ((await total()) > known + 60 ? true : undefined));
  await db
    .execute(
      sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`,
    )
    .catch(() => undefined);
  await assertWhole(Number(before[0]?.n) + 16);
});

/** A job of tasks that must not be done twice: each leaves a deed. */
async function startUnsafe(...texts: string[]): Promise<string> {
  const steps = texts.map((str, at) => [`a${at}`, { ...task('push button', { str }), app: 'Unsafe' }]);
  const flow = workflowOf('Unsafe', Object.fromEntries(steps));
  const [made] = await inTransaction(db, async (tx) =>
    insertJobs({ db: tx, platform: service.platform }, [
      {
        workflow: flow,
        planId: await keepPlan(tx, flow),
        projectId: null,
        variables: {},
        groups: [],
        account: null,
        actingAccount,
        initiator: 'test',
      },
    ]),
  );
  return String(made?.head._id);
}
const deedsOf = (id: string) =>
  rows<{ key: string; pid: number }>(db, sql`select key, pid from deeds where starts_with(key, ${id})`);
const jobOver = (id: string) =>
  until(
    'the work has finished',
    async () => {
      const [found] = await rows<{ status: string; error: string | null }>(
        db,
        sql`select status, doc #>> '{error,0,message}' as error from jobs where id = ${id} and status <> 'running'`,
      );
      return found;
    },
    30,
  );

test('a task that must not be done twice ends in error when its process is lost while it runs', async () => {
  const id = await startUnsafe('wait 60000');
  const processes = await twoProcesses();
  const traceTask = await until('it runs', async () => (await deedsOf(id))[0]);
  const doomed = processes.find(({ pid }) => pid === traceTask.pid);
  if (!doomed) throw new Error(`it runs in ${traceTask.pid}, which is none of ours`);
  await kill(doomed);
  expect(await jobOver(id)).toEqual({ status: 'error', error: 'interrupted, outcome unknown' });
  expect(await deedsOf(id)).toHaveLength(1);
});

test('a task that must not be done twice is done when the connection is cut in the place of the commit before it', async () => {
  await started.end();
  const proxy = await openDeafProxy(service.connection);
  const process = await started.start(JSON.stringify(proxy.connection));
  // The start of the job, and the end of each task: what the record of the work holds.
  proxy.hush('{"next":', 3);
  const id = await startUnsafe('first', 'second');
  expect(await jobOver(id)).toEqual({ status: 'complete', error: null });
  expect(proxy.left()).toBe(0);
  expect(await deedsOf(id)).toHaveLength(2);
  await kill(process, 'SIGTERM');
  await proxy.close();
});
