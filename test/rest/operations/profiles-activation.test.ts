import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { createAdmin } from '#server/domains/identity/rights/seed.service.ts';
import { openProfiles } from '../../helpers/documents/profiles.ts';
import { isLong } from '../../helpers/long.ts';
import { roleId } from '../../helpers/people.ts';
import { openSibling } from '../../helpers/processes/sibling.ts';
import { openService } from '../../helpers/service.ts';

const { service, send, read, create } = await openProfiles();

describe('activation', () => {
  const active = async () =>
    (await rows<{ id: string }>(service.db, sql`select id from profiles where active`)).map(({ id }) => id);

  test('takes effect immediately: cookie name, idle time, log level, in every process', async () => {
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
    const levels = () => [service, sibling].map(({ platform }) => platform.log.level);
    await expect.poll(levels).toEqual(['debug', 'debug']);
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
    await expect.poll(levels).toEqual(['trace', 'warn']);
  });
  test('a level that the active profile is given takes effect too', async () => {
    await send('PUT', '/profiles/default', { properties: { loggerProps: { console_level: 'warn' } } });
    await expect.poll(() => service.platform.log.level).toBe('warn');
    await send('PUT', '/profiles/default', { properties: { loggerProps: {} } });
    await expect.poll(() => service.platform.log.level).toBe('trace');
  });
  test('names the sections that wait for the next start, until then', async () => {
    await create({
      id: 'later',
      redisProps: { db: 7 },
      systemProps: { shutdownTimeout: 1 },
      retryStrategy: {},
    });
    const { message } = (await send('PUT', '/profiles/later/active')).json as { message: string };
    expect(message).toBe(
      'later is the active profile. Effective after the next start: redisProps, systemProps.',
    );
    expect((await read('later')).metadata).toEqual({ isActive: true, activeSync: false });
    await send('PUT', '/profiles/default/active');
    expect((await read('default')).metadata).toEqual({ isActive: true, activeSync: true });
  });
  test('is idempotent', async () => {
    for (const _ of [1, 2]) expect((await send('PUT', '/profiles/default/active')).status).toBe(200);
    expect(await active()).toEqual(['default']);
  });
  test.skipIf(!isLong)(
    'of concurrent activations, one profile is active afterwards, and none fails',
    async () => {
      const ids = ['north', 'east', 'south', 'west'];
      for (const id of ids) await create({ id });
      for (let round = 0; round < 3; round++) {
        const answers = await Promise.all(ids.map((id) => send('PUT', `/profiles/${id}/active`)));
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        expect(await active()).toHaveLength(1);
      }
      await send('PUT', '/profiles/default/active');
    },
  );
  test.skipIf(!isLong)('races with deletion: a deleted profile is never active', async () => {
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
  test.skipIf(!isLong)('is rejected, whether it is activated or written while active', async () => {
    const own = await openService();
    const { caller } = await own.callerWith('support');
    const nominee = { authenticationProps: { admins: [{ provenance: 'local', group: caller.username }] } };
    const asAdmin = (method: string, path: string, body?: unknown) => own.send('admin', method, path, body);
    expect((await asAdmin('PUT', '/profiles/default', { properties: nominee })).status).toBe(200);
    await asAdmin('POST', '/profiles', { properties: { id: 'nobody' } });
    // It has the role, and does not count: nobody signs in with it.
    const machine = { name: 'machine', assignedRoles: [{ roleId: await roleId(own, 'admin') }] };
    expect((await asAdmin('POST', '/oauth/serviceAccounts', { accountData: machine })).status).toBe(200);
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
      json: { message: expect.stringContaining('No account would be admin') },
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
  test('records who wrote which profile, denials too', async () => {
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
