import { expect, test } from 'vitest';
import { issuePathsOf, NOBODY, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { authorization } = await service.as('admin');

const PASSWORD = 'a-long-password-1';
const createAccount = async (more: object = {}) =>
  (
    await authorization.createAccount({
      account: { username: unique('mia').replace(' ', '-'), password: PASSWORD, ...more },
    })
  ).data;
const createGroup = async (more: object = {}) =>
  (await authorization.createGroup({ group: { name: unique('noc'), ...more } })).data;
const createRole = async (more: object = {}) =>
  (
    await authorization.createRole({
      role: {
        name: unique('readers'),
        description: '',
        allowedMethods: [{ name: 'getTree', provenance: 'ConfigurationManager' }],
        allowedViews: [],
        ...more,
      },
    })
  ).data;

test('an account is created without showing its password, and found by its name', async () => {
  const { _id: accountId, username } = await createAccount();
  const account = await authorization.getAccount({ accountId });
  expect(account).toMatchObject({ _id: accountId, username, inactive: false });
  const found = await authorization.listAccounts({
    queryOptions: { equals: username, equalsField: 'username' },
  });
  expect(found).toMatchObject({ results: [{ _id: accountId, username }], total: 1 });
  expect(JSON.stringify([account, found])).not.toContain(PASSWORD);
});

test('a taken name, a short password and an unknown group are rejected', async () => {
  const { username } = await createAccount();
  expect(await rejectionOf(createAccount({ username }))).toMatchObject({ code: 'CONFLICT' });
  expect(await issuePathsOf(createAccount({ password: 'short' }))).toEqual(['account.password']);
  const stray = createAccount({ memberOf: [{ groupId: NOBODY, aaaManaged: false }] });
  expect((await rejectionOf(stray)).message).toContain(NOBODY);
});

test('an account inherits the roles of its groups', async () => {
  const { _id: roleId } = await createRole();
  const { _id: groupId } = await createGroup({ assignedRoles: [{ roleId }] });
  const { _id: accountId } = await createAccount({ memberOf: [{ groupId, aaaManaged: false }] });
  expect(await authorization.getAccount({ accountId })).toMatchObject({ inheritedRoles: [{ roleId }] });
  await authorization.deleteGroup({ groupId });
  expect(await authorization.getAccount({ accountId })).toMatchObject({ memberOf: [], inheritedRoles: [] });
});

test('an account changes its own password with the old one, an admin changes any', async () => {
  const { _id: accountId, username } = await createAccount();
  const nobody = await service.as(null);
  await authorization.changePassword({ accountId, newPassword: 'another-long-one-2' });
  expect(
    await rejectionOf(nobody.session.signIn({ username: username ?? '', password: PASSWORD })),
  ).toMatchObject({ code: 'UNAUTHORIZED' });
  const password = 'another-long-one-2';
  expect(await nobody.session.signIn({ username: username ?? '', password })).toMatch(/./);
  const other = await service.as('support');
  const foreign = other.authorization.changePassword({ accountId, newPassword: 'a-third-long-one-3' });
  expect(await rejectionOf(foreign)).toMatchObject({ code: 'FORBIDDEN' });
});

test('any user may ask for the names of accounts by their ids; ids of none are left out', async () => {
  const { caller } = await service.callerWith('support');
  const { authorization: other } = await service.as('other');
  expect(await other.listAccountNames({ ids: [caller.id, 'nobody'] })).toEqual([
    { _id: caller.id, username: caller.username, provenance: 'local' },
  ]);
  expect(await other.listAccountNames({ ids: [] })).toEqual([]);
  const many = other.listAccountNames({ ids: Array.from({ length: 1001 }, () => 'a') });
  expect(await rejectionOf(many)).toMatchObject({ code: 'BAD_REQUEST' });
});

test('a group is changed, listed and deleted; names are unique', async () => {
  const group = await createGroup({ description: 'night' });
  const groupId = group._id;
  expect(await rejectionOf(createGroup({ name: group.name }))).toMatchObject({ code: 'CONFLICT' });
  const { data } = await authorization.updateGroup({ groupId, updates: { description: 'day' } });
  expect(data).toMatchObject({ name: group.name, description: 'day' });
  expect(await authorization.listGroupNames({})).toContainEqual({
    _id: groupId,
    name: group.name,
    provenance: 'local',
  });
  await authorization.deleteGroup({ groupId });
  expect(await rejectionOf(authorization.getGroup({ groupId }))).toMatchObject({ code: 'NOT_FOUND' });
});

test('groups cannot be members of themselves, not even through others', async () => {
  const parent = await createGroup();
  const child = await createGroup({ memberOf: [{ groupId: parent._id, aaaManaged: false }] });
  const circle = authorization.updateGroup({
    groupId: parent._id,
    updates: { memberOf: [{ groupId: child._id, aaaManaged: false }] },
  });
  expect((await rejectionOf(circle)).issues).toEqual([
    `updates.memberOf: would make ${parent.name} a member of itself`,
  ]);
});

test('a custom role is created, changed and deleted; a built-in role cannot be changed', async () => {
  const { _id: roleId } = await createRole();
  const { data } = await authorization.updateRole({ roleId, updates: { description: 'reads trees' } });
  expect(data).toMatchObject({ description: 'reads trees' });
  await authorization.deleteRole({ roleId });
  expect(await rejectionOf(authorization.getRole({ roleId }))).toMatchObject({ code: 'NOT_FOUND' });
  const { results } = await authorization.listRoles({
    queryOptions: { equals: 'apiread', equalsField: 'name' },
  });
  const builtIn = { roleId: results[0]?._id ?? '' };
  const change = authorization.updateRole({ ...builtIn, updates: { description: 'mine' } });
  expect(await rejectionOf(change)).toMatchObject({ code: 'FORBIDDEN' });
  expect(await rejectionOf(authorization.deleteRole(builtIn))).toMatchObject({ code: 'FORBIDDEN' });
});

test('a role that allows a method that does not exist is rejected', async () => {
  const role = createRole({ allowedMethods: [{ name: 'no', provenance: 'such' }] });
  expect((await issuePathsOf(role))[0]).toMatch(/^role\.allowedMethods\.0/);
});

test('the methods and views that roles may allow are listed', async () => {
  const { results, total } = await authorization.listMethods({ queryOptions: { limit: 3, sort: 'name' } });
  expect(results).toHaveLength(3);
  expect(total).toBeGreaterThan(100);
  expect((await authorization.listViews({})).total).toBeGreaterThan(0);
});

test('apiread reads accounts, groups and roles, only an admin changes them', async () => {
  const readers = ['admin', 'apiread'];
  expect(await rolesThatMay(service, (as) => as.authorization.listAccounts({}))).toEqual(readers);
  expect(await rolesThatMay(service, (as) => as.authorization.listGroups({}))).toEqual(readers);
  expect(await rolesThatMay(service, (as) => as.authorization.exportAccess({}))).toEqual(['admin']);
  expect(await rolesThatMay(service, (as) => as.authorization.deleteRole({ roleId: NOBODY }))).toEqual([
    'admin',
  ]);
});
