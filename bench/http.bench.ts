import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inTurns, load, show, signIn, startServer, verdict } from './peers.ts';

/**
 * Measures the overhead of a request (authentication, roles, schemas, metrics, headers) beside Hono alone with the same
 * response, and beside the floor: Hono, Zod for the body, and one statement of the driver. One POST reads a page of one document from
 * the database, one stores a document; the peers send the same statement by hand.
 */
const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const ours = await startServer('switchyard', { DATA_DIR: dataDir });
const token = await signIn(ours);
const hono = await startServer('raw-hono', { BENCH_DATA_DIR: dataDir });
const floor = await startServer('floor', { BENCH_DATA_DIR: dataDir });

const get = { path: '/version', token };
const post = {
  method: 'POST' as const,
  path: '/configuration_manager/backups',
  token,
  body: { options: { start: 0, limit: 1, filter: { name: '' } } },
};
const newTag = () => ({ data: { name: crypto.randomUUID(), description: 'none' } });
const store = { ...post, path: '/tags/create', body: newTag };
const [gets, honoGets] = await inTurns(
  3,
  () => load(ours, get),
  () => load(hono, get),
);
show(`GET ${get.path}, ours`, gets);
show(`GET ${get.path}, Hono alone`, honoGets);
const ratio = gets.cpuUs / honoGets.cpuUs;
verdict('GET, CPU a request', ratio, ratio <= 2.5, '≤ 2.5 × Hono');

const POSTS = [
  { name: 'POST that reads', request: post, least: { ...post, path: '/parsed' }, bar: 2.5 },
  { name: 'POST that stores', request: store, least: store },
];
for (const { name, request, least, bar } of POSTS) {
  const [mine, peer, lowest] = await inTurns(
    3,
    () => load(ours, request),
    () => load(hono, request),
    () => load(floor, least),
  );
  show(`${name}, ours`, mine);
  show(`${name}, Hono alone`, peer);
  show(`${name}, floor`, lowest);
  const times = mine.cpuUs / peer.cpuUs;
  if (bar !== undefined) verdict(`${name}, CPU a request`, times, times <= bar, `≤ ${bar} × Hono`);
  process.stdout.write(
    `${name}: ${times.toFixed(2)} × Hono alone; the floor is ${(lowest.cpuUs / peer.cpuUs).toFixed(2)} × Hono alone\n`,
  );
}

floor.stop();
hono.stop();
ours.stop();
await new Promise((resolve) => setTimeout(resolve, 1000));
await rm(dataDir, { recursive: true, force: true });
