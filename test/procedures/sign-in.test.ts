import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { createGroup } from '../helpers/people.ts';
import { issuePathsOf, rejectionOf, rolesThatMay } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService({
  OIDC_ISSUER: 'https://id.example.net',
  OIDC_CLIENT_ID: 'switchyard',
  OIDC_CLIENT_SECRET: 'walnut-bridge-46',
  OIDC_MAPPING: 'network-ops=engineering, apiread; CN=Admins,DC=example,DC=net=admin',
});
const { signIn, audit } = await service.as('admin');

const oidc = { issuer: 'https://id.example.org', clientId: 'switchyard', clientSecret: 'lantern-quarry-46' };
const create = (provider: object) => signIn.createProvider({ provider } as never);

test('returns a stored provider with masked secrets, and deletes it', async () => {
  const { data } = await create({ name: 'one', type: 'oidc', oidc, defaultRoles: ['apiread'] });
  expect(data).toMatchObject({ name: 'one', source: 'stored', oidc: { ...oidc, clientSecret: '********' } });
  expect(await signIn.getProvider({ id: data._id })).toMatchObject({ status: { ok: null } });
  const changed = await signIn.updateProvider({ id: data._id, updates: { title: 'First' } });
  expect(changed.data).toMatchObject({ title: 'First', oidc: { clientSecret: '********' } });
  await signIn.deleteProvider({ id: data._id });
  expect((await rejectionOf(signIn.getProvider({ id: data._id }))).code).toBe('NOT_FOUND');
});

test('a stored secret is sealed', async () => {
  const { data } = await create({ name: 'sealed', type: 'oidc', oidc });
  const [row] = await rows<{ doc: string }>(
    service.db,
    sql`select doc::text as doc from sign_in_providers where id = ${data._id}`,
  );
  expect(row?.doc).toContain('sealed:v2:');
  expect(row?.doc).not.toContain('lantern-quarry');
  await signIn.deleteProvider({ id: data._id });
});

test('the provider of the environment is listed and cannot be changed', async () => {
  const { results } = await signIn.listProviders({});
  expect(results[0]).toMatchObject({
    _id: 'environment-oidc',
    source: 'environment',
    oidc: { clientSecret: '********' },
    mapping: [
      { group: 'network-ops', roles: ['engineering', 'apiread'] },
      { group: 'CN=Admins,DC=example,DC=net', roles: ['admin'] },
    ],
  });
  const change = signIn.updateProvider({ id: 'environment-oidc', updates: { title: 'x' } });
  expect((await rejectionOf(change)).code).toBe('CONFLICT');
  expect((await signIn.listMethods({})).providers[0]).toMatchObject({ name: 'oidc', type: 'oidc' });
});

test.each([
  [{ name: 'Two words', type: 'oidc', oidc }, ['provider.name']],
  [{ name: 'local', type: 'oidc', oidc }, ['provider.name']],
  [{ name: 'two', type: 'oidc' }, ['provider.oidc']],
  [{ name: 'two', type: 'ldap', oidc }, ['provider.ldap', 'provider.oidc']],
  [{ name: 'two', type: 'oidc', oidc: { ...oidc, issuer: 'ftp://x' } }, ['provider.oidc.issuer']],
  [
    { name: 'two', type: 'oidc', oidc: { ...oidc, issuer: 'https://169.254.169.254' } },
    ['provider.oidc.issuer'],
  ],
  [
    { name: 'two', type: 'oidc', oidc: { ...oidc, clientSecret: '********' } },
    ['provider.oidc.clientSecret'],
  ],
  [
    {
      name: 'two',
      type: 'oidc',
      oidc,
      mapping: [{ group: 'a', roles: ['none'], groups: ['65a000000000000000000000'] }],
    },
    ['provider.mapping.0.roles.0', 'provider.mapping.0.groups.0'],
  ],
  [
    { name: 'two', type: 'ldap', ldap: { url: 'ldap://d.example.net', userBase: 'dc=x', bindDn: 'cn=x' } },
    ['provider.ldap.bindPassword'],
  ],
])('a provider that cannot work is rejected with every field: %j', async (provider, paths) => {
  const found = (await issuePathsOf(create(provider))).map((path) => path.replace(/^provider\./, ''));
  expect(found.sort()).toEqual(paths.map((path) => path.replace(/^provider\./, '')).sort());
});

test('a name is taken once', async () => {
  const { data } = await create({ name: 'twice', type: 'oidc', oidc });
  expect((await rejectionOf(create({ name: 'twice', type: 'oidc', oidc }))).code).toBe('CONFLICT');
  await signIn.deleteProvider({ id: data._id });
});

test('only an admin reads and changes providers, and the audit trail records it', async () => {
  const group = await createGroup(service);
  const mapping = [{ group: 'ops', groups: [group] }];
  const { data } = await create({ name: 'audited', type: 'oidc', oidc, mapping });
  expect(await rolesThatMay(service, (as) => as.signIn.listProviders({}))).toEqual(['admin']);
  expect(await rolesThatMay(service, (as) => as.signIn.testProvider({ id: data._id }))).toEqual(['admin']);
  await signIn.deleteProvider({ id: data._id });
  const { results } = await audit.listEntries({
    queryOptions: { equals: 'signIn.createProvider', equalsField: 'operation', limit: 50 },
  });
  expect(results).toContainEqual(
    expect.objectContaining({
      document: expect.objectContaining({ kind: 'sign_in_providers', name: 'audited' }),
    }),
  );
});

test('a session that began here has no page of a provider to sign out at', async () => {
  expect(await signIn.getLogoutLink({})).toEqual({ url: null });
});

test('a sign-in at an unknown provider is 404, and an unsolicited answer is rejected', async () => {
  const nobody = (await service.as(null)).signIn;
  expect((await rejectionOf(nobody.startOidc({ id: 'none' }))).code).toBe('NOT_FOUND');
  const ended = await nobody.finishOidc({ id: 'environment-oidc', state: 's', code: 'c' });
  expect(ended.location).toBe('/?signInError=ATTEMPT_UNKNOWN&provider=oidc');
  const logout = nobody.endByProvider({ id: 'environment-oidc', logout_token: 'none' });
  expect((await rejectionOf(logout)).code).toBe('BAD_REQUEST');
});
