import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inTurns, load, show, signIn, startServer, verdict } from './peers.ts';

/**
 * Measures a page of 25 documents of 2 KB out of 100,000, with the total: the service beside a hand-written handler with
 * Fastify and the postgres driver (its own total, its own order, parsed objects in between), and beside what it costs at least:
 * Hono that answers the page from memory, and with one statement.
 */
const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const ours = await startServer('switchyard', { DATA_DIR: dataDir });
const token = await signIn(ours);
const fastify = await startServer('fastify', { BENCH_DATA_DIR: dataDir, BENCH_DOCUMENTS: '100000' });
const floor = await startServer('floor', { BENCH_DATA_DIR: dataDir });

const page = (start: number) => ({
  method: 'POST' as const,
  path: '/configuration_manager/backups',
  token,
  body: { options: { start, limit: 25 } },
});
const [first, memory, driver, peer] = await inTurns(
  3,
  () => load(ours, page(0)),
  () => load(floor, { ...page(0), path: '/memory' }),
  () => load(floor, page(0)),
  () => load(fastify, page(0)),
);
show('page at 0, ours', first);
show('page at 0, Hono from memory', memory);
show('page at 0, Hono and one statement', driver);
show('page at 0, Fastify and postgres', peer);
verdict(
  'requests a second',
  first.perSecond / peer.perSecond,
  first.perSecond >= 0.9 * peer.perSecond,
  '≥ 0.9',
);

const [far, peerFar] = await inTurns(
  2,
  () => load(ours, page(50_000)),
  () => load(fastify, page(50_000)),
);
show('page at 50,000, ours', far);
show('page at 50,000, Fastify and postgres', peerFar);
const slower = first.perSecond / far.perSecond;
verdict('offset 50,000 against 0, times slower', slower, slower <= 3, '≤ 3');

floor.stop();
fastify.stop();
ours.stop();
await new Promise((resolve) => setTimeout(resolve, 1000));
await rm(dataDir, { recursive: true, force: true });
