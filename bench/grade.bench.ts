import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signIn, startServer, verdict } from './peers.ts';

/**
 * Measures grades of 5,000 devices among 1,000,000 stored reports, over HTTP: the service beside one hand-written statement
 * behind a bare server. Then the newest 25 runs of one device and, for information, other reads of reports. BENCH_REPORTS
 * stores fewer, for a quick try.
 */
const REPORTS = process.env.BENCH_REPORTS ?? '1000000';
const ROUNDS = 15;

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const ours = await startServer('switchyard', { DATA_DIR: dataDir });
// also when the benchmark fails: a server left behind keeps the caller's pipe open
process.once('exit', () => ours.stop());
const token = await signIn(ours);
const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };

async function ask(url: string, method: string, body?: unknown) {
  const started = performance.now();
  const answer = await fetch(url, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text.slice(0, 300)}`);
  return { ms: performance.now() - started, text };
}
const at = `${ours.url}/configuration_manager`;
const made = await ask(`${at}/configs`, 'POST', { name: 'Bench', deviceType: 'cisco-ios' });
const { id: treeId } = JSON.parse(made.text) as { id: string };
const peer = await startServer('reports', {
  BENCH_DATA_DIR: dataDir,
  BENCH_TREE: treeId,
  BENCH_REPORTS: REPORTS,
});
process.once('exit', () => peer.stop());

const part = { treeId, version: 'initial' };
const grade = () => ask(`${at}/compliance_reports/grade`, 'POST', { ...part, options: {} });
const byHand = () => ask(peer.url, 'POST');
const [one, other] = [await grade(), await byHand()].map(
  ({ text }) => JSON.parse(text) as { grade: string; total: number; records: { score: number }[] }[],
);
const totalsOf = (groups: typeof one) => JSON.stringify(groups?.map((group) => [group.grade, group.total]));
if (totalsOf(one) !== totalsOf(other))
  throw new Error(`not the same answer: ${totalsOf(one)}, ${totalsOf(other)}`);

const noon = (daysAgo: number) =>
  `${new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)}T12:00:00Z`;
const best = (times: number[]) => Math.min(...times);
const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

const mine: number[] = [];
const theirs: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  mine.push((await grade()).ms);
  theirs.push((await byHand()).ms);
}
process.stdout.write(
  `grade of 5,000 devices among ${REPORTS} reports: ours best ${best(mine).toFixed(1)}, median ${median(mine).toFixed(1)} ms; by hand ${best(theirs).toFixed(1)}, ${median(theirs).toFixed(1)} ms\n`,
);
const ratio = median(mine) / median(theirs);
verdict('grade against the statement by hand', ratio, ratio <= 1.5, '≤ 1.5');

async function timed(label: string, method: string, path: string, body?: unknown) {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push((await ask(`${at}/${path}`, method, body)).ms);
  process.stdout.write(
    `${label.padEnd(34)} median ${median(times).toFixed(1).padStart(7)} ms, best ${best(times).toFixed(1)}\n`,
  );
  return best(times);
}
const reports = 'compliance_reports';
const history = (options: object) =>
  ['POST', `${reports}/history`, { options: { limit: 25, ...options } }] as const;
// the best round counts, because other load can only add time
const newest = await timed('newest 25 runs of one device', ...history({ devices: ['edge-42'] }));
verdict('newest 25 of one device, ms', newest, newest < 5, '< 5');
await timed('newest 25 of the tree', ...history({ treeId }));
await timed('newest 25 of all', ...history({}));
await timed('newest 25 below a node', ...history({ ...part, nodePath: 'base/site-7' }));
await timed('newest 25 below a node of none', ...history({ ...part, nodePath: 'base/none' }));
await timed('grade of one node', 'POST', `${reports}/grade`, {
  ...part,
  options: { nodePath: 'base/site-7' },
});
await timed('summary of the tree', 'GET', `${reports}/tree/${treeId}`);
await timed('top issues of the tree', 'POST', `${reports}/topissues`, part);
await timed('top issues everywhere', 'POST', `${reports}/topissues`, {});

const trendPath = `${reports}/trend?treeId=${treeId}&version=initial`;
const trends = [await ask(`${at}/${trendPath}`, 'GET'), await ask(`${peer.url}/trend`, 'POST')].map(
  ({ text }) => text,
);
const [summaries, counted] = trends.map((text) => JSON.stringify(JSON.parse(text)));
if (summaries !== counted) throw new Error(`not the same trend: ${summaries}, ${counted}`);
const countedTrends: number[] = [];
for (let round = 0; round < 5; round++) countedTrends.push((await ask(`${peer.url}/trend`, 'POST')).ms);
const trend = await timed('trend of 90 days', 'GET', trendPath);
process.stdout.write(`trend counted by hand: best ${best(countedTrends).toFixed(1)} ms\n`);
verdict('trend, ms', trend, trend <= 50, '≤ 50');
const trendRatio = trend / best(countedTrends);
verdict('trend against the statement by hand', trendRatio, trendRatio <= 0.1, '≤ 0.1');
await timed('trend of a node', 'GET', `${trendPath}&nodePath=base/site-7`);
await timed('trend from noon to noon', 'GET', `${trendPath}&from=${noon(60)}&to=${noon(10)}`);

for (const [label, query] of [
  ['reports of a device', 'deviceName=edge-42'],
  ['reports of a tree', `treeId=${treeId}`],
  ['reports of a device on a tree', `treeId=${treeId}&deviceName=edge-42`],
  ['reports below a node', `treeId=${treeId}&version=initial&nodePath=base/site-7`],
  ['reports, 10,000 skipped', `treeId=${treeId}&start=10000`],
  ['reports, 500,000 skipped', `treeId=${treeId}&start=500000`],
  ['reports of all, 500,000 skipped', 'start=500000'],
] as const) {
  await timed(label, 'GET', `${reports}?limit=25&${query}`);
}
const listed = await ask(`${at}/${reports}?limit=1`, 'GET');
const [{ batchId }] = JSON.parse(listed.text) as [{ batchId: string }];
await timed('headers of a batch of 5,000', 'GET', `${reports}/batch/${batchId}`);
await timed('last 25 headers of a batch', 'GET', `${reports}/batch/${batchId}?start=4975&limit=25`);
await timed('runs of a device with total', 'POST', `${reports}/query/history`, {
  ...part,
  nodePath: 'base',
  filter: { deviceName: 'edge-42' },
  options: { limit: 25 },
});
await timed('first page of the matrix', 'GET', `${reports}/matrix?treeId=${treeId}&version=initial`);

peer.stop();
ours.stop();
await new Promise((resolve) => setTimeout(resolve, 1000));
await rm(dataDir, { recursive: true, force: true });
