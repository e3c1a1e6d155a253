import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, inject, test } from 'vitest';
import { processesIn, until } from '../helpers/processes.ts';

const running = new Set<ChildProcess>();
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

const ADMIN_PASSWORD = 'a-password-for-tests';
let folders = 0;

/** The service as `npm start` runs it, with a way to block its threads. */
async function startService() {
  const folder = join(inject('folder'), `blocked-${process.pid}-${folders++}`);
  await mkdir(folder);
  const child = spawn(process.execPath, ['server/app/launch.mjs'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      DATA_DIR: folder,
      ADMIN_PASSWORD,
      EVENT_STREAMS: '1000',
      BLOCK_THREADS: folder,
      NODE_OPTIONS: `--import=${join(import.meta.dirname, '../helpers/block-thread.mjs')}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const lines: string[] = [];
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  const line = await until(`a line; it said ${errors.at(-1)}`, () => lines[0], 60);
  const url = line.slice('listening on '.length);
  const order = (thread: string, what: 'block' | 'exit' | 'memory') => writeFile(join(folder, thread), what);
  return { child, url, folder, order, errors };
}

type Status = { apps: string; services: { service: string; status: string }[] };

async function statusOf(url: string) {
  const answer = await fetch(`${url}/health/status`);
  expect(answer.status).toBe(200);
  const { apps, services } = (await answer.json()) as Status;
  return { apps, work: services.find(({ service }) => service === 'durable work')?.status ?? 'running' };
}

async function tokenOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD }),
  });
  return answer.text();
}

async function stopInTime(child: ChildProcess, folder: string) {
  const started = performance.now();
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  const seconds = (performance.now() - started) / 1000;
  console.log(`stopped after ${seconds.toFixed(1)} s`);
  expect(seconds).toBeLessThan(10.5);
  await until('nothing left', () => processesIn(folder).length === 0 || undefined, 20);
}

test('a thread that is blocked, ends or runs out of memory is replaced, and health says so meanwhile', async () => {
  const { child, url, folder, order, errors } = await startService();
  expect(await statusOf(url)).toEqual({ apps: 'running', work: 'running' });
  for (const [what, why] of [
    ['block', /did not answer for 10 s/],
    ['exit', /ended: 3/],
    // A thread that clears memory away all the time does not answer either.
    ['memory', /memory limit|did not answer for 10 s/],
  ] as const) {
    await order('work', what);
    const degraded = async () => (await statusOf(url)).work === 'degraded' || undefined;
    await until(`degraded by ${what}; it said ${errors.at(-1)}`, degraded, 90);
    expect(await statusOf(url)).toEqual({ apps: 'degraded', work: 'degraded' });
    const replaced = async () => (await statusOf(url)).work === 'running' || undefined;
    await until(`replaced after ${what}; it said ${errors.at(-1)}`, replaced, 60);
    expect(errors.filter((line) => line.includes('was lost')).at(-1)).toMatch(why);
  }
  expect(child.exitCode).toBeNull();
  await stopInTime(child, folder);
});

test('SIGTERM ends the service within 10 s beside a blocked thread, open streams and a request that never ends', async () => {
  const { child, url, folder, order } = await startService();
  const headers = { Authorization: `Bearer ${await tokenOf(url)}` };
  const length = process.env.LONG ? 500 : 50;
  const streams = await Promise.all(Array.from({ length }, () => fetch(`${url}/events`, { headers })));
  expect(streams.every(({ status }) => status === 200)).toBe(true);
  // Its body never ends.
  const unending = fetch(`${url}/configuration_manager/import/backups`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) }),
    duplex: 'half',
  } as RequestInit).catch(() => undefined);
  await order('work', 'block');
  await until('the thread is blocked', async () => processesIn(folder).length > 0 || undefined);
  await new Promise((resolve) => setTimeout(resolve, 500));
  await stopInTime(child, folder);
  await unending;
});
