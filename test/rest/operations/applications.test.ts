import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { seedPlatform } from '#server/domains/operations/profiles/seed.service.ts';
import { openSibling } from '../../helpers/processes/sibling.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.send('admin', method, path, body, { headers });

type Entry = { metadata: Record<string, unknown>; data: Record<string, unknown> };
type List = { results: Entry[]; total: number };
const listed = async (query = '') => (await send('GET', `/applications${query}`)).json as List;
const read = async (name: string) => (await send('GET', `/applications/${name}`)).json as Entry;
const health = async (name: string) =>
  (await send('GET', `/health/applications/${name}`)).json as Record<string, unknown>;

describe('list', () => {
  test.each([
    'equals=x',
    'contains=x',
    'startsWithField=name',
    'equals=x&equalsField=nonsense',
    "equals=x&equalsField=name') OR ('1'='1",
    'contains=x&containsField=__proto__.x',
    'equals=x&equalsField=properties.password',
    'sort=nonsense',
    'sort=metadata.isActive',
    'sort=__proto__',
    'limit=abc',
    'limit=0',
    'skip=-1',
    'order=2',
    'starts-with[colour]=x',
    'stray=1',
  ])('%s is rejected', async (query) => {
    const answer = await send('GET', `/applications?${encodeURI(query)}`);
    expect(answer.status).toBe(400);
    expect((answer.json as { issues: unknown[] }).issues.length).toBeGreaterThan(0);
  });
  test('is for admin and apiread', async () => {
    expect((await service.send('apiread', 'GET', '/applications')).status).toBe(200);
    const others = ['apiwrite', 'designer', 'engineering', 'support', 'other'] as const;
    expect((await service.send(others, 'GET', '/applications')).status).toBe(403);
    expect((await service.send('apiread', 'PUT', '/applications/Profiles/stop')).status).toBe(403);
  });
});

describe('one application', () => {
  test('is returned as in the list, with an ETag', async () => {
    const answer = await send('GET', '/applications/Profiles');
    expect(answer.json).toEqual((await listed('?equals=Profiles&equalsField=name')).results[0]);
    expect(answer.headers.etag).toMatch(/^"20.*Z"$/);
  });
  test('has a JSON schema', async () => {
    const { status, json } = await send('GET', '/schema/applications/Profiles');
    expect(status).toBe(200);
    expect(json).toMatchObject({ $schema: expect.stringContaining('json-schema.org') });
    expect(JSON.stringify(json)).toContain('loggerProps');
  });
  test('is found by its name in any case, to read it and to change it', async () => {
    expect(await read('MOP')).toEqual(await read('Mop'));
    expect((await send('GET', '/schema/applications/AutomationGateway')).status).toBe(200);
    expect(await health('AutomationGateway')).toMatchObject({ id: 'Automationgateway' });
    const changed = await send('PUT', '/applications/MOP/properties', {
      properties: { id: 'Mop', hue: 'teal' },
    });
    expect(changed.json).toMatchObject({ message: 'Successfully updated Mop.', data: { name: 'Mop' } });
    expect((await read('Mop')).data.properties).toMatchObject({ hue: 'teal' });
    expect((await send('PUT', '/applications/MOP/properties', { properties: { id: 'MOP' } })).status).toBe(
      400,
    );
    expect((await send('PUT', '/applications/mop/stop')).json).toMatchObject({
      message: 'Successfully stopped Mop.',
    });
    expect(await health('mop')).toMatchObject({ id: 'Mop', state: 'STOPPED' });
    expect((await send('PUT', '/applications/mOP/start')).status).toBe(200);
    expect((await send('PUT', '/applications/HEALTH/stop')).status).toBe(409);
  });
  test.each([
    ['GET', '/applications/None'],
    ['GET', '/schema/applications/None'],
    ['GET', '/health/applications/None'],
    ['PUT', '/applications/None/start'],
    ['PUT', '/applications/None/stop'],
    ['PUT', '/applications/None/restart'],
  ])('%s %s of an unknown application is 404', async (method, path) => {
    expect(await send(method, path)).toMatchObject({
      status: 404,
      json: { code: 'NOT_FOUND', message: 'Application None does not exist' },
    });
  });
  test('cannot be added', async () => {
    for (const body of [{}, { properties: { name: 'Own' } }, { properties: { name: 'Profiles' } }]) {
      expect(await send('POST', '/applications', body)).toMatchObject({
        status: 409,
        json: { code: 'CONFLICT' },
      });
    }
  });
});

describe('stop and start', () => {
  test('a stopped application answers 503 through REST and tRPC and in every process, until it is started', async () => {
    const sibling = await openSibling(service);
    const { token } = await service.callerWith('admin');
    const there = async (path: string) =>
      (await fetch(sibling.url + path, { headers: { Authorization: `Bearer ${token}` } })).status;
    const typed = (await service.as('admin')).profiles;
    const trpc = `/trpc/profiles.getProfiles?input=${encodeURIComponent('{}')}`;
    expect(await there('/profiles')).toBe(200);

    expect((await send('PUT', '/applications/Profiles/stop')).json).toEqual({
      status: 'success',
      message: 'Successfully stopped Profiles.',
    });
    // This process knows immediately; the other one as soon as the database has notified it.
    const rejected = await send('GET', '/profiles');
    expect(rejected).toMatchObject({ status: 503, json: { code: 'SERVICE_UNAVAILABLE' } });
    expect(rejected.headers['retry-after']).toMatch(/^\d+$/);
    await expect(typed.getProfiles({})).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect((await send('GET', trpc)).status).toBe(503);
    await expect.poll(() => there('/profiles')).toBe(503);
    expect(await there(trpc)).toBe(503);
    expect((await service.send('other', 'GET', '/profiles')).status).toBe(403);
    expect((await send('GET', '/applications')).status).toBe(200);

    expect((await send('PUT', '/applications/Profiles/start')).json).toMatchObject({ status: 'success' });
    expect((await send('GET', '/profiles')).status).toBe(200);
    await expect(typed.getProfiles({})).resolves.toMatchObject({ total: 1 });
    await expect.poll(() => there('/profiles')).toBe(200);
  });

  test('lists and health report the state; a stopped application has no numbers', async () => {
    const running = await health('Profiles');
    expect(running).toMatchObject({ state: 'RUNNING', connection: { state: 'ONLINE' }, pid: process.pid });
    expect(running.uptime).toBeGreaterThan(0);
    await send('PUT', '/applications/Profiles/stop');
    expect((await read('Profiles')).metadata).toEqual({ isActive: false, activeSync: true });
    const stopped = await health('Profiles');
    expect(stopped).toMatchObject({
      state: 'STOPPED',
      uptime: 0,
      pid: 0,
      memoryUsage: { rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 },
      cpuUsage: { user: 0, system: 0 },
    });
    expect(stopped.prevUptime).toBeGreaterThanOrEqual(Number(running.uptime));
    expect((await service.send(null, 'GET', '/health/status')).json).toMatchObject({ apps: 'degraded' });
    await send('PUT', '/applications/Profiles/start');
    expect((await service.send(null, 'GET', '/health/status')).json).toMatchObject({ apps: 'running' });
    const again = await health('Profiles');
    expect(again).toMatchObject({ state: 'RUNNING', prevUptime: stopped.prevUptime });
    expect(Number(again.uptime)).toBeLessThan(process.uptime());
  });

  test('restart begins a new run; of a stopped application too', async () => {
    const before = await health('Profiles');
    await send('PUT', '/applications/Profiles/restart');
    const after = await health('Profiles');
    expect(Number(after.prevUptime)).toBeGreaterThanOrEqual(Number(before.uptime));
    expect(Number(after.uptime)).toBeLessThan(Number(after.prevUptime) + 1);
    await send('PUT', '/applications/Profiles/stop');
    await send('PUT', '/applications/Profiles/restart');
    expect(await health('Profiles')).toMatchObject({ state: 'RUNNING' });
  });

  test('start and stop are idempotent', async () => {
    const before = await health('Profiles');
    expect((await send('PUT', '/applications/Profiles/start')).status).toBe(200);
    const after = await health('Profiles');
    expect(after.prevUptime).toBe(before.prevUptime);
    expect(Number(after.uptime)).toBeGreaterThan(Number(before.uptime));
    for (const _ of [1, 2]) expect((await send('PUT', '/applications/Session/stop')).status).toBe(200);
    expect((await send('PUT', '/applications/Session/start')).status).toBe(200);
  });
});

describe('settings', () => {
  test('secrets in them are masked, sealed, kept and cleared', async () => {
    const put = (properties: unknown) => send('PUT', '/applications/Session/properties', { properties });
    const secret = 'correct-horse-battery';
    const answer = await put({ remote: { password: secret, host: 'a' } });
    expect(answer.json).toMatchObject({
      data: { properties: { remote: { password: '********', host: 'a' } } },
    });
    const stored = async () => {
      const [row] = await rows<{ text: string }>(
        service.db,
        sql`select doc #>> '{properties,remote,password}' as text from applications where id = 'Session'`,
      );
      return row?.text;
    };
    const sealed = await stored();
    expect(sealed).toMatch(/^sealed:v2:/);
    expect((await send('GET', '/applications')).text).not.toContain(secret);
    await put({ remote: { host: 'b' } });
    await put({ remote: { password: '********' } });
    expect(await stored()).toBe(sealed);
    await put({ remote: { password: null } });
    expect(await stored()).toBeNull();
  });
  test.each(['', '/properties', '/loglevel', '/stop', '/start', '/restart'])(
    'with If-Match, PUT …%s is rejected after another write',
    async (suffix) => {
      const { etag = '' } = (await send('GET', '/applications/Session')).headers;
      await send('PUT', '/applications/Session', { properties: { profiling: false } });
      const body = suffix === '/loglevel' ? { loglevel: 'info' } : { properties: {} };
      const sent = suffix.startsWith('/st') || suffix === '/restart' ? undefined : body;
      const answer = await send('PUT', `/applications/Session${suffix}`, sent, { 'If-Match': etag });
      expect(answer.status).toBe(409);
    },
  );
});

describe('another start', () => {
  test('keeps the changes of operators and adds missing entries', async () => {
    await send('PUT', '/profiles/default', { properties: { description: 'mine', redisProps: { db: 9 } } });
    await send('PUT', '/applications/Session/stop');
    const before = [await listed(), (await send('GET', '/profiles')).json];
    await service.db.execute(sql`delete from applications where id = 'Profiles'`);
    await seedPlatform(service.db, service.platform);
    await seedPlatform(service.db, service.platform);
    const after = await listed();
    expect(after.total).toBe((before[0] as List).total);
    const others = (list: List) => list.results.filter(({ data }) => data.name !== 'Profiles');
    expect(others(after)).toEqual(others(before[0] as List));
    expect((await send('GET', '/profiles')).json).toEqual(before[1]);
    await send('PUT', '/applications/Session/start');
  });
  test('makes a profile active when none is', async () => {
    await service.db.execute(sql`update profiles set active = false`);
    await seedPlatform(service.db, service.platform);
    const profile = await send('GET', '/profiles/default');
    expect(profile.json).toMatchObject({ metadata: { isActive: true }, profile: { description: 'mine' } });
  });
});
