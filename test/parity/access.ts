import { NOBODY, type Step, step } from './step.ts';

/** Signing in, and who may do what. */
export const ACCESS: Step[] = [
  step('session.signIn', { username: 'nobody', password: 'wrong' }),
  step('session.signIn', { user: { username: 'nobody' } }),
  step('session.whoAmI'),
  step('session.getRequirement', { operation: 'mop.runCommandDevices' }),
  step('session.getRequirement', { operation: 'none' }),
  step('search.search', { q: 'cisco', kinds: ['parser', 'workflow'], limit: 2 }),
  step('search.search', { q: 'c', kinds: ['nothing'] }),
  step('session.getSettings'),
  step('session.savePreferences', { preferences: { theme: 'dark' } }),
  step('session.savePreferences', { preferences: 5 }),
  step(
    'authorization.listRoles',
    { queryOptions: { sort: 'name' } },
    {
      keep: (body: { results: { _id: string; name: string }[] }) => ({ seeded: body.results[0]?._id ?? '' }),
    },
  ),
  step(
    'authorization.createRole',
    {
      role: {
        name: 'readers',
        description: '',
        allowedMethods: [{ name: 'getTree', provenance: 'ConfigurationManager' }],
        allowedViews: [],
      },
    },
    { keep: (body: { data: { _id: string } }) => ({ role: body.data._id }) },
  ),
  step('authorization.createRole', {
    role: { name: 'bad', allowedMethods: [{ name: 'no', provenance: 'such' }], allowedViews: [] },
  }),
  step('authorization.getRole', ({ role }) => ({ roleId: role })),
  step('authorization.updateRole', ({ role }) => ({ roleId: role, updates: { description: 'reads trees' } })),
  step('authorization.updateRole', ({ seeded }) => ({ roleId: seeded, updates: { description: 'mine' } })),
  step(
    'authorization.createGroup',
    ({ role }) => ({ group: { name: 'noc', description: 'night', assignedRoles: [{ roleId: role }] } }),
    { keep: (body: { data: { _id: string } }) => ({ group: body.data._id }) },
  ),
  step('authorization.createGroup', { group: { name: 'noc' } }),
  step('authorization.listGroups', { queryOptions: { contains: 'NO', containsField: 'name' } }),
  step('authorization.listGroups', { queryOptions: { sort: 'nonsense' } }),
  step('authorization.listGroupNames'),
  step('authorization.listAccountNames', { ids: ['65f0c1d2e3a4b5c6d7e8f901'] }),
  step('authorization.getGroup', ({ group }) => ({ groupId: group })),
  step('authorization.updateGroup', ({ group }) => ({ groupId: group, updates: { description: 'day' } })),
  step(
    'authorization.createAccount',
    ({ group }) => ({
      account: {
        username: 'mia',
        password: 'a-long-password-1',
        memberOf: [{ groupId: group, aaaManaged: false }],
      },
    }),
    { keep: (body: { data: { _id: string } }) => ({ account: body.data._id }) },
  ),
  step('authorization.createAccount', { account: { username: 'mia', password: 'short' } }),
  step('authorization.listAccounts', { queryOptions: { equals: 'mia', equalsField: 'username' } }),
  step('authorization.getAccount', ({ account }) => ({ accountId: account })),
  step('authorization.getAccount', { accountId: NOBODY }),
  step('authorization.updateAccount', ({ account }) => ({
    accountId: account,
    updates: { firstname: 'Mia' },
  })),
  step('authorization.changePassword', ({ account }) => ({
    accountId: account,
    newPassword: 'another-long-one-2',
  })),
  step('session.listSessions'),
  step('session.endSession', { id: NOBODY }),
  step('session.listTokens'),
  step('session.deleteToken', { id: NOBODY }),
  step('authorization.listTokens', { queryOptions: { limit: 5 } }),
  step('authorization.listTokens', { queryOptions: { limit: 0 } }),
  step('authorization.deleteToken', { id: NOBODY }),
  step('authorization.forceLogout', ({ account }) => ({ accountId: account })),
  step('authorization.exportAccess'),
  step('authorization.listMethods', { queryOptions: { limit: 3, sort: 'name' } }),
  step('authorization.listViews', { queryOptions: { multiContains: { path: 'MANAGER' }, sort: 'path' } }),
  step(
    'oauth.createServiceAccount',
    { accountData: { name: 'ci' } },
    {
      keep: (body: { results: { client_id: string; client_secret: string } }) => ({
        machine: body.results.client_id,
        secret: body.results.client_secret,
      }),
    },
  ),
  step(
    'oauth.issueToken',
    ({ machine, secret }) => ({
      grant_type: 'client_credentials',
      client_id: machine,
      client_secret: secret,
    }),
    { measured: true },
  ),
  step('oauth.issueToken', { grant_type: 'password' }),
  step('oauth.listServiceAccounts', { queryOptions: {} }),
  step('oauth.updateServiceAccount', ({ machine }) => ({
    client_id: machine,
    updates: { description: 'builds' },
  })),
  step('oauth.regenerateSecret', ({ machine }) => ({ client_id: machine })),
  step('oauth.deleteServiceAccount', ({ machine }) => ({ client_id: machine })),
];
