import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openCli } from '#server/southbound/cli/cli.ts';
import type { CliTarget } from '#server/southbound/cli/ports.ts';

/**
 * Commands on a simulated device that answers at once, in a process of its own: on a warm session, and on new ones; how
 * long the event loop was held up meanwhile; netmiko beside it where it is installed. The bar is 5 ms for a command over
 * the device's own time, and 50 ms for the event loop.
 */
const ROUNDS = 200;
const SESSIONS = 50;
const BAR_MS = 5;
const STALL_MS = 50;

const device = spawn(
  process.execPath,
  ['--import', 'tsx', fileURLToPath(new URL('./servers/device.ts', import.meta.url))],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
process.once('exit', () => device.kill());
const [line] = (await once(createInterface({ input: device.stdout }), 'line')) as [string];
const told = JSON.parse(line) as { port: number; username: string; password: string };

const cli = openCli({ allowNear: true, insecure: () => undefined });
const target = (name: string): CliTarget => ({
  name,
  host: '127.0.0.1',
  port: told.port,
  username: told.username,
  password: told.password,
  deviceType: 'cisco_ios',
  hostKey: { policy: 'accept-new', algorithm: '', fingerprint: null },
  connectMs: 30_000,
});
const options = () => ({ commandMs: 10_000, signal: new AbortController().signal });
const at = (times: number[], part: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0;
const shown = (ms: number) => `${ms.toFixed(2).padStart(8)} ms`;
const verdict = (is: boolean) => (is ? 'held' : 'NOT HELD');

let worst = 0;
let last = performance.now();
setInterval(() => {
  worst = Math.max(worst, performance.now() - last - 5);
  last = performance.now();
}, 5).unref();

// What this machine itself holds up while nothing is done.
await new Promise((resolve) => setTimeout(resolve, 3000));
process.stdout.write(`event loop, nothing done      ${shown(worst)}\n`);
worst = 0;
await cli.run(target('warm'), ['show version'], options());
const elapsed: number[] = [];
const calls: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const began = performance.now();
  const { result } = await cli.run(target('warm'), ['show version'], options());
  calls.push(performance.now() - began);
  elapsed.push(result[0]?.elapsed_ms ?? 0);
}
process.stdout.write(
  `a command on a warm session   p50 ${shown(at(elapsed, 0.5))}   p99 ${shown(at(elapsed, 0.99))}   bar ${BAR_MS} ms: ${verdict(at(elapsed, 0.5) <= BAR_MS)}\n`,
);
process.stdout.write(
  `the whole call, quiet and all p50 ${shown(at(calls, 0.5))}   p99 ${shown(at(calls, 0.99))}\n`,
);

const began = performance.now();
await Promise.all(
  Array.from({ length: SESSIONS }, (_, index) =>
    cli.run(target(`host-${index}`), ['show version', 'show lines', 'nonsense', 'show version'], options()),
  ),
);
process.stdout.write(`${SESSIONS} new sessions × 4 commands   ${shown(performance.now() - began)}\n`);
process.stdout.write(
  `event loop, longest time      ${shown(worst)}   bar ${STALL_MS} ms: ${verdict(worst <= STALL_MS)}\n`,
);
await cli.close();

const NETMIKO = `
import json, sys, time
from netmiko import ConnectHandler
port, username, password = int(sys.argv[1]), sys.argv[2], sys.argv[3]
began = time.time()
with ConnectHandler(device_type="cisco_ios", host="127.0.0.1", port=port, username=username, password=password) as session:
    connect = time.time() - began
    times = []
    for _ in range(20):
        began = time.time(); session.send_command("show version"); times.append(time.time() - began)
print(json.dumps({"connect": connect * 1000, "p50": sorted(times)[10] * 1000}))
`;
const peer = spawnSync('/usr/bin/python3', ['-c', NETMIKO, String(told.port), told.username, told.password], {
  encoding: 'utf8',
  timeout: 120_000,
});
if (peer.status === 0) {
  const { connect, p50 } = JSON.parse(peer.stdout) as { connect: number; p50: number };
  process.stdout.write(
    `netmiko: a command            p50 ${shown(p50)}   ${(p50 / at(calls, 0.5)).toFixed(0)} times a whole call of ours; to connect ${shown(connect)}\n`,
  );
} else
  process.stdout.write(
    `netmiko: not compared (${/No module|ENOENT/.test(`${peer.stderr}${peer.error}`) ? 'not installed' : 'it failed'})\n`,
  );
device.kill();
