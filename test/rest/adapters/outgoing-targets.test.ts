import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openWebService } from '../../helpers/devices/web-service.ts';
import { done, worldOf } from '../../helpers/jobs/task-runs.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const careful = await openService({ ALLOW_PRIVATE_TARGETS: '0' });
const web = await openWebService(({ url, headers }, response) => {
  if (url === '/moved') return void response.writeHead(302, { Location: 'http://localhost:1/' }).end();
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ host: headers.host }));
});
beforeEach(() => {
  web.seen.length = 0;
});

const put = (targets: unknown, headers = {}) =>
  service.send('admin', 'PUT', '/outgoing/targets', { targets }, { headers });
const list = async (...targets: unknown[]) => {
  const answer = await put(targets);
  expect(answer.status, answer.text).toBe(200);
};
const { caller } = await service.callerWith('admin');
const world = worldOf(service, caller.id);
const call = (url: string) => done('WorkFlowEngine', 'restCall', { method: 'GET', url }, world);

test('nothing is listed at first, and a job can send no request', async () => {
  expect(await service.send('admin', 'GET', '/outgoing/targets')).toMatchObject({
    status: 200,
    json: { targets: [] },
  });
  const { finish, error } = await call(`${web.url}/`);
  expect(finish).toBe('error');
  expect(error).toMatchObject({ reason: 'TARGET_NOT_LISTED' });
  expect(error?.message).toContain(`http://127.0.0.1:${web.port} is not an outgoing target`);
  expect(error?.message).toContain('PUT /outgoing/targets');
  expect(web.seen).toEqual([]);
});

test.each([
  [{ host: '127.0.0.1' }],
  [{ host: '127.0.0.1', ports: [], schemes: [] }],
  [{ host: '127.0.0.1', ports: [web.port], schemes: ['http'] }],
  [{ host: '127.0.0.0/8', ports: [1, web.port] }],
])('a listed address is reached: %j', async (target) => {
  await list({ host: 'api.example.net' }, target);
  expect(await call(`${web.url}/`)).toMatchObject({ finish: 'success' });
});

test.each([
  [{ host: '127.0.0.1', ports: [443] }],
  [{ host: '127.0.0.1', schemes: ['https'] }],
  [{ host: '127.0.0.2' }],
  [{ host: '127.0.1.0/24' }],
  [{ host: 'localhost' }],
  [{ host: '*.0.0.1' }],
])('an address is not reached for the sake of another target: %j', async (target) => {
  const stored = await put([target]);
  if (stored.status !== 200) expect(stored.status).toBe(400);
  expect(await call(`${web.url}/`)).toMatchObject({
    finish: 'error',
    error: { reason: 'TARGET_NOT_LISTED' },
  });
  expect(web.seen).toEqual([]);
});

test('a name is reached when it is listed, or when every address of it is in a listed network', async () => {
  const url = `http://localhost:${web.port}/`;
  await list({ host: 'LocalHost.' });
  expect(await call(url)).toMatchObject({
    finish: 'success',
    outgoing: { response: { body: { host: `localhost:${web.port}` } } },
  });
  await list({ host: '127.0.0.0/8' }, { host: '::1' }, { host: '::1/128' });
  expect(await call(url)).toMatchObject({ finish: 'success' });
  await list({ host: '192.0.2.0/24' });
  const { error } = await call(url);
  expect(error?.reason).toBe('TARGET_DENIED');
  expect(error?.message).toContain('is not an outgoing target');
  await list({ host: '*.local.localhost' });
  expect(await call(url)).toMatchObject({ error: { reason: 'TARGET_NOT_LISTED' } });
});

test('a redirect is an answer, and is not followed', async () => {
  await list({ host: '127.0.0.1' });
  expect((await call(`${web.url}/moved`)).outgoing.response).toMatchObject({ status: 302 });
  expect(web.seen).toHaveLength(1);
});

test('a proxy of the environment is not used', async () => {
  const heard: string[] = [];
  const proxy = createServer((socket) => {
    heard.push('connected');
    socket.destroy();
  }).listen(0, '127.0.0.1');
  afterAll(() => proxy.close());
  await once(proxy, 'listening');
  const address = proxy.address();
  const port = typeof address === 'object' ? address?.port : 0;
  await list({ host: '127.0.0.1' });
  process.env.HTTP_PROXY = `http://127.0.0.1:${port}`;
  process.env.http_proxy = process.env.HTTP_PROXY;
  try {
    expect(await call(`${web.url}/`)).toMatchObject({ finish: 'success' });
  } finally {
    delete process.env.HTTP_PROXY;
    delete process.env.http_proxy;
  }
  expect(heard).toEqual([]);
});

test.each([
  '127.0.0.1',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::7f00:1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::5efe:7f00:1]',
  '[2001:db8::5efe:c000:201]',
  '[2001:db8::a9fe:a9fe]',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '169.254.169.254',
  '168.63.129.16',
  '100.100.100.200',
  'localhost',
  'localhost.',
  'metadata.google.internal',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.1',
  '127.0.0.1.',
  '１２７.0.0.1',
  'ⓛocalhost',
  '224.0.0.1',
  '255.255.255.255',
])('%s is rejected even when it is listed', async (host) => {
  const account = (await careful.callerWith('admin')).caller.id;
  const all = ['0.0.0.0/0', '::/0', 'localhost', 'metadata.google.internal', '127.0.0.1', '*.example.net'];
  const answer = await careful.send('admin', 'PUT', '/outgoing/targets', {
    targets: all.map((one) => ({ host: one })),
  });
  expect(answer.status, answer.text).toBe(200);
  const incoming = { method: 'GET', url: `http://${host}:${web.port}/` };
  const { finish, error } = await done('WorkFlowEngine', 'restCall', incoming, worldOf(careful, account));
  expect(finish).toBe('error');
  expect(error?.reason, error?.message).toBe('TARGET_DENIED');
  expect(web.seen).toEqual([]);
});

test('a list that another user has changed since it was read is not stored', async () => {
  const read = await service.send('admin', 'GET', '/outgoing/targets');
  const etag = read.headers.etag ?? '';
  expect(etag).not.toBe('');
  expect((await put([{ host: 'a.example.net' }], { 'If-Match': etag })).status).toBe(200);
  expect((await put([{ host: 'b.example.net' }], { 'If-Match': etag })).status).toBe(409);
  expect((await service.send('admin', 'GET', '/outgoing/targets')).json).toEqual({
    targets: [{ host: 'a.example.net' }],
  });
});
