import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { isLong } from '../../helpers/long.ts';
import {
  basic,
  createGroup,
  createPerson,
  type Person,
  roleId,
  sendAs,
  setSignInRules,
  signIn,
} from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();

const NOBODY = '65f000000000000000000000';
const accountPath = ({ id }: { id: string }, rest = '') => `/authorization/accounts/${id}${rest}`;
const patch = (person: { id: string }, body: unknown, headers = {}) =>
  service.send('admin', 'PATCH', accountPath(person), body, { headers });
const create = (account: object) => service.send('admin', 'POST', '/authorization/accounts', { account });
const fresh = (more: object = {}) => ({
  username: `new-${randomUUID()}`,
  password: 'long enough, surely',
  ...more,
});

test('an account is returned as it was created, and never with its password', async () => {
  const group = await createGroup(service);
  const account = fresh({
    firstname: 'Ops',
    email: 'ops@example.net',
    memberOf: [{ groupId: group }],
    assignedRoles: [{ roleId: await roleId(service, 'apiread') }],
  });
  const created = await create(account);
  const { password, ...reported } = account;
  expect(created).toMatchObject({
    status: 200,
    json: {
      status: 'OK',
      message: expect.stringContaining(account.username),
      data: {
        ...reported,
        memberOf: [{ groupId: group, aaaManaged: false }],
        provenance: 'local',
        inactive: false,
        isServiceAccount: false,
        loggedIn: false,
        lastLogin: null,
        inheritedGroups: [],
        inheritedRoles: [],
      },
    },
  });
  const { data } = created.json as { data: { _id: string } };
  const read = await service.send('apiread', 'GET', accountPath({ id: data._id }));
  expect(read.json).toEqual(data);
  expect(created.text + read.text).not.toContain(password);
});

test('null for an optional field means absent', async () => {
  const created = await create(fresh({ firstname: null, memberOf: null }));
  expect(created).toMatchObject({ status: 200, json: { data: { firstname: '', memberOf: [] } } });
});

test.each([
  ['a password of 11 characters', { password: 'short12345!' }, ['account', 'password']],
  ['no password', { password: undefined }, ['account', 'password']],
  ['a colon in the name', { username: 'a:b' }, ['account', 'username']],
  ['no name', { username: '' }, ['account', 'username']],
  ['a NUL in the name', { username: 'a\0b' }, ['account', 'username']],
  ['an unknown member', { isAdmin: true }, ['account', 'isAdmin']],
  ['an unknown role', { assignedRoles: [{ roleId: NOBODY }] }, ['account', 'assignedRoles', 0, 'roleId']],
  ['an unknown group', { memberOf: [{ groupId: 'x' }] }, ['account', 'memberOf', 0, 'groupId']],
])('an account with %s is rejected, and the field named', async (_, wrong, path) => {
  const answer = await create(fresh(wrong));
  expect(answer).toMatchObject({ status: 400, json: { issues: [{ path }] } });
});

test('a taken name is rejected, also for concurrent requests', async () => {
  const account = fresh();
  const answers = await Promise.all(Array.from({ length: 5 }, () => create(account)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409]);
  expect(answers.find(({ status }) => status === 409)?.json).toMatchObject({
    message: expect.stringContaining(account.username),
  });
});

test('an account is changed by its fields bare or in `updates`; lists replace, the rest stays', async () => {
  const person = await createPerson(service, ['apiread'], { firstname: 'A', email: 'a@example.net' });
  const support = [{ roleId: await roleId(service, 'support') }];
  expect(await patch(person, { firstname: 'B', assignedRoles: support })).toMatchObject({
    status: 200,
    json: { status: 'OK', data: { firstname: 'B', email: 'a@example.net', assignedRoles: support } },
  });
  expect(await patch(person, { updates: { assignedRoles: [] } })).toMatchObject({
    json: { data: { firstname: 'B', assignedRoles: [] } },
  });
  expect(await patch(person, { username: 'x' })).toMatchObject({ status: 400 });
  expect(await patch(person, { updates: {}, firstname: 'C' })).toMatchObject({ status: 400 });
});

test('read-only fields may be sent back: they stay, and the answer reports it', async () => {
  const person = await createPerson(service);
  const answer = await patch(person, { _id: NOBODY, _meta: {}, createdBy: 'x', firstname: 'B' });
  expect(answer).toMatchObject({
    status: 200,
    json: { data: { _id: person.id, firstname: 'B' }, metadata: { ignored: ['_id', '_meta', 'createdBy'] } },
  });
});

test('an account that another user has changed since it was read is not changed', async () => {
  const person = await createPerson(service);
  const read = await service.send('admin', 'GET', accountPath(person));
  const { updated } = (read.json as { _meta: { updated: string } })._meta;
  const first = await patch(person, { firstname: 'B' }, { 'If-Match': `"${updated}"` });
  expect(first.status).toBe(200);
  const second = await patch(person, { firstname: 'C' }, { 'If-Match': `"${updated}"` });
  expect(second).toMatchObject({ status: 409, json: { message: expect.stringContaining(person.username) } });
});

test('an unknown account is named in each rejection', async () => {
  for (const [method, rest, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { firstname: 'x' }],
    ['PUT', '/password', { newPassword: 'long enough, surely' }],
    ['POST', '/forceLogout', {}],
  ] as const) {
    const answer = await service.send('admin', method, accountPath({ id: NOBODY }, rest), body);
    expect(answer).toMatchObject({ status: 404, json: { message: `Account ${NOBODY} does not exist` } });
  }
});

test('deactivating an account ends its sessions immediately, and they stay ended when it is active again', async () => {
  const person = await createPerson(service, ['apiread']);
  const token = await signIn(service, person);
  const ways = [{ Authorization: `Bearer ${token}` }, basic(person.username, person.password)];
  const statuses = async () =>
    Promise.all(
      ways.map(
        async (headers) => (await service.send(null, 'GET', '/whoami', undefined, { headers })).status,
      ),
    );
  expect(await statuses()).toEqual([200, 200]);
  await patch(person, { inactive: true });
  expect(await statuses()).toEqual([401, 401]);
  await patch(person, { inactive: false });
  expect(await statuses()).toEqual([401, 200]);
});

test('removed roles no longer count from the next request on', async () => {
  const person = await createPerson(service, ['apiread']);
  const token = await signIn(service, person);
  expect(await sendAs(service, token, 'GET', '/authorization/roles')).toMatchObject({ status: 200 });
  await patch(person, { assignedRoles: [] });
  expect(await sendAs(service, token, 'GET', '/authorization/roles')).toMatchObject({ status: 403 });
});

test('one’s own password is changed with the current one; other sessions end, this one stays', async () => {
  const person = await createPerson(service);
  const [here, there] = [await signIn(service, person), await signIn(service, person)];
  const change = (body: object) => sendAs(service, here, 'PUT', accountPath(person, '/password'), body);
  const newPassword = 'another long password';
  expect(await change({ newPassword })).toMatchObject({
    status: 400,
    json: { issues: [{ path: ['currentPassword'] }] },
  });
  expect(await change({ newPassword, currentPassword: 'wrong' })).toMatchObject({ status: 403 });
  expect(await change({ newPassword: 'short', currentPassword: person.password })).toMatchObject({
    status: 400,
  });
  expect(await change({ newPassword, currentPassword: person.password })).toMatchObject({ status: 200 });
  expect(await sendAs(service, here, 'GET', '/whoami')).toMatchObject({ status: 200 });
  expect(await sendAs(service, there, 'GET', '/whoami')).toMatchObject({ status: 401 });
  const headers = basic(person.username, person.password);
  expect(await service.send(null, 'GET', '/whoami', undefined, { headers })).toMatchObject({ status: 401 });
  await signIn(service, { ...person, password: newPassword });
});

test.skipIf(!isLong)('a user who finds an open session cannot guess its password', async () => {
  const person = await createPerson(service);
  const token = await signIn(service, person);
  const guess = (currentPassword: string) =>
    sendAs(service, token, 'PUT', accountPath(person, '/password'), {
      newPassword: 'another long password',
      currentPassword,
    });
  for (let at = 0; at < 10; at++) expect((await guess(`guess ${at}`)).status).toBe(403);
  expect(await guess(person.password)).toMatchObject({ status: 429 });
});

test.skipIf(!isLong)(
  'an admin replaces anybody’s password and ends all its sessions; others replace their own alone',
  async () => {
    const [person, other] = [await createPerson(service), await createPerson(service)];
    const token = await signIn(service, person);
    const body = { newPassword: 'set by the admin, once' };
    const mine = await signIn(service, other);
    expect(await sendAs(service, mine, 'PUT', accountPath(person, '/password'), body)).toMatchObject({
      status: 403,
    });
    expect(await service.send('admin', 'PUT', accountPath(person, '/password'), body)).toMatchObject({
      status: 200,
    });
    expect(await sendAs(service, token, 'GET', '/whoami')).toMatchObject({ status: 401 });
    await signIn(service, { ...person, password: body.newPassword });
    const created = await service.send('admin', 'POST', '/oauth/serviceAccounts', {
      accountData: { name: randomUUID() },
    });
    const { client_id } = (created.json as { results: { client_id: string } }).results;
    expect(
      await service.send('admin', 'PUT', accountPath({ id: client_id }, '/password'), body),
    ).toMatchObject({
      status: 422,
    });
  },
);

test.skipIf(!isLong)('concurrent password changes do not wait for each other’s connections', async () => {
  const people = await Promise.all(Array.from({ length: 8 }, () => createPerson(service)));
  const answers = await Promise.all(
    people.map((person) =>
      service.send(null, 'PUT', accountPath(person, '/password'), undefined, {
        raw: JSON.stringify({ newPassword: 'another long password', currentPassword: person.password }),
        headers: basic(person.username, person.password),
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200));
});

test('forceLogout ends every session of the account', async () => {
  const person = await createPerson(service);
  const tokens = [await signIn(service, person), await signIn(service, person)];
  expect(await service.send('admin', 'POST', accountPath(person, '/forceLogout'))).toMatchObject({
    status: 200,
    json: { status: 'OK', message: expect.stringContaining(person.username) },
  });
  for (const token of tokens)
    expect(await sendAs(service, token, 'GET', '/whoami')).toMatchObject({ status: 401 });
  await signIn(service, person);
});

/** Switch all accounts off but one admin, by a group, and whoever else is to stay; then put things back. */
async function asOnlyAdmin(run: (admin: Person, group: string) => Promise<void>, staying: Person[] = []) {
  const group = await createGroup(service, { assignedRoles: [{ roleId: await roleId(service, 'admin') }] });
  const admin = await createPerson(service, [], { memberOf: [{ groupId: group }] });
  const stay = JSON.stringify([admin, ...staying].map(({ id }) => id));
  const aside = await rows<{ id: string; doc: string }>(
    service.db,
    sql`update accounts a set doc = jsonb_set(a.doc, '{inactive}', 'true') from accounts old
        where old.id = a.id and not (${stay}::text::jsonb ? a.id) returning a.id, old.doc::text as doc`,
  );
  service.platform.accessChanged();
  try {
    await run(admin, group);
  } finally {
    for (const { id, doc } of aside) {
      await rows(service.db, sql`update accounts set doc = ${doc}::text::jsonb where id = ${id}`);
    }
    service.platform.accessChanged();
  }
}

test('the last active admin cannot be lost through any endpoint', async () => {
  await asOnlyAdmin(async (admin, group) => {
    const token = await signIn(service, admin);
    const send = (method: string, path: string, body?: unknown) => sendAs(service, token, method, path, body);
    const lost = { status: 409, json: { code: 'CONFLICT', message: expect.stringContaining('admin') } };
    expect(await send('PATCH', accountPath(admin), { inactive: true })).toMatchObject(lost);
    expect(await send('PATCH', accountPath(admin), { memberOf: [] })).toMatchObject(lost);
    for (const updates of [{ inactive: true }, { assignedRoles: [] }]) {
      expect(await send('PATCH', `/authorization/groups/${group}`, { updates })).toMatchObject(lost);
    }
    expect(await send('DELETE', `/authorization/groups/${group}`)).toMatchObject(lost);
    // A machine cannot sign in to put things right.
    const role = { assignedRoles: [{ roleId: await roleId(service, 'admin') }] };
    await send('POST', '/oauth/serviceAccounts', { accountData: { name: randomUUID(), ...role } });
    expect(await send('PATCH', accountPath(admin), { inactive: true })).toMatchObject(lost);
    expect(await send('GET', '/whoami')).toMatchObject({ status: 200, json: { roles: ['admin'] } });
    const second = await createWith(send, role);
    expect(await send('PATCH', accountPath(second), { inactive: true })).toMatchObject({ status: 200 });
    const third = await createWith(send, role);
    const answers = await Promise.all(
      [admin, third].map((one) => send('PATCH', accountPath(one), { inactive: true })),
    );
    expect(answers.map(({ status }) => status).toSorted()).not.toEqual([200, 200]);
  });
});

async function createWith(
  send: (method: string, path: string, body: unknown) => Promise<{ json: unknown }>,
  more: object,
) {
  const { json } = await send('POST', '/authorization/accounts', { account: fresh(more) });
  return { id: (json as { data: { _id: string } }).data._id };
}

test.skipIf(!isLong)('an admin by the active profile counts as one', async () => {
  const named = await createPerson(service);
  const only = async (admin: Person, group: string) => {
    await setSignInRules(service, { admins: [{ provenance: 'local', group: named.username }] });
    const token = await signIn(service, named);
    const switchOff = (person: Person) =>
      sendAs(service, token, 'PATCH', accountPath(person), { inactive: true });
    expect(await switchOff(admin)).toMatchObject({ status: 200 });
    expect(await sendAs(service, token, 'DELETE', `/authorization/groups/${group}`)).toMatchObject({
      status: 200,
    });
    expect(await switchOff(named)).toMatchObject({ status: 409 });
    await setSignInRules(service, null);
  };
  await asOnlyAdmin(only, [named]);
});

test('accounts are listed by page with pairs of filters, and show who is signed in', async () => {
  const prefix = `list-${randomUUID()}`;
  const made: { _id: string }[] = [];
  for (const name of ['b', 'a', 'c']) {
    const { json } = await create(fresh({ username: `${prefix} ${name}`, firstname: name.toUpperCase() }));
    made.push((json as { data: { _id: string } }).data);
  }
  await signIn(service, { username: `${prefix} a`, password: 'long enough, surely' });
  await patch({ id: made[2]?._id ?? '' }, { inactive: true });
  const list = async (query: string) => {
    const path = `/authorization/accounts?contains=${encodeURIComponent(prefix)}&containsField=username&${query}`;
    const answer = await service.send('apiread', 'GET', path);
    expect(answer.status, answer.text).toBe(200);
    return answer.json as {
      total: number;
      results: { username: string; loggedIn: boolean; inactive: boolean }[];
    };
  };
  const names = ({ results }: Awaited<ReturnType<typeof list>>) =>
    results.map(({ username }) => username.slice(prefix.length + 1));
  expect(names(await list('sort=username'))).toEqual(['a', 'b', 'c']);
  expect(names(await list('sort=firstname&order=-1&limit=2'))).toEqual(['c', 'b']);
  expect(await list('limit=1&skip=1')).toMatchObject({ total: 3, results: [{}] });
  expect(names(await list('inactive=true'))).toEqual(['c']);
  expect(names(await list('inactive=false&sort=username'))).toEqual(['a', 'b']);
  expect((await list('isServiceAccount=true')).total).toBe(0);
  expect((await list('sort=username')).results.map(({ loggedIn }) => loggedIn)).toEqual([true, false, false]);
});

test.each([
  'sort=password',
  'sort=loggedIn',
  'inactive=maybe',
  'limit=0',
  'limit=1001',
  'equals=x',
  'equals[colour]=x',
  'x=1',
])('a list of accounts with %s is rejected', async (query) => {
  const answer = await service.send('admin', 'GET', `/authorization/accounts?${query}`);
  expect(answer).toMatchObject({ status: 400, json: { code: 'BAD_REQUEST' } });
  const [parameter = ''] = query.split(/[=[]/);
  expect(JSON.stringify((answer.json as { issues: object[] }).issues)).toContain(`"${parameter}`);
});

test('the export lists everyone’s groups and roles, inherited ones included, and is no formula', async () => {
  const group = await createGroup(service, {
    name: '=cmd|"x"!A1',
    assignedRoles: [{ roleId: await roleId(service, 'designer') }],
  });
  const person = await createPerson(service, ['apiread'], { memberOf: [{ groupId: group }] });
  const answer = await service.send('admin', 'GET', '/authorization/csv/export');
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
  const lines = answer.text.split('\r\n');
  expect(lines[0]).toBe('"username","provenance","inactive","groups","roles"');
  expect(lines).toContain(`"${person.username}","local","false","'=cmd|""x""!A1","apiread;designer"`);
});
