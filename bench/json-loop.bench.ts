import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/*
 * How long large values block the event loop while they become JSON or are read from it (decision 0106): in one call, by a
 * thread that gets a copy of the value, and in steps.
 */

const MIB = 1024 * 1024;
const STEP = 256 * 1024;

const elementOf = (id: number) => ({
  id,
  name: `edge-${id}`,
  config: { ip: `192.0.2.${id % 255}`, mtu: 1500, note: 'x'.repeat(60) },
});

const worker = new Worker(
  `const { parentPort } = require('node:worker_threads');
   parentPort.on('message', (value) => parentPort.postMessage(JSON.stringify(value).length));`,
  { eval: true },
);
const inThread = (value: unknown) =>
  new Promise((resolve) => {
    worker.once('message', resolve);
    worker.postMessage(value);
  });

async function inSteps(list: readonly unknown[]): Promise<number> {
  const parts: string[] = [];
  let texts: string[] = [];
  let size = 0;
  for (const element of list) {
    const text = JSON.stringify(element);
    texts.push(text);
    size += text.length;
    if (size < STEP) continue;
    parts.push(texts.join(','));
    texts = [];
    size = 0;
    await turn();
  }
  parts.push(texts.join(','));
  return `[${parts.join(',')}]`.length;
}

async function measured(run: () => Promise<unknown>): Promise<string> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await sleep(50);
  delay.enable();
  await sleep(20);
  const began = performance.now();
  await run();
  const took = performance.now() - began;
  await sleep(20);
  delay.disable();
  return `${took.toFixed(0)} ms, the loop blocked for at most ${(delay.max / 1e6).toFixed(0)} ms`;
}

await inThread(null);
for (const mebibytes of [1, 8, 16, 47]) {
  const list: unknown[] = [];
  for (let size = 0; size < mebibytes * MIB; ) {
    const element = elementOf(list.length);
    size += JSON.stringify(element).length + 1;
    list.push(element);
  }
  const text = JSON.stringify(list);
  const runs: [string, () => Promise<unknown>][] = [
    ['written at once', async () => JSON.stringify(list)],
    ['written in a thread', () => inThread(list)],
    ['written in steps', () => inSteps(list)],
    ['parsed at once', async () => JSON.parse(text)],
  ];
  for (const [name, run] of runs) process.stdout.write(`${mebibytes} MiB ${name}: ${await measured(run)}\n`);
}
await worker.terminate();
