import type { Server } from '../peers.ts';
import type { Part } from './page-timing.ts';

/** How much the memory of the service may grow while a file is written, in bytes. */
const GROWTH = 150 * 1024 * 1024;
const MIB = 1024 * 1024;

type FilePart = { sized: Part['budget']; ours: Server; token: string };

/** Downloads the list of all jobs as CSV, and measures rows a second and the memory of the service meanwhile. */
export async function measureListFiles({ sized, ours, token }: FilePart): Promise<void> {
  const query = new URLSearchParams({
    input: JSON.stringify({ queryOptions: { sort: 'metrics.start_time', order: -1 } }),
    columns: 'name:Name,status:State,metrics.start_time:Started,error.0.message:Error',
  });
  const { rss: before, cpuUs } = await ours.used();
  let most = before;
  const watch = setInterval(async () => {
    most = Math.max(most, (await ours.used()).rss);
  }, 250);
  const began = performance.now();
  const answer = await fetch(`${ours.url}/lists/operationsManager.listJobs/csv?${query}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  if (!answer.ok || !answer.body) throw new Error(`${answer.status} ${await answer.text()}`);
  let lines = 0;
  let bytes = 0;
  for await (const part of answer.body) {
    bytes += part.length;
    for (const byte of part) if (byte === 10) lines += 1;
  }
  clearInterval(watch);
  const seconds = (performance.now() - began) / 1000;
  const cpuS = ((await ours.used()).cpuUs - cpuUs) / 1e6;
  process.stdout.write(
    `jobs as CSV: ${lines - 1} rows, ${(bytes / MIB).toFixed(0)} MiB in ${seconds.toFixed(0)} s; ${cpuS.toFixed(0)} s of processor time of the service; memory ${(before / MIB).toFixed(0)} MiB, at most ${(most / MIB).toFixed(0)} MiB\n`,
  );
  sized('growth of memory while all jobs are written as CSV', (most - before) / MIB, GROWTH / MIB);
}
