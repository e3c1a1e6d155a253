import { beforeEach, describe, expect, test } from 'vitest';
import { closedPort, openOrchestrator, orchestratorAdapter } from '../../helpers/devices/orchestrator.ts';
import { isLong } from '../../helpers/long.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const peer = await openOrchestrator();
const send = (path: string, body: unknown) =>
  service.send('admin', 'POST', `/orchestrator_manager/${path}`, body);
const get = (path: string) => service.send('other', 'GET', `/orchestrator_manager/${path}`);
const put = (path: string, body?: unknown) => service.send('admin', 'PUT', `/adapters/${path}`, body);
const add = async (name: string, connection: Record<string, unknown> = {}, port = peer.port) => {
  const answer = await service.send('admin', 'POST', '/adapters', {
    properties: orchestratorAdapter(name, port, connection),
  });
  expect(answer.status, answer.text).toBe(200);
};

const JSON_TYPE = 'application/yang-data+json';
const act = (path: string, members: object = {}, body: object = {}, adapter = 'main') =>
  send(`restAction/${adapter}`, { params: { path, accept: JSON_TYPE, method: 'GET', ...members }, body });
const query = (path: string, adapter = 'main') =>
  send(`restQuery/${adapter}`, { params: { path, accept: JSON_TYPE } });
const validate = (vlan: number | string = 100, servicePath = '/vpn:vpn') =>
  send('validateCommit', { servicePath, serviceData: { 'vpn:vpn': [{ name: 'blue', vlan }] } });

await add('main', { default: true });
await add('wrong', { authentication: { auth_method: 'basic', username: 'bar', password: 'Not-This-9' } });
await add('dead', {}, await closedPort());
await add('slow', { timeouts: { connect: 2000, request: 300 } });
await add('stopped');
await put('stopped/stop');

beforeEach(() => {
  peer.behave();
  peer.committed.length = 0;
  peer.seen.length = 0;
});

describe('an action', () => {
  test('is sent as requested, and its status is an entry', async () => {
    const answer = await act(
      '/restconf/data/vpn:vpn=blue',
      { method: 'patch' },
      { 'vpn:vpn': [{ name: 'blue' }] },
    );
    expect(answer.json).toEqual([{ result: '204' }]);
    expect(peer.committed).toEqual(['PATCH /restconf/data/vpn:vpn=blue']);
    expect(peer.seen[0]).toMatchObject({
      body: '{"vpn:vpn":[{"name":"blue"}]}',
      headers: { 'content-type': JSON_TYPE, accept: JSON_TYPE },
    });
    expect((await act('/restconf/data/tailf-ncs:devices/device=ce1')).json).toEqual([
      { result: '200', body: { 'tailf-ncs:device': [{ name: 'ce1' }] } },
    ]);
  });

  test('without a method is POST, and {} sends no content', async () => {
    await act('/restconf/data/x:act', { method: null });
    expect(peer.seen[0]).toMatchObject({ method: 'POST', body: '' });
  });

  test('that is rejected is an entry with its errors, however these are written', async () => {
    const errors = async (path: string) => {
      const [entry] = (await act(path)).json as { result: string; errors: Record<string, string>[] }[];
      return [entry?.result, entry?.errors[0]?.['error-tag'], entry?.errors[0]?.['error-message']];
    };
    expect(await errors('/restconf/data/none')).toEqual(['404', 'invalid-value', 'uri keypath not found']);
    expect(await errors('/restconf/data/xml')).toEqual(['400', 'invalid-value', 'too <big>']);
    expect(await errors('/restconf/data/bare')).toEqual(['409', 'in-use', 'busy']);
    expect(await errors('/restconf/data/denied')).toEqual(['403', 'access-denied', 'no']);
  });

  test('that is redirected is not followed: the credential goes nowhere else', async () => {
    expect((await act('/restconf/data/moved')).json).toEqual([{ result: '302' }]);
    expect(await query('/restconf/data/moved')).toMatchObject({
      status: 502,
      json: { reason: 'REDIRECTED' },
    });
    expect(peer.seen.some(({ path }) => path.includes('stolen'))).toBe(false);
  });

  test.each([
    '/restconf/../admin',
    '/restconf/%2e%2e/x',
    '/restconf/%252e%252e/x',
    '/restconf/a%2f..%2f..%2fjsonrpc',
    '/restconf/..;/jsonrpc',
    '/restconf/.%2e/x',
    'http://127.0.0.1/restconf',
    '//127.0.0.1/restconf',
    '/restconf@evil.example/',
    '/restconfx',
    '/etc/passwd',
    '/jsonrpc/commit',
    '/restconf/a\r\nX-Bar: 1',
    '/restconf/a%0d%0aX-Bar: 1',
    '/restconf/a\\..\\b',
    '/restconf/%zz',
    '/restconf//x',
    'restconf/data',
    '',
  ])('does not leave /restconf and /api: %j', async (path) => {
    expect(await act(path)).toMatchObject({ status: 400, json: { issues: [{ path: ['params', 'path'] }] } });
    expect(await query(path)).toMatchObject({ status: 400, json: { code: 'BAD_REQUEST' } });
    expect(peer.seen).toEqual([]);
  });

  test('percent-encodes characters that no request line can carry', async () => {
    await act('/restconf/data/vpn:vpn=zürich 1');
    expect(peer.seen[0]?.path).toBe('/restconf/data/vpn:vpn=z%C3%BCrich%201');
  });

  test('is rejected with an invalid method, media type or content, all reported together', async () => {
    const answer = await act('/x', { method: 'TRACE', accept: 'a\r\nb: c' });
    const { issues } = answer.json as { issues: { path: string[] }[] };
    expect([answer.status, issues.map(({ path }) => path[1])]).toEqual([400, ['method', 'path', 'accept']]);
    const xml = { method: 'PUT', contentType: 'application/yang-data+xml' };
    expect((await act('/restconf/data/a', xml, { a: 1 })).status).toBe(400);
  });

  test('with a path and types of the older interface is translated where that is unambiguous', async () => {
    await act('/api/running/devices/device/ce1?deep', { accept: 'application/vnd.yang.data+json' });
    expect(peer.seen.at(-1)).toMatchObject({
      path: '/restconf/data/tailf-ncs:devices/device=ce1',
      headers: { accept: JSON_TYPE },
    });
    const answer = await act('/api/running/vpn/blue/site/9');
    expect(answer).toMatchObject({
      status: 400,
      json: { message: expect.stringContaining('/restconf/data/list=key') },
    });
    peer.behave({ legacyOnly: true });
    expect((await act('/api/operational/packages/package')).json).toMatchObject([{ result: '200' }]);
  });

  test('is recorded in the audit trail', async () => {
    await act('/restconf/data/vpn:vpn=red', { method: 'DELETE' });
    const { text } = await service.send(
      'admin',
      'GET',
      '/audit?equals=orchestratorManager.restAction&equalsField=operation&sort=time&order=-1',
    );
    expect(text).toContain('DELETE /restconf/data/vpn:vpn=red');
  });
});

describe('a query', () => {
  test('answers what the orchestrator answers, and {} for nothing', async () => {
    expect((await query('/restconf/data/tailf-ncs:devices/device=ce1')).json).toEqual({
      instance_data: { 'tailf-ncs:device': [{ name: 'ce1' }] },
    });
    expect((await query('/restconf/data/empty')).json).toEqual({ instance_data: {} });
  });

  test('that is rejected is an error: 404 as 404, others as 502 with their message', async () => {
    expect((await query('/restconf/data/none')).status).toBe(404);
    expect(await query('/restconf/data/denied')).toMatchObject({
      status: 502,
      json: { reason: 'ORCHESTRATOR_AUTH_FAILED' },
    });
    expect(await query('/restconf/data/bare')).toMatchObject({
      status: 502,
      json: {
        code: 'BAD_GATEWAY',
        message: expect.stringContaining('busy'),
        host: '127.0.0.1',
        stage: 'request',
      },
    });
    for (const path of ['/restconf/data/huge', '/restconf/data/deep'])
      expect(await query(path)).toMatchObject({ status: 502, json: { reason: 'OUTPUT_LIMIT' } });
  });
});

test('an action of the orchestrator runs with and without input', async () => {
  expect((await send('runAction/main', { path: '/restconf/data/x:act', body: { input: {} } })).json).toEqual({
    instance_data: {},
  });
  expect(peer.seen[0]).toMatchObject({ method: 'POST', body: '{"input":{}}' });
  expect((await send('runAction/main', { path: '/restconf/data/x:act' })).status).toBe(200);
  expect((await send('runAction/main', { path: '/jsonrpc/commit' })).status).toBe(400);
});

describe('every call through an adapter', () => {
  const calls: Record<string, (adapter: string) => ReturnType<typeof act>> = {
    restAction: (adapter) => act('/restconf/data/none', {}, {}, adapter),
    restQuery: (adapter) => query('/restconf/data/none', adapter),
    runAction: (adapter) => send(`runAction/${adapter}`, { path: '/restconf/data/x:act' }),
    'neds/deep': (adapter) => get(`neds/deep/${adapter}`),
    neds: (adapter) => get(`neds/${adapter}`),
  };
  test.skipIf(!isLong).each(Object.entries(calls))('%s reports mistakes in the adapter', async (_, call) => {
    peer.behave({ delay: 1 });
    expect((await call('nobody')).status).toBe(404);
    expect((await call('local_aaa')).status).toBe(400);
    expect(await call('stopped')).toMatchObject({
      status: 409,
      json: { message: 'Adapter stopped is stopped' },
    });
    const wrong = await call('wrong');
    expect(wrong).toMatchObject({
      status: 502,
      json: { code: 'BAD_GATEWAY', reason: 'ORCHESTRATOR_AUTH_FAILED', retryable: false },
    });
    expect(wrong.text).not.toContain('Not-This-9');
    expect(await call('dead')).toMatchObject({
      status: 502,
      json: { reason: 'REFUSED', stage: 'connect', retryable: true },
    });
    peer.behave({ delay: 2000 });
    expect(await call('slow')).toMatchObject({
      status: 504,
      json: { code: 'GATEWAY_TIMEOUT', reason: 'REQUEST_TIMEOUT' },
    });
  });
});

test('drivers are listed by id, name, version and host; packages without one are left out', async () => {
  const ned = {
    ned_id: 'example-ios-cli-6.109:example-ios-cli-6.109',
    name: 'example-ios-cli-6.109',
    version: '6.109.4',
    host: '127.0.0.1',
  };
  expect((await get('neds/deep/main')).json).toEqual([ned]);
  expect((await get('neds/main')).json).toEqual([{ id: ned.ned_id, ...ned, adapter: 'main' }]);
  expect((await get('allNeds')).json).toContainEqual({ id: ned.ned_id, ...ned, adapter: 'main' });
  expect((await get('devices/EAST')).json).toEqual(['Pe-East']);
  peer.behave({ legacyOnly: true });
  expect((await get('neds/deep/main')).json).toEqual([ned]);
});

describe.each([
  ['JSON-RPC', {}],
  ['a dry run up to 6.6', { jsonRpc: false, version: '6.6.2' }],
  ['a dry run from 6.7 on', { jsonRpc: false, version: '6.7' }],
])('validating a commit by %s', (_, way) => {
  beforeEach(() => peer.behave(way));
  const nothingStays = () => {
    expect(peer.committed).toEqual([]);
    expect(peer.open).toEqual({ sessions: new Set(), transactions: new Set(), locks: new Set() });
  };

  test('distinguishes valid data from invalid data, and commits neither', async () => {
    expect((await validate()).json).toMatchObject({ isValid: true, message: '' });
    const invalid = await validate(5000);
    expect(invalid.json).toMatchObject({
      isValid: false,
      message: expect.stringContaining('vlan 5000 is not a valid value'),
    });
    nothingStays();
  });

  test('reads the path as RESTCONF or keypath, and accepts the bare instance', async () => {
    for (const servicePath of [
      '/restconf/data/vpn:vpn=blue',
      '/vpn:vpn{blue}',
      'vpn:vpn',
      '/l3:services/vpn:vpn{"a b"}',
    ]) {
      expect((await validate(100, servicePath)).json, servicePath).toMatchObject({ isValid: true });
    }
    await send('validateCommit', { servicePath: '/vpn:vpn', serviceData: { name: 'blue', vlan: 7 } });
    expect(
      peer.seen.some(({ body }) =>
        body.replaceAll('\\', '').includes('{"vpn:vpn":[{"name":"blue","vlan":7}]}'),
      ),
    ).toBe(true);
    for (const servicePath of ['', '/', '/vpn:vpn/../x', '/a b', '/vpn:vpn=a%0a', '/vpn?x=1']) {
      expect((await validate(100, servicePath)).status, servicePath).toBe(400);
    }
    nothingStays();
  });

  test('is an error, not an invalid commit, while the lock is held', async () => {
    peer.behave({ ...way, locked: true });
    expect(await validate()).toMatchObject({
      status: 502,
      json: { reason: 'ORCHESTRATOR_LOCKED', retryable: true },
    });
    nothingStays();
  });
});

test('JSON-RPC: the lock is given back also when the validation breaks off', async () => {
  peer.behave({ breaksOff: true });
  expect(await validate()).toMatchObject({ status: 502, json: { reason: 'RESET', stage: 'validate' } });
  expect(peer.open).toEqual({ sessions: new Set(), transactions: new Set(), locks: new Set() });
  expect(peer.seen.at(-1)?.path).toBe('/jsonrpc/logout');
});

test('JSON-RPC: data that cannot be loaded is invalid', async () => {
  expect((await validate('unknown-leaf')).json).toEqual({
    isValid: false,
    message: 'unknown element: unknown-leaf',
  });
});

test('no dry run is sent to an orchestrator whose version may ignore it', async () => {
  for (const version of ['4.7', 'unknown', '']) {
    peer.behave({ jsonRpc: false, version });
    expect(await validate()).toMatchObject({ status: 502, json: { reason: 'DRY_RUN_NOT_PROVEN' } });
  }
  expect(peer.seen.every(({ method, path }) => method === 'GET' || path.startsWith('/jsonrpc'))).toBe(true);
});

test('a dry run that was not honoured is reported', async () => {
  peer.behave({ jsonRpc: false, ignoresDryRun: true });
  expect(await validate()).toMatchObject({ status: 502, json: { reason: 'DRY_RUN_NOT_HONOURED' } });
});

test.skipIf(!isLong)(
  'validating uses the adapter marked default, else the only one that runs, else none',
  async () => {
    const rejection = async () => {
      const { status, json } = await validate();
      return [status, (json as { message: string }).message];
    };
    await put('wrong/properties', { properties: { default: true } });
    expect(await rejection()).toEqual([409, expect.stringContaining('marked default: main, wrong')]);
    await put('wrong/properties', { properties: { default: null } });
    await put('main/stop');
    expect(await rejection()).toEqual([
      409,
      expect.stringContaining('main, which is marked default, is stopped'),
    ]);
    await put('main/properties', { properties: { default: false } });
    expect(await rejection()).toEqual([409, expect.stringContaining('mark one')]);
    for (const name of ['wrong', 'dead', 'slow']) await put(`${name}/stop`);
    expect(await rejection()).toEqual([409, expect.stringContaining('is running')]);
    await put('main/start');
    expect((await validate()).json).toMatchObject({ isValid: true });
    await put('main/properties', { properties: { default: false } });
    for (const [name, status, reason, delay] of [
      ['wrong', 502, 'ORCHESTRATOR_AUTH_FAILED', 0],
      ['dead', 502, 'REFUSED', 0],
      ['slow', 504, 'REQUEST_TIMEOUT', 1000],
    ] as const) {
      peer.behave({ delay });
      await put(`${name}/start`);
      await put(`${name}/properties`, { properties: { default: true } });
      expect(await validate(), name).toMatchObject({ status, json: { reason } });
      await put(`${name}/properties`, { properties: { default: null } });
    }
    expect(service.logged.join('')).not.toMatch(/Orch-Secret-7|Not-This-9/);
  },
);
