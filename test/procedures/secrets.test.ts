import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { newId } from '#db/ids.ts';
import { ConfigError, readConfig } from '#server/kernel/config.ts';
import type { ServiceError } from '#server/kernel/errors.ts';
import { isLong } from '../helpers/long.ts';
import { issuePathsOf, rejectionOf, rolesThatMay } from '../helpers/procedures.ts';
import { until } from '../helpers/processes/processes.ts';
import { openVaultServer } from '../helpers/secrets/vault-server.ts';
import { openService } from '../helpers/service.ts';
import { SCRIPTS } from '../lab/devices/scripts.ts';
import { ACCOUNT, openDevice } from '../lab/devices/simulator.ts';

const folder = join(inject('folder'), `secrets-${process.pid}`);
mkdirSync(join(folder, 'files'), { recursive: true });
const service = await openService({ SECRET_FILES: join(folder, 'files'), SECRET_ENV_PREFIX: 'TEST_SECRET_' });
const api = await service.as('admin');
const { secrets } = api;
const vault = await openVaultServer();
vault.secrets.set('network/core', { password: ACCOUNT.password, username: ACCOUNT.username });
vault.secrets.set('single', { value: 'only-one' });

const approle = { method: 'approle', roleId: 'role-1', secretId: 'secret-id-1' } as const;
const create = (provider: object) => secrets.createProvider({ provider: provider as never });
const resolve = (text: string) =>
  service.platform.secrets.resolve({ text }, { kind: 'adapters', name: 'tried', account: null });
const failureOf = (text: string) =>
  resolve(text).then(
    () => undefined,
    (error: ServiceError) => ({ code: error.code, reason: error.extra?.reason, message: error.message }),
  );

test('a provider is stored with masked secrets, listed, changed, tested and deleted', async () => {
  const { data, status } = await create({ name: 'first', kind: 'vault', url: vault.url, auth: approle });
  expect(status).toBe('Created');
  expect(data.auth).toEqual({ ...approle, secretId: '********' });
  const stored = JSON.stringify(await service.db.execute(`select doc from secret_providers`));
  expect(stored).not.toContain('secret-id-1');
  expect(await secrets.testProvider({ name: 'first' })).toMatchObject({ ok: true });
  expect(await secrets.testProvider({ name: 'first', path: 'network/core', key: 'password' })).toMatchObject({
    ok: true,
  });
  const wrong = await secrets.testProvider({ name: 'first', path: 'network/none' });
  expect(wrong).toMatchObject({ ok: false, detail: expect.stringContaining('no secret network/none') });

  const masked = { name: 'first', kind: 'vault', url: vault.url, auth: data.auth, cacheSeconds: 0 } as const;
  await secrets.replaceProvider({ name: 'first', provider: masked });
  expect(await secrets.testProvider({ name: 'first' })).toMatchObject({ ok: true });
  // Whoever changes the address must know the secret: it would be sent there.
  const moved = secrets.replaceProvider({
    name: 'first',
    provider: { ...masked, url: 'https://other.example.net' },
  });
  expect(await issuePathsOf(moved)).toEqual(['provider.auth.secretId']);
  expect((await secrets.listProviders({})).results.map(({ name }) => name)).toEqual(['first']);
  expect(await secrets.getProvider({ name: 'first' })).toMatchObject({ cacheSeconds: 0 });
  await secrets.deleteProvider({ name: 'first' });
  expect((await rejectionOf(secrets.getProvider({ name: 'first' }))).code).toBe('NOT_FOUND');
});

test('every issue of a provider is listed with its field', async () => {
  expect(await issuePathsOf(create({ name: 'x', kind: 'vault', auth: { method: 'approle' } }))).toEqual([
    'provider.url',
    'provider.auth.roleId',
    'provider.auth.secretId',
  ]);
  expect(await issuePathsOf(create({ name: 'x', kind: 'environment', prefix: 'PATH' }))).toEqual([
    'provider.prefix',
  ]);
  expect(await issuePathsOf(create({ name: 'x', kind: 'files', folder: '/etc' }))).toEqual([
    'provider.folder',
  ]);
  expect(await issuePathsOf(create({ name: 'X y', kind: 'files' }))).toEqual(['provider.name']);
  expect(() => readConfig({ SECRET_ENV_PREFIX: 'SECRET_' })).toThrow(ConfigError);
  expect(() => readConfig({ SECRET_FILES: 'relative' })).toThrow('SECRET_FILES');
});

test('values are read with a path and a key, from the named or the default provider', async () => {
  await create({
    name: 'main',
    kind: 'vault',
    url: vault.url,
    auth: approle,
    default: true,
    cacheSeconds: 0,
  });
  expect(await resolve('$SECRET_main:network/core $KEY_password')).toEqual({ text: ACCOUNT.password });
  expect(await resolve('$SECRET_network/core $KEY_username')).toEqual({ text: ACCOUNT.username });
  expect(await resolve('$SECRET_main:single')).toEqual({ text: 'only-one' });
  expect(await resolve('no reference')).toEqual({ text: 'no reference' });
  expect(await failureOf('$SECRET_main:network/core')).toMatchObject({ reason: 'SECRET_NOT_FOUND' });
  expect(await failureOf('$SECRET_main:network/core $KEY_none')).toMatchObject({
    reason: 'SECRET_NOT_FOUND',
  });
  expect(await failureOf('$SECRET_none:x')).toMatchObject({
    code: 'CONFLICT',
    reason: 'SECRET_PROVIDER_UNKNOWN',
    message: expect.stringContaining('tried needs the secret provider none'),
  });
});

test('a token is renewed before it ends, and a revoked one is replaced by a new sign-in', async () => {
  vault.state.ttlSeconds = 1;
  await create({ name: 'short', kind: 'vault', url: vault.url, auth: approle, cacheSeconds: 0 });
  const text = '$SECRET_short:single';
  await resolve(text);
  const countOf = (request: string) => vault.requests.filter((one) => one === request).length;
  await until(
    'a renewal',
    async () => {
      await resolve(text);
      return countOf('POST auth/token/renew-self') > 0 || undefined;
    },
    20,
  );
  vault.state.ttlSeconds = 3600;
  const before = countOf('POST auth/approle/login');
  vault.tokens.clear();
  expect(await resolve(text)).toEqual({ text: 'only-one' });
  expect(countOf('POST auth/approle/login')).toBe(before + 1);
});

test.skipIf(!isLong)(
  'a server that is sealed for a moment is tried again; one that is away is named',
  async () => {
    vault.state.failures = 2;
    expect(await resolve('$SECRET_main:single')).toEqual({ text: 'only-one' });
    const away = await openVaultServer();
    away.tokens.set('t', { endsAt: Number.POSITIVE_INFINITY, renewable: false });
    await create({ name: 'away', kind: 'vault', url: away.url, auth: { method: 'token', token: 't' } });
    await away.close();
    expect(await failureOf('$SECRET_away:single')).toEqual({
      code: 'BAD_GATEWAY',
      reason: 'SECRET_PROVIDER_UNREACHABLE',
      message: expect.stringContaining('Secret provider away cannot be used'),
    });
  },
);

test.each([
  [
    503,
    { initialized: true, sealed: true, standby: true },
    'it answered 503: it is sealed, and must be unsealed',
  ],
  [
    500,
    { initialized: true, sealed: false, standby: true },
    'it answered 500: it is on standby and knows no',
  ],
  [501, { initialized: false, sealed: true, standby: true }, 'it answered 501: it is not initialised'],
  [502, {}, 'it answered 502'],
])(
  'a server that answers %i with the health %j is reported with the reason, and without the token',
  async (status, health, reason) => {
    const down = await openVaultServer();
    down.state.down = { status, health };
    const name = `down-${status}`;
    await create({ name, kind: 'vault', url: down.url, auth: { method: 'token', token: 'root-token' } });
    const message = (await failureOf(`$SECRET_${name}:single`))?.message;
    expect(message).toContain(`Secret provider ${name} cannot be used: ${reason}`);
    expect(message).not.toContain('root-token');
  },
);

test('a cached value is used again until its time ends', async () => {
  await create({ name: 'cached', kind: 'vault', url: vault.url, auth: approle, cacheSeconds: 3600 });
  await resolve('$SECRET_cached:single');
  const before = vault.requests.length;
  await Promise.all([resolve('$SECRET_cached:single'), resolve('$SECRET_cached:single')]);
  expect(vault.requests.length).toBe(before);
});

test('variables and files are read only where the operator allows it', async () => {
  process.env.TEST_SECRET_API = 'from-the-environment';
  afterAll(() => delete process.env.TEST_SECRET_API);
  await create({ name: 'env', kind: 'environment' });
  expect(await resolve('$SECRET_env:API')).toEqual({ text: 'from-the-environment' });
  expect(await failureOf('$SECRET_env:PATH')).toMatchObject({ reason: 'SECRET_NOT_FOUND' });

  await create({ name: 'files', kind: 'files', cacheSeconds: 0 });
  writeFileSync(join(folder, 'files', 'one'), 'from a file\n');
  writeFileSync(join(folder, 'files', 'object.json'), '{"password":"of the object"}');
  writeFileSync(join(folder, 'outside'), 'not allowed');
  symlinkSync(join(folder, 'outside'), join(folder, 'files', 'link'));
  expect(await resolve('$SECRET_files:one')).toEqual({ text: 'from a file' });
  expect(await resolve('$SECRET_files:object.json $KEY_password')).toEqual({ text: 'of the object' });
  for (const path of ['link', '../outside', 'none', '.'])
    expect(await failureOf(`$SECRET_files:${path}`)).toMatchObject({ reason: 'SECRET_NOT_FOUND' });
});

test('a device is reached with a credential that refers to Vault, and each use is in the audit trail', async () => {
  const script = SCRIPTS.find(({ device_type }) => device_type === 'cisco_xe');
  if (!script) throw new Error('no script');
  const device = await openDevice(script);
  afterAll(device.close);
  const reference = '$SECRET_main:network/core $KEY_password';
  const name = `core-${newId()}`;
  const credential = { name, username: '$SECRET_main:network/core $KEY_username', password: reference };
  const made = await api.automationgateway.createCredential({ credential });
  // A reference is no secret: it is shown, and may be sent again with another address.
  expect(made.data.password).toBe(reference);
  const host = { name, host: '127.0.0.1', port: device.port, device_type: 'cisco_xe', credential: name };
  await api.automationgateway.createHost({ kind: 'cli', host: host as never });
  expect(await api.automationgateway.testHost({ name } as never)).toMatchObject({ ok: true });
  const { results } = await api.audit.listEntries({
    queryOptions: { equals: 'secrets.use', equalsField: 'operation', limit: 100 },
  });
  const used = results.filter((entry) => JSON.stringify(entry).includes(name));
  expect(used[0]).toMatchObject({
    account: expect.stringMatching(/^admin-/),
    outcome: 'ok',
    document: { kind: 'secret_providers', id: 'main' },
  });
  expect(JSON.stringify(results)).not.toContain(ACCOUNT.password);
  expect(service.logged.join('\n')).not.toContain('secret-id-1');
});

test('only an admin manages providers', async () => {
  expect(await rolesThatMay(service, (as) => as.secrets.listProviders({}))).toEqual(['admin']);
  expect(await rolesThatMay(service, (as) => as.secrets.deleteProvider({ name: 'none' }))).toEqual(['admin']);
});

test('sources, Git remotes and channels refer to secrets: they are shown, read at each use, and listed', async () => {
  vault.secrets.set('outside', { token: 'token-from-outside-of-this-platform' });
  await create({ name: 'outside', kind: 'vault', url: vault.url, auth: approle }).catch(() => undefined);
  const reference = '$SECRET_outside:outside $KEY_token';
  const heard: string[] = [];
  const receiver = createServer((request, answer) => {
    heard.push(String(request.headers.authorization));
    answer.end('{"results":[],"count":0}');
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  afterAll(() => void receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const channel = { name: 'refers', type: 'webhook', url, secret: reference, token: reference };
  const { data } = (await api.notifications.createChannel({ channel } as never)) as {
    data: { _id: string; token: string };
  };
  expect(data.token).toBe(reference);
  expect(await api.notifications.testChannel({ id: data._id })).toMatchObject({ ok: true });
  expect(heard).toEqual(['Bearer token-from-outside-of-this-platform']);

  await api.inventory.createSource({
    source: { name: 'refers', type: 'netbox', url, token: reference },
  } as never);
  const preview = (await api.inventory.previewSource({ id: 'refers' } as never)) as {
    error: { code: string };
  };
  expect(preview.error.code).toBe('SOURCE_EMPTY');
  expect(heard.at(-1)).toContain('token-from-outside-of-this-platform');

  const remote = {
    url: 'https://127.0.0.1:9/a.git',
    branch: 'main',
    kinds: ['workflows'],
    direction: 'both',
  };
  const stored = (await api.git.createRemote({
    remote: { name: 'refers', ...remote, credential: { username: 'u', token: reference } },
  } as never)) as { data: { credential: { token: string } } };
  expect(stored.data.credential.token).toBe(reference);

  const used = await api.secrets.listReferences({});
  expect(used.results.filter(({ name }) => name === 'refers')).toEqual(
    ['git_remotes', 'inventory_sources', 'notification_channels'].map((kind) => ({
      ...{ reference, provider: 'outside', kind, name: 'refers' },
    })),
  );

  vault.secrets.delete('outside');
  await api.secrets.replaceProvider({
    name: 'outside',
    provider: { name: 'outside', kind: 'vault', url: vault.url, auth: approle, cacheSeconds: 0 },
  } as never);
  const missing = await api.notifications.testChannel({ id: data._id });
  expect(missing).toMatchObject({ ok: false, detail: expect.stringContaining('outside') });
  const failed = (await api.inventory.previewSource({ id: 'refers' } as never)) as {
    error: { code: string };
  };
  expect(failed.error.code).toBe('SECRET_NOT_FOUND');
});
