import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signIn, startServer, verdict } from './peers.ts';

/**
 * Measures 10,000 backups of 15 KB in one call over HTTP, checked, hashed and stored, beside PostgreSQL's own COPY of the
 * same rows from memory into tables of the same shape, the fastest possible way to store rows.
 */
const COUNT = 10_000;
const SIZE = 15 * 1024;
const ROUNDS = 3;

/** Returns a configuration that differs from the others and compresses as real ones do. */
function configuration(round: number, i: number): string {
  const lines = [`hostname edge-${round}-${i}`];
  for (let length = 0, n = 0; length < SIZE; n++) {
    const line = `interface GigabitEthernet0/${n}\n ip address 10.${i % 250}.${n % 250}.1 255.255.255.0\n description link ${(i * 7919 + n * 104_729) % 1_000_003}`;
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join('\n');
}
const backups = (round: number) =>
  Array.from({ length: COUNT }, (_, i) => ({
    name: `edge-${i}`,
    provider: 'bench',
    type: 'native',
    date: '2026-02-03T04:05:06.000Z',
    rawConfig: configuration(round, i),
    description: '',
    notes: '',
  }));

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const ours = await startServer('switchyard', { DATA_DIR: dataDir });
const token = await signIn(ours);
const copy = await startServer('copy', { BENCH_DATA_DIR: dataDir });
const post = async (url: string, body: string) => {
  const started = performance.now();
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body,
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${(await answer.text()).slice(0, 300)}`);
  const text = await answer.text();
  return { ms: performance.now() - started, text };
};

let mine = Number.POSITIVE_INFINITY;
let theirs = Number.POSITIVE_INFINITY;
let peak = 0;
const { rss: idle } = await ours.used();
for (let round = 0; round < ROUNDS; round++) {
  const body = JSON.stringify({ backups: backups(round) });
  const copied = await post(`${copy.url}/copy`, body);
  theirs = Math.min(theirs, Number(copied.text));
  const watch = setInterval(async () => {
    peak = Math.max(peak, (await ours.used()).rss);
  }, 100);
  mine = Math.min(mine, (await post(`${ours.url}/configuration_manager/import/backups`, body)).ms);
  clearInterval(watch);
}
process.stdout.write(
  `import over HTTP, ours ${mine.toFixed(0)} ms; COPY of the same rows ${theirs.toFixed(0)} ms\n`,
);
const mib = (bytes: number) => (bytes / 1024 / 1024).toFixed(0);
process.stdout.write(`memory: ${mib(idle)} MiB idle, ${mib(peak)} MiB at its peak, for a body of 150 MiB\n`);
verdict('speed against COPY', theirs / mine, theirs / mine >= 0.8, '≥ 0.8');
verdict('MiB at the peak', peak / 1024 / 1024, peak <= 300 * 1024 * 1024, '≤ 300');
copy.stop();
ours.stop();
await new Promise((resolve) => setTimeout(resolve, 1000));
await rm(dataDir, { recursive: true, force: true });
