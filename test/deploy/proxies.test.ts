import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createTRPCClient, httpLink } from '@trpc/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { AppRouter } from '#routers/index.ts';
import { assertOwnAnswer, problemOf } from '../../web/src/api/problem.ts';
import { until } from '../helpers/processes/processes.ts';
import { openService } from '../helpers/service.ts';
import { workflowOf } from '../helpers/workflows.ts';
import { openAuthority } from '../lab/certificates.ts';

const isPresent = (command: string) => spawnSync(command, ['-v']).error === undefined;
const service = await openService({ TRUSTED_PROXIES: '127.0.0.1' });
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

let folder: string;
const file = (name: string) => join(folder, name);
beforeAll(() => {
  folder = join(inject('folder'), `proxies-${process.pid}`);
  mkdirSync(folder);
  const { cert, key } = openAuthority().issue({ names: ['switchyard.example'] });
  writeFileSync(file('cert.pem'), cert);
  writeFileSync(file('key.pem'), key);
  writeFileSync(file('both.pem'), `${cert}\n${key}`);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

type Headers = Record<string, string>;
const ask = (port: number, path: string, headers: Headers = {}) =>
  new Promise<{ status: number; headers: Headers }>((resolve, reject) => {
    const sent = get(
      { host: '127.0.0.1', port, path, headers, rejectUnauthorized: false, agent: false },
      (answer) => {
        answer.resume();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers as Headers });
      },
    );
    sent.on('error', reject);
  });

/** Starts a proxy and checks what the service sees of a request through it. */
async function through(command: string, args: string[], port: number) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  let said = '';
  child.stderr.on('data', (part: Buffer) => {
    said += part;
  });
  await until(
    command,
    async () => {
      if (child.exitCode !== null) throw new Error(`${command} ended: ${said}`);
      const status = await ask(port, '/health/ready').then(
        (answer) => answer.status,
        (error: Error) => error.message,
      );
      said = `${said.split('\nlast answer')[0]}\nlast answer: ${status}`;
      return status === 200 || undefined;
    },
    30,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${said}`);
  });
  const before = service.logged.length;
  const answer = await ask(port, '/health/live', {
    Host: 'switchyard.example',
    'X-Forwarded-For': '198.51.100.1',
    'X-Forwarded-Host': 'evil.example',
  });
  expect(answer.status).toBe(200);
  // The service knows that the client speaks HTTPS, and does not believe the caller's own header.
  expect(answer.headers['strict-transport-security']).toBeDefined();
  const line = service.logged.slice(before).find((one) => one.includes('/health/live')) ?? '{}';
  expect(JSON.parse(line)).toMatchObject({ address: '127.0.0.1' });
}

test.skipIf(!isPresent('nginx'))(
  'the sample of nginx passes requests with the client’s address',
  async () => {
    const port = await freePort();
    const sample = readFileSync('deploy/proxies/nginx.conf', 'utf8')
      .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replace('server 127.0.0.1:3000', `server 127.0.0.1:${service.port}`)
      .replace('/etc/switchyard/tls/fullchain.pem', file('cert.pem'))
      .replace('/etc/switchyard/tls/privkey.pem', file('key.pem'));
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${file(name)};`)
      .join(' ');
    writeFileSync(
      file('nginx.conf'),
      `daemon off; master_process off; pid ${file('nginx.pid')}; error_log stderr;
events {} http { access_log off; ${paths}
${sample} }`,
    );
    await through('nginx', ['-c', file('nginx.conf'), '-e', 'stderr'], port);
  },
);

test.skipIf(!isPresent('nginx'))(
  'nginx with its default settings passes events at once and the console’s calls',
  async () => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const behind = await openService({ PUBLIC_URL: origin });
    const own = await openService();
    const { token } = await behind.callerWith('admin');
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${file(name)};`)
      .join(' ');
    const other = await freePort();
    const serverOf = (at: number, to: number) =>
      `server { listen 127.0.0.1:${at}; location / { proxy_pass http://127.0.0.1:${to}; } }`;
    writeFileSync(
      file('default.conf'),
      `daemon off; master_process off; pid ${file('default.pid')}; error_log stderr;
events {} http { access_log off; ${temporary}
${serverOf(port, behind.port)} ${serverOf(other, own.port)} }`,
    );
    const program = 'nginx';
    running.push(spawn(program, ['-c', file('default.conf'), '-e', 'stderr'], { stdio: 'ignore' }));
    await until('nginx', () =>
      fetch(`${origin}/health/ready`).then(
        ({ ok }) => ok || undefined,
        () => undefined,
      ),
    );
    const headers = { Authorization: `Bearer ${token}` };
    const stopped = new AbortController();
    const stream = await fetch(`${origin}/events`, { headers, signal: stopped.signal });
    const first = await stream.body?.getReader().read();
    expect(Buffer.from(first?.value ?? []).toString()).toMatch(/^retry: 1000/);
    stopped.abort();

    // The header Host names the service instead of the origin of the console.
    const save = (at: string, cookie: string) =>
      fetch(`${at}/automation-studio/automations`, {
        method: 'POST',
        headers: { Cookie: `token=${cookie}`, Origin: at, 'Content-Type': 'application/json' },
        body: JSON.stringify({ automation: workflowOf('Saved behind nginx') }),
      });
    expect((await save(origin, token)).status).toBe(200);
    const denied = await save(`http://127.0.0.1:${other}`, (await own.callerWith('admin')).token);
    expect(denied.status).toBe(403);
    expect(await denied.text()).toContain('let the proxy pass the header Host, or set PUBLIC_URL');

    // It passes bodies of up to 1 MB, and answers with a page of its own beyond.
    const client = createTRPCClient<AppRouter>({
      links: [
        httpLink({
          url: `${origin}/trpc`,
          headers,
          // As that of the console.
          fetch: async (address, options) => {
            const response = await fetch(address, options as RequestInit);
            assertOwnAnswer(response);
            return response;
          },
        }),
      ],
    });
    const failure = await client.automationStudio.createWorkflow
      .mutate({ automation: workflowOf('x'.repeat(1_500_000)) } as never)
      .catch((error: unknown) => error);
    expect(problemOf(failure)).toMatchObject({
      status: 413,
      message: expect.stringMatching(/^A proxy in front of the service does not pass requests of this size/),
    });
  },
);

test.skipIf(!isPresent('haproxy'))(
  'the sample of HAProxy passes requests with the client’s address',
  async () => {
    const port = await freePort();
    const sample = readFileSync('deploy/proxies/haproxy.cfg', 'utf8')
      .replace('bind :443', `bind 127.0.0.1:${port}`)
      .replace('server one 127.0.0.1:3000', `server one 127.0.0.1:${service.port}`)
      .replace('/etc/haproxy/switchyard.pem', file('both.pem'));
    writeFileSync(file('haproxy.cfg'), sample);
    await through('haproxy', ['-db', '-f', file('haproxy.cfg')], port);
  },
);
