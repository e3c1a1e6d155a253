import { afterEach, expect, test } from 'vitest';
import { operations } from '#server/http/operations.ts';
import { sampled } from '../../helpers/long.ts';
import { createGroup, createPerson, roleId, sendAs, setSignInRules, signIn } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
afterEach(() => setSignInRules(service, null));

type Me = {
  id: string;
  roles: string[];
  routes: string[];
  methods: Record<string, string[]>;
  groups: { id: string; name: string; provenance: string }[];
};

async function whoAmI(token: string): Promise<Me> {
  const answer = await sendAs(service, token, 'GET', '/whoami');
  expect(answer.status, answer.text).toBe(200);
  return answer.json as Me;
}

test('whoami lists permissions and views of one’s roles, and the rights of everyone', async () => {
  const person = await createPerson(service, ['apiread']);
  const me = await whoAmI(await signIn(service, person));
  expect(me).toMatchObject({
    id: person.id,
    provenance: 'local',
    username: person.username,
    groups: [],
    roles: ['apiread'],
  });
  expect(me.methods.Authorization).toEqual(
    expect.arrayContaining(['listViews', 'listAccounts', 'changePassword']),
  );
  expect(me.methods.Authorization).not.toContain('createAccount');
  expect(me.routes).toContain('/authorization/');
  expect(me.routes).not.toContain('/oauth/');
});

test('what whoami promises is what the service lets through', async () => {
  const token = await signIn(service, await createPerson(service, ['support']));
  const { methods } = await whoAmI(token);
  for (const { permission, method, path, meta, resumes } of sampled(operations, 150)) {
    // An answer that never ends has tests of its own.
    if (meta.audience === 'public' || path === '/logout' || resumes) continue;
    const [area = '', name = ''] = permission.split('.');
    const answer = await sendAs(
      service,
      token,
      method,
      path.replace(/:\w+/g, 'x'),
      method === 'GET' ? undefined : {},
    );
    expect(answer.status !== 403, permission).toBe(methods[area]?.includes(name) ?? false);
  }
});

test('rights come through groups of groups, and end where a group is switched off', async () => {
  const top = await createGroup(service, { assignedRoles: [{ roleId: await roleId(service, 'designer') }] });
  const middle = await createGroup(service, { memberOf: [{ groupId: top }] });
  const person = await createPerson(service, ['other'], { memberOf: [{ groupId: middle }] });
  const token = await signIn(service, person);
  const me = await whoAmI(token);
  expect(me.roles.toSorted()).toEqual(['designer', 'other']);
  expect(me.groups.map(({ id }) => id).toSorted()).toEqual([top, middle].toSorted());
  await service.send('admin', 'PATCH', `/authorization/groups/${middle}`, { updates: { inactive: true } });
  expect(await whoAmI(token)).toMatchObject({ roles: ['other'], groups: [] });
});

test('the active profile makes admins of the accounts and groups that it names, with all that admins may', async () => {
  const group = await createGroup(service, { name: 'lab-admins' });
  const named = await createPerson(service);
  const member = await createPerson(service, [], { memberOf: [{ groupId: group }] });
  const admins = [{ provenance: 'local', group: 'lab-admins' }, { group: named.username }];
  const tokens = [await signIn(service, named), await signIn(service, member)];
  for (const token of tokens) expect((await whoAmI(token)).roles).toEqual([]);
  await setSignInRules(service, { admins });
  for (const token of tokens) {
    const me = await whoAmI(token);
    expect(me.roles).toEqual(['admin']);
    expect(me.methods.Authorization).toContain('createAccount');
    expect(me.routes).toContain('/oauth/');
    expect(await sendAs(service, token, 'GET', '/audit')).toMatchObject({ status: 200 });
  }
  await setSignInRules(service, { admins: [{ provenance: 'ldap', group: 'lab-admins' }] });
  for (const token of tokens) expect((await whoAmI(token)).roles).toEqual([]);
});

test('settings show one’s own account, and the time of its sign-in', async () => {
  const person = await createPerson(service, ['apiread'], { firstname: 'Ops', email: 'ops@example.net' });
  const token = await signIn(service, person);
  const answer = await sendAs(service, token, 'GET', '/user/settings');
  expect(answer).toMatchObject({
    status: 200,
    json: {
      _id: person.id,
      provenance: 'local',
      username: person.username,
      firstname: 'Ops',
      inactive: false,
      memberOf: [],
      assignedRoles: [{ roleId: await roleId(service, 'apiread') }],
      gitTokens: {},
      preferences: {},
    },
  });
  const { lastLogin } = answer.json as { lastLogin: string };
  expect(Math.abs(Date.now() - Date.parse(lastLogin))).toBeLessThan(60_000);
});

test('a change of preferences keeps what it leaves out, at every depth, and they are visible to their account alone', async () => {
  const person = await createPerson(service, ['apiread']);
  const token = await signIn(service, person);
  const save = (preferences: unknown) => sendAs(service, token, 'PATCH', '/user/settings', { preferences });
  expect(await save({ views: { jobs: [{ name: 'mine' }], work: [] } })).toMatchObject({
    status: 200,
    json: { status: 'OK', data: { _id: person.id, preferences: { views: { jobs: [{ name: 'mine' }] } } } },
  });
  expect(await save({ theme: 'dark', density: 'compact' })).toMatchObject({ status: 200 });
  expect(await save({ views: { work: null, devices: [1] }, density: null })).toMatchObject({ status: 200 });
  const preferences = { theme: 'dark', views: { jobs: [{ name: 'mine' }], devices: [1] } };
  const { json } = await sendAs(service, token, 'GET', '/user/settings');
  expect((json as { preferences: unknown }).preferences).toEqual(preferences);
  for (const path of ['/authorization/accounts?limit=1000', `/authorization/accounts/${person.id}`]) {
    expect((await service.send('admin', 'GET', path)).text).not.toContain('"theme"');
  }
});

test('changes of preferences that arrive at once are all kept', async () => {
  const token = await signIn(service, await createPerson(service));
  const names = Array.from({ length: 12 }, (_, at) => `list-${at}`);
  const save = (name: string) =>
    sendAs(service, token, 'PATCH', '/user/settings', { preferences: { views: { [name]: [name] } } });
  expect((await Promise.all(names.map(save))).map(({ status }) => status)).toEqual(names.map(() => 200));
  const { json } = await sendAs(service, token, 'GET', '/user/settings');
  const { views } = (json as { preferences: { views: object } }).preferences;
  expect(Object.keys(views).sort()).toEqual([...names].sort());
});

test('preferences have at most 64 KiB of JSON, counted in bytes', async () => {
  const token = await signIn(service, await createPerson(service));
  const save = (text: string) => sendAs(service, token, 'PATCH', '/user/settings', { preferences: { text } });
  const frame = '{"text":""}'.length;
  expect(await save('é'.repeat((64 * 1024 - frame) / 2 - 1))).toMatchObject({ status: 200 });
  expect(await save('é'.repeat(32 * 1024))).toMatchObject({
    status: 400,
    json: { issues: [{ path: ['preferences'] }] },
  });
  for (const preferences of [null, [], 'x', undefined]) {
    const answer = await sendAs(service, token, 'PATCH', '/user/settings', { preferences });
    expect(answer).toMatchObject({ status: 400 });
  }
});
