import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { commandReport } from './command-times.ts';
import { type Ledger, type Load, prepareWorld, startLoad } from './load.ts';
import { ask, newServer, urlOf } from './postgres.ts';
import { endAll, freePort, type Service, startBalancer, startService } from './processes.ts';
import { assertNothingLost } from './verdict.ts';

/*
 * `npm run soak -- [--minutes 120]`: mixed load on three processes behind HAProxy. Each minute one process is killed, or all
 * connections to the database are cut. Exits with 1 when anything acknowledged was lost or is wrong, a request failed or took
 * longer than 20 s at rest, or memory or file descriptors grew.
 */

/** Requests may fail for so long after a kill or a cut, in milliseconds: HAProxy notices within a second. */
const TROUBLE_MS = 15_000;
/** How often memory and file descriptors are read, in milliseconds. */
const SAMPLE_MS = 5000;
/** Growth of the medians from the second quarter of the run to the last that counts as flat. */
const MOST_MEMORY = { ratio: 1.2, mib: 48 };
const MOST_FILES = { ratio: 1.1, count: 12 };

const HELP = `npm run soak -- [--minutes 120]

Mixed load on three processes behind HAProxy, of which one is killed, or all connections to the database are cut, each minute.
Needs HAProxy and PostgreSQL of Debian's packages. At least one minute.

Exit status: 0 nothing was lost or wrong, and memory and file descriptors stayed flat; 1 otherwise; 64 wrong arguments.
`;
const { values } = parseArgs({
  strict: false,
  options: { minutes: { type: 'string', default: '120' }, help: { type: 'boolean', default: false } },
});
const minutes = Number(values.minutes);
const isWrong = Object.keys(values).some((name) => !['minutes', 'help'].includes(name)) || !(minutes >= 1);
if (values.help || isWrong) {
  process[isWrong ? 'stderr' : 'stdout'].write(HELP);
  process.exit(isWrong ? 64 : 0);
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), 'switchyard-soak-'));
chmodSync(folder, 0o755);
process.on('exit', endAll);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

type Sample = { mib: number; files: number };
const samples: Sample[] = [];
function sampleOf(pid: number): Sample {
  const [, kib = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { mib: Number(kib) / 1024, files: readdirSync(`/proc/${pid}/fd`).length };
}
const median = (numbers: readonly number[]) =>
  [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;

let failed = false;
let load: Load | undefined;
try {
  const server = await newServer(join(folder, 'postgres'), await freePort());
  const url = urlOf(server);
  const env = { DATABASE_URL: url, WORKERS: '4' };
  const ports = [await freePort(), await freePort(), await freePort()];
  const services: Service[] = [];
  for (const port of ports) services.push(await startService(folder, port, env));
  const balancer = await startBalancer(folder, ports);
  const world = await prepareWorld(balancer.url);
  load = await startLoad(balancer.url, world, 60);
  // The first process is never killed: its memory and file descriptors show what accumulates.
  const survivor = services[0]?.child.pid ?? 0;
  const sampling = setInterval(() => samples.push(sampleOf(survivor)), SAMPLE_MS);
  const trouble: number[] = [];
  const counted = { kills: 0, cuts: 0 };
  const begun = performance.now();
  for (let minute = 1; performance.now() - begun < minutes * 60_000; minute += 1) {
    await sleep(Math.max(0, (minute - 0.5) * 60_000 - (performance.now() - begun)));
    const which = 1 + (counted.kills % 2);
    trouble.push(performance.now());
    if (minute % 3 === 0) {
      counted.cuts += 1;
      await ask(
        url,
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
    } else {
      counted.kills += 1;
      await services[which]?.stop('SIGKILL');
      services[which] = await startService(folder, ports[which] ?? 0, env);
    }
    const { sent, failures } = load.ledger;
    const { mib = 0, files = 0 } = samples.at(-1) ?? {};
    print(
      `minute ${minute}: ${counted.kills} kills, ${counted.cuts} cuts, ${Object.values(sent).reduce((sum, n) => sum + n, 0)} requests, ${failures.length} failed, ${mib.toFixed(0)} MiB, ${files} files, load ${loadavg()[0]?.toFixed(0)}`,
    );
    await sleep(Math.max(0, Math.min(minute, minutes) * 60_000 - (performance.now() - begun)));
  }
  clearInterval(sampling);
  await load.stop();
  await world.device.stop();
  print(`\n${minutes} minutes, ${counted.kills} kills, ${counted.cuts} cuts of all connections`);
  await assertNothingLost(url, load.ledger, print);
  assertCalm(load.ledger, trouble);
  assertFlat();
  for (const service of services) {
    const status = await service.stop();
    if (status !== 0) throw new Error(`a process ended with ${status}`);
  }
  await server.stop('SIGINT');
} catch (error) {
  failed = true;
  print(error instanceof Error ? (error.stack ?? error.message) : String(error));
  for (const line of commandReport(load?.ledger.commands ?? [])) print(line);
}
print(`verdict: ${failed ? 'FAILED' : 'PASSED'}`);
endAll();
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
process.exit(failed ? 1 : 0);

/** @throws Error when requests failed while nothing was killed or cut */
function assertCalm({ failures }: Ledger, trouble: readonly number[]): void {
  // A request that was under way during the trouble may fail after it.
  const calm = failures.filter(
    ({ from, at }) => !trouble.some((began) => at >= began && from < began + TROUBLE_MS),
  );
  print(`requests that failed at rest: ${calm.length}`);
  for (const { kind, reason } of calm.slice(0, 5)) print(`  ${kind}: ${reason}`);
  if (calm.length > 0) throw new Error('requests failed while nothing was killed or cut');
}

/** @throws Error when memory or file descriptors of the process that was never killed grew */
function assertFlat(): void {
  const quarter = Math.floor(samples.length / 4);
  const [early, late] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)];
  const memory = [early, late].map((part) => median(part.map(({ mib }) => mib)));
  const files = [early, late].map((part) => median(part.map((one) => one.files)));
  const [mibBefore = 0, mibAfter = 0] = memory;
  const [before = 0, after = 0] = files;
  print(
    `memory of the process that was never killed: ${mibBefore.toFixed(0)} MiB, then ${mibAfter.toFixed(0)} MiB`,
  );
  print(`its file descriptors: ${before}, then ${after}`);
  if (mibAfter > mibBefore * MOST_MEMORY.ratio + MOST_MEMORY.mib) throw new Error('memory grew');
  if (after > before * MOST_FILES.ratio + MOST_FILES.count) throw new Error('file descriptors grew');
}
