import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { issuesOf } from '../../helpers/configuration.ts';
import { cliHost, grpcHost, openGateway } from '../../helpers/gateway.ts';

const { db, done, send, vault } = await openGateway({ ALLOW_PRIVATE_TARGETS: '0' });

type Fields = Record<string, unknown>;
type Written = { status: string; message: string; data: Fields; metadata?: { ignored: string[] } };

const create = (kind: string, host: Fields) => done<Written>('POST', `/inventory/${kind}`, { host });
const read = (kind: string, name: string) =>
  done<Fields>('GET', `/inventory/${kind}/${encodeURIComponent(name)}`);

/** The secrets of a host as they lie in the database, opened. */
async function secretsOf(name: unknown): Promise<Fields> {
  const [row] = await rows<{ secrets: string; kind: string }>(
    db,
    sql`select secrets::text as secrets, kind from gateway_hosts where name = ${String(name)}`,
  );
  const sealed = JSON.parse(row?.secrets ?? '{}') as Record<string, string>;
  return Object.fromEntries(
    Object.entries(sealed).map(([place, text]) => [
      (JSON.parse(place) as string[]).join('.'),
      JSON.parse(
        vault.open(text, [
          'gateway_hosts',
          `${row?.kind}/${String(name)}`,
          ...(JSON.parse(place) as string[]),
        ]),
      ),
    ]),
  );
}

test('a cli host is stored with every field that clients read, its secrets as masks', async () => {
  const host = cliHost({ enablePassword: 'Raise-1' });
  const { status, data } = await create('cli', host);
  expect(status).toBe('Created');
  expect(data).toEqual({
    _id: expect.stringMatching(/^[0-9a-f]{24}$/),
    name: host.name,
    host: '192.0.2.11',
    port: 22,
    device_type: 'cisco_ios',
    ostype: 'cisco-ios',
    username: 'svc',
    password: '********',
    privateKey: null,
    enablePassword: '********',
    credential: null,
    hostKey: { algorithm: '', fingerprint: null, policy: 'accept-new' },
    options: { timeoutMs: 30_000, commandTimeoutMs: 60_000, legacyAlgorithms: false },
    tags: [],
    gbac: { read: [], write: [] },
    created: expect.any(String),
    lastUpdated: expect.any(String),
    lastSeen: null,
  });
  expect(await read('cli', host.name)).toEqual(data);
  expect(await secretsOf(host.name)).toEqual({ password: 'Lantern-42', enablePassword: 'Raise-1' });
});

test('a grpc host is stored with every field that clients read, the key of its TLS as a mask', async () => {
  const host = grpcHost({ tls: { key: 'PEM', serverName: 'leaf' } });
  const { data } = await create('grpc', host);
  expect(data).toMatchObject({
    port: 9339,
    password: '********',
    tls: { enabled: true, serverName: 'leaf', ca: '', cert: '', key: '********', skipVerify: false },
  });
  expect(data.options).toEqual({});
  expect(await secretsOf(host.name)).toEqual({ password: 'Lantern-43', 'tls.key': 'PEM' });
});

test('fields that we do not know stay, and secrets among them are masked too', async () => {
  const { data } = await create('cli', cliHost({ placement: { rack: 7 }, snmp: { authToken: 'hush' } }));
  expect(data).toMatchObject({ placement: { rack: 7 }, snmp: { authToken: '********' } });
  expect(await secretsOf(data.name)).toMatchObject({ 'snmp.authToken': 'hush' });
});

test('each inventory is a name space of its own', async () => {
  const host = cliHost();
  await create('cli', host);
  await create('grpc', grpcHost({ name: host.name }));
  expect((await send('POST', '/inventory/cli', { host })).status).toBe(409);
});

test.each([
  ['an unknown driver', { device_type: 'toaster_os' }, 'host.device_type'],
  ['no driver', { device_type: undefined }, 'host.device_type'],
  ['a metadata address', { host: '169.254.169.254' }, 'host.host'],
  ['a metadata address in another form', { host: '::ffff:a9fe:a9fe' }, 'host.host'],
  ['a link-local address', { host: 'fe80::1' }, 'host.host'],
  ['loopback', { host: '127.0.0.1' }, 'host.host'],
  ['loopback, short', { host: '127.1' }, 'host.host'],
  ['loopback as a number', { host: '0x7f000001' }, 'host.host'],
  ['no address at all', { host: 'a b' }, 'host.host'],
  [
    'a credential that there is not',
    { username: null, password: null, credential: 'none' },
    'host.credential',
  ],
  ['own fields beside a credential', { credential: 'none' }, 'host.credential'],
  ['a name that is a path', { name: 'export' }, 'host.name'],
  ['a name with a slash', { name: 'a/b' }, 'host.name'],
  ['a port out of range', { port: 70_000 }, 'host.port'],
  ['a fingerprint of another kind', { hostKey: { fingerprint: 'MD5:00' } }, 'host.hostKey.fingerprint'],
  ['readers without writers', { gbac: { read: ['g'], write: [] } }, 'host.gbac.write'],
])('%s is rejected, the field named', async (_, more, path) => {
  const answer = await send('POST', '/inventory/cli', { host: cliHost(more) });
  expect(answer.status).toBe(400);
  expect(issuesOf(answer).map((reported) => reported.split(':')[0])).toContain(path);
});

test('all mistakes are reported together', async () => {
  const answer = await send('POST', '/inventory/cli', {
    host: cliHost({ device_type: 'x', host: '127.0.0.1', credential: 'none' }),
  });
  expect(issuesOf(answer)).toHaveLength(4);
});

test('hosts in private networks, and hosts with a name, are accepted', async () => {
  await create('cli', cliHost({ host: '10.1.2.3' }));
  await create('cli', cliHost({ host: 'fd00:12::1' }));
  await create('cli', cliHost({ host: 'edge-1.example.net' }));
});

test('the mask keeps a secret, null and the empty text clear it', async () => {
  const host = cliHost({ enablePassword: 'Raise-1' });
  await create('cli', host);
  const path = `/inventory/cli/${host.name}`;
  const shown = await read('cli', host.name);
  await done('PUT', path, { host: shown });
  expect(await secretsOf(host.name)).toEqual({ password: 'Lantern-42', enablePassword: 'Raise-1' });
  await done('PATCH', path, { updates: { password: 'Lantern-44', enablePassword: null } });
  expect(await secretsOf(host.name)).toEqual({ password: 'Lantern-44' });
  expect(await read('cli', host.name)).toMatchObject({ password: '********', enablePassword: null });
  await done('PATCH', path, { updates: { password: '' } });
  expect(await secretsOf(host.name)).toEqual({});
  expect(await read('cli', host.name)).toMatchObject({ password: '' });
});

test('a mask where nothing is stored stays unset, and the message reports it', async () => {
  const { message, data } = await create('cli', cliHost({ password: '********' }));
  expect(message).toContain('Secrets still to be set: password.');
  expect(data.password).toBe('');
});

test.each([{ host: '192.0.2.99' }, { port: 2222 }])(
  'stored secrets are not sent elsewhere: %j needs them again',
  async (move) => {
    const host = cliHost({ enablePassword: 'Raise-1' });
    const { data } = await create('cli', host);
    const path = `/inventory/cli/${host.name}`;
    for (const answer of [
      await send('PATCH', path, { updates: move }),
      await send('PATCH', path, { updates: { ...move, password: '********', enablePassword: 'new' } }),
      await send('PUT', path, { host: { ...data, ...move } }),
    ]) {
      expect(answer.status).toBe(400);
      expect(issuesOf(answer).join()).toContain('password: must be sent again');
    }
    await done('PATCH', path, { updates: { ...move, password: 'again', enablePassword: null } });
    expect(await secretsOf(host.name)).toEqual({ password: 'again' });
    expect(await read('cli', host.name)).toMatchObject(move);
  },
);

test('a patch changes the fields that it names, also inside options; read-only fields are reported as ignored', async () => {
  const host = cliHost();
  await create('cli', host);
  const { data, metadata } = await done<Written>('PATCH', `/inventory/cli/${host.name}`, {
    updates: { options: { timeoutMs: 5000 }, device_type: 'cisco_nxos', created: '2026-01-01T00:00:00.000Z' },
  });
  expect(data).toMatchObject({
    username: 'svc',
    ostype: 'cisco-nx',
    options: { timeoutMs: 5000, commandTimeoutMs: 60_000 },
  });
  expect(metadata).toEqual({ ignored: ['created'] });
  const other = await send('PATCH', `/inventory/cli/${host.name}`, { updates: { colour: 'red' } });
  expect(other.status).toBe(400);
  const renamed = await send('PATCH', `/inventory/cli/${host.name}`, { updates: { name: 'other' } });
  expect(renamed.status).toBe(400);
});

test('a put replaces the whole host: what it does not name is gone', async () => {
  const host = cliHost({ tags: ['north'], floor: 5 });
  await create('cli', host);
  const { name, host: address, device_type } = host;
  const { data } = await done<Written>('PUT', `/inventory/cli/${name}`, {
    host: { name, host: address, device_type },
  });
  expect(data).toMatchObject({ tags: [], username: null, password: null });
  expect(data).not.toHaveProperty('floor');
  expect(await secretsOf(name)).toEqual({});
});

test('a caller with a stale version gets the conflict', async () => {
  const host = cliHost();
  const { data } = await create('cli', host);
  const path = `/inventory/cli/${host.name}`;
  await done('PATCH', path, { updates: { tags: ['a'] } }, { ifMatch: `"${data.lastUpdated}"` });
  const late = { ifMatch: `"${data.lastUpdated}"` };
  expect((await send('PATCH', path, { updates: { tags: ['b'] } }, late)).status).toBe(409);
  expect((await send('PUT', path, { host }, late)).status).toBe(409);
  expect((await send('DELETE', path, undefined, late)).status).toBe(409);
});

test('a host key is named without a connection, its policy stays', async () => {
  const host = cliHost({ hostKey: { policy: 'pinned' } });
  await create('cli', host);
  const fingerprint = `SHA256:${'a'.repeat(43)}`;
  await done('PUT', `/inventory/cli/${host.name}/hostKey`, { fingerprint });
  expect(await read('cli', host.name)).toMatchObject({ hostKey: { fingerprint, policy: 'pinned' } });
  expect(await secretsOf(host.name)).toEqual({ password: 'Lantern-42' });
  expect((await send('PUT', '/inventory/cli/none/hostKey', { fingerprint })).status).toBe(404);
  expect((await send('PUT', `/inventory/cli/${host.name}/hostKey`, { fingerprint: 'x' })).status).toBe(400);
});

test('lists filter by pairs of field and value, except secret fields', async () => {
  const host = cliHost({ device_type: 'arista_eos', tags: ['spine'] });
  await create('cli', host);
  const found = await done<{ results: Fields[]; total: number }>(
    'GET',
    '/inventory/cli?equals=arista_eos&equalsField=device_type',
    undefined,
    { as: 'apiread' },
  );
  expect(found).toMatchObject({ total: 1, results: [{ name: host.name, password: '********' }] });
  const tagged = await done<{ total: number }>('GET', '/inventory/cli?equals=spine&equalsField=tags');
  expect(tagged.total).toBe(1);
  expect((await send('GET', '/inventory/cli?contains=L&containsField=password')).status).toBe(400);
  expect((await send('GET', '/inventory/grpc?sort=tls.key')).status).toBe(400);
  expect((await send('GET', '/inventory/toasters')).status).toBe(400);
});

test('DELETE removes a host', async () => {
  const host = grpcHost();
  await create('grpc', host);
  expect(await done('DELETE', `/inventory/grpc/${host.name}`)).toMatchObject({ status: 'OK' });
  expect((await send('GET', `/inventory/grpc/${host.name}`)).status).toBe(404);
  expect((await send('DELETE', `/inventory/grpc/${host.name}`)).status).toBe(404);
});

test('the device types are listed, and can be searched', async () => {
  const all = await done<{ results: Fields[]; total: number }>('GET', '/cli/device_types?limit=1000');
  expect(all.results).toHaveLength(all.total);
  expect(all.results).toContainEqual({
    device_type: 'cisco_xr',
    ostype: 'cisco-ios-xr',
    description: 'Cisco IOS XR',
  });
  const some = await done<{ total: number }>(
    'GET',
    '/cli/device_types?startsWith=cisco&startsWithField=device_type',
  );
  expect(some.total).toBeGreaterThan(5);
});

test('only an admin writes and exports hosts; the test of an unknown host is 404', async () => {
  expect((await send('POST', '/inventory/cli', { host: cliHost() }, { as: 'apiwrite' })).status).toBe(403);
  expect((await send('GET', '/inventory/cli/export', undefined, { as: 'apiread' })).status).toBe(403);
  expect((await send('POST', '/inventory/cli/x/test', {})).status).toBe(404);
});
