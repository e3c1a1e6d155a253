import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { signIn, startServer, verdict } from './peers.ts';
import { openPeerDatabase } from './servers/peer.ts';

/**
 * Measures a retention run over a million stored documents (BENCH_ROWS: another number): half of them rows of the audit
 * trail, three tenths backups and a fifth jobs. Prints what the run needs, and what pages cost before it and while it works.
 * Each document that it deletes must be in the archive once.
 */
const ROWS = Number(process.env.BENCH_ROWS ?? '1000000');
const [AUDIT, BACKUPS, JOBS] = [ROWS * 0.5, ROWS * 0.3, ROWS * 0.2];
/** Backups of one device: all but the newest can be deleted. */
const BACKUPS_OF_A_DEVICE = 4;
const CHUNK = 50_000;

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
process.env.BENCH_DATA_DIR = dataDir;
const ours = await startServer('switchyard', { DATA_DIR: dataDir });
process.once('exit', () => ours.stop());
const token = await signIn(ours);
const sql = await openPeerDatabase(1);
const print = (line: string) => process.stdout.write(`${line}\n`);

async function call<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await fetch(ours.url + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as Body;
}

/** Runs a statement for each chunk of the numbers up to `count`. */
async function inChunks(count: number, statement: (from: number, to: number) => string): Promise<void> {
  for (let from = 1; from <= count; from += CHUNK)
    await sql.unsafe(statement(from, Math.min(count, from + CHUNK - 1)));
}

// The documents that are copied were made over HTTP. All are of 2024 and 2025.
const workflow = {
  name: 'First',
  type: 'automation',
  tasks: { workflow_start: { name: 'workflow_start' }, workflow_end: { name: 'workflow_end' } },
  transitions: { workflow_start: { workflow_end: { state: 'success', type: 'standard' } }, workflow_end: {} },
};
await call('POST', '/automation-studio/automations', { automation: workflow });
const { data } = await call<{ data: { _id: string } }>('POST', '/operations-manager/jobs/start', {
  workflow: 'First',
  options: {},
});
for (;;) {
  const job = await call<{ data: { status: string } }>('GET', `/operations-manager/jobs/${data._id}`);
  if (job.data.status === 'complete') break;
  await sleep(50);
}
const rawConfig = ['hostname first', ...Array.from({ length: 150 }, (_, n) => `interface Vlan${n}`)].join(
  '\n',
);
await call('POST', '/configuration_manager/import/backups', { backups: [{ name: 'first', rawConfig }] });

const began = performance.now();
const others = async (table: string) =>
  (
    await sql<{ name: string }[]>`
      select column_name as name from information_schema.columns
      where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER' and column_name not in ('id', 'doc')`
  )
    .map(({ name }) => `, "${name}"`)
    .join('');
const hex = `lpad(to_hex(4294967296 + n), 24, '0')`;
const moment = `timestamp '2024-01-01' + n * interval '30 seconds'`;
const iso = `to_char(${moment}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const milliseconds = `(extract(epoch from ${moment}) * 1000)::bigint`;
const columns = {
  audit: await others('audit'),
  backups: await others('backups'),
  jobs: await others('jobs'),
};
await inChunks(
  AUDIT,
  (from, to) => `insert into audit (id, doc${columns.audit})
    select ${hex}, doc || jsonb_build_object('_id', ${hex}, 'time', ${iso})${columns.audit}
    from (select * from audit limit 1) one, generate_series(${from}, ${to}) n`,
);
await inChunks(
  BACKUPS,
  (from, to) => `insert into backups (id, doc${columns.backups})
    select ${hex}, doc || jsonb_build_object('_id', ${hex}, 'id', ${hex}, 'date', ${iso},
      'name', 'device-' || n % ${BACKUPS / BACKUPS_OF_A_DEVICE})${columns.backups}
    from (select * from backups limit 1) one, generate_series(${from}, ${to}) n`,
);
await inChunks(
  JOBS,
  (from, to) => `insert into jobs (id, doc${columns.jobs})
    select ${hex}, doc || jsonb_build_object('_id', ${hex}, 'created', ${iso}, 'last_updated', ${iso}, 'metrics',
      doc -> 'metrics' || jsonb_build_object('start_time', ${milliseconds}, 'end_time', ${milliseconds}))${columns.jobs}
    from (select * from jobs where id = '${data._id}') one, generate_series(${from}, ${to}) n`,
);
await inChunks(
  JOBS,
  (from, to) => `insert into job_tasks (id, doc, job_id, task, kept)
    select ${hex} || task, doc || jsonb_build_object('_id', ${hex} || task), ${hex}, task, kept
    from job_tasks t, generate_series(${from}, ${to}) n where t.job_id = '${data._id}'`,
);
for (const table of ['audit', 'backups', 'jobs', 'job_tasks']) await sql.unsafe(`vacuum analyze ${table}`);
const [size] = await sql<{ n: string }[]>`select pg_size_pretty(pg_database_size(current_database())) as n`;
print(`${ROWS} documents stored in ${((performance.now() - began) / 1000).toFixed(0)} s, ${size?.n}`);

const pages: (() => Promise<unknown>)[] = [
  () => call('GET', '/operations-manager/jobs?limit=25'),
  () => call('GET', '/audit?limit=25'),
  () => call('POST', '/configuration_manager/backups', { options: { start: 0, limit: 25 } }),
];
/** Asks for one page after the other until `isOver`. @returns the times, in milliseconds */
async function askPages(isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; !isOver(); n += 1) {
    const asked = performance.now();
    await pages[n % pages.length]?.();
    times.push(performance.now() - asked);
    await sleep(20);
  }
  return times.toSorted((one, other) => one - other);
}
const shown = (times: number[]) =>
  `median ${times[Math.floor(times.length / 2)]?.toFixed(1)} ms, 95 % within ${times[Math.floor(times.length * 0.95)]?.toFixed(1)} ms, longest ${times.at(-1)?.toFixed(0)} ms (${times.length} pages)`;

const until = performance.now() + 10_000;
print(`pages before: ${shown(await askPages(() => performance.now() > until))}`);

const settings = { audit: { days: 30 }, backups: { days: 30 }, jobs: { days: 30, states: ['complete'] } };
const asked = performance.now();
const { counts } = await call<{ counts: Record<string, number> }>('POST', '/retention/preview', { settings });
print(`preview: ${((performance.now() - asked) / 1000).toFixed(2)} s, ${JSON.stringify(counts)}`);
const expected = { jobs: JOBS, backups: BACKUPS - BACKUPS / BACKUPS_OF_A_DEVICE, audit: AUDIT };

const before = await ours.used();
const started = performance.now();
// The first scheduled run begins by itself once there are settings.
await call('PUT', '/retention', settings);
type Run = {
  _id: string;
  status: string;
  steps: number;
  deleted: Record<string, number>;
  error: string | null;
};
const newestRun = async () => (await call<{ results: Run[] }>('GET', '/retention/runs')).results[0];
let run = await newestRun();
let most = before.rss;
let said = performance.now();
let isOver = false;
const asking = askPages(() => isOver);
while (run?.status !== 'complete') {
  if (run?.status === 'error') throw new Error(`the run failed: ${run.error}`);
  await sleep(500);
  run = await newestRun();
  most = Math.max(most, (await ours.used()).rss);
  if (performance.now() - said > 30_000) {
    said = performance.now();
    print(`  after ${((said - started) / 1000).toFixed(0)} s: ${JSON.stringify(run?.deleted)}`);
  }
}
isOver = true;
const seconds = (performance.now() - started) / 1000;
const { cpuUs } = await ours.used();
const deleted = Object.values(run.deleted).reduce((sum, n) => sum + n, 0);
print(
  `run: ${seconds.toFixed(0)} s, ${run.steps} steps, ${deleted} documents (${(deleted / seconds).toFixed(0)} a second), ${((cpuUs - before.cpuUs) / 1e6).toFixed(0)} s of CPU of the service, the pages included, memory ${(before.rss / 2 ** 20).toFixed(0)} MiB before, at most ${(most / 2 ** 20).toFixed(0)} MiB`,
);
print(`pages during the run: ${shown(await asking)}`);

const archive = join(dataDir, 'archive', run._id);
const lines: Record<string, number> = {};
const ids = new Set<string>();
let bytes = 0;
for (const name of await readdir(archive)) {
  const [kind = ''] = name.split('-');
  bytes += (await stat(join(archive, name))).size;
  for await (const line of createInterface({ input: createReadStream(join(archive, name)) })) {
    const doc = JSON.parse(line) as { _id?: string; job?: { _id: string } };
    ids.add(`${kind} ${doc._id ?? doc.job?._id}`);
    lines[kind] = (lines[kind] ?? 0) + 1;
  }
}
print(`archive: ${JSON.stringify(lines)}, ${(bytes / 2 ** 20).toFixed(0)} MiB`);
const isWhole = Object.entries(expected).every(
  ([kind, n]) => run?.deleted[kind] === n && lines[kind] === n && counts[kind] === n,
);
verdict('documents archived once and deleted', ids.size / deleted, isWhole && ids.size === deleted, '1');
await sql.end();
ours.stop();
await sleep(1000);
await rm(dataDir, { recursive: true, force: true });
