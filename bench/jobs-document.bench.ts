import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import type { Task } from '#db/schemas/workflow/task.ts';
import type { RunOf } from '#server/domains/workflow/jobs/execution/task-executor.ts';
import { runOf } from '#server/domains/workflow/tasks/runs.ts';
import { task, workflowOf } from '../test/helpers/workflows.ts';
import { countCpu } from './cpu.ts';
import { openJobEngine } from './job-engine.ts';

/**
 * Measures what the size of a job's document costs: a job of 50 tasks with variables of 1 MB beside the same job with small
 * ones; the WAL and the CPU of each task, and how much longer 200 small jobs and reads of their list take beside it. Every
 * fifth task receives a variable of 100 KB, and replaces it by its result. BENCH_ROUNDS changes the number of rounds, of
 * which the median counts.
 */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? '5');
const TASKS = 50;
const SMALL_JOBS = 200;
const VARIABLES = 10;
const LARGE = 100_000;
const SMALL = 20;
/** Pause between two reads of the list, in milliseconds. */
const READ_PAUSE = 10;

const benchTask: RunOf = (app, name) =>
  app === 'Bench'
    ? { kind: 'effect', run: async ({ value }) => ({ finish: 'success', outgoing: { value: again(value) } }) }
    : runOf(app, name);

/** Returns a value as a device would send it again: equal, and none of the objects that were passed. */
const again = (value: unknown) => structuredClone(value ?? null);

const step = (at: number): Task => {
  const variable = at % 5 === 0 ? `$var.job.v${(at / 5) % VARIABLES}` : undefined;
  return {
    ...task('again', variable ? { value: variable } : {}, { value: variable ?? null }, { type: 'automatic' }),
    app: 'Bench',
  };
};
const flowOf = (name: string, tasks: number) =>
  workflowOf(
    name,
    Object.fromEntries(Array.from({ length: tasks }, (_, at) => [(at + 1).toString(16), step(at)])),
  );
const CARRIER = flowOf('Carrier', TASKS);
const SHORT = workflowOf('Short', { 1: step(1), 2: step(2), 3: step(3), 4: step(4) });

/** Variables of a job, each with this many characters: half of them one text, half of them a list of interfaces. */
function variablesOf(length: number) {
  const one = { name: 'GigabitEthernet0/0/0', description: 'to the core', enabled: true, mtu: 9000 };
  return Object.fromEntries(
    Array.from({ length: VARIABLES }, (_, at) => [
      `v${at}`,
      at % 2 === 0
        ? randomBytes(length / 2).toString('hex')
        : Array.from({ length: Math.ceil(length / 95) }, (_line, n) => ({ ...one, index: n })),
    ]),
  );
}

const { db, start, close } = await openJobEngine({ workers: 4, runs: benchTask });

const running = async (name: string) => {
  const [found] = await rows<{ n: number; failed: number }>(
    db,
    sql`select count(*) filter (where status = 'running')::int as n,
      count(*) filter (where status = 'error')::int as failed from jobs where name = ${name}`,
  );
  if (!found || found.failed > 0) throw new Error(`a job of ${name} did not complete`);
  return found.n;
};
async function ended(name: string): Promise<void> {
  while ((await running(name)) > 0) await sleep(20);
}
const walPosition = async () => {
  const [found] = await rows<{ at: string }>(
    db,
    sql`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as at`,
  );
  return Number(found?.at);
};
const median = (numbers: readonly number[]) =>
  [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;

type Alone = { wal: number; own: number; database: number; ms: number };
async function alone(length: number): Promise<Alone> {
  const variables = variablesOf(length);
  const [used, wal, began] = [await countCpu(db), await walPosition(), performance.now()];
  await start(CARRIER, 1, variables);
  await ended('Carrier');
  const ms = performance.now() - began;
  const { own, database } = await used();
  return {
    wal: ((await walPosition()) - wal) / TASKS,
    own: own / TASKS,
    database: database / TASKS,
    ms: ms / TASKS,
  };
}

/** Returns the time of the small jobs, the median and the longest of the reads beside them, and the CPU of it all. */
async function beside(length: number | null) {
  const variables = length === null ? null : variablesOf(length);
  const [used, began] = [await countCpu(db), performance.now()];
  if (variables) await start(CARRIER, 1, variables);
  await start(SHORT, SMALL_JOBS);
  const reads: number[] = [];
  let done = false;
  const reading = (async () => {
    while (!done) {
      const asked = performance.now();
      await rows(
        db,
        sql`select doc::text from jobs where name = 'Short' order by start_time desc, id limit 25`,
      );
      reads.push(performance.now() - asked);
      await sleep(READ_PAUSE);
    }
  })();
  await ended('Short');
  const ms = performance.now() - began;
  done = true;
  await reading;
  await ended('Carrier');
  const { own, database } = await used();
  reads.sort((one, other) => one - other);
  return { ms, read: median(reads), slow: reads[Math.floor(reads.length * 0.95)] ?? 0, cpu: own + database };
}

const rounds = async <T extends Record<string, number>>(run: () => Promise<T>): Promise<T> => {
  const all: T[] = [];
  for (let round = 0; round < ROUNDS; round += 1) all.push(await run());
  const names = Object.keys(all[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, median(all.map((one) => one[name] ?? 0))])) as T;
};

try {
  await beside(SMALL);
  await alone(LARGE);
  const small = await rounds(() => alone(SMALL));
  const large = await rounds(() => alone(LARGE));
  for (const [name, one] of Object.entries({ 'small variables': small, 'variables of 1 MB': large })) {
    process.stdout.write(
      `a job of ${TASKS} tasks, ${name}: a task ${one.ms.toFixed(1)} ms, ${Math.round(one.wal / 1024)} KiB of WAL, ` +
        `CPU ${one.own.toFixed(1)} ms of ours, ${one.database.toFixed(1)} of the database\n`,
    );
  }
  process.stdout.write(
    `ratio: WAL ${(large.wal / small.wal).toFixed(1)}, CPU ${((large.own + large.database) / (small.own + small.database)).toFixed(1)}\n`,
  );
  const without = await rounds(() => beside(SMALL));
  const withIt = await rounds(() => beside(LARGE));
  for (const [name, one] of Object.entries({
    'a job of small variables': without,
    'a job of 1 MB': withIt,
  })) {
    process.stdout.write(
      `${SMALL_JOBS} small jobs beside ${name}: ${Math.round(one.ms)} ms, a page of 25 in ${one.read.toFixed(1)} ms ` +
        `(95 of 100 within ${one.slow.toFixed(1)}), CPU ${Math.round(one.cpu)} ms\n`,
    );
  }
  process.stdout.write(
    `ratio: time ${(withIt.ms / without.ms).toFixed(2)}, page ${(withIt.read / without.read).toFixed(2)}, CPU ${(withIt.cpu / without.cpu).toFixed(2)}\n`,
  );
} finally {
  await close();
}
