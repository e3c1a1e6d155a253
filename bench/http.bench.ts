import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inTurns, load, show, signIn, startServer, verdict } from './peers.ts';

/**
 * Measures the overhead of a request (authentication, roles, schemas, metrics, headers) beside Hono alone with the same
 * response. The POST reads a page of one document from the database; the peer sends the same statement by hand.
 */
const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const ours = await startServer('switchyard', { DATA_DIR: dataDir });
const token = await signIn(ours);
const hono = await startServer('raw-hono', { BENCH_DATA_DIR: dataDir });

const get = { path: '/version', token };
const post = {
  method: 'POST' as const,
  path: '/configuration_manager/backups',
  token,
  body: { options: { start: 0, limit: 1, filter: { name: '' } } },
};
for (const [name, request] of Object.entries({ GET: get, POST: post })) {
  const [mine, peer] = await inTurns(
    3,
    () => load(ours, request),
    () => load(hono, request),
  );
  show(`${name} ${request.path}, ours`, mine);
  show(`${name} ${request.path}, Hono alone`, peer);
  const ratio = mine.cpuUs / peer.cpuUs;
  verdict(`${name}, CPU a request`, ratio, ratio <= 2.5, '≤ 2.5 × Hono');
}

hono.stop();
ours.stop();
await new Promise((resolve) => setTimeout(resolve, 1000));
await rm(dataDir, { recursive: true, force: true });
