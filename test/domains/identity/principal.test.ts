import { expect, test } from 'vitest';
import {
  type AccountRights,
  type AdminEntry,
  callerInCommon,
  callerOf,
  type HeldRole,
  lackingOf,
  mayCall,
  mayCallProvided,
  type Rights,
  rightsOf,
} from '#server/kernel/principal.ts';
import type { Audience } from '#server/kernel/roles.ts';

const role = (name: string, provenance = 'platform', permissions: string[] = []): HeldRole => ({
  _id: `id of ${name}`,
  name,
  provenance,
  allowedMethods: permissions.map((permission) => {
    const [area = '', method = ''] = permission.split('.');
    return { provenance: area, name: method };
  }),
});

const accountRights = (more: Partial<AccountRights> = {}): AccountRights => ({
  id: 'a1',
  username: 'ops',
  firstname: 'Ops',
  provenance: 'local',
  groups: [{ id: 'g1', name: 'core', provenance: 'local' }],
  roles: [],
  ...more,
});

test('a caller holds the seeded roles by name and the permissions of the others one by one', () => {
  const roles = [
    role('apiread', 'platform', ['Health.getServer']),
    role('auditors', 'local', ['Audit.listEntries', 'Health.getServer']),
    role('again', 'local', ['Audit.listEntries']),
    { _id: 'x', name: 'empty', provenance: 'local' },
  ];
  expect(callerOf(accountRights({ roles }), [], 'hash')).toEqual({
    id: 'a1',
    username: 'ops',
    provenance: 'local',
    roles: ['apiread'],
    groups: ['g1'],
    permissions: ['Audit.listEntries', 'Health.getServer'],
    session: 'hash',
  });
});

test('a custom role with the name of a seeded role does not have its rights', () => {
  expect(callerOf(accountRights({ roles: [role('admin', 'local')] }), [], null).roles).toEqual([]);
});

test.each<[string, unknown, boolean]>([
  ['the account by name and provenance', { provenance: 'local', group: 'ops' }, true],
  ['the account by name alone', { group: 'ops' }, true],
  ['one of its groups', { provenance: 'local', group: 'core' }, true],
  ['an account of that name elsewhere', { provenance: 'ldap', group: 'ops' }, false],
  ['a group of that name elsewhere', { provenance: 'ldap', group: 'core' }, false],
  ['somebody else', { group: 'other' }, false],
  ['nobody, for want of a name', { provenance: 'local' }, false],
  ['nobody, being null', null, false],
  ['nobody, being a text', 'ops', false],
  ['nobody, being a list', ['ops'], false],
])('a profile whose admins name %s (%j) makes the account an admin: %s', (_, entry, isAdmin) => {
  // Profiles hold what their authors wrote, whatever the type says.
  const { roles } = callerOf(accountRights(), [entry as AdminEntry], null);
  expect(roles.includes('admin')).toBe(isAdmin);
});

test('the rights of a list of roles and groups are those roles, the ids of the groups and the permissions of custom roles', () => {
  expect(rightsOf([role('other')], [{ id: 'g' }], [], [{ group: 'x' }])).toEqual({
    roles: ['other'],
    groups: ['g'],
    permissions: [],
  });
});

const rights = (roles: string[], permissions: string[] = [], groups: string[] = []): Rights => ({
  roles,
  permissions,
  groups,
});

test.each<[Rights, Audience, boolean]>([
  [rights([]), 'public', true],
  [rights([]), 'signed-in', true],
  [rights(['apiread']), ['admin', 'apiread'], true],
  [rights(['apiwrite']), ['admin', 'apiread'], false],
  [rights(['admin']), ['other'], false],
  [rights([], ['Area.method']), ['admin'], true],
  [rights([], ['Area.other', 'area.method', 'Area.method ']), ['admin'], false],
])('a caller with %j may call a procedure for %j: %s', (held, audience, may) => {
  expect(mayCall(held, audience, 'Area.method')).toBe(may);
});

const AUDIENCES = new Map<string, Audience>([
  ['Area.read', ['admin', 'apiread']],
  ['Area.write', ['admin', 'apiwrite']],
  ['Area.mine', 'signed-in'],
]);

test.each<[string, Rights, Rights, string[]]>([
  ['an admin lacks nothing', rights(['admin']), rights(['apiread'], ['Area.gone'], ['g']), []],
  ['a role that is not held', rights(['apiread']), rights(['apiread', 'admin']), ['admin']],
  ['a permission that a role covers', rights(['apiread']), rights([], ['Area.read']), []],
  ['a permission that no role covers', rights(['apiread']), rights([], ['Area.write']), ['Area.write']],
  ['a permission that is held itself', rights([], ['Area.write']), rights([], ['Area.write']), []],
  ['what everyone may', rights([]), rights([], ['Area.mine']), []],
  ['a permission whose endpoint is gone', rights([]), rights([], ['Area.gone']), ['Area.gone']],
  ['a group that is not one’s own', rights([], [], ['g']), rights([], [], ['g', 'h']), ['h']],
  ['nothing at all', rights([]), rights([]), []],
])('an account may pass on only the rights that it has: %s', (_, giver, given, lacking) => {
  expect(lackingOf(giver, given, AUDIENCES)).toEqual(lacking);
});

const provided = (name: 'admin' | 'get', provenance = 'NetBox:4.1'): HeldRole => ({
  _id: name,
  name: `${provenance}:${name}`,
  provenance,
  provided: name,
});
const granting = (name: string, provenance: string): HeldRole => ({
  ...role('custom', 'local'),
  allowedMethods: [{ name, provenance }],
});

test.each<[string, HeldRole[], boolean, boolean]>([
  ['an admin of the platform', [role('admin')], true, true],
  ['the admin of the model', [provided('admin')], true, true],
  ['the reader of the model', [provided('get')], true, false],
  ['the admin of another model', [provided('admin', 'NetBox:4')], false, false],
  ['a custom role with the one', [granting('list', 'NetBox:4.1')], true, false],
  ['a custom role whose names join to the same text', [granting('1.list', 'NetBox:4')], false, false],
  ['a custom role for a method that is called like a role', [granting('admin', 'NetBox:4.1')], false, false],
  ['nobody', [], false, false],
])(
  'the rights of %s to the reading and the writing methods of a model follow from %j: %s, %s',
  (_, held, reads, writes) => {
    const caller = rightsOf(held, [], [], []);
    const method = (name: string, isRead: boolean) => ({ provenance: 'NetBox:4.1', name, isRead });
    expect([
      mayCallProvided(caller, method('list', true)),
      mayCallProvided(caller, method('create', false)),
    ]).toEqual([reads, writes]);
  },
);

test('two accounts together may do with a model only what both of them may', () => {
  const one = (held: HeldRole[]) => ({
    ...callerOf(accountRights({ roles: held }), [], null),
    id: String(held.length),
  });
  const both = callerInCommon(one([provided('admin')]), one([provided('get'), role('other')]));
  const method = { provenance: 'NetBox:4.1', name: 'x' };
  expect(mayCallProvided(both, { ...method, isRead: true })).toBe(true);
  expect(mayCallProvided(both, { ...method, isRead: false })).toBe(false);
});
