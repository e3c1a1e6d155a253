import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { inTransaction, openDatabase, rows } from '#db/client.ts';
import { insert } from '#db/collection.ts';
import { openEmbedded } from '#db/embedded.ts';
import { newId } from '#db/ids.ts';
import { migrate } from '#db/migrate.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import { workflows } from '#db/tables/assets/assets.ts';
import { wholeJob } from '#db/tables/workflow/jobs.ts';
import { insertJobs } from '#server/domains/workflow/jobs/store/new-job.service.ts';
import { keepPlan } from '#server/domains/workflow/jobs/store/plans.service.ts';
import { durable } from '#server/durable/requests.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';
import { commandOf } from '../test/lab/programs.ts';
import { storeAdmin } from './account.ts';
import { childFlow, randomFlow, randomOf, type SoakFlow } from './soak-flows.ts';

/**
 * Kills processes that run jobs, repeatedly and at random instants, and counts the damage: lost jobs, tasks repeated after
 * they were settled, wrong documents. `node --import tsx bench/jobs-soak.ts`; SOAK_ROUNDS and SOAK_MINUTES limit it,
 * SOAK_SEED selects other workflows. Exits with 1 when anything was wrong.
 */
const ROUNDS = Number(process.env.SOAK_ROUNDS ?? '1000');
const MINUTES = Number(process.env.SOAK_MINUTES ?? '20');
const SEED = Number(process.env.SOAK_SEED ?? '1');
/** Processes that work at once; replacements start meanwhile, so that rounds need not wait for them. */
const PROCESSES = Number(process.env.SOAK_PROCESSES ?? '2');
const FLOWS = 40;
/** Jobs under way at once, not counting child jobs. */
const UNDER_WAY = 30;
/** Time limit for the remaining jobs after the last kill. */
const LAST_MS = 180_000;

const random = randomOf(SEED);
const folder = await mkdtemp(join(tmpdir(), 'switchyard-soak-'));
const { connection, close } = await openEmbedded({ dataDir: folder, log: () => {}, durable: false });
await migrate(connection);
const { db, close: closeDatabase } = openDatabase({ connection, max: 6, statementTimeoutMs: 0 });
const account = await storeAdmin(db);
const platform = { now: () => new Date(), durable, vault: openVault(randomBytes(32)) };
await db.execute(
  sql`create table deeds (key text collate "C", pid int, at timestamptz default clock_timestamp())`,
);
const command = await commandOf('jobs-process');
const processes = new Set<ChildProcess>();
const starting = new Set<Promise<void>>();
const flows = Array.from({ length: FLOWS }, (_, at) => randomFlow(`Soak ${at}`, random));
const requested = new Map<string, SoakFlow>();
const counted = { kills: 0, both: 0, stops: 0, cuts: 0, startsLost: 0 };

/** Starts one more process. A process whose connections are cut while it starts may end with an error, which is counted. */
async function begin(): Promise<void> {
  const one = spawn(process.execPath, [...command, JSON.stringify(connection)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, WORKERS: '4' },
  });
  await Promise.race([once(one.stdout, 'data'), once(one, 'exit')]);
  if (hasEnded(one)) {
    counted.startsLost += 1;
    if (counted.startsLost > PROCESSES * counted.cuts) throw new Error('processes do not start');
    console.error(`a process ended while it started: ${one.exitCode ?? one.signalCode}`);
    return;
  }
  one.on('exit', (code, signal) => {
    if (processes.delete(one)) console.error(`a process ended by itself: ${code} ${signal}`);
  });
  processes.add(one);
}
const hasEnded = (one: ChildProcess): boolean => one.exitCode !== null || one.signalCode !== null;

function beginMore(): void {
  while (processes.size + starting.size < PROCESSES) {
    const started = begin().finally(() => starting.delete(started));
    starting.add(started);
  }
}
/** Starts processes until at least this many work. */
async function begun(least: number): Promise<void> {
  while (processes.size < least) {
    beginMore();
    await Promise.race(starting);
  }
}
const anyOf = (): ChildProcess | undefined => [...processes][Math.floor(random() * processes.size)];

async function kill(one: ChildProcess): Promise<void> {
  processes.delete(one);
  if (hasEnded(one)) return;
  const ended = once(one, 'exit');
  one.kill('SIGKILL');
  await ended;
}

async function keepBusy(): Promise<void> {
  const [open] = await rows<{ n: string }>(
    db,
    sql`select count(*) as n from jobs where status = 'running' and parent_job is null`,
  );
  const missing = UNDER_WAY - Number(open?.n);
  if (missing <= 0) return;
  await inTransaction(db, async (tx) => {
    for (let at = 0; at < missing; at++) {
      const flow = flows[Math.floor(random() * flows.length)];
      if (!flow) continue;
      const planId = await keepPlan(tx, flow.flow);
      const one = {
        workflow: flow.flow,
        planId,
        projectId: null,
        variables: {},
        groups: [],
        account,
        actingAccount: account,
      };
      const [job] = await insertJobs({ db: tx, platform }, [{ ...one, initiator: 'soak' }]);
      if (job) requested.set(String(job.head._id), flow);
    }
  });
}

async function round(at: number): Promise<void> {
  await keepBusy();
  await sleep(random() * 300);
  const one = anyOf();
  if (!one) return;
  if (at % 20 === 7) {
    counted.stops += 1;
    one.kill('SIGSTOP');
    await sleep(300 + random() * 1500);
    one.kill('SIGCONT');
    await sleep(random() * 50);
  }
  if (at % 25 === 11) {
    counted.cuts += 1;
    await db
      .execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and random() < 0.7`)
      .catch(() => undefined);
    await sleep(random() * 300);
  }
  await kill(one);
  counted.kills += 1;
  if (at % 10 === 3) {
    const other = anyOf();
    if (other) {
      await kill(other);
      counted.kills += 1;
      counted.both += 1;
    }
  }
  beginMore();
  await begun(Math.max(1, PROCESSES - 1));
}

/** Checks the outcome of all jobs: empty lists mean that nothing was wrong. */
async function verify() {
  // Each of ten thousand jobs looks up its deeds: without an index in the collation of ids each would read them all.
  await db.execute(sql`create index on deeds (split_part(key, '/', 1))`);
  await db.execute(sql`analyze`);
  const lost = await rows<{ id: string; name: string; status: string; error: string }>(
    db,
    sql`select id, name, status, doc ->> 'error' as error from jobs where status <> 'complete' order by id`,
  );
  const missing: string[] = [];
  const wrong: string[] = [];
  const jobs = await rows<{
    id: string;
    variables: string;
    passes: string;
    deeds: string;
    children: string;
    child_deeds: string;
    open: string;
  }>(
    db,
    sql`select jobs.id, (${wholeJob(sql`jobs`)} -> 'variables')::text as variables,
      (select count(*) from job_tasks t where t.job_id = jobs.id) as passes,
      (select count(*) from job_tasks t where t.job_id = jobs.id and t.status not in ('complete', 'incomplete', 'canceled')) as open,
      (select count(distinct key) from deeds where split_part(key, '/', 1) = jobs.id) as deeds,
      (select count(*) from jobs c where c.parent_job = jobs.id) as children,
      (select count(distinct key) from deeds d join jobs c on c.id = split_part(d.key, '/', 1)
        where c.parent_job = jobs.id) as child_deeds
      from jobs where parent_job is null`,
  );
  const known = new Map(jobs.map((job) => [job.id, job]));
  for (const [id, flow] of requested) {
    const job = known.get(id);
    if (!job) {
      missing.push(id);
      continue;
    }
    // The job wrote these variables as JSON.
    const variables = JSON.parse(job.variables) as Record<string, unknown>;
    const found = {
      passes: Number(job.passes),
      children: Number(job.children),
      deeds: Number(job.deeds) + Number(job.child_deeds),
      open: Number(job.open),
    };
    const { deeds, passes, children } = flow;
    const lengths = Object.entries(flow.lengths).filter(
      ([name, length]) => lengthOf(variables[name]) !== length,
    );
    const isRight =
      found.passes === passes && found.children === children && found.deeds === deeds && found.open === 0;
    if (!isRight || lengths.length > 0 || variables.done !== true) {
      wrong.push(
        `${id} ${flow.flow.name}: ${JSON.stringify({ found, asked: { deeds, passes, children }, lengths, variables })}`,
      );
    }
  }
  const repeated = await rows(
    db,
    sql`select d.key, d.pid, d.at, t.doc #>> '{metrics,end_time}' as ended from deeds d
      join job_tasks t on t.id = split_part(d.key, '/', 3)
      where extract(epoch from d.at) * 1000 > (t.doc #>> '{metrics,end_time}')::float8 + 2`,
  );
  const [totals] = await rows<{ deeds: string; keys: string; jobs: string; passes: string }>(
    db,
    sql`select (select count(*) from deeds) as deeds, (select count(distinct key) from deeds) as keys,
      (select count(*) from jobs) as jobs, (select count(*) from job_tasks) as passes`,
  );
  return { lost, missing, wrong, repeated, totals };
}

/** Returns the length of a list, or of the results of child jobs as `{loop: […]}`, counting only complete ones. */
function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  // The result of childJob.
  const { loop = [] } = (value ?? {}) as {
    loop?: { status?: string; done?: boolean; childJobLoopIndex?: number }[];
  };
  return loop.filter(
    (one, at) => one.status === 'complete' && one.done === true && one.childJobLoopIndex === at,
  ).length;
}

const began = Date.now();
try {
  const child = childFlow();
  const id = newId();
  await insert(db, workflows, id, { _id: id, type: 'automation', ...child } as unknown as Workflow);
  await begun(1);
  await keepBusy();
  await begun(PROCESSES);
  let at = 0;
  for (; counted.kills < ROUNDS && Date.now() - began < MINUTES * 60_000; at++) {
    await round(at);
    if (at % 25 === 0)
      process.stdout.write(
        `${counted.kills} kills, ${requested.size} jobs, ${Math.round((Date.now() - began) / 1000)} s\n`,
      );
  }
  await begun(PROCESSES);
  const killed = Date.now();
  for (;;) {
    const [left] = await rows<{ n: string }>(
      db,
      sql`select count(*) as n from jobs where status = 'running'`,
    );
    if (left?.n === '0' || Date.now() - killed > LAST_MS) break;
    await sleep(100);
  }
  // Jobs that have not finished by then: their state, and the work items that should continue them.
  const stuck = await rows(
    db,
    sql`select jobs.id, jobs.name, jobs.state::text as state, (select jsonb_agg(to_jsonb(w) - 'inputs') from dbos.workflow_status w
          where w.status <> 'SUCCESS' or starts_with(w.workflow_uuid, jobs.id))::text as work
        from jobs where status = 'running' limit 3`,
  );
  for (const one of stuck) process.stdout.write(`${JSON.stringify(one)}\n`);
  const { lost, missing, wrong, repeated, totals } = await verify();
  process.stdout.write(
    `${JSON.stringify({ seconds: Math.round((Date.now() - began) / 1000), ...counted, asked: requested.size, ...totals, lost: lost.length + missing.length, repeated: repeated.length, wrong: wrong.length }, null, 1)}\n`,
  );
  for (const one of [...lost, ...missing, ...repeated].slice(0, 10))
    process.stdout.write(`${JSON.stringify(one)}\n`);
  for (const one of wrong.slice(0, 5)) process.stdout.write(`${one}\n`);
  process.exitCode = lost.length + missing.length + wrong.length + repeated.length > 0 ? 1 : 0;
} finally {
  await Promise.allSettled([...starting]);
  for (const one of [...processes]) await kill(one);
  await closeDatabase();
  await close();
  await rm(folder, { recursive: true, force: true });
}
