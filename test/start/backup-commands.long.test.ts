import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, inject, test } from 'vitest';
import { openWebService } from '../helpers/devices/web-service.ts';
import { makeFolder } from '../helpers/folder.ts';
import { createDatabase, databaseOn, dropDatabase } from '../helpers/lists/databases.ts';
import { databaseUrlOf } from '../helpers/postgres.ts';
import { until } from '../helpers/processes/processes.ts';
import { task, view, workflowOf } from '../helpers/workflows.ts';

const { server, template } = inject('postgres');
const folder = await makeFolder();
const KEY = Buffer.alloc(32, 7).toString('base64');
const OTHER_KEY = Buffer.alloc(32, 8).toString('base64');
const ADMIN_PASSWORD = 'a-password-for-tests';

/** The outside effects of jobs; the first request for `/hang` gets no answer. */
const web = await openWebService(({ url }, response) => {
  if (url !== '/hang' || keysOf('/hang').length > 1) response.writeHead(200).end('{}');
});
const keysOf = (path: string) =>
  web.seen.filter(({ url }) => url === path).map(({ headers }) => String(headers['idempotency-key']));

const databases: string[] = [];
const running = new Set<ChildProcess>();
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  for (const name of databases) await dropDatabase(server, name);
});

async function database(copied?: string): Promise<string> {
  const name = await createDatabase(server, copied);
  databases.push(name);
  return databaseUrlOf(databaseOn(server, name));
}

type Environment = Record<string, string>;

function launch(command: string, args: readonly string[], env: Environment) {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => said.push(line));
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child);
    return { code: code as number | null, said: said.join('\n') };
  });
  return { child, said, ended };
}

const npm = (script: string, args: readonly string[], env: Environment) =>
  launch('npm', ['run', '--silent', script, '--', ...args], env).ended;
const launchService = (env: Environment) =>
  launch(process.execPath, ['server/app/launch.cjs'], {
    PORT: '0',
    LOG_LEVEL: 'fatal',
    ALLOW_PRIVATE_TARGETS: '1',
    ADMIN_PASSWORD,
    ...env,
  });

/** A running service, and requests to it as admin. */
async function startService(env: Environment) {
  const { child, said, ended } = launchService(env);
  const url = await until(
    `the service; it said ${said.join()}`,
    () => said.join('\n').match(/^listening on (\S+)$/m)?.[1],
    60,
  );
  const ask = async (method: string, path: string, body?: unknown, token?: string) => {
    const headers = {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return text;
  };
  const token = await ask('POST', '/login', { user: { username: 'admin', password: ADMIN_PASSWORD } });
  const done = async <Data>(method: string, path: string, body?: unknown) =>
    JSON.parse(await ask(method, path, body, token)) as Data;
  const task = async (job: string, id: string) => {
    const { data } = await done<{ data: { status: string; tasks: Record<string, { status: string }> } }>(
      'GET',
      `/operations-manager/jobs/${job}`,
    );
    return { job: data.status, task: data.tasks[id]?.status };
  };
  return { child, ended, done, task };
}

const post = (path: string) =>
  task(
    'restCall',
    { method: 'POST', url: web.url + path, body: {} },
    { response: null },
    { type: 'automatic' },
  );

test('jobs that run during a backup continue where it is restored: none is lost, and no effect is repeated', async () => {
  web.seen.length = 0;
  const [source, target] = [await database(template), await database()];
  const first = await startService({ DATABASE_URL: source, SECRET_KEY: KEY });
  await first.done('PUT', '/outgoing/targets', { targets: [{ host: '127.0.0.1' }] });
  for (const automation of [
    workflowOf('Asks between', { a: post('/before'), b: view(), c: post('/after') }),
    workflowOf('Under way', { a: post('/hang') }),
  ])
    await first.done('POST', '/automation-studio/automations', { automation });
  const start = async (workflow: string) =>
    (await first.done<{ data: { _id: string } }>('POST', '/operations-manager/jobs/start', { workflow })).data
      ._id;
  const requested = [await start('Asks between'), await start('Asks between'), await start('Asks between')];
  const hanging = await start('Under way');
  for (const id of requested)
    await until('the person', async () => (await first.task(id, 'b')).task === 'running' || undefined);
  await until('the request', () => keysOf('/hang').length === 1 || undefined);

  const file = join(folder, 'all.backup');
  const backup = await npm('backup', [file], { DATABASE_URL: source, SECRET_KEY: KEY });
  expect(backup).toMatchObject({ code: 0, said: expect.stringContaining(`backup written to ${file}`) });
  first.child.kill('SIGKILL');
  await first.ended;

  const restored = await npm('restore', [file], { DATABASE_URL: target, SECRET_KEY: OTHER_KEY });
  expect(restored).toMatchObject({
    code: 0,
    said: expect.stringMatching(
      /^warning: the secrets are encrypted with the key [0-9a-f]{16}, and .* only with that key$/m,
    ),
  });
  const password = new URL(source).password;
  for (const secret of [KEY, OTHER_KEY, password]) expect(backup.said + restored.said).not.toContain(secret);
  const again = await npm('restore', [file], { DATABASE_URL: target, SECRET_KEY: KEY });
  expect(again).toMatchObject({ code: 1, said: expect.stringContaining('not empty') });

  const rejected = await launchService({ DATABASE_URL: target, SECRET_KEY: OTHER_KEY }).ended;
  expect(rejected).toMatchObject({
    code: 78,
    said: expect.stringContaining('SECRET_KEY is not the key that encrypted the secrets in this database'),
  });

  const second = await startService({ DATABASE_URL: target, SECRET_KEY: KEY });
  // An interrupted request is sent again, with the same key.
  await until('the request again', () => keysOf('/hang').length === 2 || undefined);
  expect(new Set(keysOf('/hang')).size).toBe(1);
  for (const id of requested) {
    expect(await second.task(id, 'b')).toEqual({ job: 'running', task: 'running' });
    await second.done('POST', `/operations-manager/jobs/${id}/tasks/b/finish`, {
      taskData: { finish_state: 'success' },
    });
  }
  for (const [id, last] of [...requested.map((one) => [one, 'c'] as const), [hanging, 'a'] as const])
    await until(`job ${id}`, async () => (await second.task(id, last)).job === 'complete' || undefined);
  expect(new Set(keysOf('/before')).size).toBe(3);
  expect(keysOf('/before')).toHaveLength(3);
  expect(new Set(keysOf('/after')).size).toBe(3);
  expect(keysOf('/after')).toHaveLength(3);
});
