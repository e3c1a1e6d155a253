import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { ROLES } from '#server/kernel/roles.ts';
import { createGroup, createPerson, roleId, sendAs, signIn } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();

const NOBODY = '65f000000000000000000000';
const permission = (text: string) => {
  const [provenance, name] = text.split('.');
  return { provenance, name };
};

/** A custom role that grants these permissions; its id. */
async function createRole(permissions: string[], more: object = {}): Promise<string> {
  const role = {
    name: `role-${randomUUID()}`,
    allowedMethods: permissions.map(permission),
    allowedViews: [],
    ...more,
  };
  const answer = await service.send('admin', 'POST', '/authorization/roles', { role });
  if (answer.status !== 200) throw new Error(answer.text);
  return (answer.json as { data: { _id: string } }).data._id;
}

/** Somebody who holds these roles by id, signed in. */
async function holderOf(...roleIds: string[]) {
  const person = await createPerson(service, [], { assignedRoles: roleIds.map((id) => ({ roleId: id })) });
  return { ...person, token: await signIn(service, person) };
}

const update = (id: string, updates: object) =>
  service.send('admin', 'PATCH', `/authorization/roles/${id}`, { updates });

test('the seven roles of the interface exist and belong to the platform', async () => {
  const answer = await service.send('apiread', 'GET', '/authorization/roles');
  const { results, total } = answer.json as {
    results: { name: string; provenance: string }[];
    total: number;
  };
  expect(
    results
      .filter(({ provenance }) => provenance === 'platform')
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([...ROLES].toSorted());
  expect(total).toBe(results.length);
  expect(
    await service.send('apiread', 'GET', '/authorization/roles?equals=admin&equalsField=name'),
  ).toMatchObject({
    json: {
      total: 1,
      results: [
        { allowedMethods: expect.arrayContaining([{ provenance: 'Authorization', name: 'createAccount' }]) },
      ],
    },
  });
});

test('a role can be created from a role that was read, and its read-only fields are ignored', async () => {
  const id = await createRole(['Authorization.listAccounts']);
  const { json } = await service.send('apiread', 'GET', `/authorization/roles/${id}`);
  const role = { ...(json as object), name: `copy-${randomUUID()}` };
  const copy = await service.send('admin', 'POST', '/authorization/roles', { role });
  expect(copy, copy.text).toMatchObject({
    status: 200,
    json: {
      data: { name: role.name, allowedMethods: [permission('Authorization.listAccounts')] },
      metadata: { ignored: expect.arrayContaining(['_id', '_meta']) },
    },
  });
  expect((copy.json as { data: { _id: string } }).data._id).not.toBe(id);
});

test('a seeded role can be neither changed nor deleted', async () => {
  for (const name of ROLES) {
    const id = await roleId(service, name);
    const rejected = { status: 403, json: { message: expect.stringContaining(name) } };
    expect(await update(id, { description: 'mine' })).toMatchObject(rejected);
    expect(await service.send('admin', 'DELETE', `/authorization/roles/${id}`)).toMatchObject(rejected);
  }
});

test('a custom role grants exactly the permissions that it lists, immediately, and through groups too', async () => {
  const id = await createRole(['Authorization.listAccounts']);
  const direct = await holderOf(id);
  const group = await createGroup(service, { assignedRoles: [{ roleId: id }] });
  const member = await createPerson(service, [], { memberOf: [{ groupId: group }] });
  for (const token of [direct.token, await signIn(service, member)]) {
    const get = async (path: string) => (await sendAs(service, token, 'GET', path)).status;
    expect(await get('/authorization/accounts')).toBe(200);
    expect(await get('/authorization/groups')).toBe(403);
    expect(await get(`/authorization/accounts/${direct.id}`)).toBe(403);
  }
  const get = async (path: string) => (await sendAs(service, direct.token, 'GET', path)).status;
  await update(id, { allowedMethods: [permission('Authorization.listGroups')] });
  expect([await get('/authorization/accounts'), await get('/authorization/groups')]).toEqual([403, 200]);
  await service.send('admin', 'DELETE', `/authorization/roles/${id}`);
  expect(await get('/authorization/groups')).toBe(403);
});

test('whoami and the typed procedures know a custom role’s permissions', async () => {
  const id = await createRole(['Audit.listEntries'], {
    allowedViews: [{ path: '/mop/' }],
    name: `auditors-${randomUUID()}`,
  });
  const { token } = await holderOf(id);
  expect(await sendAs(service, token, 'GET', '/whoami')).toMatchObject({
    json: {
      roles: [expect.stringMatching(/^auditors-/)],
      routes: ['/mop/'],
      methods: { Audit: ['listEntries'] },
    },
  });
  const typed = await sendAs(
    service,
    token,
    'GET',
    `/trpc/audit.listEntries?input=${encodeURIComponent('{"queryOptions":{"limit":1}}')}`,
  );
  expect(typed).toMatchObject({ status: 200, json: { result: { data: { results: [{}] } } } });
  expect(await sendAs(service, token, 'GET', '/trpc/authorization.listRoles?input=%7B%7D')).toMatchObject({
    status: 403,
  });
});

test('no custom role can be made to mean a seeded one', async () => {
  for (const role of [
    { name: 'admin', allowedMethods: [], allowedViews: [] },
    { name: 'apiread', provenance: 'ldap', allowedMethods: [], allowedViews: [] },
  ]) {
    expect(await service.send('admin', 'POST', '/authorization/roles', { role })).toMatchObject({
      status: 409,
    });
  }
  const reserved = { name: randomUUID(), provenance: 'platform', allowedMethods: [], allowedViews: [] };
  expect(await service.send('admin', 'POST', '/authorization/roles', { role: reserved })).toMatchObject({
    status: 400,
  });
  const id = await createRole([]);
  expect(await update(id, { name: 'admin' })).toMatchObject({ status: 409 });
  expect(await update(id, { provenance: 'platform' })).toMatchObject({ status: 400 });
  // Even one that came into the database by other means is only what it lists.
  const { token } = await holderOf(id);
  for (const name of ['admin ', 'Admin']) {
    await rows(
      service.db,
      sql`update roles set doc = jsonb_set(doc, '{name}', to_jsonb(${name}::text)) where id = ${id}`,
    );
    service.platform.accessChanged();
    expect(await sendAs(service, token, 'GET', '/audit')).toMatchObject({ status: 403 });
  }
});

test('a role is stored once per permission and view, with the views’ provenance', async () => {
  const answer = await service.send('admin', 'POST', '/authorization/roles', {
    role: {
      name: randomUUID(),
      description: null,
      allowedMethods: [permission('Health.getVersion'), permission('Health.getVersion')],
      allowedViews: [
        { path: '/operations-manager/' },
        { path: '/operations-manager/', provenance: 'OperationsManager' },
      ],
    },
  });
  expect(answer).toMatchObject({
    status: 200,
    json: {
      status: 'success',
      data: {
        provenance: 'local',
        description: '',
        allowedMethods: [{ name: 'getVersion', provenance: 'Health' }],
        allowedViews: [{ path: '/operations-manager/', provenance: 'OperationsManager' }],
      },
    },
  });
  const { data } = answer.json as { data: { _id: string } };
  expect((await service.send('apiread', 'GET', `/authorization/roles/${data._id}`)).json).toEqual(data);
});

test('unknown permissions and views are rejected, each one named', async () => {
  const role = {
    name: randomUUID(),
    allowedMethods: [permission('Health.getVersion'), permission('Health.explode'), { name: 'getVersion' }],
    allowedViews: [{ path: '/nowhere/' }, { path: '/mop/', provenance: 'Health' }],
  };
  expect(await service.send('admin', 'POST', '/authorization/roles', { role })).toMatchObject({
    status: 400,
    json: {
      issues: [
        { path: ['role', 'allowedMethods', 1], message: expect.stringContaining('Health.explode') },
        { path: ['role', 'allowedMethods', 2] },
        { path: ['role', 'allowedViews', 0], message: expect.stringContaining('/nowhere/') },
        { path: ['role', 'allowedViews', 1] },
      ],
    },
  });
  const missing = { name: randomUUID() };
  expect(await service.send('admin', 'POST', '/authorization/roles', { role: missing })).toMatchObject({
    status: 400,
  });
});

test('a deleted role is removed from its holders', async () => {
  const [id, stays] = [await createRole([]), await createRole([])];
  const group = await createGroup(service, { assignedRoles: [{ roleId: id }, { roleId: stays }] });
  const { id: person } = await holderOf(id, stays);
  expect(await service.send('admin', 'DELETE', `/authorization/roles/${id}`)).toMatchObject({
    status: 200,
    json: { status: 'success' },
  });
  for (const path of [`/authorization/groups/${group}`, `/authorization/accounts/${person}`]) {
    expect(await service.send('admin', 'GET', path)).toMatchObject({
      json: { assignedRoles: [{ roleId: stays }] },
    });
  }
  for (const method of ['GET', 'DELETE'] as const) {
    const answer = await service.send('admin', method, `/authorization/roles/${NOBODY}`);
    expect(answer).toMatchObject({ status: 404, json: { message: `Role ${NOBODY} does not exist` } });
  }
});

const MANAGER = [
  'Authorization.createAccount',
  'Authorization.updateAccount',
  'Authorization.createGroup',
  'Authorization.updateGroup',
  'Authorization.deleteGroup',
  'Authorization.createRole',
  'Authorization.updateRole',
  'Authorization.deleteRole',
  'Oauth.createServiceAccount',
  'Oauth.updateServiceAccount',
  'Oauth.regenerateSecret',
  'Oauth.deleteServiceAccount',
];

test('a user who may manage accounts without being an admin hands out at most his own rights', async () => {
  const managing = await createRole(MANAGER);
  const manager = await holderOf(managing, await roleId(service, 'apiread'));
  const send = (method: string, path: string, body?: object) =>
    sendAs(service, manager.token, method, path, body);
  const assigned = async (...names: string[]) => ({
    assignedRoles: await Promise.all(names.map(async (name) => ({ roleId: await roleId(service, name) }))),
  });
  const account = () => ({ username: randomUUID(), password: 'long enough, surely' });
  const beyond = { status: 403, json: { message: expect.stringContaining('admin') } };

  expect(
    await send('POST', '/authorization/accounts', {
      account: { ...account(), ...(await assigned('apiread')) },
    }),
  ).toMatchObject({ status: 200 });
  expect(
    await send('POST', '/authorization/accounts', {
      account: { ...account(), ...(await assigned('admin')) },
    }),
  ).toMatchObject(beyond);
  expect(await send('PATCH', `/authorization/accounts/${manager.id}`, await assigned('admin'))).toMatchObject(
    beyond,
  );
  const admins = await createGroup(service, await assigned('admin'));
  const nested = await createGroup(service, { memberOf: [{ groupId: admins }] });
  expect(
    await send('PATCH', `/authorization/accounts/${manager.id}`, { memberOf: [{ groupId: nested }] }),
  ).toMatchObject(beyond);
  expect(
    await send('POST', '/authorization/groups', { name: randomUUID(), ...(await assigned('admin')) }),
  ).toMatchObject(beyond);
  expect(
    await send('PATCH', `/authorization/groups/${nested}`, { updates: { description: 'mine' } }),
  ).toMatchObject(beyond);
  expect(await send('DELETE', `/authorization/groups/${admins}`)).toMatchObject(beyond);
  const admin = await createPerson(service, ['admin']);
  expect(await send('PATCH', `/authorization/accounts/${admin.id}`, { inactive: true })).toMatchObject(
    beyond,
  );
  expect(await send('PATCH', `/authorization/accounts/${admin.id}`, { assignedRoles: [] })).toMatchObject(
    beyond,
  );
  expect(
    await send('PUT', `/authorization/accounts/${admin.id}/password`, { newPassword: 'long enough, surely' }),
  ).toMatchObject({ status: 403 });

  const machine = { accountData: { name: randomUUID(), ...(await assigned('admin')) } };
  expect(await send('POST', '/oauth/serviceAccounts', machine)).toMatchObject(beyond);
  const made = await service.send('admin', 'POST', '/oauth/serviceAccounts', machine);
  const { client_id } = (made.json as { results: { client_id: string } }).results;
  expect(await send('PATCH', `/oauth/serviceAccounts/${client_id}/regenerate`)).toMatchObject(beyond);
  expect(await send('DELETE', `/oauth/serviceAccounts/${client_id}`)).toMatchObject(beyond);

  const role = (permissions: string[]) => ({
    role: { name: randomUUID(), allowedMethods: permissions.map(permission), allowedViews: [] },
  });
  const rejected = { status: 403, json: { message: expect.stringContaining('Audit.listEntries') } };
  expect(await send('POST', '/authorization/roles', role(['Audit.listEntries']))).toMatchObject(rejected);
  expect(
    await send('PATCH', `/authorization/roles/${managing}`, {
      updates: { allowedMethods: [permission('Audit.listEntries')] },
    }),
  ).toMatchObject(rejected);
  expect(
    await send('POST', '/authorization/roles', role(['Authorization.createRole', 'Authorization.listViews'])),
  ).toMatchObject({ status: 200 });
});
