import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { adapters } from '#db/tables/integrations/adapters.ts';
import { addPackage } from '#server/domains/integrations/index.ts';
import { openWebService } from '../../helpers/devices/web-service.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { openJobs } from '../../helpers/jobs/running-jobs.ts';
import { isAlive } from '../../helpers/processes/processes.ts';
import { task, workflowOf } from '../../helpers/workflows.ts';

const FIXTURE = join(import.meta.dirname, '../../fixtures/adapters/warehouse');

const directory = await makeFolder();
const service = await openJobs({ environment: { ADAPTERS_DIR: directory } });
const { send, store, start, comes } = service;

/** How the next requests for a path are answered: not at all, or with a status. */
const hangs = new Set<string>();
const statuses = new Map<string, number>();
const warehouse = await openWebService(({ method, url }, response) => {
  if (hangs.delete(`${method} ${url}`)) return;
  response.statusCode = statuses.get(url) ?? 200;
  const devices = url.startsWith('/api/items?start=');
  const first = url.includes('start=0');
  const list = Array.from({ length: first ? 100 : 3 }, (_, at) => ({ name: `${first ? 'a' : 'b'}${at}` }));
  response.setHeader('x-total', '103');
  response.end(JSON.stringify(devices || url.includes('?name=') ? list : { method, url }));
});
const requestsOf = (path: string) =>
  warehouse.seen.filter(({ method, url }) => `${method} ${url}` === path).length;

const document = (name: string, connection: Record<string, unknown> = {}) => ({
  properties: {
    name,
    model: '@example/adapter-warehouse',
    type: 'Adapter',
    properties: {
      id: name,
      type: 'Warehouse',
      brokers: ['device'],
      properties: {
        host: '127.0.0.1',
        port: warehouse.port,
        authentication: { username: 'svc', password: 'Hush-Hush-1', signature: 'Sign-1234' },
        ...connection,
      },
    },
  },
});
const admin = async (method: string, path: string, body?: unknown, status = 200) => {
  const answer = await send('admin', method, path, body);
  expect(answer.status, answer.text).toBe(status);
  return answer.json as Record<string, unknown>;
};
const healthOf = async (name: string) => admin('GET', `/health/adapters/${name}`);
const warehouseTask = (name: string, incoming: Record<string, unknown>, adapter = 'wh') =>
  task(
    name,
    { ...incoming, adapter_id: adapter },
    { result: `$var.job.${name}` },
    {
      app: 'Warehouse',
      location: 'Adapter',
      locationType: 'Warehouse',
      displayName: 'Warehouse',
      type: 'automatic',
    },
  );

beforeAll(async () => {
  await addPackage(service.db, directory, FIXTURE, new Date());
  await admin('POST', '/adapters', document('wh'));
});
beforeEach(() => {
  warehouse.seen.length = 0;
});

test('an adapter of a package gets its defaults, does not repeat requests, and keeps its secrets sealed', async () => {
  const schema = await admin('GET', '/schema/adapters/Warehouse');
  expect(schema).toMatchObject({ $id: 'adapter-warehouse', required: ['host', 'authentication'] });
  expect(await admin('GET', '/schema/adapters/wh')).toEqual(schema);
  const { data } = await admin('GET', '/adapters/wh');
  expect(data).toMatchObject({
    virtual: false,
    properties: {
      properties: {
        protocol: 'http',
        base_path: '/api',
        stub: false,
        request: { number_retries: 0 },
        authentication: { username: 'svc', password: '********', signature: '********' },
      },
    },
  });
  const [row] = await service.db.select().from(adapters).where(eq(adapters.id, 'wh'));
  expect(JSON.stringify(row)).not.toMatch(/Hush-Hush|Sign-1234/);
  // Masks keep what is stored; another host asks for the secrets again.
  await admin('PUT', '/adapters/wh/properties', {
    properties: { authentication: { signature: '********' } },
  });
  const moved = await admin('PUT', '/adapters/wh/properties', { properties: { host: '127.0.0.2' } }, 400);
  expect(moved.errors ?? moved.issues ?? moved).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ path: ['properties', 'authentication', 'signature'] }),
    ]),
  );
  const wrong = await send('admin', 'POST', '/adapters', document('wrong', { port: 'x', protocol: 'ftp' }));
  expect(wrong.status).toBe(400);
  expect(wrong.text).toMatch(/properties\.properties\.port.*properties\.properties\.protocol/s);
});

test('health shows its process, and a test of the adapter what its package reports', async () => {
  expect(await admin('POST', '/adapters/wh/test', {})).toMatchObject({ ok: true, detail: 'It answers' });
  const health = await healthOf('wh');
  expect(health).toMatchObject({
    state: 'RUNNING',
    connection: { state: 'ONLINE' },
    process: { state: 'RUNNING', isolation: { network: expect.stringMatching(/namespace|guard/) } },
  });
  expect(health.pid).not.toBe(process.pid);
  await admin('POST', '/adapters', document('nowhere', { port: 9 }));
  const rejected = await admin('POST', '/adapters/nowhere/test', {});
  expect(rejected).toMatchObject({ ok: false });
  await expect.poll(() => healthOf('nowhere')).toMatchObject({ connection: { state: 'OFFLINE' } });
  await admin('DELETE', '/adapters/nowhere');
});

test('a workflow calls methods of the package, and reads their errors', async () => {
  statuses.set('/api/items/none', 404);
  const stored = await store({
    ...workflowOf('Stock', {
      a1: warehouseTask('getItem', { itemId: '7' }),
      b2: warehouseTask('createItem', { body: { name: 'bolt' } }),
      c3: warehouseTask('echo', { text: '', number: '', object: { a: 1 } }),
    }),
  });
  expect((stored as { errors?: unknown[] }).errors ?? []).toEqual([]);
  const job = await comes((await start('Stock'))._id, 'complete');
  expect(job.variables).toMatchObject({
    getItem: { icode: 'AD.200', response: { method: 'GET', url: '/api/items/7' } },
    createItem: { response: { method: 'POST', url: '/api/items' } },
    echo: { response: { given: ['', null, { a: 1 }], absent: [false, true, false] } },
  });
  expect(warehouse.seen.every(({ headers }) => headers['x-signature'] === 'Sign-1234')).toBe(true);

  await store(workflowOf('Missing', { a1: warehouseTask('getItem', { itemId: 'none' }) }));
  const failed = await comes((await start('Missing'))._id, 'error');
  expect(JSON.stringify(failed)).toContain('Error 404 received on request');
  expect(JSON.stringify(failed)).toContain('"icode":"AD.404"');
  const credential = Buffer.from('svc:Hush-Hush-1').toString('base64');
  for (const secret of ['Hush-Hush-1', 'Sign-1234', credential])
    expect(JSON.stringify([job, failed, service.logged])).not.toContain(secret);

  await store(
    workflowOf('Wrong', {
      a1: warehouseTask('echo', {}),
      b2: warehouseTask('getItem', { itemId: '$var.a1.result' }),
    }),
  );
  const wrong = await comes((await start('Wrong'))._id, 'error');
  expect(JSON.stringify(wrong)).toContain('itemId: must be a string');
});

test('a call whose process dies is repeated when it only reads, and never when it writes', async () => {
  await store(workflowOf('Read', { a1: warehouseTask('getItem', { itemId: 'slow' }) }));
  await store(
    workflowOf('Replace', { a1: warehouseTask('replaceItem', { itemId: 'slow', body: { a: 1 } }) }),
  );
  await store(workflowOf('Write', { a1: warehouseTask('createItem', { body: { a: 1 } }) }));
  const killed = async (workflow: string, path: string) => {
    hangs.add(path);
    const { _id } = await start(workflow);
    await expect.poll(() => requestsOf(path)).toBe(1);
    process.kill(Number((await healthOf('wh')).pid), 'SIGKILL');
    return _id;
  };
  await comes(await killed('Read', 'GET /api/items/slow'), 'complete');
  expect(requestsOf('GET /api/items/slow')).toBe(2);
  await comes(await killed('Replace', 'PUT /api/items/slow'), 'complete');
  expect(requestsOf('PUT /api/items/slow')).toBe(2);
  const job = await comes(await killed('Write', 'POST /api/items'), 'error');
  expect(JSON.stringify(job)).toContain('interrupted, outcome unknown');
  expect(requestsOf('POST /api/items')).toBe(1);
});

test('a stopped adapter has no process and accepts no calls, and a restart makes another one', async () => {
  await admin('POST', '/adapters/wh/test', {});
  const { pid } = await healthOf('wh');
  await admin('PUT', '/adapters/wh/restart');
  await expect.poll(() => isAlive(Number(pid))).toBe(false);
  await admin('POST', '/adapters/wh/test', {});
  const { pid: next } = await healthOf('wh');
  await admin('PUT', '/adapters/wh/stop');
  await expect.poll(() => isAlive(Number(next))).toBe(false);
  expect(await healthOf('wh')).toMatchObject({ state: 'STOPPED', pid: 0 });
  await store(workflowOf('Stopped', { a1: warehouseTask('getItems', {}) }));
  const rejected = await service.call('POST', '/jobs/start', { workflow: 'Stopped', options: {} });
  if (rejected.status === 200) await comes((rejected.body.data as { _id: string })._id, 'error');
  expect(requestsOf('GET /api/items')).toBe(0);
  await admin('PUT', '/adapters/wh/start');
});

test('an adapter of a package is a source of devices', async () => {
  const { data } = await admin('POST', '/adapters/wh/sync', {});
  expect(data).toEqual({ added: 103, removed: 0, unchanged: 0, changed: 0 });
  expect(requestsOf('GET /api/items?start=100&limit=100')).toBe(1);
  const device = await admin('GET', '/configuration_manager/devices/b2');
  expect(JSON.stringify(device)).toContain('192.0.2.7');
  expect(await admin('GET', '/configuration_manager/devices/b2/isAlive')).toMatchObject({ isAlive: true });
  expect(await admin('GET', '/configuration_manager/devices/b2/configuration')).toMatchObject({
    config: 'hostname b2',
  });
});
