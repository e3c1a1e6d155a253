import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import type { RunOf } from '#server/domains/workflow/jobs/execution/task-executor.ts';
import { runOf } from '#server/domains/workflow/tasks/runs.ts';
import { loop, runs, success, task, workflowOf } from '../test/helpers/workflows.ts';
import { countCpu } from './cpu.ts';
import { openJobEngine } from './job-engine.ts';

/**
 * Measures the cost of size: a loop of many elements, child jobs in sequence or in parallel, documents of 1 MB beside small
 * ones, and many jobs that wait for a user: their memory, their cost while they wait, and their effect on other jobs.
 */
const ELEMENTS = Number(process.env.BENCH_ELEMENTS ?? '10000');
const WAITING = Number(process.env.BENCH_WAITING ?? '10000');
const CHILDREN = 200;
const PARALLEL = Number(process.env.BENCH_CHILDREN ?? '10000');
const CHUNK = 1000;

const idle: RunOf = (app, name) =>
  app === 'Bench'
    ? { kind: 'effect', run: async () => ({ finish: 'success', outgoing: { ok: true } }) }
    : runOf(app, name);
const nothing = () => ({ ...task('nothing', {}, { ok: null }, { type: 'automatic' }), app: 'Bench' });
const EFFECTS = workflowOf('Effects', { a: nothing(), b: nothing(), c: nothing(), d: nothing() });
const BIG = workflowOf('Big', { a: nothing(), b: nothing(), c: nothing(), d: nothing() });
const PERSON = workflowOf('Person', { a: task('ViewData', { header: 'Go on?' }, {}, { type: 'manual' }) });
const LOOP = {
  ...workflowOf('Loop', {
    a: task(
      'forEach',
      { data_array: Array.from({ length: ELEMENTS }, (_, at) => at) },
      { current_item: null },
    ),
    b: task('newVariable', { name: 'seen', value: true }, { value: null }),
  }),
  transitions: {
    workflow_start: { a: success },
    a: { b: loop, workflow_end: success },
  },
};
// Uses a built-in task, because a child is started by name, and a workflow with an unknown task does not start.
const CHILD = workflowOf('Child', { a: task('newVariable', { name: 'seen', value: true }, { value: null }) });
const each = runs('Child');
const family = (loopType: string, length: number) =>
  workflowOf(`Family, ${loopType}`, {
    a: {
      ...each,
      variables: {
        ...each.variables,
        incoming: {
          ...each.variables?.incoming,
          loopType,
          data_array: Array.from({ length }, (_, at) => ({ at })),
        },
      },
    },
  });

const { db, start: startAtOnce, close } = await openJobEngine({ workers: 4, runs: idle });

const start: typeof startAtOnce = async (workflow, count, variables) => {
  for (let at = 0; at < count; at += CHUNK)
    await startAtOnce(workflow, Math.min(CHUNK, count - at), variables);
};
const mebibytes = () => {
  (globalThis as { gc?: () => void }).gc?.();
  return Math.round(process.memoryUsage().rss / 1024 / 1024);
};
const count = async (where: ReturnType<typeof sql>) =>
  Number((await rows<{ n: string }>(db, sql`select count(*) as n from ${where}`))[0]?.n);
const over = (name: string) => sql`jobs where name = ${name} and status = 'complete'`;
const until = async (where: ReturnType<typeof sql>, n: number) => {
  while ((await count(where)) < n) {
    if ((await count(sql`jobs where status = 'error'`)) > 0) throw new Error('a job stopped in error');
    await sleep(50);
  }
};

async function measured(what: string, run: () => Promise<unknown>): Promise<void> {
  const used = await countCpu(db);
  const began = performance.now();
  await run();
  const { own, database } = await used();
  process.stdout.write(
    `${what}: ${Math.round(performance.now() - began)} ms, CPU ${Math.round(own)} ms of ours, ${Math.round(database)} of the database\n`,
  );
}

try {
  await start(EFFECTS, 20);
  await until(over('Effects'), 20);
  await measured(`a loop of ${ELEMENTS} elements`, async () => {
    await start(LOOP, 1);
    await until(over('Loop'), 1);
  });
  await db.execute(
    sql`insert into workflows (id, doc) values ('bench-child', ${JSON.stringify({ ...CHILD, _id: 'bench-child' })}::text::jsonb)`,
  );
  await measured(`${CHILDREN} child jobs, one after another`, async () => {
    await start(family('sequential', CHILDREN), 1);
    await until(over('Family, sequential'), 1);
  });
  await measured(`${PARALLEL} child jobs, all at once`, async () => {
    await start(family('parallel', PARALLEL), 1);
    await until(over('Family, parallel'), 1);
  });
  await measured('100 jobs of 4 effects, alone', async () => {
    await start(EFFECTS, 100);
    await until(over('Effects'), 120);
  });
  const big = Object.fromEntries(
    Array.from({ length: 10 }, (_, at) => [`text${at}`, randomBytes(50_000).toString('hex')]),
  );
  await start(BIG, 4, big);
  await measured('100 jobs of 4 effects, beside 4 of 1 MB', async () => {
    await start(EFFECTS, 100);
    await until(over('Effects'), 220);
  });
  await until(over('Big'), 4);
  const before = mebibytes();
  await measured(`${WAITING} jobs come to wait for a person`, async () => {
    await start(PERSON, WAITING);
    await until(sql`job_tasks where status = 'running' and type = 'manual'`, WAITING);
  });
  process.stdout.write(
    `memory of the process: ${before} MiB before, ${mebibytes()} with all of them waiting\n`,
  );
  await measured('20 s while they wait', () => sleep(20_000));
  await measured('100 jobs of 4 effects, beside those that wait', async () => {
    await start(EFFECTS, 100);
    await until(over('Effects'), 320);
  });
} finally {
  await close();
}
