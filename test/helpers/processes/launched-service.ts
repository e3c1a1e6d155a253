import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, inject } from 'vitest';
import { SCRIPTS } from '../../lab/devices/scripts.ts';
import { ACCOUNT, openDevice } from '../../lab/devices/simulator.ts';
import { processesIn, until } from './processes.ts';

const ADMIN_PASSWORD = 'a-password-for-tests';

/** For a start that hangs: one takes some seconds of CPU time, of which a busy machine gives a twentieth. */
const START_SECONDS = 150;

/** Longer than anybody waits for a device. */
const LONG_MS = 120_000;

let folders = 0;

/** Processes as `npm start` and `npm run worker` run them, whose threads can be blocked; they end with the file. */
export function openLaunching() {
  const running = new Set<ChildProcess>();
  const closing: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(closing.map((close) => close()));
  });

  const newFolder = async () => {
    const folder = join(inject('folder'), `launched-${process.pid}-${folders++}`);
    await mkdir(folder);
    return folder;
  };

  /**
   * @param what `worker`; absent: the service
   * @param env further variables
   */
  const launch = async (given: { folder?: string; what?: 'worker'; env?: Record<string, string> } = {}) => {
    const { folder = await newFolder(), what, env = {} } = given;
    const child = spawn(process.execPath, ['server/app/launch.cjs', ...(what ? [what] : [])], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: '0',
        DATA_DIR: folder,
        ADMIN_PASSWORD,
        ALLOW_PRIVATE_TARGETS: '1',
        EVENT_STREAMS: '1000',
        ...env,
        BLOCK_THREADS: folder,
        NODE_OPTIONS: `--import=${join(import.meta.dirname, 'block-thread.mjs')}`,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    const lines: string[] = [];
    const errors: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
    const line = await until(`a line; it said ${errors.at(-1)}`, () => lines[0], START_SECONDS);
    const order = (thread: string, how: 'block' | 'loop' | 'exit' | 'memory') =>
      writeFile(join(folder, thread), how);
    return { child, url: line.slice('listening on '.length), folder, order, errors };
  };

  /** A device in the inventory of a service that lets sessions in, and answers no command `show …`. */
  const addSilentDevice = async (done: Done, name = 'silent') => {
    const script = SCRIPTS.find(({ device_type }) => device_type === 'cisco_xe');
    if (!script) throw new Error('no such device');
    const device = await openDevice(script);
    closing.push(device.close);
    const isStuck = () => device.heard.some((command) => command.startsWith('show '));
    device.mood = {
      get delayMs() {
        return isStuck() ? LONG_MS : 0;
      },
    };
    const { username, password } = ACCOUNT;
    const at = { host: '127.0.0.1', port: device.port, device_type: 'cisco_xe' };
    await done('POST', '/automationgateway/inventory/cli', { host: { name, ...at, username, password } });
    return { device, isStuck };
  };
  return { launch, addSilentDevice };
}

type Done = <Body>(method: string, path: string, body?: unknown) => Promise<Body>;

export async function tokenOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD }),
  });
  return answer.text();
}

/** Sends requests as the admin. @returns what sends one that must succeed, and gives its body */
export async function asAdminOf(url: string): Promise<Done> {
  const headers = { Authorization: `Bearer ${await tokenOf(url)}`, 'Content-Type': 'application/json' };
  return async <Body>(method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Body;
  };
}

/** Ends a process by SIGTERM, which must take no more than the seconds given and leave nothing behind. */
export async function stopInTime(child: ChildProcess, folder: string, most = 10.5) {
  const started = performance.now();
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  const seconds = (performance.now() - started) / 1000;
  console.log(`stopped after ${seconds.toFixed(1)} s`);
  expect(seconds).toBeLessThan(most);
  await until('nothing left', () => processesIn(folder).length === 0 || undefined);
}
