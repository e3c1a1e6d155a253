import { sql } from 'drizzle-orm';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { createAdmin } from '#server/domains/identity/rights/seed.service.ts';
import { ConfigError } from '#server/kernel/config.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';
import { isLong } from '../helpers/long.ts';
import {
  basic,
  createGroup,
  createPerson,
  type Person,
  roleId,
  sendAs,
  setSignInRules,
  signIn,
} from '../helpers/people.ts';
import { openTestDatabase } from '../helpers/postgres.ts';
import { openSibling } from '../helpers/processes/sibling.ts';
import { openService } from '../helpers/service.ts';

type Json = Record<string, unknown>;
type Listed = { results: (Json & { _id: string })[]; total: number };

const service = await openService();
let person: Person;
beforeAll(() => setSignInRules(service, null));
beforeEach(async () => {
  person = await createPerson(service, ['apiread', 'apiwrite']);
});

const listOf = async (token: string, path: string) => {
  const answer = await sendAs(service, token, 'GET', path);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as Listed;
};

/** The status that another process answers with. */
const whoAmIAt = async (url: string, token: string) =>
  (await fetch(`${url}/whoami`, { headers: { Authorization: `Bearer ${token}` } })).status;

/** Moves the beginning of a session back, and keeps it busy. */
async function makeOlder(token: string, minutes: number) {
  await rows(
    service.db,
    sql`update sessions set created_at = now() - make_interval(secs => ${minutes * 60}::float8), last_used_at = now()
        where token_hash = ${sha256(token)}`,
  );
  service.platform.accessChanged();
}

test('a busy session ends 12 hours after its sign-in, or sessionMaximum minutes where the profile sets it', async () => {
  const token = await signIn(service, person);
  await makeOlder(token, 719);
  expect(await sendAs(service, token, 'GET', '/whoami')).toMatchObject({ status: 200 });
  await makeOlder(token, 721);
  expect(await sendAs(service, token, 'GET', '/whoami')).toMatchObject({ status: 401 });
  await setSignInRules(service, { sessionMaximum: 5 });
  const short = await signIn(service, person);
  await makeOlder(short, 4);
  expect(await sendAs(service, short, 'GET', '/whoami')).toMatchObject({ status: 200 });
  await makeOlder(short, 6);
  expect(await sendAs(service, short, 'GET', '/whoami')).toMatchObject({ status: 401 });
  await setSignInRules(service, null);
});

test('a profile whose sessionMaximum would end every session at once is rejected with the field named', async () => {
  const answer = await service.send('admin', 'POST', '/profiles', {
    properties: { id: 'hasty', authenticationProps: { sessionMaximum: 0 } },
  });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('sessionMaximum');
});

test('one’s own sessions are listed with address, user agent and times, and without token or hash', async () => {
  const agent = { 'User-Agent': 'probe/1.0 \u0085\u009bafter' };
  const { username, password } = person;
  const login = await service.send(null, 'POST', '/login', { username, password }, { headers: agent });
  const token = login.text;
  const other = await signIn(service, person);
  await signIn(service, await createPerson(service));
  const { results, total } = await listOf(token, '/user/sessions');
  expect(total).toBe(2);
  expect(results.map(({ current }) => current).toSorted()).toEqual([false, true]);
  const mine = results.find(({ current }) => current);
  expect(Object.keys(mine ?? {}).toSorted()).toEqual(
    ['_id', 'address', 'created', 'current', 'expires', 'lastUsed', 'userAgent'].toSorted(),
  );
  expect(mine).toMatchObject({
    address: '127.0.0.1',
    userAgent: expect.stringMatching(/^probe\/1\.0 \P{Cc}*\uFFFD\P{Cc}*after$/u),
  });
  expect(Date.parse(String(mine?.expires)) - Date.parse(String(mine?.created))).toBe(12 * 3_600_000);
  const text = JSON.stringify(results);
  for (const secret of [token, other, sha256(token), sha256(other)]) expect(text).not.toContain(secret);
});

test('ending one’s own session rejects its token immediately, also in another process', async () => {
  const [stays, goes] = [await signIn(service, person), await signIn(service, person)];
  const { url } = await openSibling(service);
  expect(await whoAmIAt(url, goes)).toBe(200);
  const { results } = await listOf(goes, '/user/sessions');
  const id = results.find(({ current }) => current)?._id;
  const ended = await sendAs(service, stays, 'DELETE', `/user/sessions/${id}`);
  expect(ended, ended.text).toMatchObject({ status: 200, json: { status: 'OK' } });
  expect((await sendAs(service, goes, 'GET', '/whoami')).status).toBe(401);
  await expect.poll(() => whoAmIAt(url, goes), { timeout: 5000 }).toBe(401);
  expect((await sendAs(service, stays, 'GET', '/whoami')).status).toBe(200);
});

test('the session of another account is 404 for the account that tries to end it', async () => {
  const theirs = await createPerson(service);
  const token = await signIn(service, theirs);
  const [session] = (await listOf(token, '/user/sessions')).results;
  const admin = await service.send('admin', 'DELETE', `/user/sessions/${session?._id}`);
  expect(admin).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
  expect((await sendAs(service, token, 'GET', '/whoami')).status).toBe(200);
});

test('signing out with a bearer token ends that session', async () => {
  const token = await signIn(service, person);
  expect((await sendAs(service, token, 'POST', '/logout')).status).toBe(200);
  expect((await sendAs(service, token, 'GET', '/whoami')).status).toBe(401);
});

test('a password change ends the other sessions, switching the account off ends all', async () => {
  const [changer, other] = [await signIn(service, person), await signIn(service, person)];
  const newPassword = 'seven wet umbrellas';
  const changed = await sendAs(service, changer, 'PUT', `/authorization/accounts/${person.id}/password`, {
    newPassword,
    currentPassword: person.password,
  });
  expect(changed.status, changed.text).toBe(200);
  expect((await sendAs(service, other, 'GET', '/whoami')).status).toBe(401);
  expect((await sendAs(service, changer, 'GET', '/whoami')).status).toBe(200);
  await service.send('admin', 'PATCH', `/authorization/accounts/${person.id}`, { inactive: true });
  expect((await sendAs(service, changer, 'GET', '/whoami')).status).toBe(401);
});

test.each([
  ['on the list', 'Passw0rd1234', 'common'],
  ['a common one in capitals with a year and a sign', 'PASSWORD2024!', 'common'],
  ['a common one twice', 'dragondragon', 'common'],
  ['a common one with digits around it', '123sunshine456', 'common'],
  ['one spelled with signs', 'P@$$w0rd!!!!', 'common'],
  ['the name of the product', 'Switchyard2026!', 'common'],
  ['one character again and again', 'aaaaaaaaaaaaaa', 'common'],
  ['the digits in order', '345678901234567', 'sequence'],
])('a new password that is %s is rejected, and the answer says why', async (_, password, why) => {
  const answer = await service.send('admin', 'POST', '/authorization/accounts', {
    account: { username: `new-${Math.random()}`, password },
  });
  expect(answer).toMatchObject({ status: 400, json: { issues: [{ path: ['account', 'password'] }] } });
  expect((answer.json as { message: string }).message).toContain(why);
});

test('a password made of the account’s name is rejected when it is set and when it is changed', async () => {
  const username = 'harbour-crane';
  for (const password of ['Harbour-Crane', 'harbour-crane1!', 'harbour-crane-xyz', 'harbourcrane2026']) {
    const made = await service.send('admin', 'POST', '/authorization/accounts', {
      account: { username, password },
    });
    expect(made.status, password).toBe(400);
    expect(made.text).toContain('account name');
  }
  const token = await signIn(service, person);
  const changed = await sendAs(service, token, 'PUT', `/authorization/accounts/${person.id}/password`, {
    newPassword: `${person.username}!`,
    currentPassword: person.password,
  });
  expect(changed).toMatchObject({ status: 400, json: { issues: [{ path: ['newPassword'] }] } });
});

test.each([
  'correct horse battery staple',
  'seven wet umbrellas',
  'h7#kQ2!vZx9L',
  '83920174652938x',
  'čeština je krásná',
])('the password %s is accepted', async (password) => {
  const username = `fine-${Math.random()}`;
  const answer = await service.send('admin', 'POST', '/authorization/accounts', {
    account: { username, password },
  });
  expect(answer.status, answer.text).toBe(200);
});

test('ADMIN_PASSWORD is held to the same list', async () => {
  const { db } = await openTestDatabase();
  await expect(createAdmin(db, 'administrator1')).rejects.toThrow(ConfigError);
  await expect(createAdmin(db, 'administrator1')).rejects.toThrow(/ADMIN_PASSWORD is a common password/);
});

type Made = { token: string; data: Json & { _id: string; roles: string[] } };

async function createToken(session: string, body: Json): Promise<Made> {
  const answer = await sendAs(service, session, 'POST', '/user/tokens', body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as Made;
}

test('a personal token is shown once, stored as a hash, and works as a bearer token and in the query', async () => {
  const session = await signIn(service, person);
  const { token, data } = await createToken(session, { name: 'backup' });
  expect(token).toMatch(/^swy_[A-Za-z0-9_-]{43}$/);
  expect(data).toMatchObject({ name: 'backup', lastUsed: null, readOnly: false });
  expect(data.roles.toSorted()).toEqual(['apiread', 'apiwrite']);
  expect(Date.parse(String(data.expires)) - Date.parse(String(data.created))).toBeCloseTo(
    90 * 86_400_000,
    -5,
  );
  expect(await sendAs(service, token, 'GET', '/whoami')).toMatchObject({
    status: 200,
    json: { id: person.id },
  });
  expect((await service.send(null, 'GET', `/whoami?token=${token}`)).status).toBe(200);
  const cookie = { headers: { Cookie: `token=${token}` } };
  expect((await service.send(null, 'GET', '/whoami', undefined, cookie)).status).toBe(401);
  const listed = await listOf(session, '/user/tokens');
  expect(listed).toMatchObject({ total: 1, results: [{ _id: data._id, lastUsed: expect.any(String) }] });
  expect(JSON.stringify(listed)).not.toContain(token);
  const [stored] = await rows<{ all: string }>(
    service.db,
    sql`select json_agg(t)::text as all from personal_tokens t`,
  );
  expect(stored?.all).toContain(sha256(token));
  expect(stored?.all).not.toContain(token);
  expect(service.logged.join('')).not.toContain(token);
});

test.each([
  ['no name', {}],
  ['no day', { name: 'x', expiresInDays: 0 }],
  ['more than a year', { name: 'x', expiresInDays: 366 }],
  ['a member that does not exist', { name: 'x', scope: 'all' }],
])('a token with %s is rejected', async (_, body) => {
  expect((await sendAs(service, await signIn(service, person), 'POST', '/user/tokens', body)).status).toBe(
    400,
  );
});

test('a token has at most the roles of its owner, at its creation and at every use', async () => {
  const session = await signIn(service, person);
  const wish = await sendAs(service, session, 'POST', '/user/tokens', { name: 'x', roles: ['admin'] });
  expect(wish).toMatchObject({ status: 403 });
  expect(wish.text).toContain('admin');
  const { token } = await createToken(session, { name: 'reader', roles: ['apiread'] });
  expect((await sendAs(service, token, 'GET', '/authorization/accounts')).status).toBe(200);
  // What the owner may do and the token may not.
  expect((await sendAs(service, token, 'POST', '/operations-manager/automations', {})).status).toBe(403);
  const none = await createToken(session, { name: 'none', roles: [] });
  expect((await sendAs(service, none.token, 'GET', '/authorization/accounts')).status).toBe(403);
  expect((await sendAs(service, none.token, 'GET', '/whoami')).status).toBe(200);
  // The owner loses the role, and gets one that the token does not have.
  const assignedRoles = [{ roleId: await roleId(service, 'admin') }];
  await service.send('admin', 'PATCH', `/authorization/accounts/${person.id}`, {
    updates: { assignedRoles },
  });
  expect((await sendAs(service, token, 'GET', '/authorization/accounts')).status).toBe(403);
  expect((await sendAs(service, token, 'GET', '/audit')).status).toBe(403);
});

test('a token does not gain the role admin that the active profile gives to its owner', async () => {
  const session = await signIn(service, person);
  const { token } = await createToken(session, { name: 'reader', roles: ['apiread'] });
  await setSignInRules(service, { admins: [{ provenance: 'local', group: person.username }] });
  expect((await sendAs(service, session, 'GET', '/audit')).status).toBe(200);
  expect((await sendAs(service, token, 'GET', '/audit')).status).toBe(403);
  const admin = await createToken(session, { name: 'all' });
  expect(admin.data.roles).toContain('admin');
  expect((await sendAs(service, admin.token, 'GET', '/audit')).status).toBe(200);
  await setSignInRules(service, null);
  expect((await sendAs(service, admin.token, 'GET', '/audit')).status).toBe(403);
});

test('a token keeps its owner’s groups, so that access lists hold for it', async () => {
  const group = await createGroup(service);
  const member = await createPerson(service, ['apiread'], { memberOf: [{ groupId: group }] });
  const { token } = await createToken(await signIn(service, member), { name: 'reader' });
  const me = await sendAs(service, token, 'GET', '/whoami');
  expect((me.json as { groups: { id: string }[] }).groups.map(({ id }) => id)).toEqual([group]);
});

test('a token that only reads may call queries and nothing that changes or sends', async () => {
  const admin = await createPerson(service, ['admin', 'apiwrite']);
  const { token } = await createToken(await signIn(service, admin), { name: 'reader', readOnly: true });
  expect((await sendAs(service, token, 'GET', '/authorization/accounts')).status).toBe(200);
  expect((await sendAs(service, token, 'POST', '/configuration_manager/devices', {})).status).toBe(200);
  const writes: [string, string, Json][] = [
    ['PATCH', '/user/settings', { preferences: {} }],
    ['POST', '/authorization/groups', { group: { name: 'by-a-reader' } }],
    [
      'POST',
      '/orchestrator_manager/restQuery/none',
      { params: { method: 'DELETE', path: '/restconf/data/x' } },
    ],
    ['POST', '/mop/RunCommand', { command: 'reload', device: 'pe1' }],
  ];
  for (const [method, path, body] of writes) {
    const answer = await sendAs(service, token, method, path, body);
    expect(answer, path).toMatchObject({ status: 403 });
    expect(answer.text).toContain('readOnly');
  }
  const typed = await service.send(
    null,
    'POST',
    '/trpc/session.savePreferences',
    { preferences: {} },
    {
      headers: { Authorization: `Bearer ${token}` },
    },
  );
  expect(typed.status).toBe(403);
});

test('a token cannot create or delete tokens, change a password, or end sessions', async () => {
  const admin = await createPerson(service, ['admin']);
  const session = await signIn(service, admin);
  const { token, data } = await createToken(session, { name: 'admin' });
  const [own] = (await listOf(session, '/user/sessions')).results;
  const attempts: [string, string, Json?][] = [
    ['POST', '/user/tokens', { name: 'another' }],
    ['DELETE', `/user/tokens/${data._id}`],
    ['DELETE', `/authorization/tokens/${data._id}`],
    ['DELETE', `/user/sessions/${own?._id}`],
    [
      'PUT',
      `/authorization/accounts/${admin.id}/password`,
      { newPassword: 'seven wet umbrellas', currentPassword: admin.password },
    ],
    ['PUT', `/authorization/accounts/${person.id}/password`, { newPassword: 'seven wet umbrellas' }],
    ['POST', `/authorization/accounts/${person.id}/forceLogout`],
  ];
  for (const [method, path, body] of attempts) {
    const answer = await sendAs(service, token, method, path, body);
    expect(answer, `${method} ${path}`).toMatchObject({ status: 403 });
    expect(answer.text).toContain('personal token');
  }
  expect((await sendAs(service, token, 'POST', '/logout')).status).toBe(200);
  expect((await sendAs(service, session, 'GET', '/whoami')).status).toBe(200);
});

test('a token ends when it expires, when it is deleted, and with its owner’s access', async () => {
  const session = await signIn(service, person);
  const expired = await createToken(session, { name: 'expired' });
  await rows(service.db, sql`update personal_tokens set expires_at = now() where id = ${expired.data._id}`);
  expect((await sendAs(service, expired.token, 'GET', '/whoami')).status).toBe(401);

  const deleted = await createToken(session, { name: 'deleted' });
  const { url } = await openSibling(service);
  expect(await whoAmIAt(url, deleted.token)).toBe(200);
  expect((await sendAs(service, session, 'DELETE', `/user/tokens/${deleted.data._id}`)).status).toBe(200);
  expect((await sendAs(service, deleted.token, 'GET', '/whoami')).status).toBe(401);
  await expect.poll(() => whoAmIAt(url, deleted.token), { timeout: 5000 }).toBe(401);

  for (const end of [
    () => service.send('admin', 'POST', `/authorization/accounts/${person.id}/forceLogout`),
    () =>
      service.send('admin', 'PUT', `/authorization/accounts/${person.id}/password`, {
        newPassword: person.password,
      }),
    () => service.send('admin', 'PATCH', `/authorization/accounts/${person.id}`, { inactive: true }),
  ]) {
    const { token } = await createToken(await signIn(service, person), { name: 'ends' });
    expect((await sendAs(service, token, 'GET', '/whoami')).status).toBe(200);
    expect((await end()).status).toBe(200);
    expect((await sendAs(service, token, 'GET', '/whoami')).status).toBe(401);
  }
});

test('a personal token of a service account ends with its secret', async () => {
  const made = await service.send('admin', 'POST', '/oauth/serviceAccounts', {
    accountData: { name: `m-${Math.random()}` },
  });
  const { client_id: id, client_secret: secret } = (made.json as { results: Record<string, string> }).results;
  const form = await service.send(null, 'POST', '/oauth/token', undefined, {
    raw: `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  const { access_token: access } = form.json as { access_token: string };
  const { token } = await createToken(access, { name: 'long' });
  expect((await sendAs(service, token, 'GET', '/whoami')).status).toBe(200);
  await service.send('admin', 'PATCH', `/oauth/serviceAccounts/${id}/regenerate`);
  expect((await sendAs(service, token, 'GET', '/whoami')).status).toBe(401);
});

test('only an admin lists and deletes the tokens of other accounts', async () => {
  const session = await signIn(service, person);
  const { token, data } = await createToken(session, { name: 'seen' });
  const all = await service.send('admin', 'GET', '/authorization/tokens?limit=1000');
  const seen = (all.json as Listed).results.find(({ _id }) => _id === data._id);
  expect(seen).toMatchObject({ account: person.username, accountId: person.id, name: 'seen' });
  expect(all.text).not.toContain(token);
  const other = await signIn(service, await createPerson(service));
  expect((await sendAs(service, other, 'DELETE', `/user/tokens/${data._id}`)).status).toBe(404);
  expect((await sendAs(service, session, 'GET', '/authorization/tokens')).status).toBe(403);
  const gone = await service.send('admin', 'DELETE', `/authorization/tokens/${data._id}`);
  expect(gone.status).toBe(200);
  expect((await sendAs(service, token, 'GET', '/whoami')).status).toBe(401);
  const trail = await service.send(
    'admin',
    'GET',
    `/audit?equals=${gone.headers['x-request-id']}&equalsField=requestId`,
  );
  expect((trail.json as Listed).results).toMatchObject([
    {
      operation: 'authorization.deleteToken',
      document: { kind: 'personal_tokens', id: data._id, name: 'seen' },
    },
  ]);
});

test.skipIf(!isLong)('an account has at most 100 valid tokens', async () => {
  const session = await signIn(service, person);
  const made = await Promise.all(
    Array.from({ length: 105 }, (_, at) =>
      sendAs(service, session, 'POST', '/user/tokens', { name: `t${at}` }),
    ),
  );
  const count = (status: number) => made.filter((answer) => answer.status === status).length;
  expect([count(200), count(409)]).toEqual([100, 5]);
});

test('a password in the header opens no session', async () => {
  const answer = await service.send(null, 'GET', '/user/sessions', undefined, {
    headers: basic(person.username, person.password),
  });
  expect(answer).toMatchObject({ status: 200, json: { results: [], total: 0 } });
});
