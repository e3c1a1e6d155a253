import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '#db/ids.ts';
import { storeProposal } from '../../helpers/documents/remediations.ts';
import { createGroup, createPerson, roleId, sendAs, signIn } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();

/** Somebody who holds exactly these single permissions, signed in. */
async function holderOf(...permissions: string[]) {
  const role = {
    name: `role-${randomUUID()}`,
    allowedViews: [],
    allowedMethods: permissions.map((text) => {
      const [provenance, name] = text.split('.');
      return { provenance, name };
    }),
  };
  const made = await service.send('admin', 'POST', '/authorization/roles', { role });
  if (made.status !== 200) throw new Error(made.text);
  const id = (made.json as { data: { _id: string } }).data._id;
  const person = await createPerson(service, [], { assignedRoles: [{ roleId: id }] });
  const token = await signIn(service, person);
  return {
    ...person,
    send: (method: string, path: string, body?: unknown) => sendAs(service, token, method, path, body),
  };
}

const beyond = { status: 403, json: { message: expect.stringContaining('admin') } };

test("an account cannot be added to an inactive group by an account that lacks the group's rights", async () => {
  const manager = await holderOf('Authorization.updateAccount', 'Authorization.createAccount');
  const dormant = await createGroup(service, {
    inactive: true,
    assignedRoles: [{ roleId: await roleId(service, 'admin') }],
  });
  const updates = { memberOf: [{ groupId: dormant }] };
  expect(await manager.send('PATCH', `/authorization/accounts/${manager.id}`, { updates })).toMatchObject(
    beyond,
  );
  const account = { username: randomUUID(), password: `pass-${randomUUID()}`, ...updates };
  expect(await manager.send('POST', '/authorization/accounts', { account })).toMatchObject(beyond);
});

test("a group cannot be nested below an inactive group by an account that lacks that group's rights", async () => {
  const manager = await holderOf('Authorization.updateGroup', 'Authorization.createGroup');
  const dormant = await createGroup(service, {
    inactive: true,
    assignedRoles: [{ roleId: await roleId(service, 'admin') }],
  });
  const made = await manager.send('POST', '/authorization/groups', { group: { name: randomUUID() } });
  const { _id: own } = (made.json as { data: { _id: string } }).data;
  expect(
    await manager.send('PATCH', `/authorization/groups/${own}`, {
      updates: { memberOf: [{ groupId: dormant }] },
    }),
  ).toMatchObject(beyond);
});

test('an inactive account is not activated by an account with fewer rights', async () => {
  const manager = await holderOf('Authorization.updateAccount');
  const admin = await createPerson(service, ['admin']);
  const off = await service.send('admin', 'PATCH', `/authorization/accounts/${admin.id}`, {
    updates: { inactive: true },
  });
  expect(off.status, off.text).toBe(200);
  const on = { updates: { inactive: false } };
  expect(await manager.send('PATCH', `/authorization/accounts/${admin.id}`, on)).toMatchObject(beyond);
});

test('the list of admins of a profile is changed by the role admin only', async () => {
  const keeper = await holderOf(
    'Profiles.createProfile',
    'Profiles.importProfile',
    'Profiles.updateProfile',
    'Profiles.activateProfile',
  );
  const admins = [{ group: keeper.username, provenance: 'local' }];
  const rejected = { status: 403, json: { message: expect.stringContaining('authenticationProps.admins') } };
  const withAdmins = (id: string) => ({ properties: { id, authenticationProps: { admins } } });
  expect(await keeper.send('POST', '/profiles', withAdmins('mine'))).toMatchObject(rejected);
  expect(await keeper.send('POST', '/profiles/import', withAdmins('mine'))).toMatchObject(rejected);
  expect(await keeper.send('POST', '/profiles', { properties: { id: 'plain' } })).toMatchObject({
    status: 200,
  });
  expect(await keeper.send('PUT', '/profiles/plain', withAdmins('plain'))).toMatchObject(rejected);
  const described = { properties: { description: 'changed' } };
  expect(await keeper.send('PUT', '/profiles/plain', described)).toMatchObject({ status: 200 });

  const stored = await service.send('admin', 'POST', '/profiles', withAdmins('theirs'));
  expect(stored.status, stored.text).toBe(200);
  const kept = { properties: { authenticationProps: { admins, logoutTime: 30 } } };
  expect(await keeper.send('PUT', '/profiles/theirs', kept)).toMatchObject({ status: 200 });
  expect(await keeper.send('PUT', '/profiles/theirs/active')).toMatchObject(rejected);
  expect(await keeper.send('PUT', '/profiles/plain/active')).toMatchObject({ status: 200 });
});

let proposal = '';
beforeAll(async () => {
  proposal = await storeProposal(service.db, {
    reportId: newId(),
    treeId: newId(),
    deviceName: `edge-${newId()}`,
    basis: 'device',
  });
});

/** Every request that reads proposals. */
const reads = (): [string, string, unknown?][] => [
  ['GET', `/configuration_manager/remediations/${proposal}`],
  ['GET', `/configuration_manager/remediations/${proposal}/preview`],
  ['GET', '/configuration_manager/remediations/counts'],
  ['POST', '/configuration_manager/remediations/search', {}],
];

test('a user who may approve a proposal by his role may read, preview and search for it', async () => {
  for (const [method, path, body] of reads()) {
    const answer = await service.send('engineering', method, path, body);
    expect(answer.status, `${path} ${answer.text}`).toBe(200);
    expect((await service.send('support', method, path, body)).status, path).toBe(403);
  }
});

test('a user who may approve a proposal by a single permission may read, preview and search for it', async () => {
  const approver = await holderOf('ConfigurationManager.approveRemediation');
  for (const [method, path, body] of reads()) {
    const answer = await approver.send(method, path, body);
    expect(answer.status, `${path} ${answer.text}`).toBe(200);
  }
});
