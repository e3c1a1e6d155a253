import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf } from './cpu.ts';
import { signIn, startServer, verdict } from './peers.ts';

/**
 * Measures a backup of 1,000 simulated devices over SSH (BENCH_DEVICES: another number), of which one in ten takes a second for
 * each answer and one in twenty cannot be reached, with one retry. The bar is 5 minutes on 2 processors for each 1,000; the
 * devices run on the same machine.
 */
const DEVICES = Number(process.env.BENCH_DEVICES ?? '1000');
const BAR_S = (300 * DEVICES) / 1000;
/** Devices at once. */
const CONCURRENCY = 100;
/** Time between two lines about the progress, in milliseconds. */
const SAY_MS = 15_000;

const devices = spawn(process.execPath, ['--import', 'tsx', 'bench/servers/fleet-devices.ts'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.once('exit', () => devices.kill());
const [line] = (await once(createInterface({ input: devices.stdout }), 'line')) as [string];
const lab = JSON.parse(line) as Record<'fast' | 'slow' | 'closed', number> & {
  username: string;
  password: string;
  enable: string;
};

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const ours = await startServer('switchyard', { DATA_DIR: dataDir, ALLOW_PRIVATE_TARGETS: '1' });
const token = await signIn(ours);
const call = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
  const answer = await fetch(`${ours.url}${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${(await answer.text()).slice(0, 300)}`);
  return (await answer.json()) as Body;
};

const { username, password, enable: enablePassword } = lab;
const made = performance.now();
for (let n = 0; n < DEVICES; n += 1) {
  const port = n % 20 === 0 ? lab.closed : n % 10 === 1 ? lab.slow : lab.fast;
  await call('POST', '/automationgateway/inventory/cli', {
    host: {
      name: `bench-${n}`,
      host: '127.0.0.1',
      port,
      device_type: 'cisco_ios',
      username,
      password,
      enablePassword,
    },
  });
}
process.stdout.write(
  `${DEVICES} devices were added one by one in ${((performance.now() - made) / 1000).toFixed(1)} s\n`,
);

type Run = { status: string; stored: number; unchanged: number; failedCount: number };
for (const label of ['first run', 'second run, nothing has changed']) {
  const began = performance.now();
  const before = await ours.used();
  const devicesBefore = cpuOf(devices.pid ?? 0);
  let memory = before.rss;
  let said = began;
  const { runId } = await call<{ runId: string }>('POST', '/configuration_manager/backups/run', {
    selection: { pattern: 'bench-*' },
    concurrency: CONCURRENCY,
    retryAfterSeconds: 10,
  });
  let run: Run;
  do {
    await sleep(500);
    run = await call<Run>('GET', `/configuration_manager/backups/runs/${runId}`);
    memory = Math.max(memory, (await ours.used()).rss);
    if (performance.now() - said > SAY_MS) {
      said = performance.now();
      const done = run.stored + run.unchanged + run.failedCount;
      const taken = (said - began) / 1000;
      process.stdout.write(
        `  ${taken.toFixed(0)} s: ${done} of ${DEVICES} devices, ${(done / taken).toFixed(1)} a second\n`,
      );
    }
  } while (run.status === 'running');
  const { cpuUs } = await ours.used();
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(
    `${label}: ${seconds.toFixed(1)} s, ${run.stored} stored, ${run.unchanged} unchanged, ${run.failedCount} failed\n`,
  );
  const cpuMs = (cpuUs - before.cpuUs) / 1000;
  const devicesMs = cpuOf(devices.pid ?? 0) - devicesBefore;
  process.stdout.write(
    `  CPU a device: ${(cpuMs / DEVICES).toFixed(1)} ms of the service, ${(devicesMs / DEVICES).toFixed(1)} ms of the devices; memory of the service at most ${(memory / 2 ** 20).toFixed(0)} MiB\n`,
  );
  verdict(label, seconds, seconds <= BAR_S, `≤ ${BAR_S} s`);
}
ours.stop();
devices.kill();
await sleep(1000);
await rm(dataDir, { recursive: true, force: true });
