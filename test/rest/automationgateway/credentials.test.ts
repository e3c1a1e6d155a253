import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { cliHost, grpcHost, openGateway } from '../../helpers/gateway.ts';

const { db, done, send } = await openGateway();

type Fields = Record<string, unknown>;
const credential = (name: string, more: Fields = {}) => ({
  credential: { name, username: 'svc', password: 'Lantern-45', ...more },
});
const bare = { username: null, password: null };

test('a credential is stored, listed and read with its secrets as masks', async () => {
  const made = await done('POST', '/credentials', credential('net-ro', { privateKey: 'PEM' }));
  expect(made).toMatchObject({
    status: 'Created',
    data: {
      name: 'net-ro',
      username: 'svc',
      password: '********',
      privateKey: '********',
      enablePassword: null,
      scope: ['cli', 'grpc'],
    },
  });
  expect(await done('GET', '/credentials/net-ro')).toEqual((made as { data: Fields }).data);
  expect(await done('GET', '/credentials?equals=net-ro&equalsField=name')).toMatchObject({ total: 1 });
  expect((await send('POST', '/credentials', credential('net-ro'))).status).toBe(409);
  expect((await send('GET', '/credentials?equals=x&equalsField=privateKey')).status).toBe(400);
});

test('only admin sees credentials at all', async () => {
  for (const [method, path] of [
    ['GET', '/credentials'],
    ['GET', '/credentials/net-ro'],
    ['DELETE', '/credentials/net-ro'],
  ] as const) {
    expect((await send(method, path, undefined, { as: 'apiread' })).status).toBe(403);
  }
});

test('a credential that hosts use is not deleted, and stays for their inventory', async () => {
  await done('POST', '/credentials', credential('shared'));
  const host = cliHost({ ...bare, credential: 'shared' });
  await done('POST', '/inventory/cli', { host });
  const rejected = await send('DELETE', '/credentials/shared');
  expect(rejected.status).toBe(409);
  expect(rejected.text).toContain(host.name);
  expect((await send('PUT', '/credentials/shared', credential('shared', { scope: ['grpc'] }))).status).toBe(
    409,
  );
  await done('PUT', '/credentials/shared', credential('shared', { scope: ['cli'] }));
  const other = await send('POST', '/inventory/grpc', { host: grpcHost({ ...bare, credential: 'shared' }) });
  expect(other.status).toBe(400);
  await done('DELETE', `/inventory/cli/${host.name}`);
  await done('DELETE', '/credentials/shared');
  expect((await send('GET', '/credentials/shared')).status).toBe(404);
});

test('a mask keeps the stored secret, and an absent secret is removed', async () => {
  await done('POST', '/credentials', credential('kept', { enablePassword: 'Raise-2' }));
  const sealed = async () =>
    (
      await rows<{ secrets: string }>(
        db,
        sql`select secrets::text as secrets from gateway_credentials where name = 'kept'`,
      )
    )[0]?.secrets;
  const before = await sealed();
  const shown = await done<Fields>('GET', '/credentials/kept');
  await done('PUT', '/credentials/kept', { credential: shown });
  expect(await sealed()).toBe(before);
  await done('PUT', '/credentials/kept', { credential: { name: 'kept', username: 'svc' } });
  expect(await sealed()).toBe('{}');
  expect((await send('PUT', '/credentials/kept', credential('renamed'))).status).toBe(400);
});

test('a host goes from fields of its own to a credential in one step, and back', async () => {
  await done('POST', '/credentials', credential('switch'));
  const host = cliHost();
  await done('POST', '/inventory/cli', { host });
  const path = `/inventory/cli/${host.name}`;
  expect((await send('PATCH', path, { updates: { credential: 'switch' } })).status).toBe(400);
  await done('PATCH', path, { updates: { credential: 'switch', ...bare } });
  await done('PATCH', path, { updates: { credential: null, username: 'svc', password: 'Lantern-46' } });
  await done('DELETE', '/credentials/switch');
});

test('a host is not given to a credential that is deleted at the same moment', async () => {
  for (let round = 0; round < 10; round++) {
    await done('POST', '/credentials', credential('fleeting'));
    const host = cliHost({ ...bare, credential: 'fleeting' });
    const [made, deleted] = await Promise.all([
      send('POST', '/inventory/cli', { host }),
      send('DELETE', '/credentials/fleeting'),
    ]);
    expect([made.status, deleted.status].sort()).not.toEqual([200, 200]);
    await send('DELETE', `/inventory/cli/${host.name}`);
    await send('DELETE', '/credentials/fleeting');
  }
});
