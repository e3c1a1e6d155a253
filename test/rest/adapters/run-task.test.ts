import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { addPackage } from '#server/domains/integrations/index.ts';
import { openWebService } from '../../helpers/devices/web-service.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { documentOf, integrationOf, serverAt, storeModel } from '../../helpers/integrations/integrations.ts';
import { isLong } from '../../helpers/long.ts';
import { createPerson, sendAs, signIn } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

/* Tasks of packages and of faces by POST /:integration/:task, as clients of adapters call methods. */

const SECRET = 'Hush-Hush-1';
const FIXTURE = join(import.meta.dirname, '../../fixtures/adapters/warehouse');
const directory = await makeFolder();
const service = await openService({ ADAPTERS_DIR: directory });

const hangs = new Set<string>();
const statuses = new Map<string, number>();
const web = await openWebService(({ method, url }, response) => {
  if (hangs.has(url)) return;
  response.writeHead(statuses.get(url) ?? 200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ method, url }));
});
const post = (path: string, body: unknown = {}, as: 'admin' | 'apiwrite' | 'engineering' | null = 'admin') =>
  service.send(as, 'POST', path, body);
const adapter = (name: string, connection: Record<string, unknown> = {}) => ({
  properties: {
    name,
    model: '@example/adapter-warehouse',
    type: 'Adapter',
    properties: {
      id: name,
      type: 'Warehouse',
      properties: {
        host: '127.0.0.1',
        port: web.port,
        authentication: { username: 'svc', password: SECRET, signature: 'Sign-1234' },
        ...connection,
      },
    },
  },
});

const parameter = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
beforeAll(async () => {
  await addPackage(service.db, directory, FIXTURE, new Date());
  for (const one of [adapter('wh'), adapter('slow', { timeout: 1000 })])
    expect(await post('/adapters', one)).toMatchObject({ status: 200 });
  const paths = {
    '/sites/{id}': {
      get: { operationId: 'readSite', parameters: [parameter] },
      delete: { operationId: 'dropSite', parameters: [parameter] },
    },
  };
  await storeModel(service, documentOf('Sites', paths));
  const connection = { ...serverAt(web.port), face: { type: 'SiteAdapter' } };
  expect(await post('/integrations', integrationOf('sites', 'Sites:1', connection))).toMatchObject({
    status: 200,
  });
});
beforeEach(() => {
  web.seen.length = 0;
  statuses.clear();
});

test('a method of a package returns what it called back with, over REST and over tRPC', async () => {
  const expected = { icode: 'AD.200', response: { method: 'GET', url: '/api/items/7' } };
  expect(await post('/wh/getItem', { itemId: '7' })).toMatchObject({ status: 200, json: expected });
  const input = { integration: 'wh', task: 'getItem', values: { itemId: '7' } };
  const typed = await post('/trpc/integrations.runTask', input);
  expect([typed.status, typed.json]).toMatchObject([200, { result: { data: expected } }]);
  // The arguments follow the order of the method, whatever the order of the values.
  const echo = await post('/wh/echo', { object: { a: 1 }, adapter_id: 'wh', text: 'x' });
  expect(echo.json).toMatchObject({ response: { absent: [false, true, false] } });
  expect((await post('/wh/createItem', { body: { name: 'bolt' } })).json).toMatchObject({
    response: { method: 'POST' },
  });
});

test('a method that reports an error is 502 with its code and IAPerror, and without the secrets of its adapter', async () => {
  statuses.set('/api/items/none', 404);
  const answer = await post('/wh/getItem', { itemId: 'none' });
  expect([answer.status, answer.json]).toMatchObject([
    502,
    {
      code: 'BAD_GATEWAY',
      reason: 'METHOD_FAILED',
      icode: expect.stringMatching(/^AD\./),
      IAPerror: { origin: 'warehouse', displayString: 'Error 404 received on request' },
    },
  ]);
  const { error } = (
    await post('/trpc/integrations.runTask', {
      integration: 'wh',
      task: 'getItem',
      values: { itemId: 'none' },
    })
  ).json as { error: object };
  expect(error).toMatchObject({ data: { httpStatus: 502 } });
  expect(answer.text).not.toContain(SECRET);
});

test('values that a method does not have are 400 with every field named, and nothing is called', async () => {
  const { status, json } = await post('/wh/replaceItem', { itemId: 7, body: 'x', color: 'red' });
  expect([status, json]).toMatchObject([
    400,
    { issues: [{ path: ['itemId'] }, { path: ['body'] }, { path: ['color'] }] },
  ]);
  expect(web.seen).toEqual([]);
});

test.skipIf(!isLong)(
  'a method that does not answer in time is 504, one of a stopped adapter 409, an unknown one 404',
  async () => {
    hangs.add('/api/items/slow');
    expect(await post('/slow/getItem', { itemId: 'slow' })).toMatchObject({
      status: 504,
      json: { code: 'GATEWAY_TIMEOUT', reason: 'CALL_TIMEOUT' },
    });
    expect((await post('/wh/getNothing')).status).toBe(404);
    // Methods that are no tasks of the package stay closed.
    expect((await post('/wh/getConfig', { name: 'x' })).status).toBe(404);
    expect((await service.send('admin', 'PUT', '/adapters/slow/stop')).status).toBe(200);
    expect((await post('/slow/getItem', { itemId: '7' })).status).toBe(409);
  },
);

test.skipIf(!isLong)(
  'a process that dies is an error of the call, and the next call has a new one',
  async () => {
    hangs.add('/api/items/dying');
    const dying = post('/wh/createItem', { body: { name: 'bolt' } });
    expect((await dying).status).toBe(200);
    const waits = post('/wh/replaceItem', { itemId: 'dying', body: {} });
    await expect.poll(() => web.seen.some(({ url }) => url === '/api/items/dying')).toBe(true);
    const health = (await service.send('admin', 'GET', '/health/adapters/wh')).json as { pid: number };
    hangs.delete('/api/items/dying');
    expect(health.pid).toBeGreaterThan(1);
    process.kill(health.pid, 'SIGKILL');
    // PUT is repeatable: the call is made again in the next process.
    expect(await waits).toMatchObject({ status: 200, json: { response: { method: 'PUT' } } });
  },
);

test.skipIf(!isLong)(
  'the last lines of the log of an adapter are read by admins, without its secrets',
  async () => {
    await post('/wh/getItem', { itemId: '7' });
    const lines = async () => {
      const { json, text } = await service.send('admin', 'GET', '/adapters/wh/log');
      expect(text).not.toContain(SECRET);
      const { results } = json as { results: { time: string; level: string; message: string }[] };
      return results.map(({ message }) => message).join('\n');
    };
    // The process of the test before was killed: its death and the next start are among the lines.
    await expect.poll(lines).toMatch(/the process died: .*\n(.*\n)*the process \d+ was started/);
    const health = await service.send('admin', 'GET', '/health/adapters/wh');
    expect(health.json).toMatchObject({ process: { state: 'RUNNING', deaths: 1 } });
    expect((await service.send('apiread', 'GET', '/adapters/wh/log')).status).toBe(403);
    expect((await service.send('admin', 'GET', '/adapters/none/log')).status).toBe(404);
    // An adapter without a package has no such log.
    expect((await service.send('admin', 'GET', '/adapters/local_aaa/log')).json).toEqual({
      results: [],
      total: 0,
    });
  },
);

test('only admins call methods of a package, and the audit trail names the call', async () => {
  for (const role of ['apiwrite', 'engineering'] as const) {
    expect((await post('/wh/getItem', { itemId: '7' }, role)).status).toBe(403);
    expect((await post('/sites/getSitesId', { id: '7' }, role)).status).toBe(403);
  }
  expect((await post('/wh/getItem', { itemId: '7' }, null)).status).toBe(401);
  expect(web.seen).toEqual([]);
  await post('/wh/getItem', { itemId: '7' });
  const audit = await service.send('admin', 'GET', '/audit?limit=5&order=-1');
  expect(audit.text).toContain('getItem');
});

test('a task of a face has the form of adapters, and the operation behind it that of the document', async () => {
  const body = { method: 'GET', url: '/sites/7' };
  expect(await post('/sites/getSitesId', { id: '7' })).toMatchObject({
    status: 200,
    json: { icode: 'AD.200', code: 200, response: body },
  });
  expect(await post('/sites/readSite', { id: '7' })).toMatchObject({
    status: 200,
    json: { ok: true, status: 200, body },
  });
  expect(await post('/sites/getSitesId', { id: '7', color: 'red' })).toMatchObject({
    status: 400,
    json: { issues: [{ path: ['color'] }] },
  });
  statuses.set('/sites/9', 422);
  expect(await post('/sites/getSitesId', { id: '9' })).toMatchObject({
    status: 502,
    json: { reason: 'METHOD_FAILED', status: 422, icode: 'AD.500', IAPerror: { origin: 'sites-getSitesId' } },
  });
  expect((await post('/sites/getNothing')).status).toBe(404);
});

test('who holds the reading role of a model runs reads of its face, and no writes', async () => {
  const { json } = await service.send(
    'admin',
    'GET',
    '/authorization/roles?equalsField=provenance&equals=Sites%3A1&sort=name',
  );
  const get = (json as { results: { _id: string; name: string }[] }).results.find(
    ({ name }) => name === 'get',
  );
  const person = await createPerson(service, [], { assignedRoles: [{ roleId: get?._id ?? '' }] });
  const token = await signIn(service, person);
  const asReader = async (path: string) => (await sendAs(service, token, 'POST', path, { id: '7' })).status;
  expect(await asReader('/sites/getSitesId')).toBe(200);
  expect(await asReader('/sites/readSite')).toBe(200);
  expect(await asReader('/sites/deleteSitesId')).toBe(403);
  expect(await asReader('/sites/dropSite')).toBe(403);
  expect(await asReader('/wh/getItem')).toBe(403);
  expect(web.seen.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

test('an adapter of a type that only has a catalogue is 409 with a message that says what is missing', async () => {
  const methods = [{ name: 'getEntry', input: [], output: { name: 'result' } }];
  const catalogue = { id: '@vendor/adapter-ledger', export: 'Ledger', type: 'Adapter', methods };
  expect((await post('/adapter-models/catalogues', { catalogue })).status).toBe(200);
  const properties = {
    name: 'ledger',
    model: 'Ledger',
    type: 'Adapter',
    properties: { id: 'ledger', type: 'Ledger', properties: {} },
  };
  const made = await post('/adapters', { properties });
  expect(made.status, made.text).toBe(200);
  expect(await post('/ledger/getEntry')).toMatchObject({
    status: 409,
    json: { message: expect.stringContaining('nothing is installed for Ledger') },
  });
});
