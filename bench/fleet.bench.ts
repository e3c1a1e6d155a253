import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signIn, startServer, verdict } from './peers.ts';

/**
 * Measures a fleet of 10,000 devices over HTTP: two runs of a NetBox-compatible source, a CSV file of 5,000 rows with 20 faults,
 * compliance of all devices, "which devices miss NTP", and searches in all current configurations. BENCH_DEVICES tries fewer.
 */
const DEVICES = Number(process.env.BENCH_DEVICES ?? '10000');
const CSV_ROWS = 5000;
const FAULTS = 20;
const LINES = 150;
const MISSING = 14;
const TOKEN = 'bench-token';

const nameOf = (n: number) => `bench-${String(n).padStart(5, '0')}`;
const devices = Array.from({ length: DEVICES }, (_, n) => ({
  id: n,
  name: nameOf(n),
  platform: { slug: 'cisco-ios' },
  site: { slug: `site-${n % 50}` },
  primary_ip: { address: `192.0.2.${1 + (n % 250)}/24` },
  tags: [{ slug: n % 3 === 0 ? 'core' : 'access' }],
  custom_fields: { rack: `R${n % 40}` },
}));
const netbox = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://netbox.example.net');
  const [limit, offset] = ['limit', 'offset'].map((name) => Number(url.searchParams.get(name))) as [
    number,
    number,
  ];
  const results = devices.slice(offset, offset + limit);
  const next = offset + limit < devices.length ? `${url.origin}/?offset=${offset + limit}` : null;
  response.writeHead(request.headers.authorization === `Token ${TOKEN}` ? 200 : 403);
  response.end(JSON.stringify({ count: devices.length, next, previous: null, results }));
}).listen(0, '127.0.0.1');
await once(netbox, 'listening');
const { port } = netbox.address() as AddressInfo;

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const ours = await startServer('switchyard', { DATA_DIR: dataDir, ALLOW_PRIVATE_TARGETS: '1' });
process.once('exit', () => ours.stop());
const token = await signIn(ours);
const call = async <Body>(
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
): Promise<Body> => {
  const answer = await fetch(`${ours.url}${path}`, {
    method,
    headers: { 'Content-Type': type, Authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as Body;
};
const seconds = async <Result>(work: () => Promise<Result>): Promise<[number, Result]> => {
  const began = performance.now();
  const result = await work();
  return [(performance.now() - began) / 1000, result];
};
const print = (text: string) => process.stdout.write(`${text}\n`);

// Inventory
type Run = { status: string; new: number; changed: number; unchanged: number };
await call('POST', '/inventory/sources', {
  source: { name: 'bench', type: 'netbox', url: `http://127.0.0.1:${port}`, token: TOKEN },
});
const sync = async (): Promise<Run> => {
  const { runId } = await call<{ runId: string }>('POST', '/inventory/sources/bench/sync');
  for (;;) {
    await sleep(100);
    const run = await call<Run>('GET', `/inventory/runs/${runId}`);
    if (run.status !== 'running') return run;
  }
};
for (const [label, bar] of [
  ['first sync', 60],
  ['second sync, nothing has changed', 15],
] as const) {
  const [taken, run] = await seconds(sync);
  print(`${label}: ${run.status}, ${run.new} new, ${run.changed} changed, ${run.unchanged} unchanged`);
  verdict(label, taken, taken <= bar, `≤ ${bar} s`);
}

// CSV
const rows = Array.from({ length: CSV_ROWS }, (_, n) => {
  const isFault = n % (CSV_ROWS / FAULTS) === 7;
  return `csv-${n},192.0.2.${1 + (n % 250)},${isFault ? 'toaster' : 'cisco_ios'},access,site-${n % 50}`;
});
const file = `name,host,device_type,tags,site\n${rows.join('\n')}\n`;
type Imported = { imported: number; skipped: number; issues: unknown[] };
for (const mode of ['strict', 'lenient']) {
  const [taken, { imported, issues }] = await seconds(() =>
    call<Imported>('POST', `/inventory/import/csv?mode=${mode}`, file, 'text/csv'),
  );
  const isRight = issues.length === FAULTS && imported === (mode === 'strict' ? 0 : CSV_ROWS - FAULTS);
  print(`CSV of ${CSV_ROWS} rows, ${mode}: ${imported} imported, ${issues.length} issues`);
  verdict(`CSV, ${mode}`, taken, isRight, `${FAULTS} issues, all others in lenient`);
}

// Compliance
const configurationOf = (n: number) =>
  [
    `hostname ${nameOf(n)}`,
    ...(n % MISSING === 0 ? [] : ['ntp server 192.0.2.9']),
    ...(n === 4321 ? ['snmp-server community lantern-on-the-quay RO'] : []),
    ...Array.from({ length: LINES / 3 }, (_, at) => [
      `interface GigabitEthernet0/${at}`,
      ` description port ${at} of ${nameOf(n)}`,
      ` ip address 10.${n % 250}.${at}.1 255.255.255.0`,
    ]).flat(),
  ].join('\n');
const [stored] = await seconds(async () => {
  for (let at = 0; at < DEVICES; at += 250) {
    const backups = devices
      .slice(at, at + 250)
      .map(({ id, name }) => ({ name, rawConfig: configurationOf(id) }));
    await call('POST', '/configuration_manager/import/backups', { backups });
  }
});
print(`${DEVICES} configurations of ${LINES} lines were stored in ${stored.toFixed(1)} s`);
const manager = '/configuration_manager';
const { id: treeId } = await call<{ id: string }>('POST', `${manager}/configs`, {
  name: 'Bench',
  deviceType: 'cisco-ios',
});
await call('PUT', `${manager}/node/config`, {
  ...{ treeId, treeVersion: 'initial', nodePath: 'base', updateVariables: true },
  data: { template: 'hostname {/.+/}\n<e/>ntp server 192.0.2.9\n{d/}ip http server\n', variables: {} },
});
const idle = await ours.used();
let memory = idle.rss;
const [checked, { batchId }] = await seconds(async () => {
  const started = await call<{ batchId: string }>('POST', `${manager}/compliance_reports`, {
    options: { treeId, version: 'initial', nodePath: 'base', selection: { sources: ['bench'] } },
  });
  for (;;) {
    const { status } = await call<{ status: string }>(
      'GET',
      `${manager}/compliance_reports/batch/${started.batchId}/status`,
    );
    memory = Math.max(memory, (await ours.used()).rss);
    if (status !== 'running') return started;
    await sleep(200);
  }
});
const cpuMs = ((await ours.used()).cpuUs - idle.cpuUs) / 1000;
print(
  `batch ${batchId}: ${DEVICES} devices were checked in ${checked.toFixed(1)} s, ${(cpuMs / DEVICES).toFixed(2)} ms of CPU of the service each, memory ${(idle.rss / 2 ** 20).toFixed(0)} MiB before, at most ${(memory / 2 ** 20).toFixed(0)} MiB`,
);
type Rules = {
  devices: number;
  rules: { rule: string; devices: { pass: number; fail: number }; failing: string[] }[];
};
const [requested, { rules }] = await seconds(() =>
  call<Rules>('GET', `${manager}/compliance_reports/rules?treeId=${treeId}&text=ntp`),
);
const [ntp] = rules;
print(
  `miss NTP: ${ntp?.devices.fail} of ${(ntp?.devices.fail ?? 0) + (ntp?.devices.pass ?? 0)}, ${ntp?.failing.length} named`,
);
verdict(
  'which devices miss NTP',
  requested,
  requested <= 1 && ntp?.devices.fail === Math.ceil(DEVICES / MISSING),
  '≤ 1 s',
);

// Search
for (const [label, search] of Object.entries({
  'a text of one device': { text: 'lantern-on-the-quay' },
  'an expression with a required text': { regex: 'community\\s+lantern-on-the-\\w+' },
  'an expression without one': { regex: '^\\w+-\\w+ \\w+ \\w+-\\w+-\\w+-\\w+ RO$' },
  'a text of most devices': { text: 'ntp server 192.0.2.9' },
})) {
  const times: number[] = [];
  let total = 0;
  for (let round = 0; round < 3; round += 1) {
    const [taken, found] = await seconds(() =>
      call<{ total: number }>('POST', `${manager}/backups/find`, search),
    );
    times.push(taken);
    total = found.total;
  }
  print(`find ${label}: ${total} lines, ${times.map((time) => `${Math.round(time * 1000)} ms`).join(', ')}`);
}
ours.stop();
netbox.close();
await sleep(1000);
await rm(dataDir, { recursive: true, force: true });
