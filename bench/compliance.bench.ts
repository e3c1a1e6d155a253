import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openChecker } from '#server/domains/golden-config/compliance/grading/check.ts';
import type { ProgramSource } from '#server/domains/golden-config/compliance/grading/program-source.ts';
import { dialectOf } from '#server/domains/golden-config/parsing/dialect.ts';
import { parseConfig } from '#server/domains/golden-config/parsing/parse.ts';
import type { Command } from '#server/domains/golden-config/remediation/commands/difference.ts';
import { remediate } from '#server/domains/golden-config/remediation/remediate.ts';
import { deriveLines } from '#server/domains/golden-config/rule-sources/derive.ts';
import { stableLineIds } from '#server/domains/golden-config/rule-sources/line-ids.ts';
import { compileRules } from '#server/domains/golden-config/rules/compile.ts';
import { evaluate } from '#server/domains/golden-config/rules/evaluate.ts';
import { compliance } from '../test/conformance/features.ts';
import { hierConfig, type Measured, netutils } from './compliance-peers.ts';
import { signIn, startServer, verdict } from './peers.ts';

/**
 * Measures compliance: 1,000 generated devices of about 500 lines and 12 features, compared with the text that all of them
 * should have. The service reads and compares each; netutils, if Python has it, checks the same files. Then devices are
 * stored and checked end to end over HTTP. BENCH_DEVICES stores fewer than 10,000.
 */
const COMPARED = 1000;
const STORED = Number(process.env.BENCH_DEVICES ?? '10000');
const ROUNDS = 3;

const FEATURES = [
  'ntp',
  'logging',
  'snmp-server',
  'aaa',
  'ip route',
  'router bgp',
  'line',
  'spanning-tree',
  'ip access-list',
  'vlan',
  'interface',
  'banner',
];

/** Returns a generator of pseudorandom numbers from 0 to 1, the same for each seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns the intended configuration of all devices, about 500 lines. */
function intendedText(): string {
  const lines: string[] = [];
  for (let n = 1; n <= 4; n++) lines.push(`ntp server 192.0.2.${n}`);
  for (let n = 1; n <= 4; n++) lines.push(`logging host 192.0.2.${n + 10}`);
  for (let n = 1; n <= 10; n++) lines.push(`snmp-server host 198.51.100.${n} version 2c site${n}`);
  for (let n = 1; n <= 8; n++) lines.push(`aaa authentication login list${n} group tacacs+ local`);
  for (let n = 1; n <= 20; n++) lines.push(`ip route 203.0.113.${n} 255.255.255.255 192.0.2.254`);
  lines.push('router bgp 64512');
  for (let n = 1; n <= 30; n++) lines.push(` neighbor 192.0.2.${n + 100} remote-as ${64512 + n}`);
  lines.push('line vty 0 4', ' transport input ssh', ' exec-timeout 10 0', 'spanning-tree mode rapid-pvst');
  lines.push('ip access-list extended EDGE');
  for (let n = 1; n <= 60; n++) lines.push(` ${n * 10} permit tcp any host 192.0.2.${n} eq 443`);
  for (let n = 1; n <= 30; n++) lines.push(`vlan ${n + 100}`, ` name users-${n}`);
  for (let n = 1; n <= 48; n++) {
    lines.push(`interface GigabitEthernet1/0/${n}`, ` description port ${n}`, ' switchport mode access');
    lines.push(` switchport access vlan ${100 + (n % 30) + 1}`, ' spanning-tree portfast', ' no shutdown');
  }
  lines.push('banner motd ^C', 'authorized use only', '^C');
  return `${lines.join('\n')}\n`;
}

/** Returns the intended text with the device's own name and drift in two lines of a hundred. */
function deviceText(intended: string, n: number): string {
  const next = random(n + 1);
  const lines = intended
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      if (/^(banner|\^C|authorized)/.test(line) || line.startsWith('interface') || next() > 0.02)
        return [line];
      return next() < 0.5 ? [] : [`${line} drifted`];
    });
  return `hostname edge-${n}\n${lines.join('\n')}\n`;
}

const intended = Buffer.from(intendedText()).toString('latin1');
// Copied into one piece, as texts from files and databases are; a concatenated string is not.
const texts = Array.from({ length: COMPARED }, (_, n) =>
  Buffer.from(deviceText(intended, n)).toString('latin1'),
);
const lineCount = intended.split('\n').length - 1;
const dialect = dialectOf('cisco-ios');
if (!dialect) throw new Error('no dialect');

/** Returns CPU milliseconds per device: the best of several rounds after one to warm up. */
function cpuOf(run: () => void, devices: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    if (round > 0) best = Math.min(best, (user + system) / 1000 / devices);
  }
  return best;
}

const template = intended.replace(/^banner motd[\s\S]*$/m, '');
const source: ProgramSource = {
  sha256: 'bench',
  specs: [{ id: '65a0000000000000000000aa', nodePath: 'base', template, lines: [] }],
  parser: { template: 'cisco-ios' },
  variables: {},
};
const sources = new Map([[source.sha256, source]]);
const checker = openChecker();
const ours = cpuOf(() => {
  for (const text of texts) checker.check({ text, programs: ['bench'] }, sources);
}, COMPARED);
const { lines } = deriveLines(template, {}, dialect, stableLineIds('bench'));
const program = compileRules([{ id: 'bench', lines }], {}, dialect);
const parsed = texts.slice(0, 100).map((text) => parseConfig(text, dialect));
let rules = 0;
const judged = cpuOf(() => {
  for (const one of parsed) rules = evaluate(program, one).evaluated;
}, parsed.length);
process.stdout.write(
  `${COMPARED} devices of ${lineCount} lines, ${FEATURES.length} features: read and compared in ${ours.toFixed(3)} ms CPU a device\n`,
);
process.stdout.write(`${rules} rules of a device that is read: ${judged.toFixed(3)} ms CPU\n`);
verdict('evaluation of 500 rules, ms a device', judged, judged <= 0.15, '≤ 0.15');

/** The texts for the peers, which take long. */
const SOME = texts.slice(0, 60);
/** Milliseconds per device from decision 0008: 514 lines, 12 features, measured there on a similar machine. */
const PUBLISHED = { netutils: 17.2, hierConfig: 15.1 };

/** Prints the CPU of the peer and of the service for the same task, and for how many devices their results are equal. */
function beside(
  what: string,
  peer: Measured | undefined,
  published: number,
  ours: { ms: number; results: unknown[] },
  bar: number,
) {
  const said = peer
    ? `${what} ${peer.version}, here and now: ${peer.ms.toFixed(2)} ms CPU a device`
    : `${what} is not installed: ${published} ms according to decision 0008, not measured here`;
  process.stdout.write(`${said}; the same answer of ours: ${ours.ms.toFixed(3)} ms\n`);
  if (peer) {
    const same = peer.results.filter((one, at) => isDeepStrictEqual(one, ours.results[at])).length;
    process.stdout.write(`the same outcome: ${same} of ${peer.results.length} devices\n`);
  }
  const times = (peer?.ms ?? published) / ours.ms;
  verdict(`${what} beside ours, times`, times, times >= bar, `≥ ${bar}`);
}

const features = FEATURES.map((name) => ({ name, ordered: false, section: [name] }));
// Both sides read both texts of each device, and report for each feature what is present, missing and extra.
const agree = (text: string) => Object.fromEntries(compliance(features, text, intended, 'cisco_ios'));
const compared = cpuOf(() => {
  for (const text of texts) agree(text);
}, COMPARED);
beside(
  'netutils',
  await netutils(SOME, intended, FEATURES),
  PUBLISHED.netutils,
  { ms: compared, results: SOME.map(agree) },
  30,
);
const remediated = (text: string) =>
  remediate(parseConfig(text, dialect), parseConfig(intended, dialect), dialect).flatMap((one) =>
    shown(one, 0),
  );
const shown = ({ text, below }: Command, depth: number): string[] => [
  `${'  '.repeat(depth)}${text}`,
  ...below.flatMap((one) => shown(one, depth + 1)),
];
const withRemediation = cpuOf(() => {
  for (const text of texts) remediated(text);
}, COMPARED);
beside(
  'hier_config',
  await hierConfig(SOME, intended),
  PUBLISHED.hierConfig,
  { ms: withRemediation, results: SOME.map(remediated) },
  30,
);
if (process.argv.includes('--peers')) process.exit();

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const server = await startServer('switchyard', { DATA_DIR: dataDir });
// also when the benchmark fails: a server left behind keeps the caller's pipe open
process.once('exit', () => server.stop());
const token = await signIn(server);

async function ask<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await fetch(`${server.url}/configuration_manager${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as Body;
}

const { id: treeId } = await ask<{ id: string }>('POST', '/configs', {
  name: 'Bench',
  deviceType: 'cisco-ios',
});
const at = { treeId, version: 'initial', nodePath: 'base' };
await ask('PUT', '/node/config', {
  treeId,
  treeVersion: 'initial',
  nodePath: 'base',
  data: { template, variables: {} },
  updateVariables: false,
});
await ask('POST', `/configs/${treeId}/initial/base/devices`, {
  devices: Array.from({ length: STORED }, (_, n) => `edge-${n}`),
});
for (let from = 0; from < STORED; from += 1000) {
  const count = Math.min(1000, STORED - from);
  const backups = Array.from({ length: count }, (_, n) => ({
    name: `edge-${from + n}`,
    rawConfig: deviceText(intended, from + n),
  }));
  await ask('POST', '/import/backups', { backups });
}

type Status = { status: string; done: number; errors: number };

/** Runs all devices once: seconds from the request to the last report, and the longest response time meanwhile. */
async function endToEnd(label: string): Promise<number> {
  const begun = performance.now();
  const { batchId } = await ask<{ batchId: string }>('POST', '/compliance_reports', { options: at });
  let slowest = 0;
  for (;;) {
    const startedAt = performance.now();
    const status = await ask<Status>('GET', `/compliance_reports/batch/${batchId}/status`);
    slowest = Math.max(slowest, performance.now() - startedAt);
    if (status.status !== 'running') {
      const seconds = (performance.now() - begun) / 1000;
      if (status.status !== 'complete' || status.done !== STORED || status.errors > 0) {
        throw new Error(`the run went wrong: ${JSON.stringify(status)}`);
      }
      process.stdout.write(
        `${label}: ${STORED} devices in ${seconds.toFixed(1)} s, ${(STORED / seconds).toFixed(0)} a second; slowest answer meanwhile ${slowest.toFixed(0)} ms\n`,
      );
      return seconds;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const first = await endToEnd('first run, end to end');
verdict('end to end, seconds', first, first < 10, '< 10 for 10,000 devices on 2 cores');
await endToEnd('again, nothing changed');

server.stop();
await new Promise((resolve) => setTimeout(resolve, 1000));
await rm(dataDir, { recursive: true, force: true });
