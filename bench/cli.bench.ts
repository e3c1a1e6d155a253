import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openCli } from '#server/southbound/cli/cli.ts';
import type { CliPort, CliTarget } from '#server/southbound/cli/ports.ts';
import { openCliInThread } from '#server/southbound/cli/sessions/cli-in-thread.ts';
import { watchLoop } from './stall.ts';

/**
 * Measures commands on a simulated device that answers at once, in a process of its own: on an open session and on new
 * ones, and how long event loops are blocked meanwhile; netmiko for comparison if PEERS_PYTHON names a Python that has it.
 * This process replaces the service: its loop serves requests while the sessions run in their thread. Then the same
 * sessions run in this process, whose loop replaces the thread's. The bars are 5 ms per command beyond the device's
 * own time, and 50 ms for either loop by the CPU that its thread used: the clock also counts the time of other programs.
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
const lab = JSON.parse(line) as { port: number; oldPort: number; username: string; password: string };

const terms = { allowPrivateTargets: true, insecure: () => undefined };
const cli = openCliInThread({
  ...terms,
  lost: (error) => process.stdout.write(`the thread ended: ${error}\n`),
});
const target = (name: string, port = lab.port): CliTarget => ({
  name,
  host: '127.0.0.1',
  port,
  username: lab.username,
  password: lab.password,
  deviceType: 'cisco_ios',
  hostKey: { policy: 'accept-new', algorithm: '', fingerprint: null },
  connectMs: 30_000,
});
const options = () => ({ commandMs: 10_000, signal: new AbortController().signal });
const at = (times: number[], part: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0;
const shown = (ms: number) => `${ms.toFixed(2).padStart(8)} ms`;
const verdict = (is: boolean) => (is ? 'held' : 'NOT HELD');

const longest = watchLoop();
const showLoop = (label: string, barred = true) => {
  const { clock, cpu } = longest();
  const held = barred ? `   bar ${STALL_MS} ms: ${verdict(cpu <= STALL_MS)}` : '';
  process.stdout.write(`  ${label.padEnd(36)} ${shown(clock)}, CPU ${shown(cpu)}${held}\n`);
};

// How long this machine itself blocks the loop while nothing is done.
await new Promise((resolve) => setTimeout(resolve, 3000));
process.stdout.write('the longest time that an event loop came to nothing else\n');
showLoop('nothing done', false);
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

showLoop('meanwhile, serving');

const openMany = async (through: CliPort, kind: string, port?: number) => {
  const began = performance.now();
  await Promise.all(
    Array.from({ length: SESSIONS }, (_, index) =>
      through.run(
        target(`${kind}-${index}`, port),
        ['show version', 'show lines', 'nonsense', 'show version'],
        options(),
      ),
    ),
  );
  process.stdout.write(
    `${SESSIONS} new sessions × 4 commands, ${kind}  ${shown(performance.now() - began)}\n`,
  );
};
await openMany(cli, 'today');
showLoop('serving');
await openMany(cli, 'legacy', lab.oldPort);
showLoop('serving');
await cli.close();

const here = openCli(terms);
// One session of both kinds first: a running service has already loaded and compiled their code.
await here.run(target('first'), ['show version'], options());
await here.run(target('first-old', lab.oldPort), ['show version'], options());
longest();
await openMany(here, 'today');
showLoop('of the sessions');
await openMany(here, 'legacy', lab.oldPort);
showLoop('of the sessions');
await here.close();

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
const peer = spawnSync(
  process.env.PEERS_PYTHON ?? '/usr/bin/python3',
  ['-c', NETMIKO, String(lab.port), lab.username, lab.password],
  {
    encoding: 'utf8',
    timeout: 120_000,
  },
);
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
