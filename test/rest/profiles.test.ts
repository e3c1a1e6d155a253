import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { type Entry, openProfiles } from '../helpers/profiles.ts';

const { service, send, read, create } = await openProfiles();
const stored = async (id: string) => {
  const [row] = await rows<{ doc: string }>(
    service.db,
    sql`select doc::text as doc from profiles where id = ${id}`,
  );
  return row?.doc ?? '';
};

describe('a first start', () => {
  test('has one profile, active, with every documented section', async () => {
    const { json } = await send('GET', '/profiles?equals=default&equalsField=id');
    expect(json).toMatchObject({
      total: 1,
      results: [
        {
          metadata: { isActive: true, activeSync: true },
          profile: {
            id: 'default',
            authenticationProps: { logoutTime: 60, cookieName: 'token', uniqueSession: false },
            loggerProps: {},
            redisProps: {},
            rabbitmq: {},
            alarmProps: [],
            systemProps: {},
          },
        },
      ],
    });
  });
});

describe('who may', () => {
  test.each([
    ['GET', '/profiles'],
    ['GET', '/profiles/default'],
    ['GET', '/profiles/default/export'],
    ['POST', '/profiles'],
    ['POST', '/profiles/import'],
    ['PUT', '/profiles/default'],
    ['PUT', '/profiles/default/active'],
    ['DELETE', '/profiles/default'],
  ])('%s %s is for admin alone', async (method, path) => {
    const body = method === 'GET' ? undefined : {};
    const others = ['apiread', 'apiwrite', 'designer', 'engineering', 'support', 'other'] as const;
    expect((await service.send(others, method, path, body)).status).toBe(403);
    expect((await service.send(null, method, path, body)).status).toBe(401);
  });
});

describe('create', () => {
  test('answers what is stored, and fills in the sections that were left out', async () => {
    const made = await create({ id: 'made', description: 'for tests', alarmProps: [{ ip: '192.0.2.9' }] });
    expect(made).toMatchObject({ status: 'Created', message: 'Successfully created made.' });
    const { metadata, profile } = await read('made');
    expect(metadata).toEqual({ isActive: false, activeSync: false });
    expect(made.data).toEqual(profile);
    expect(profile).toMatchObject({
      id: 'made',
      description: 'for tests',
      alarmProps: [{ ip: '192.0.2.9' }],
      authenticationProps: { logoutTime: 60, cookieName: 'token' },
    });
  });
  test('a taken id is refused', async () => {
    const answer = await send('POST', '/profiles', { properties: { id: 'made' } });
    expect(answer).toMatchObject({
      status: 409,
      json: { code: 'CONFLICT', message: 'made already exists!' },
    });
  });
  test('of many that create one id at once, one does', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send('POST', '/profiles', { properties: { id: 'race' } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });
  test('members that we do not know are kept, at any depth', async () => {
    const own = {
      id: 'own',
      extra: { list: [1, { deep: null }] },
      redisProps: { host: '192.0.2.1', more: [] },
    };
    await create(own);
    expect((await read('own')).profile).toMatchObject(own);
  });
  test.each([
    [{ id: 'x', redisProps: 'none' }, ['properties', 'redisProps']],
    [
      { id: 'x', authenticationProps: { logoutTime: '60' } },
      ['properties', 'authenticationProps', 'logoutTime'],
    ],
    [
      { id: 'x', authenticationProps: { logoutTime: 0 } },
      ['properties', 'authenticationProps', 'logoutTime'],
    ],
    [
      { id: 'x', authenticationProps: { cookieName: 'a b' } },
      ['properties', 'authenticationProps', 'cookieName'],
    ],
    [{ id: 'x', loggerProps: { log_level: 'loud' } }, ['properties', 'loggerProps', 'log_level']],
    [{ id: 'x', alarmProps: {} }, ['properties', 'alarmProps']],
    [{ id: 'x', alarmProps: [{ type: 'shout' }] }, ['properties', 'alarmProps', 0, 'type']],
    [{ id: 'a/b' }, ['properties', 'id']],
    [{ id: '' }, ['properties', 'id']],
    [{ description: 'no id' }, ['properties', 'id']],
  ])('%j is refused, naming the member', async (properties, path) => {
    const answer = await send('POST', '/profiles', { properties });
    expect(answer.status).toBe(400);
    expect((answer.json as { issues: { path: unknown }[] }).issues.map((issue) => issue.path)).toContainEqual(
      path,
    );
  });
  test('an unknown member beside the profile is refused', async () => {
    const answer = await send('POST', '/profiles', { properties: { id: 'x' }, stray: 1 });
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.text).toContain('stray');
  });
});

describe('missing profiles', () => {
  test.each([
    ['GET', '/profiles/none', 'Profile not found.'],
    ['GET', '/profiles/none/export', 'Profile not found.'],
    ['DELETE', '/profiles/none', 'Profile: none does not exist!'],
    ['PUT', '/profiles/none/active', 'Profile: none does not exist!'],
    ['PUT', '/profiles/none', 'Profile: none does not exist!'],
  ])('%s %s says so', async (method, path, message) => {
    const body = path === '/profiles/none' && method === 'PUT' ? { properties: {} } : undefined;
    expect(await send(method, path, body)).toMatchObject({
      status: 404,
      json: { code: 'NOT_FOUND', message },
    });
  });
});

describe('update', () => {
  test('replaces the sections that are sent, and leaves the others', async () => {
    await create({ id: 'sections', redisProps: { db: 1, name: 'a' }, uiProps: { home: '/x' } });
    const answer = await send('PUT', '/profiles/sections', { properties: { redisProps: { db: 2 } } });
    expect(answer.json).toMatchObject({ status: 'OK', message: 'Successfully updated sections.' });
    const { profile } = await read('sections');
    expect(profile).toMatchObject({ id: 'sections', redisProps: { db: 2 }, uiProps: { home: '/x' } });
    expect(profile.redisProps).toEqual({ db: 2 });
    expect((answer.json as { data: unknown }).data).toEqual(profile);
  });
  test('takes the document as it was read', async () => {
    const before = await read('sections');
    expect((await send('PUT', '/profiles/sections', { properties: before.profile })).status).toBe(200);
    expect(await read('sections')).toEqual(before);
  });
  test('a profile keeps its id', async () => {
    const answer = await send('PUT', '/profiles/sections', { properties: { id: 'other' } });
    expect(answer).toMatchObject({ status: 400, json: { issues: [{ path: ['properties', 'id'] }] } });
  });
  test('two writers: with If-Match the second is told', async () => {
    const { etag = '' } = (await send('GET', '/profiles/sections')).headers;
    const change = (description: string) =>
      send('PUT', '/profiles/sections', { properties: { description } }, { 'If-Match': etag });
    expect((await change('first')).status).toBe(200);
    expect(await change('second')).toMatchObject({ status: 409, json: { code: 'CONFLICT' } });
    expect((await read('sections')).profile.description).toBe('first');
    expect((await send('DELETE', '/profiles/sections', undefined, { 'If-Match': etag })).status).toBe(409);
    expect((await send('PUT', '/profiles/sections/active', undefined, { 'If-Match': etag })).status).toBe(
      409,
    );
  });
});

describe('delete', () => {
  test('takes a profile away', async () => {
    await create({ id: 'gone' });
    expect((await send('DELETE', '/profiles/gone')).json).toMatchObject({ status: 'OK' });
    expect((await send('GET', '/profiles/gone')).status).toBe(404);
  });
  test('is refused for the active one', async () => {
    expect(await send('DELETE', '/profiles/default')).toMatchObject({
      status: 409,
      json: { code: 'CONFLICT' },
    });
  });
});

describe('secrets', () => {
  const secret = 'correct-horse-battery';
  const sections = {
    redisProps: { username: 'u', password: secret },
    rabbitmq: { passphrase: secret, keyPath: `/etc/${secret}.pem` },
    expressProps: { express_https: { key: `/etc/${secret}.pem`, cert: '/etc/cert.pem' } },
    prebuiltProps: {
      repoConfigs: { '@lab': { hostname: 'git.example.net', credentials: { token: secret } } },
    },
    own: { apiKey: { nested: [secret] }, tokens: [[secret]], list: [{ host: 'a', secret }] },
  };
  const placeholders = {
    redisProps: { username: 'u', password: '<PASSWORD>' },
    rabbitmq: { passphrase: '<PASSPHRASE>', keyPath: '<PASSWORD>' },
    expressProps: { express_https: { key: '<PASSWORD>', cert: '/etc/cert.pem' } },
    prebuiltProps: { repoConfigs: { '@lab': { credentials: { token: '<ACCESS_TOKEN>' } } } },
    own: { apiKey: '<ACCESS_TOKEN>', tokens: '<ACCESS_TOKEN>', list: [{ host: 'a', secret: '<PASSWORD>' }] },
  };

  test('are placeholders in every answer, and sealed in the database', async () => {
    const made = await create({ id: 'sealed', ...sections });
    expect(made.data).toMatchObject(placeholders);
    for (const path of ['/profiles/sealed', '/profiles/sealed/export', '/profiles']) {
      expect((await send('GET', path)).text).not.toContain(secret);
    }
    expect((await read('sealed')).profile).toMatchObject(placeholders);
    expect(await stored('sealed')).not.toContain(secret);
    expect(await stored('sealed')).toContain('sealed:v2:');
  });
  test('stay when their placeholders come back', async () => {
    const before = await stored('sealed');
    await send('PUT', '/profiles/sealed', { properties: (await read('sealed')).profile });
    expect(await stored('sealed')).toBe(before);
    await send('PUT', '/profiles/sealed', {
      properties: { redisProps: { username: 'u', password: '********' } },
    });
    expect(await stored('sealed')).toBe(before);
  });
  test.each([null, ''])('%j clears one', async (password) => {
    await send('PUT', '/profiles/sealed', { properties: { redisProps: { password: 'again' } } });
    await send('PUT', '/profiles/sealed', { properties: { redisProps: { password } } });
    expect((await read('sealed')).profile.redisProps).toEqual({ password });
    expect(JSON.parse(await stored('sealed')).redisProps).toEqual({ password });
  });
  test('do not move to another element of a list', async () => {
    const answer = await send('PUT', '/profiles/sealed', {
      properties: { own: { list: [{ host: 'evil.example.net', secret: '<PASSWORD>' }] } },
    });
    expect(answer).toMatchObject({
      status: 400,
      json: { issues: [{ path: ['properties', 'own', 'list', 0, 'secret'] }] },
    });
  });
  test('that arrive as placeholders are unset, and named', async () => {
    const { profile } = await read('sealed');
    const answer = await send('POST', '/profiles/import', { properties: { ...profile, id: 'sealed-copy' } });
    const { message, data } = answer.json as { message: string; data: Record<string, unknown> };
    expect(message).toMatch(/^Successfully created sealed-copy\. Secrets still to be set: /);
    expect(message).toContain('rabbitmq.passphrase');
    expect(data).toMatchObject({ rabbitmq: { passphrase: '', keyPath: '' } });
  });
  test.each([
    'equals=x&equalsField=redisProps.password',
    'startsWith=c&startsWithField=rabbitmq.passphrase',
    'contains=c&containsField=prebuiltProps.repoConfigs.@lab.credentials.token',
    'greaterThan=c&greaterThanField=redisProps.password',
    'sort=redisProps.password',
  ])('cannot be searched: %s', async (query) => {
    expect((await send('GET', `/profiles?${query}`)).status).toBe(400);
  });
});

describe('list', () => {
  test('everything, by id, when no limit is given; the total counts all matches', async () => {
    const { results, total } = (await send('GET', '/profiles')).json as { results: Entry[]; total: number };
    const ids = results.map(({ profile }) => profile.id);
    expect(ids).toEqual([...ids].sort());
    expect(total).toBe(ids.length);
    const page = (await send('GET', '/profiles?limit=1&skip=1&sort=id&order=-1')).json as typeof answerShape;
    expect(page).toMatchObject({ total, results: [{ profile: { id: ids.at(-2) } }] });
  });
  const answerShape = { results: [] as Entry[], total: 0 };
  test('filters by the profile’s own fields, dotted ones too', async () => {
    const found = async (query: string) => {
      const { results } = (await send('GET', `/profiles?${query}`)).json as typeof answerShape;
      return results.map(({ profile }) => profile.id);
    };
    expect(await found('equals=sealed&equalsField=id')).toEqual(['sealed']);
    expect(await found('startsWith=SEALED&startsWithField=id')).toEqual(['sealed', 'sealed-copy']);
    expect(await found('contains=FOR%20tests&containsField=description')).toEqual(['made']);
    expect(await found('equals=192.0.2.9&equalsField=alarmProps.ip')).toEqual(['made']);
    expect(await found('equals=nothing&equalsField=description')).toEqual([]);
  });
  test.each([
    'equals=x',
    'equalsField=id',
    'equals=x&equalsField=nonsense',
    'sort=nonsense',
    'sort=metadata.isActive',
    'limit=0',
    'limit=1001',
    'order=2',
    'contains[colour]=x',
    'stray=1',
  ])('%s is refused', async (query) => {
    const answer = await send('GET', `/profiles?${query}`);
    expect(answer.status).toBe(400);
    expect((answer.json as { issues: unknown[] }).issues.length).toBeGreaterThan(0);
  });
  test('typed callers get the same', async () => {
    const typed = await (await service.as('admin')).profiles.getProfiles({ queryOptions: { limit: 1 } });
    expect(typed).toEqual((await send('GET', '/profiles?limit=1')).json);
  });
});
