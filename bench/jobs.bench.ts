import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import type { Task } from '#db/schemas/workflow/task.ts';
import type { RunOf } from '#server/domains/workflow/jobs/execution/task-executor.ts';
import { runOf } from '#server/domains/workflow/tasks/runs.ts';
import { task, workflowOf } from '../test/helpers/workflows.ts';
import { countCpu } from './cpu.ts';
import { openJobEngine } from './job-engine.ts';
import { timeGraphile } from './jobs-peer.ts';

/**
 * Measures the cost of jobs: tasks per second when each has an effect, and on the mix of real workflows (half of the tasks
 * only compute values), both with the job's document written, with graphile-worker for comparison if PEERS_NODE names a
 * folder that has it; and the time per task of a single job. BENCH_JOBS changes the number of jobs.
 */
const JOBS = Number(process.env.BENCH_JOBS ?? '500');

/** Runs effects that do nothing, so that only the work around them is measured. */
const idle: RunOf = (app, name) =>
  app === 'Bench'
    ? { kind: 'effect', run: async () => ({ finish: 'success', outgoing: { ok: true } }) }
    : runOf(app, name);

const effect = (): Task => ({ ...task('nothing', {}, { ok: null }, { type: 'automatic' }), app: 'Bench' });
const pure = (at: number): Task => task('newVariable', { name: `v${at}`, value: at }, { value: null });
const chain = (name: string, kinds: readonly ('effect' | 'pure')[]) =>
  workflowOf(
    name,
    Object.fromEntries(
      kinds.map((kind, at) => [(at + 1).toString(16), kind === 'effect' ? effect() : pure(at)]),
    ),
  );
const EFFECTS = chain(
  'Effects',
  Array.from({ length: 8 }, () => 'effect' as const),
);
const MIX = chain('Mix', ['pure', 'effect', 'pure', 'pure', 'effect', 'pure', 'effect', 'effect']);

const { db, connection, start, close } = await openJobEngine({ workers: 16, runs: idle });

async function timed(flow: ReturnType<typeof chain>, count: number): Promise<number> {
  const began = performance.now();
  await start(flow, count);
  for (;;) {
    // Cheap: it finds a running job at once, or few enough jobs are left to look through.
    const [left] = await rows<{ any: boolean }>(
      db,
      sql`select exists (select from jobs where status = 'running') as any`,
    );
    if (!left?.any) break;
    await sleep(20);
  }
  const ms = performance.now() - began;
  const [failed] = await rows<{ error: unknown }>(
    db,
    sql`select doc -> 'error' as error from jobs where status <> 'complete' limit 1`,
  );
  // Jobs that fail early are fast, and would distort the measurement.
  if (failed) throw new Error(`A job of ${flow.name} did not complete: ${JSON.stringify(failed.error)}`);
  return ms;
}

try {
  await timed(MIX, 50);
  for (const flow of [EFFECTS, MIX]) {
    const tasks = Object.keys(flow.tasks).length - 2;
    const used = await countCpu(db);
    const ms = await timed(flow, JOBS);
    const { own, database } = await used();
    const done = JOBS * tasks;
    const rate = Math.round((done * 1000) / ms);
    process.stdout.write(
      `${flow.name}: ${JOBS} jobs of ${tasks} tasks in ${Math.round(ms)} ms, ${rate} tasks/s; CPU a task: ` +
        `${(own / done).toFixed(2)} ms of ours, ${(database / done).toFixed(2)} of the database: ` +
        `${Math.round(2000 / ((own + database) / done))} tasks/s on two cores to itself\n`,
    );
  }
  const peer = await timeGraphile({ connection, db }, { jobs: JOBS, tasks: 8, atOnce: 64 });
  process.stdout.write(
    peer
      ? `graphile-worker, the same effects by hand: ${Math.round((JOBS * 8000) / peer.ms)} tasks/s; CPU a task: ` +
          `${(peer.own / JOBS / 8).toFixed(2)} ms of its process, ${(peer.database / JOBS / 8).toFixed(2)} of the database\n`
      : 'graphile-worker: not compared (PEERS_NODE names no folder that has it)\n',
  );
  const alone: number[] = [];
  for (let at = 0; at < 20; at++) alone.push((await timed(EFFECTS, 1)) / 8);
  alone.sort((a, b) => a - b);
  process.stdout.write(`one job alone: ${(alone[10] ?? 0).toFixed(1)} ms a task (median of 20)\n`);
} finally {
  await close();
}
