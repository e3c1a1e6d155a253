import { sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import { rows } from '#db/client.ts';
import { createAdmin } from '#server/engines/access/seed.service.ts';
import { openService } from '../helpers/service.ts';
import { openSibling } from '../helpers/sibling.ts';

const service = await openService();
const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.send('admin', method, path, body, { headers });

type Entry = { metadata: { isActive: boolean; activeSync: boolean }; profile: Record<string, unknown> };
const read = async (id: string) => (await send('GET', `/profiles/${id}`)).json as Entry;
const create = async (properties: { id: string } & Record<string, unknown>) => {
  const answer = await send('POST', '/profiles', { properties });
  expect(answer.status, answer.text).toBe(200);
  return answer.json as { status: string; message: string; data: Record<string, unknown> };
};
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
    expect(await stored('sealed')).toContain('sealed:v1:');
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
    'contains[id]=x',
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

describe('activation', () => {
  const active = async () =>
    (await rows<{ id: string }>(service.db, sql`select id from profiles where active`)).map(({ id }) => id);

  test('takes effect at once: cookie name, idle time, log level, in every process', async () => {
    const sibling = await openSibling(service);
    await (await createAdmin(service.db, 'a-long-enough-password')).store();
    await create({
      id: 'lively',
      authenticationProps: { cookieName: 'lively.token', logoutTime: 0.5, uniqueSession: true },
      loggerProps: { log_level: 'error', console_level: 'debug' },
    });
    const answer = await send('PUT', '/profiles/lively/active');
    expect(answer.json).toEqual({ status: 'OK', message: 'lively is the active profile.' });
    expect(await active()).toEqual(['lively']);
    expect(await read('lively')).toMatchObject({ metadata: { isActive: true, activeSync: true } });
    await vi.waitFor(() => {
      expect(service.platform.log.level).toBe('debug');
      expect(sibling.platform.log.level).toBe('debug');
    });
    const signIn = { username: 'admin', password: 'a-long-enough-password' };
    const signedIn = await service.send(null, 'POST', '/login', signIn);
    expect(signedIn.status).toBe(200);
    expect(String(signedIn.headers['set-cookie'])).toMatch(/^lively\.token=/);
    const cookie = { Cookie: `lively.token=${signedIn.text}` };
    expect((await service.send(null, 'GET', '/version', undefined, { headers: cookie })).status).toBe(200);
    const elsewhere = await fetch(`${sibling.url}/version`, { headers: cookie });
    expect(elsewhere.status).toBe(200);
    await service.db.execute(sql`update sessions set last_used_at = now() - interval '31 seconds'
      where account_id = (select id from accounts where username = 'admin')`);
    service.platform.accessChanged();
    expect((await service.send(null, 'GET', '/version', undefined, { headers: cookie })).status).toBe(401);

    expect((await send('PUT', '/profiles/default/active')).status).toBe(200);
    // Without a level in the profile each process is back at the level it began with.
    await vi.waitFor(() => {
      expect(service.platform.log.level).toBe('trace');
      expect(sibling.platform.log.level).toBe('warn');
    });
  });
  test('a level that the active profile is given takes effect too', async () => {
    await send('PUT', '/profiles/default', { properties: { loggerProps: { console_level: 'warn' } } });
    await vi.waitFor(() => expect(service.platform.log.level).toBe('warn'));
    await send('PUT', '/profiles/default', { properties: { loggerProps: {} } });
    await vi.waitFor(() => expect(service.platform.log.level).toBe('trace'));
  });
  test('names the sections that wait for the next start, and says so until then', async () => {
    await create({
      id: 'later',
      redisProps: { db: 7 },
      systemProps: { shutdownTimeout: 1 },
      retryStrategy: {},
    });
    const { message } = (await send('PUT', '/profiles/later/active')).json as { message: string };
    expect(message).toBe('later is the active profile. From the next start on: redisProps, systemProps.');
    expect((await read('later')).metadata).toEqual({ isActive: true, activeSync: false });
    await send('PUT', '/profiles/default/active');
    expect((await read('default')).metadata).toEqual({ isActive: true, activeSync: true });
  });
  test('is idempotent', async () => {
    for (const _ of [1, 2]) expect((await send('PUT', '/profiles/default/active')).status).toBe(200);
    expect(await active()).toEqual(['default']);
  });
  test('of many at once, one profile is active afterwards, and none fails', async () => {
    const ids = ['made', 'own', 'sealed', 'lively'];
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(ids.map((id) => send('PUT', `/profiles/${id}/active`)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(await active()).toHaveLength(1);
    }
    await send('PUT', '/profiles/default/active');
  });
  test('races with deletion: what is deleted is never active', async () => {
    for (let round = 0; round < 5; round++) {
      await create({ id: 'brief' });
      const [activated, deleted] = await Promise.all([
        send('PUT', '/profiles/brief/active'),
        send('DELETE', '/profiles/brief'),
      ]);
      expect([activated.status, deleted.status]).toSatisfy(
        (both: number[]) => both.join() === '200,409' || both.join() === '404,200',
      );
      expect(await active()).toHaveLength(1);
      await send('PUT', '/profiles/default/active');
      await send('DELETE', '/profiles/brief');
    }
  });
});

describe('a profile that would lock everyone out', () => {
  test('is refused, whether it is activated or written while active', async () => {
    const own = await openService();
    const { caller } = await own.callerWith('support');
    const nominee = { authenticationProps: { admins: [{ provenance: 'local', group: caller.username }] } };
    const asAdmin = (method: string, path: string, body?: unknown) => own.send('admin', method, path, body);
    expect((await asAdmin('PUT', '/profiles/default', { properties: nominee })).status).toBe(200);
    await asAdmin('POST', '/profiles', { properties: { id: 'nobody' } });
    await asAdmin('POST', '/profiles', { properties: { id: 'somebody', ...nominee } });
    await own.db.execute(
      sql`update accounts set doc = doc || '{"inactive": true}' where username like 'admin-%'`,
    );
    own.platform.accessChanged();

    const nobody = { authenticationProps: { admins: [{ group: 'no-such-group' }] } };
    const asNominee = (method: string, path: string, body?: unknown) =>
      own.send('support', method, path, body);
    expect(await asNominee('PUT', '/profiles/default', { properties: nobody })).toMatchObject({
      status: 409,
      json: { message: expect.stringContaining('nobody would be admin') },
    });
    expect((await asNominee('PUT', '/profiles/nobody/active')).status).toBe(409);
    expect((await asNominee('PUT', '/profiles/nobody', { properties: nobody })).status).toBe(200);
    expect((await asNominee('PUT', '/profiles/somebody/active')).status).toBe(200);

    // A group counts through the groups inside it, as long as somebody active is a member.
    await own.db.execute(sql`insert into groups (id, doc) values
      ('g1', '{"_id": "g1", "name": "noc", "provenance": "local", "memberOf": []}'),
      ('g2', '{"_id": "g2", "name": "shift", "provenance": "local", "memberOf": [{"groupId": "g1"}]}')`);
    const byGroup = { properties: { authenticationProps: { admins: [{ group: 'noc' }] } } };
    expect((await asNominee('PUT', '/profiles/somebody', byGroup)).status).toBe(409);
    await own.db.execute(sql`update accounts set doc = doc || '{"memberOf": [{"groupId": "g2"}]}'
      where username = ${caller.username}`);
    expect((await asNominee('PUT', '/profiles/somebody', byGroup)).status).toBe(200);
    expect((await asNominee('GET', '/profiles')).status).toBe(200);
  });
});

describe('the trail', () => {
  test('tells who wrote which profile, refusals too', async () => {
    await create({ id: 'traced' });
    await send('DELETE', '/profiles/default');
    const found = await rows<{ doc: string }>(
      service.db,
      sql`select doc::text as doc from audit where operation like 'profiles.%' order by id desc limit 2`,
    );
    const deeds = found.map(({ doc }) => JSON.parse(doc) as Record<string, unknown>);
    expect(deeds.map(({ operation, outcome, document }) => [operation, outcome, document])).toEqual([
      ['profiles.deleteProfile', 'refused', null],
      ['profiles.createProfile', 'ok', { kind: 'profiles', id: 'traced', name: null }],
    ]);
  });
});
