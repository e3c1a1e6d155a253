import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { isLong, sampled } from '../helpers/long.ts';
import { freePort } from '../helpers/processes/free-port.ts';
import { processesIn, until } from '../helpers/processes/processes.ts';

type Started = { child: ChildProcess; url: string; lines: string[]; errors: string[]; password: string };

const running = new Set<ChildProcess>();
const endAll = () => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
};
afterAll(endAll);

let folders = 0;
async function newFolder(): Promise<string> {
  const folder = join(inject('folder'), `service-${process.pid}-${folders++}`);
  await mkdir(folder);
  return folder;
}

function spawnService(env: Record<string, string>, ...named: string[]) {
  const child = spawn(process.execPath, ['server/app/launch.cjs', ...named], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const lines: string[] = [];
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  return { child, lines, errors };
}

/** The service in a process of its own, as `npm start` runs it; resolves once it says where it listens. */
async function startService(dataDir: string, env: Record<string, string> = {}): Promise<Started> {
  const { child, lines, errors } = spawnService({ DATA_DIR: dataDir, ...env });
  await until(
    `a line of ${child.pid}; it said ${errors.at(-1)}`,
    () => lines.length > 0 || child.exitCode !== null || undefined,
    120,
  );
  const url = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(lines[0] ?? '')?.[1];
  if (!url) throw new Error(`the first line was ${lines[0]}; ${errors.join('\n')}`);
  return { child, lines, errors, url, password: env.ADMIN_PASSWORD ?? '' };
}

async function signIn(url: string, password: string): Promise<string> {
  const answer = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ user: { username: 'admin', password } }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.text();
}

const whoami = (url: string, token: string) =>
  fetch(`${url}/whoami`, { headers: { Authorization: `Bearer ${token}` } });

const ADMIN_PASSWORD = 'a-password-for-tests';

describe('one folder, start after start', () => {
  let folder: string;
  let first: Started;
  let password = '';
  beforeAll(async () => {
    folder = await newFolder();
    first = await startService(folder);
  });
  afterAll(endAll);

  test('a first start says where it listens, prints a password that signs in, and never prints its key', async () => {
    const { lines, url } = first;
    const reported = await until('the password', () => lines.find((line) => line.includes('password')));
    password = /password (\S+) /.exec(reported)?.[1] ?? '';
    const token = await until('the account', () => signIn(url, password).catch(() => undefined));
    expect(token).toMatch(/^[\w-]{43}$/);
    expect((await stat(join(folder, 'secret.key'))).mode & 0o777).toBe(0o600);
    expect((await fetch(`${url}/health/status`)).status).toBe(200);
    // Work that is removed or looked up before its tables exist would be an error in the log.
    const unusual = first.errors.filter((line) => !/"level":"(info|debug)"/.test(line));
    expect(unusual).toEqual([]);
  });

  test('it has threads to look up sixteen names at a time', async () => {
    // Each occupies one until the resolver gives up; Node lets names have half of its threads.
    const threads = await readdir(`/proc/${first.child.pid}/task`);
    expect(threads.length).toBeGreaterThan(32);
  });

  test('SIGHUP, which systemctl reload sends, ends no service that has no certificate to load', async () => {
    first.child.kill('SIGHUP');
    for (let asked = 0; asked < 10; asked += 1) {
      expect((await fetch(`${first.url}/health/live`)).status).toBe(200);
      await sleep(50);
    }
    expect([first.child.exitCode, first.child.signalCode]).toEqual([null, null]);
  });

  test.skipIf(!isLong)(
    'a session outlives a stop, and kill -9 of the service or its database; each leaves nothing behind',
    async () => {
      const token = await signIn(first.url, password);
      first.child.kill('SIGTERM');
      expect(await once(first.child, 'exit')).toEqual([0, null]);
      await until('nothing left', () => processesIn(folder).length === 0 || undefined);

      const second = await startService(folder, { ADMIN_PASSWORD: 'another-one-that-does-not-count' });
      expect((await whoami(second.url, token)).status).toBe(200);
      second.child.kill('SIGKILL');

      const third = await startService(folder);
      expect((await whoami(third.url, token)).status).toBe(200);
      const [postmaster] = processesIn(folder).filter(({ command }) => / -D /.test(command));
      expect(postmaster).toBeDefined();
      process.kill(postmaster?.pid ?? 0, 'SIGKILL');
      const seen = new Set<number>();
      await until('recovery', async () => {
        const { status } = await whoami(third.url, token);
        seen.add(status);
        return status === 200 || undefined;
      });
      // While it is away callers receive 503 and nothing else.
      for (const status of seen) expect([200, 503]).toContain(status);
      third.child.kill('SIGKILL');
      await until('nothing left', () => processesIn(folder).length === 0 || undefined);
    },
  );

  test.skipIf(!isLong)(
    'a secret key other than the one that sealed the secrets is rejected before any data is lost',
    async () => {
      const kept = await readFile(join(folder, 'secret.key'), 'utf8');
      const other = Buffer.alloc(32, 7).toString('base64');
      const { child, errors } = spawnService({ DATA_DIR: folder, SECRET_KEY: other });
      expect((await once(child, 'exit'))[0]).toBe(78);
      expect(errors.at(-1)).toContain('SECRET_KEY');
      expect(errors.join('\n')).not.toContain(kept.trim());
    },
  );
});

describe.skipIf(!isLong)('several processes on one folder', () => {
  let folder: string;
  let one: Started;
  let other: Started;
  beforeAll(async () => {
    folder = await newFolder();
    const env = { ADMIN_PASSWORD, WORKERS: '0' };
    [one, other] = await Promise.all([startService(folder, env), startService(folder, env)]);
  });
  afterAll(endAll);

  test('two processes that start together serve the same sessions', async () => {
    const token = await signIn(one.url, ADMIN_PASSWORD);
    expect((await whoami(other.url, token)).status).toBe(200);
    await fetch(`${one.url}/logout`, { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
    // The other process hears of it from the database, a moment later (decision 0003).
    await until('the end', async () => (await whoami(other.url, token)).status === 401 || undefined, 5);
  });

  test('a worker does the work that services without workers receive', async () => {
    const { url } = one;
    const token = await signIn(url, ADMIN_PASSWORD);
    const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const answer = await fetch(`${url}/configuration_manager${path}`, {
        method,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(await answer.text());
      // Each call of this test names what its endpoint answers.
      return (await answer.json()) as T;
    };
    const tree = await call<{ id: string }>('POST', '/configs', { name: 'Shared', deviceType: 'cisco-ios' });
    await call('POST', `/configs/${tree.id}/initial/base/devices`, { devices: ['edge-1'] });
    await call('POST', '/import/backups', {
      backups: [{ name: 'edge-1', rawConfig: 'hostname edge-1\n', date: '2026-02-03T04:05:06.000Z' }],
    });
    const { batchId } = await call<{ batchId: string }>('POST', '/compliance_reports', {
      options: { treeId: tree.id, version: 'initial', nodePath: 'base' },
    });
    const status = () =>
      call<{ status: string; done: number }>('GET', `/compliance_reports/batch/${batchId}/status`);
    expect(await status()).toMatchObject({ status: 'running', done: 0 });

    const worker = spawnService({ DATA_DIR: folder }, 'worker');
    await until('worker ready', () => worker.lines.includes('worker ready') || undefined, 120);
    await until('the batch', async () => (await status()).status === 'complete' || undefined);
    worker.child.kill('SIGTERM');
    expect(await once(worker.child, 'exit')).toEqual([0, null]);
  });
});

test.each(
  sampled<{ wrong: Record<string, string>; named: string }>(
    [
      { wrong: { PORT: 'high' }, named: 'PORT' },
      { wrong: { SECRET_KEY: 'c2hvcnQ=' }, named: 'SECRET_KEY' },
      { wrong: { ADMIN_PASSWORD: 'short' }, named: 'ADMIN_PASSWORD' },
      { wrong: { DATABASE_URL: 'mysql://elsewhere' }, named: 'DATABASE_URL' },
    ],
    1,
  ),
)(
  'a wrong $named stops the start with a line that names it, and exit status 78',
  async ({ wrong, named }) => {
    const { child, errors } = spawnService({ DATA_DIR: await newFolder(), ...wrong });
    const [code] = await once(child, 'exit');
    expect(code).toBe(78);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(named);
  },
);

test.each(
  sampled<{ named: string[]; code: number; says: string }>(
    [
      { named: ['bakcup', 'FILE'], code: 64, says: 'there is no command bakcup' },
      { named: ['worker', 'two'], code: 64, says: 'there is no command two' },
      {
        named: ['backup', '/no-such-folder/one.backup'],
        code: 1,
        says: 'There is no folder /no-such-folder',
      },
      { named: ['backup', 'one.backup'], code: 1, says: 'There is no embedded database in' },
      { named: ['restore', '/no-such-folder/one.backup'], code: 1, says: 'There is no file' },
    ],
    1,
  ),
)('a command that cannot run ($named) says why and makes no files', async ({ named, code, says }) => {
  const folder = await newFolder();
  const { child, errors, lines } = spawnService({ DATA_DIR: folder }, ...named);
  expect((await once(child, 'close'))[0]).toBe(code);
  expect(errors[0]).toContain(says);
  expect(lines).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});

test.skipIf(!isLong)('a port that is in use ends the start with a line that names it', async () => {
  const taken = createServer();
  taken.listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const { child, errors } = spawnService({
    DATA_DIR: await newFolder(),
    PORT: String(port),
    LOG_LEVEL: 'fatal',
  });
  expect((await once(child, 'close'))[0]).toBe(1);
  expect(errors.at(-1)).toContain(`Another process listens on port ${port} of 127.0.0.1`);
  taken.close();
});

test.skipIf(!isLong)(
  'a database that does not answer is reported, without its password, and SIGTERM ends the wait in order',
  async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const refusing = createServer();
    refusing.listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const { port: closed } = refusing.address() as AddressInfo;
    refusing.close();
    const starts: [number, string[]][] = [
      [port, []],
      [closed, ['worker']],
      [closed, []],
    ];
    const waitsAndEnds = async ([at, named]: [number, string[]]) => {
      const url = `postgres://ops:Lantern-velvet@127.0.0.1:${at}/network`;
      const { child, errors, lines } = spawnService(
        { DATA_DIR: await newFolder(), DATABASE_URL: url },
        ...named,
      );
      const line = `switchyard: waiting for the database at 127.0.0.1:${at}`;
      await until('the line', () => errors.includes(line) || undefined);
      await until('the same again', () => errors.filter((one) => one === line).length > 1 || undefined);
      // Nothing but that line, however often it was tried.
      expect(new Set(errors)).toEqual(new Set([line]));
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect([...errors, ...lines].join('\n')).not.toContain('Lantern');
    };
    await Promise.all(sampled(starts, 1).map(waitsAndEnds));
    silent.close();
  },
);

test('a service whose log cannot be written, because its disk is full, serves all the same', async () => {
  const full = openSync('/dev/full', 'w');
  const port = await freePort();
  const child = spawn(process.execPath, ['server/app/launch.cjs'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      DATA_DIR: await newFolder(),
    },
    stdio: ['ignore', full, full],
  });
  closeSync(full);
  running.add(child);
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/health/ready`).then(
      ({ status }) => status === 200 || undefined,
      () => {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
        return undefined;
      },
    );
  await until('a ready service', answers, 120);
  // Each request is a line.
  expect(await answers()).toBe(true);
  child.kill('SIGTERM');
  await until('its end', () => child.exitCode !== null || undefined);
  expect(child.exitCode).toBe(0);
});
