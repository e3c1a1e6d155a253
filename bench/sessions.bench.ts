import { spawn } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DRIVERS } from '#server/platforms/index.ts';
import { compileDrivers } from '#server/southbound/cli/driver.ts';
import type { CliTarget } from '#server/southbound/cli/ports.ts';
import { openConnect } from '#server/southbound/cli/sessions/connect.ts';
import { LIMITS, openPool } from '#server/southbound/cli/sessions/pool.ts';
import { runCommand } from '#server/southbound/cli/sessions/session.ts';
import { cpuOf } from './cpu.ts';

/**
 * Measures the memory and CPU of open sessions over SSH, which a process holds at most 200 of: this process holds up to 1,000
 * (BENCH_SESSIONS: another number) with as many simulated devices in another process, each after one command.
 */
const MOST = Number(process.env.BENCH_SESSIONS ?? '1000');
/** Sessions that are opened at once. */
const AT_ONCE = 32;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const device = spawn(process.execPath, ['--import', 'tsx', 'bench/servers/device.ts'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.once('exit', () => device.kill());
const [line] = (await once(createInterface({ input: device.stdout }), 'line')) as [string];
const lab = JSON.parse(line) as { port: number; username: string; password: string };

const drivers = compileDrivers(DRIVERS);
const driver = drivers.get('cisco_ios');
if (!driver) throw new Error('there is a driver of this kind');
const connect = openConnect({ allowPrivateTargets: true, insecure: () => undefined });
const pool = openPool({ connect, drivers }, { ...LIMITS, sessions: MOST, wait: MOST });
const { signal } = new AbortController();
setMaxListeners(0, signal);
const target = (name: string): CliTarget => ({
  name,
  host: '127.0.0.1',
  port: lab.port,
  username: lab.username,
  password: lab.password,
  deviceType: 'cisco_ios',
  hostKey: { policy: 'accept-new', algorithm: '', fingerprint: null },
  connectMs: 120_000,
});

let opened = 0;
async function openUpTo(count: number) {
  const lane = async () => {
    while (opened < count) {
      opened += 1;
      const { session } = await pool.take(target(`bench-${opened}`), driver as NonNullable<typeof driver>, {
        signal,
      });
      await runCommand(session, 'show version', { ms: 60_000, signal });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
const memory = () => {
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, used: heapUsed + external };
};

// The first sessions load and compile what the others share.
await openUpTo(Math.min(AT_ONCE, MOST));
const first = { ...memory(), opened };
const showKib = (bytes: number) => `${(bytes / 1024).toFixed(0)} KiB`;
for (const part of [0.25, 0.5, 1]) {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const [before, devices] = [opened, cpuOf(device.pid ?? 0)];
  await openUpTo(Math.round(MOST * part));
  const { user, system } = process.cpuUsage(cpu);
  const now = memory();
  const count = opened - before;
  process.stdout.write(
    `${opened} sessions: ${showKib((now.rss - first.rss) / (opened - first.opened))} resident and ${showKib((now.used - first.used) / (opened - first.opened))} used by each; opening one took ${((user + system) / 1000 / count).toFixed(1)} ms of CPU, ${((cpuOf(device.pid ?? 0) - devices) / count).toFixed(1)} ms of the device, ${((performance.now() - began) / count).toFixed(1)} ms; ${(now.rss / 2 ** 20).toFixed(0)} MiB in all\n`,
  );
}
pool.close();
device.kill();
