import { sql } from 'drizzle-orm';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { sha256 } from '#server/kernel/secrets/vault.ts';
import { isLong } from '../helpers/long.ts';
import {
  createGroup,
  createPerson,
  type Listed,
  listAs,
  type Person,
  roleId,
  sendAs,
  setSignInRules,
  signIn,
  whoAmIAt,
} from '../helpers/people.ts';
import { openSibling } from '../helpers/processes/sibling.ts';
import { openService } from '../helpers/service.ts';

type Json = Record<string, unknown>;

const service = await openService();
let person: Person;
beforeAll(() => setSignInRules(service, null));
beforeEach(async () => {
  person = await createPerson(service, ['apiread', 'apiwrite']);
});

const listOf = (token: string, path: string) => listAs(service, token, path);

type Made = { token: string; data: Json & { _id: string; roles: string[] } };

async function createToken(session: string, body: Json): Promise<Made> {
  const answer = await sendAs(service, session, 'POST', '/user/tokens', body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as Made;
}

test('a personal token is shown once, stored as a hash, and is accepted as a bearer token and in the query', async () => {
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
