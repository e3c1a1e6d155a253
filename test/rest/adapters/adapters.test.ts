import { describe, expect, test } from 'vitest';
import { closedPort, openOrchestrator, orchestratorAdapter } from '../../helpers/devices/orchestrator.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const strict = await openService({ ALLOW_PRIVATE_TARGETS: '0' });
const peer = await openOrchestrator();
const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.send('admin', method, path, body, { headers });
const SECRET = 'Wire-Tap-91';

type Document = {
  name: string;
  properties: { properties: { authentication: Record<string, unknown>; [member: string]: unknown } };
};
const made = async (name: string, connection: Record<string, unknown> = {}) => {
  const answer = await send('POST', '/adapters', {
    properties: orchestratorAdapter(name, peer.port, connection),
  });
  expect(answer, answer.text).toMatchObject({ status: 200, json: { status: 'Created' } });
};
const read = async (name: string) => (await send('GET', `/adapters/${name}`)).json as { data: Document };
const health = async (name: string) =>
  (await send('GET', `/health/adapters/${name}`)).json as { state: string; connection: { state: string } };

describe('an adapter', () => {
  test('is stored with its secrets sealed, masked in every answer, and absent from the log', async () => {
    await made('sealed', { authentication: { auth_method: 'basic', username: 'svc', password: SECRET } });
    for (const path of [
      '/adapters/sealed',
      '/adapters',
      '/adapters/sealed/export',
      '/adapters/sealed/changelogs',
    ]) {
      const answer = await send('GET', path);
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain(SECRET);
      expect(answer.text).not.toContain('sealed:v2');
    }
    expect((await read('sealed')).data.properties.properties.authentication.password).toBe('********');
    const [row] = await service.db.execute<{ doc: string }>(
      "select doc::text as doc from adapters where id = 'sealed'",
    );
    expect(String(row?.doc)).toContain('sealed:v2:');
    expect(String(row?.doc)).not.toContain(SECRET);
    expect(service.logged.join('')).not.toContain(SECRET);
  });

  test('is created and replaced with null for absent fields at any depth, as clients send them', async () => {
    const sent = orchestratorAdapter('with-nulls', peer.port);
    const properties = {
      ...sent,
      loggerProps: null,
      virtual: null,
      properties: { ...sent.properties, brokers: null, groups: null },
    };
    for (const [method, path] of [
      ['POST', '/adapters'],
      ['PUT', '/adapters/with-nulls'],
    ] as const) {
      const answer = await send(method, path, { properties });
      expect(answer, answer.text).toMatchObject({ status: 200 });
      expect((await read('with-nulls')).data.properties).not.toMatchObject({ groups: null });
    }
  });

  test('gets the type that its package names when the type is empty', async () => {
    const sent = orchestratorAdapter('by-package', peer.port);
    const properties = { ...sent, properties: { ...sent.properties, type: '' } };
    const answer = await send('POST', '/adapters', { properties });
    expect(answer, answer.text).toMatchObject({
      status: 200,
      json: { data: { properties: { type: 'Orchestrator' } } },
    });
    const unknown = { ...properties, name: 'nameless', model: '@vendor/adapter-nothing' };
    expect(await send('POST', '/adapters', { properties: unknown })).toMatchObject({ status: 400 });
  });

  test('runs immediately, and health reports whether the other side answers', async () => {
    await made('lively');
    expect((await health('lively')).state).toBe('RUNNING');
    await expect.poll(async () => (await health('lively')).connection.state).toBe('ONLINE');
    await made('dead', { port: await closedPort() });
    await expect.poll(async () => (await health('dead')).connection.state).toBe('OFFLINE');
    for (const [traceTask, state] of [
      ['stop', 'STOPPED'],
      ['stop', 'STOPPED'],
      ['start', 'RUNNING'],
      ['restart', 'RUNNING'],
    ]) {
      expect((await send('PUT', `/adapters/lively/${traceTask}`)).json).toMatchObject({ status: 'success' });
      expect((await health('lively')).state).toBe(state);
    }
  });

  test('is rejected with a taken name, an unknown model, another id, or a connection that cannot be', async () => {
    await made('taken');
    const rejection = async (change: (document: Record<string, never>) => void) => {
      const document = orchestratorAdapter('other', peer.port) as unknown as Record<string, never>;
      change(document);
      const { status, json } = await send('POST', '/adapters', { properties: document });
      return [status, (json as { issues?: { path: string[] }[] }).issues?.map(({ path }) => path.join('.'))];
    };
    expect((await send('POST', '/adapters', { properties: orchestratorAdapter('taken', 1) })).status).toBe(
      409,
    );
    const at = 'properties.properties.properties';
    type Loose = { [member: string]: Loose } & Record<string, unknown>;
    const change = (edit: (document: Loose) => void) => rejection(edit as never);
    expect(await change((d) => void Object.assign(d, { model: '@vendor/adapter-nothing' }))).toEqual([
      400,
      ['properties.model'],
    ]);
    expect(await change((d) => void Object.assign(d.properties as Loose, { type: 'Mainframe' }))).toEqual([
      400,
      ['properties.properties.type'],
    ]);
    expect(await change((d) => void Object.assign(d.properties as Loose, { id: 'else' }))).toEqual([
      400,
      ['properties.properties.id'],
    ]);
    const connection = (members: object) =>
      change((d) => void Object.assign((d.properties as Loose).properties as Loose, members));
    expect(await connection({ host: 'a b', port: 0 })).toEqual([400, [`${at}.port`]]);
    expect(await connection({ host: 'http://x/' })).toEqual([400, [`${at}.host`]]);
    expect(await connection({ base_path: '/../x', tls: { enabled: true } })).toEqual([
      400,
      [`${at}.base_path`, `${at}.tls.enabled`],
    ]);
    expect(await connection({ authentication: { token: 'a\r\nX: y' } })).toEqual([
      400,
      [`${at}.authentication.token`],
    ]);
    expect(
      await change(
        (d) =>
          void Object.assign(d, {
            model: '@vendor/adapter-gateway',
            properties: { id: 'other', type: 'Gateway' },
          }),
      ),
    ).toEqual([400, ['properties.properties.type']]);
  });

  test('keeps a masked secret, stores a new one, and removes one that is cleared', async () => {
    await made('kept', {
      authentication: { auth_method: 'basic', username: 'bar', password: peer.password },
    });
    const works = async () => ((await send('POST', '/adapters/kept/test', {})).json as { ok: boolean }).ok;
    expect(await works()).toBe(true);
    const { data } = await read('kept');
    expect((await send('PUT', '/adapters/kept', { properties: data })).status).toBe(200);
    expect(await works()).toBe(true);
    const authentication = (password: unknown) =>
      send('PUT', '/adapters/kept/properties', { properties: { authentication: { password } } });
    expect((await authentication('wrong')).text).not.toContain('wrong');
    expect(await works()).toBe(false);
    await authentication(null);
    expect((await read('kept')).data.properties.properties.authentication.password).toBe('');
  });

  test('does not take its secret to another host, port or protocol', async () => {
    await made('moved');
    const change = (properties: object) => send('PUT', '/adapters/moved/properties', { properties });
    for (const members of [
      { host: '127.0.0.2' },
      { port: 1 },
      { protocol: 'https', tls: { enabled: true } },
    ]) {
      expect(await change(members)).toMatchObject({
        status: 400,
        json: {
          issues: [{ path: ['properties', 'authentication', 'password'], code: 'secret_required' }],
        },
      });
    }
    const { data } = await read('moved');
    data.properties.properties.host = '127.0.0.2';
    expect((await send('PUT', '/adapters/moved', { properties: data })).status).toBe(400);
    expect((await send('POST', '/adapters/moved/test', { properties: { host: '127.0.0.2' } })).status).toBe(
      400,
    );
    expect((await change({ host: '127.0.0.2', authentication: { password: 'anew' } })).status).toBe(200);
    expect((await change({ timeouts: { request: 700 } })).status).toBe(200);
    expect((await send('PUT', '/adapters/moved', { properties: { ...data, name: 'renamed' } })).status).toBe(
      400,
    );
  });

  test('records who changed which properties, never their values', async () => {
    await made('told');
    await send('PUT', '/adapters/told/properties', {
      properties: { maxConcurrent: 3, authentication: { password: SECRET } },
    });
    await send('PUT', '/adapters/told/loglevel', { loglevel: 'debug', transport: 'console' });
    const fields = ((await send('GET', '/adapters/told/changelogs')).json as { fields: string[] }[]).map(
      (one) => one.fields,
    );
    expect(fields[0]).toEqual(['loggerProps']);
    expect(fields[1]?.sort()).toEqual([
      'properties.properties.authentication.password',
      'properties.properties.maxConcurrent',
    ]);
  });

  test('is imported with its masked secrets unset and named', async () => {
    await made('original');
    const exported = (await send('GET', '/adapters/original/export')).json as Document;
    expect((await send('POST', '/adapters/import', { properties: exported })).status).toBe(409);
    await send('DELETE', '/adapters/original');
    const answer = await send('POST', '/adapters/import', { properties: exported });
    expect((answer.json as { message: string }).message).toContain(
      'properties.properties.authentication.password',
    );
    expect((await read('original')).data.properties.properties.authentication.password).toBe('');
  });

  test('is deleted, but not when it is built in', async () => {
    await made('gone');
    expect((await send('DELETE', '/adapters/gone?force=true')).json).toMatchObject({ status: 'OK' });
    expect((await send('GET', '/adapters/gone')).status).toBe(404);
    for (const name of ['gateway', 'local_aaa'])
      expect((await send('DELETE', `/adapters/${name}`)).status).toBe(403);
    expect((await send('PUT', '/adapters/local_aaa/stop')).status).toBe(409);
  });

  test('does not overwrite one that has changed since it was read', async () => {
    await made('tagged');
    const { ETag, etag = ETag } = (await send('GET', '/adapters/tagged')).headers;
    const change = () =>
      send(
        'PUT',
        '/adapters/tagged/properties',
        { properties: { maxConcurrent: 2 } },
        { 'If-Match': etag ?? '' },
      );
    expect((await change()).status).toBe(200);
    expect((await change()).status).toBe(409);
  });
});

test('lists filter by fields of the document, and never by a secret', async () => {
  await made('listed');
  const list = async (query: string) =>
    (await send('GET', `/adapters?${query}`)).json as { results: { metadata: object }[]; total: number };
  expect(await list('equals=listed&equalsField=name')).toMatchObject({
    total: 1,
    results: [{ metadata: { isActive: true, activeSync: true } }],
  });
  expect((await list('equals=listed&equalsField=name&skipActiveSync=true')).results[0]?.metadata).toEqual({
    isActive: true,
  });
  const secret = 'properties.properties.authentication.password';
  expect((await send('GET', `/adapters?startsWith=s&startsWithField=${secret}`)).status).toBe(400);
  expect((await send('GET', '/adapter-models/types')).json).toEqual({
    adapterModels: ['Gateway', 'Orchestrator', 'Rest', 'local_aaa'],
    total: 4,
  });
  expect((await send('GET', '/adapters/brokers/mapping')).json).toMatchObject({
    device: expect.arrayContaining(['gateway', 'listed']),
    aaa: ['local_aaa'],
  });
  expect((await send('GET', '/schema/adapters/Orchestrator')).json).toMatchObject({
    properties: { host: {} },
  });
  expect((await send('GET', '/schema/adapters/listed')).json).toMatchObject({ properties: { host: {} } });
  expect((await send('GET', '/schema/adapters/nothing')).status).toBe(404);
});

test.each([
  '127.0.0.1',
  'localhost',
  'a.localhost',
  '2130706433',
  '127.1',
  '0x7f.1',
  '169.254.169.254',
  '169.254.1.1',
  '::1',
  'fe80::1',
  '::ffff:127.0.0.1',
  'fd00:ec2::254',
  '0.0.0.0',
])('no adapter may point at %s unless private targets are allowed', async (host) => {
  const answer = await strict.send('admin', 'POST', '/adapters', {
    properties: orchestratorAdapter('near', 80, { host }),
  });
  expect(answer, answer.text).toMatchObject({
    status: 400,
    json: { issues: [{ path: ['properties', 'properties', 'properties', 'host'] }] },
  });
});

test('no setting lets an adapter point at a metadata service', async () => {
  const properties = orchestratorAdapter('cloud', 80, { host: '169.254.169.254' });
  expect((await send('POST', '/adapters', { properties })).status).toBe(400);
});
