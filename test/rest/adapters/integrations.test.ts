import { describe, expect, test } from 'vitest';
import { closedPort, orchestratorAdapter } from '../../helpers/devices/orchestrator.ts';
import { openWebService } from '../../helpers/devices/web-service.ts';
import { documentOf, integrationOf, serverAt, storeModel } from '../../helpers/integrations/integrations.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const strict = await openService({ ALLOW_PRIVATE_TARGETS: '0' });
const web = await openWebService(({ url, headers }, response) =>
  response
    .writeHead(url.includes('missing') ? 404 : 200, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ url, signed: headers.authorization !== undefined })),
);
const document = documentOf(
  'NetBox',
  {
    '/devices/{id}/': {
      get: {
        operationId: 'getDevice',
        security: [{ tokenAuth: [] }, {}],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      },
    },
  },
  {
    servers: [{ url: 'https://netbox.example.net/api' }],
    components: {
      securitySchemes: {
        tokenAuth: { type: 'apiKey', in: 'header', name: 'Authorization' },
        sign: {
          type: 'oauth2',
          flows: { clientCredentials: { tokenUrl: 'https://id.example.net/token', scopes: {} } },
        },
      },
    },
  },
);
for (const one of [service, strict]) await storeModel(one, document);

const SECRET = 'Token Wire-Tap-91';
const send = (method: string, path: string, body?: unknown) => service.send('admin', method, path, body);
const pathsOf = ({ json }: { json: unknown }) =>
  (json as { issues?: { path: string[] }[] }).issues?.map(({ path }) => path.join('.'));
const connection = {
  ...serverAt(web.port, 'http', '/api'),
  authentication: { tokenAuth: { value: SECRET } },
};
const made = async (name: string, more: object = {}) => {
  const answer = await send(
    'POST',
    '/integrations',
    integrationOf(name, 'NetBox:1', { ...connection, ...more }),
  );
  expect(answer, answer.text).toMatchObject({ status: 200, json: { status: 'Created' } });
  return answer.json as { data: { properties: { properties: Record<string, Record<string, unknown>> } } };
};

describe('an integration', () => {
  test('begins with the connection of its model, and is stored with its secrets sealed', async () => {
    const sent = integrationOf('fresh', 'NetBox:1', { authentication: { tokenAuth: { value: SECRET } } });
    const { status, json, text } = await send('POST', '/integrations', sent);
    expect({ status, json }, text).toMatchObject({
      status: 200,
      json: {
        status: 'Created',
        message: 'Successfully created fresh.',
        data: {
          name: 'fresh',
          model: '@switchyard/adapter_NetBox:1',
          type: 'Adapter',
          virtual: true,
          isEncrypted: true,
          properties: {
            id: 'fresh',
            type: 'NetBox:1',
            brokers: [],
            groups: [],
            properties: {
              server: { protocol: 'https', host: 'netbox.example.net', base_path: '/api' },
              authentication: {
                tokenAuth: { value: '********' },
                sign: { token_url: 'https://id.example.net/token' },
              },
              version: '1',
            },
          },
        },
      },
    });
    const [row] = await service.db.execute<{ doc: string }>(
      "select doc::text as doc from adapters where id = 'fresh'",
    );
    expect(row?.doc).toContain('sealed:v2:');
    expect(row?.doc).not.toContain(SECRET);
    const all = [text];
    for (const path of [
      '/integrations/fresh',
      '/integrations',
      '/adapters/fresh',
      '/adapters/fresh/changelogs',
    ])
      all.push((await send('GET', path)).text);
    expect([...all, ...service.logged].join('')).not.toContain(SECRET);
  });

  test.each([
    [
      'nulls and an empty model',
      { properties: { ...integrationOf('n1', 'NetBox:1').properties, model: '', loggerProps: null } },
    ],
    ['its members at the top', { ...integrationOf('n2', 'NetBox:1').properties }],
    [
      'only its model',
      { name: 'n3', model: '@switchyard/adapter_NetBox:1', properties: { id: 'n3' }, virtual: true },
    ],
    ['a type of null', { name: 'n4', type: null, properties: { id: 'n4', type: 'NetBox:1' } }],
    ['no settings for its TLS', integrationOf('n5', 'NetBox:1', { tls: { enabled: false } })],
  ])('is accepted with %s', async (_, body) => {
    const { status, text, json } = await send('POST', '/integrations', body);
    expect(status, text).toBe(200);
    expect(json).toMatchObject({
      data: { model: '@switchyard/adapter_NetBox:1', properties: { type: 'NetBox:1' } },
    });
  });

  test('is rejected with every issue of its connection, a taken name, or a model that is not stored', async () => {
    await made('taken');
    expect((await send('POST', '/integrations', integrationOf('taken', 'NetBox:1'))).status).toBe(409);
    await send('POST', '/adapters', { properties: orchestratorAdapter('orch', 1) });
    expect((await send('POST', '/integrations', integrationOf('orch', 'NetBox:1'))).status).toBe(409);
    const unknown = await send('POST', '/integrations', integrationOf('other', 'NetBox:2'));
    expect([unknown.status, pathsOf(unknown)]).toEqual([400, ['properties.properties.type']]);
    const builtIn = await send('POST', '/integrations', integrationOf('other', 'Rest'));
    expect([builtIn.status, pathsOf(builtIn)]).toEqual([400, ['properties.properties.type']]);
    const faulty = await send(
      'POST',
      '/integrations',
      integrationOf('other', 'NetBox:1', {
        server: { protocol: 'http', host: 'https://x/', port: 0, base_path: '/../x' },
        tls: { enabled: true, ca: 'x' },
        authentication: { nobody: { value: 'x' }, sign: { token_url: 'ftp://x' } },
        headers: { Host: 'x', 'X-A': 'a\r\nb' },
        maxConcurrent: 65,
        rateLimit: { requests: 0, perSeconds: 1 },
      }),
    );
    const at = 'properties.properties.properties';
    expect(faulty.status).toBe(400);
    expect(pathsOf(faulty)?.sort()).toEqual(
      [
        'server.port',
        'maxConcurrent',
        'rateLimit.requests',
        'server.host',
        'server.base_path',
        'tls.enabled',
        'tls.ca',
        'authentication.nobody',
        'authentication.sign.token_url',
        'headers.Host',
        'headers.X-A',
      ]
        .map((path) => `${at}.${path}`)
        .sort(),
    );
  });

  test('is listed with integrations and not with adapters', async () => {
    await made('listed');
    const found = await send(
      'GET',
      '/integrations?contains=NetBox:1&containsField=model&equals=listed&equalsField=name',
    );
    expect(found.json).toMatchObject({
      total: 1,
      results: [{ metadata: { isActive: true, activeSync: true }, data: { name: 'listed' } }],
    });
    expect((await send('GET', '/integrations?limit=1&skip=1')).json).toMatchObject({ results: [{}] });
    expect((await send('GET', '/adapters?limit=1000')).text).not.toContain('"listed"');
    expect((await send('GET', '/integrations')).text).not.toContain('"gateway"');
    expect((await send('GET', '/integrations/gateway')).status).toBe(404);
    expect((await send('GET', '/integrations/nothing')).json).toMatchObject({
      message: 'Integration nothing does not exist',
    });
  });

  test('keeps masked secrets; another host, and for its client another token URL, asks for them again', async () => {
    const { data } = await made('moved', {
      authentication: {
        tokenAuth: { value: SECRET },
        sign: { client_id: 'c', client_secret: 'Client-Secret-4', token_url: 'https://id.example.net/token' },
      },
    });
    expect((await send('PUT', '/integrations/moved', { properties: data })).status).toBe(200);
    const change = (properties: object) => send('PUT', '/integrations/moved/properties', { properties });
    expect(await change({ maxConcurrent: 2, server: { base_path: '/v2' } })).toMatchObject({
      status: 200,
      json: {
        data: {
          properties: { properties: { maxConcurrent: 2, server: { host: '127.0.0.1', base_path: '/v2' } } },
        },
      },
    });
    for (const server of [{ host: '127.0.0.2' }, { port: 1 }, { protocol: 'https' }]) {
      const more = 'protocol' in server ? { tls: { enabled: true } } : {};
      const moved = await change({ server, ...more });
      expect([moved.status, pathsOf(moved)?.sort()]).toEqual([
        400,
        ['properties.authentication.sign.client_secret', 'properties.authentication.tokenAuth.value'],
      ]);
    }
    const elsewhere = await change({
      authentication: { sign: { token_url: 'https://other.example.net/token' } },
    });
    expect([elsewhere.status, pathsOf(elsewhere)]).toEqual([
      400,
      ['properties.authentication.sign.client_secret'],
    ]);
    expect((await change({ authentication: { tokenAuth: null } })).status).toBe(200);
    expect((await send('POST', '/moved/getDevice', { id: '1' })).json).toMatchObject({
      body: { signed: false },
    });
  });

  test('is stopped and started with adapters, has no process, and is online once it answered', async () => {
    await made('lively');
    const health = async () => (await send('GET', '/health/adapters/lively')).json;
    expect(await health()).toMatchObject({ state: 'RUNNING', pid: 0, connection: { state: 'UNKNOWN' } });
    expect((await send('POST', '/lively/getDevice', { id: '7' })).json).toMatchObject({
      ok: true,
      status: 200,
      url: `${web.url}/api/devices/7/`,
      body: { url: '/api/devices/7/', signed: true },
    });
    expect(await health()).toMatchObject({ connection: { state: 'ONLINE' } });
    expect((await send('PUT', '/adapters/lively/stop')).status).toBe(200);
    expect(await health()).toMatchObject({ state: 'STOPPED' });
    expect((await send('POST', '/lively/getDevice', { id: '7' })).status).toBe(409);
    expect((await send('PUT', '/adapters/lively/start')).status).toBe(200);
    expect((await send('POST', '/lively/getDevice', { id: 'missing' })).json).toMatchObject({
      ok: false,
      status: 404,
    });
  });

  test('is deleted, and then is unknown', async () => {
    await made('short');
    expect((await send('DELETE', '/integrations/short')).json).toEqual({
      status: 'OK',
      message: 'Successfully deleted short.',
    });
    expect((await send('GET', '/integrations/short')).status).toBe(404);
    expect((await send('DELETE', '/integrations/gateway')).status).toBe(404);
  });

  test('has a schema that names the credentials of its model', async () => {
    await made('described');
    for (const name of ['described', 'NetBox:1', encodeURIComponent('NetBox:1')]) {
      expect((await send('GET', `/schema/integrations/${name}`)).json).toMatchObject({
        properties: {
          server: { type: 'object' },
          authentication: { properties: { tokenAuth: { properties: { value: { type: 'string' } } } } },
        },
      });
    }
    expect((await send('GET', '/schema/integrations/nothing')).status).toBe(404);
  });
});

describe('the test of an integration', () => {
  test('connects, or runs a task, and stores nothing', async () => {
    await made('tried');
    const attempt = (body: object) => send('POST', '/integrations/tried/test', body);
    expect((await attempt({})).json).toMatchObject({ ok: true, status: null, detail: 'It answers' });
    expect(web.seen.some(({ url }) => url === '/')).toBe(false);
    expect((await attempt({ task: 'getDevice', values: { id: 'missing' } })).json).toMatchObject({
      ok: false,
      status: 404,
    });
    expect((await attempt({ task: 'getDevice' })).status).toBe(400);
    expect((await attempt({ task: 'getNothing' })).status).toBe(404);
    const dead = {
      server: { port: await closedPort() },
      authentication: { tokenAuth: { value: 'New-Secret-5' } },
    };
    expect(
      (await attempt({ properties: { ...dead, authentication: { tokenAuth: null } } })).json,
    ).toMatchObject({
      ok: false,
      detail: expect.stringContaining('refuses the connection'),
    });
    expect((await attempt({ properties: { server: dead.server } })).status).toBe(400);
    expect((await attempt({})).json).toMatchObject({ ok: true });
    expect((await send('POST', '/adapters/tried/test', {})).json).toMatchObject({ ok: true });
  });
});

describe('a task', () => {
  test('is run by an admin at a path that nothing else serves', async () => {
    await made('run');
    for (const role of ['apiread', 'apiwrite', 'engineering'] as const)
      expect((await service.send(role, 'POST', '/run/getDevice', { id: '1' })).status).toBe(403);
    expect((await service.send(null, 'POST', '/run/getDevice', { id: '1' })).status).toBe(401);
    expect((await send('POST', '/run/getDevice', { id: '../x' })).json).toMatchObject({
      code: 'BAD_REQUEST',
      issues: [{ path: ['id'] }],
    });
    expect((await send('POST', '/run/getNothing', {})).status).toBe(404);
    expect((await send('POST', '/nothing/getDevice', {})).status).toBe(404);
    // A path of the platform keeps its methods, and a path of nobody is no endpoint.
    expect((await send('POST', '/health/status', {})).status).toBe(405);
    expect((await send('GET', '/run/getDevice')).status).toBe(404);
  });

  test('of an integration whose address is not allowed opens no connection', async () => {
    const forbidden = [
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '2130706433',
      'localhost',
      'x.localhost',
      '169.254.169.254',
      '[::1]',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '64:ff9b::7f00:1',
      'fe80::1',
      'fd00:ec2::254',
      '0.0.0.0',
      '224.0.0.1',
      'metadata.google.internal',
      '100.100.100.200',
      '169.254.170.2',
      '192.0.0.192',
      '0',
      '::',
    ];
    for (const host of forbidden) {
      const server = { protocol: 'http', host, port: web.port };
      const answer = await strict.send(
        'admin',
        'POST',
        '/integrations',
        integrationOf('x', 'NetBox:1', { server, tls: { enabled: false } }),
      );
      expect([host, answer.status, pathsOf(answer)]).toEqual([
        host,
        400,
        ['properties.properties.properties.server.host'],
      ]);
      const url = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${web.port}/token`;
      const token = await strict.send(
        'admin',
        'POST',
        '/integrations',
        integrationOf('y', 'NetBox:1', { authentication: { sign: { token_url: url } } }),
      );
      expect([host, token.status]).toEqual([host, 400]);
    }
  });
});
