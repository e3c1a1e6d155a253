import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readTls } from '#server/app/tls.ts';
import { openProbes } from '#server/app/work/probe-server.ts';
import { openTestDatabase } from '../helpers/postgres.ts';
import { until } from '../helpers/processes/processes.ts';
import { openAuthority } from '../lab/certificates.ts';

const closing: (() => unknown)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

let folder: string;
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = join(inject('folder'), `tls-${process.pid}`);
  await mkdir(folder);
  const authority = openAuthority();
  for (const [name, days] of [
    ['one', 13],
    ['two', 15],
  ] as const) {
    const until = new Date(Date.now() + days * 86_400_000);
    const { cert, key } = authority.issue({ names: [name], until });
    await writeFile(file(`${name}.pem`), cert);
    await writeFile(file(`${name}.key`), key);
  }
});

/** A request over a connection of its own: status, headers, and the name in the server's certificate. */
const ask = (url: string) =>
  new Promise<{ status: number; name: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const sent = get(url, { rejectUnauthorized: false, agent: false }, (answer) => {
      const { subject } = (answer.socket as TLSSocket).getPeerCertificate();
      answer.resume();
      resolve({ status: answer.statusCode ?? 0, name: String(subject.CN), headers: answer.headers });
    });
    sent.on('error', reject);
  });

/** The parts of the service that are not well. */
const degraded = async (url: string) => {
  const [answer] = await once(
    get(`${url}/health/status`, { rejectUnauthorized: false, agent: false }),
    'response',
  );
  const { services } = JSON.parse(await text(answer)) as { services: { service: string; status: string }[] };
  return services.filter(({ status }) => status !== 'running');
};

test('the service serves HTTPS and loads a new certificate without a restart', async () => {
  const use = async (cert: string, key: string) => {
    await copyFile(file(`${cert}.pem`), file('used.pem'));
    await copyFile(file(`${key}.key`), file('used.key'));
  };
  await use('one', 'one');
  const child = spawn(process.execPath, ['server/app/launch.cjs'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      WORKERS: '0',
      DATA_DIR: file('data'),
      TLS_CERT: file('used.pem'),
      TLS_KEY: file('used.key'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  closing.push(() => child.kill('SIGKILL'));
  const lines: string[] = [];
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  await until(`the service; it said ${errors.at(-1)}`, () => lines[0]);
  const url = lines[0]?.slice('listening on '.length) ?? '';
  expect(url).toMatch(/^https:\/\//);
  const first = await ask(`${url}/health/ready`);
  expect(first).toMatchObject({ status: 200, name: 'one' });
  expect(first.headers['strict-transport-security']).toBeDefined();
  expect(await degraded(url)).toEqual([{ service: 'certificate', status: 'degraded' }]);
  await until('the warning', () => errors.find((line) => line.includes('ends soon')));

  await use('two', 'one');
  child.kill('SIGHUP');
  await until('the complaint', () => errors.find((line) => line.includes('was not replaced')));
  expect((await ask(`${url}/health/ready`)).name).toBe('one');

  await use('two', 'two');
  child.kill('SIGHUP');
  await until('the new certificate', async () => ((await ask(url)).name === 'two' ? true : undefined));
  expect(await degraded(url)).toEqual([]);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('files that cannot be read or do not belong together are named', async () => {
  await writeFile(file('empty.pem'), '');
  await expect(readTls({ cert: file('none.pem'), key: file('one.key') })).rejects.toThrow(
    /TLS_CERT: .*ENOENT/,
  );
  await expect(readTls({ cert: file('one.pem'), key: file('two.key') })).rejects.toThrow('its private key');
  await expect(readTls({ cert: file('empty.pem'), key: file('two.key') })).rejects.toThrow(
    'TLS_CERT and TLS_KEY',
  );
});

test('a process that only works answers probes at PORT: 503 once it stops or the database is away', async () => {
  const { db, close } = await openTestDatabase();
  let isStopping = false;
  const config = { host: '127.0.0.1', port: 0, tls: undefined };
  const log = pino({ level: 'silent' });
  const probes = await openProbes({ config, db, log, isStopping: () => isStopping });
  if (!probes) throw new Error('no probes');
  closing.push(probes.close);
  const read = async (path: string) => {
    const answer = await fetch(`${probes.url}${path}`);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  expect(await read('/health/ready')).toMatchObject({ status: 200, body: { checks: { database: 'ok' } } });
  expect((await read('/whoami')).status).toBe(404);
  isStopping = true;
  expect((await read('/health/ready')).status).toBe(503);
  isStopping = false;
  await close();
  expect(await read('/health/ready')).toMatchObject({
    status: 503,
    body: { code: 'SERVICE_UNAVAILABLE', checks: { database: 'unavailable' } },
  });
  expect((await read('/health/live')).status).toBe(200);

  const taken = { ...config, port: Number(new URL(probes.url).port) };
  expect(await openProbes({ config: taken, db, log, isStopping: () => false })).toBeNull();
});
