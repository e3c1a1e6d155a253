import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const ADMIN_PASSWORD = 'a-password-for-trials';

/** Header in which the balancer names the process that answered. */
export const SERVED_BY = 'x-served-by';

/** A process of Switchyard, as `npm start` or `npm run worker` runs it. */
export type Service = {
  port: number;
  url: string;
  child: ChildProcess;
  /** The file of its log lines. */
  log: string;
  /** Sends SIGTERM or SIGKILL, and waits for the end. @returns the exit status, or the signal */
  stop: (signal?: 'SIGTERM' | 'SIGKILL') => Promise<number | string | null>;
};

const running = new Set<ChildProcess>();

/** Ends every process that a trial started and did not end. */
export function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts a program that ends with this one. */
export function startProcess(
  command: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; output?: string; cwd?: string; uid?: number; gid?: number } = {},
): ChildProcess {
  const { output, env = process.env, ...account } = options;
  const file = output === undefined ? 'ignore' : openSync(output, 'a');
  const child = spawn(command, args, { stdio: ['ignore', file, file], env, ...account });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Sends a signal to a process that runs, and waits for its end. @returns its exit status, or the signal that ended it */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM') {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
  return child.exitCode ?? child.signalCode;
}

/** Returns a port of 127.0.0.1 on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Waits for something. @throws Error after `seconds` */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  seconds = 60,
): Promise<number> {
  const begun = performance.now();
  while (!(await holds())) {
    if (performance.now() - begun > seconds * 1000) throw new Error(`not within ${seconds} s: ${what}`);
    await sleep(50);
  }
  return performance.now() - begun;
}

/** Returns whether the service at this URL answers its readiness probe with 200 within two seconds. */
export const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2000) }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status === 200;
    },
    () => false,
  );

/** Returns the program that starts the service in a checkout, also in one of an earlier version. */
export const programIn = (checkout: string): string =>
  existsSync(join(checkout, 'server/app/launch.cjs')) ? 'server/app/launch.cjs' : 'server/app/launch.mjs';

/** Starts a process of the service without waiting until it is ready. */
export function launch(folder: string, port: number, env: NodeJS.ProcessEnv, cwd = process.cwd()): Service {
  const log = join(folder, `service-${port}.log`);
  const child = startProcess(process.execPath, ['--enable-source-maps', programIn(cwd)], {
    output: log,
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      DATA_DIR: join(folder, `data-${port}`),
      ADMIN_PASSWORD,
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      ALLOW_PRIVATE_TARGETS: '1',
      LOG_LEVEL: 'warn',
      ...env,
    },
  });
  const stop: Service['stop'] = (signal) => stopProcess(child, signal);
  return { port, url: `http://127.0.0.1:${port}`, child, log, stop };
}

/** Starts a process of the service, and waits until it is ready. @param cwd another checkout, absent: this one */
export async function startService(
  folder: string,
  port: number,
  env: NodeJS.ProcessEnv,
  cwd?: string,
): Promise<Service> {
  const service = launch(folder, port, env, cwd);
  await until(
    `the service on ${service.port}`,
    () => {
      if (service.child.exitCode !== null)
        throw new Error(
          `it ended with status ${service.child.exitCode}: ${readFileSync(service.log, 'utf8').slice(-800)}`,
        );
      return isReady(service.url);
    },
    // A start takes two seconds of CPU time, of which a busy machine gives a hundredth.
    240,
  );
  return service;
}

/** Starts HAProxy before these ports, which it asks for their readiness twice a second. */
export async function startBalancer(folder: string, ports: readonly number[]) {
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    `global
  maxconn 2000
defaults
  mode http
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout http-request 15s
  option http-keep-alive
  option redispatch
  retries 3
frontend front
  bind 127.0.0.1:${port}
  default_backend back
backend back
  balance roundrobin
  option httpchk
  http-check send meth GET uri /health/ready ver HTTP/1.1 hdr Host trial
  http-check expect status 200
  http-response set-header ${SERVED_BY} %s
  default-server inter 500ms fall 2 rise 1
${ports.map((one, at) => `  server s${at} 127.0.0.1:${one} check`).join('\n')}
`,
  );
  const child = startProcess('haproxy', ['-db', '-f', file], { output: join(folder, 'haproxy.log') });
  const url = `http://127.0.0.1:${port}`;
  await until('HAProxy', () => isReady(url));
  return { url, stop: () => stopProcess(child, 'SIGKILL') };
}
