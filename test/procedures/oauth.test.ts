import { expect, test } from 'vitest';
import { issuePathsOf, NOBODY, rejectionOf, rolesThatMay, unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';

const service = await openService();
const { oauth } = await service.as('admin');
const nobody = await service.as(null);

const create = async (more: object = {}) =>
  (await oauth.createServiceAccount({ accountData: { name: unique('machine'), ...more } })).results;
const ask = (client_id: string, client_secret: string) =>
  nobody.oauth.issueToken({ grant_type: 'client_credentials', client_id, client_secret });
const INVALID = { code: 'UNAUTHORIZED' };

test('a service account exchanges its secret for an access token of an hour', async () => {
  const { client_id, client_secret } = await create();
  const token = await ask(client_id, client_secret);
  expect(token).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 3600 });
  const [, payload = ''] = token.access_token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  expect(claims.sub).toBe(client_id);
  expect(claims.exp - claims.iat).toBe(3600);
});

test('the secret is shown at creation only', async () => {
  const { client_id, client_secret, name } = await create({ description: 'builds' });
  const { results, total } = await oauth.listServiceAccounts({
    queryOptions: { equals: name, equalsField: 'name' },
  });
  expect(total).toBe(1);
  expect(results).toMatchObject([{ client_id, name, description: 'builds' }]);
  expect(JSON.stringify(results)).not.toContain(client_secret);
});

test('a wrong secret, an unknown account and an inactive one get no token', async () => {
  const { client_id, client_secret } = await create();
  expect(await rejectionOf(ask(client_id, 'wrong'))).toMatchObject(INVALID);
  expect(await rejectionOf(ask(NOBODY, client_secret))).toMatchObject(INVALID);
  const { data } = await oauth.updateServiceAccount({ client_id, updates: { inactive: true } });
  expect(data).toMatchObject({ client_id, inactive: true });
  expect(await rejectionOf(ask(client_id, client_secret))).toMatchObject(INVALID);
});

test('a regenerated secret replaces the one before', async () => {
  const { client_id, client_secret } = await create();
  const { results } = await oauth.regenerateSecret({ client_id });
  expect(results.client_id).toBe(client_id);
  expect(await rejectionOf(ask(client_id, client_secret))).toMatchObject(INVALID);
  expect(await ask(client_id, results.client_secret)).toMatchObject({ token_type: 'bearer' });
});

test('a grant of another kind is rejected', async () => {
  const { client_id, client_secret } = await create();
  const call = nobody.oauth.issueToken({ grant_type: 'password', client_id, client_secret });
  expect(await rejectionOf(call)).toMatchObject({ code: 'BAD_REQUEST' });
});

test('names are unique among service accounts', async () => {
  const [one, other] = [await create(), await create()];
  expect(await rejectionOf(create({ name: one.name }))).toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining(one.name),
  });
  const rename = oauth.updateServiceAccount({
    client_id: other.client_id,
    updates: { name: one.name },
  });
  expect(await rejectionOf(rename)).toMatchObject({ code: 'CONFLICT' });
});

test('a deleted service account gets no token, and its name is free', async () => {
  const { client_id, client_secret, name } = await create();
  expect(await oauth.deleteServiceAccount({ client_id })).toMatchObject({ status: 'OK' });
  expect(await rejectionOf(ask(client_id, client_secret))).toMatchObject(INVALID);
  expect(await rejectionOf(oauth.deleteServiceAccount({ client_id }))).toMatchObject({ code: 'NOT_FOUND' });
  expect((await create({ name })).client_id).not.toBe(client_id);
});

test.each([
  [{}, 'accountData'],
  [{ accountData: { name: '' } }, 'accountData.name'],
  [{ accountData: { name: 'x', password: 'y' } }, 'accountData.password'],
])('a service account from %j is rejected and the field named', async (input, path) => {
  const call = oauth.createServiceAccount(input as never);
  expect(await issuePathsOf(call)).toContain(path);
});

test('service accounts are for an admin alone', async () => {
  expect(await rolesThatMay(service, (as) => as.oauth.listServiceAccounts({}))).toEqual(['admin']);
  expect(await rolesThatMay(service, (as) => as.oauth.deleteServiceAccount({ client_id: NOBODY }))).toEqual([
    'admin',
  ]);
});
