import { expect, test } from 'vitest';
import { cliHost, grpcHost, openGateway } from '../../helpers/gateway.ts';

const { done, send, logged, service } = await openGateway();

type Row = {
  success: boolean;
  name: string;
  message: string;
  row?: number;
  issues?: { field: string; message: string }[];
};
type Imported = { message: string; data: Row[] };
const SECRET = 'Lantern-misspelled-9';

test.each([
  ['cli', cliHost, { pasword: SECRET }, 'pasword', 'password'],
  ['cli', cliHost, { usrname: 'x' }, 'usrname', 'username'],
  ['cli', cliHost, { enable_password: SECRET }, 'enable_password', 'enablePassword'],
  ['cli', cliHost, { options: { timeoutMS: 5 } }, 'options.timeoutMS', 'timeoutMs'],
  ['grpc', grpcHost, { tls: { skipVerfy: true } }, 'tls.skipVerfy', 'skipVerify'],
] as const)(
  'a %s host of an import with a field that nobody knows is rejected: %#',
  async (kind, make, more, field, meant) => {
    const good = make();
    const bad = make(more);
    const answer = await send('POST', `/inventory/${kind}/import`, { hosts: [good, bad] });
    expect(answer.status).toBe(200);
    const { message, data } = answer.json as Imported;
    expect(message).toBe('Imported 1 of 2 hosts');
    expect(data[0]).toMatchObject({ success: true, name: good.name });
    expect(data[1]).toMatchObject({ success: false, name: bad.name, row: 1, issues: [{ field }] });
    expect(data[1]?.message).toContain(`did you mean ${meant}?`);
    expect(answer.text).not.toContain(SECRET);
    expect((await send('GET', `/inventory/${kind}/${bad.name}`)).status).toBe(404);
  },
);

test('a field of an import that looks like no other is rejected by its name', async () => {
  const { data } = await done<Imported>('POST', '/inventory/cli/import', {
    hosts: [cliHost({ rackUnit: 3 })],
  });
  expect(data[0]).toMatchObject({ success: false, issues: [{ field: 'rackUnit' }] });
});

test('rows that are no hosts are rejected with their place, and the others are stored', async () => {
  const good = cliHost();
  const hosts = [
    5,
    null,
    {},
    { name: 'no-address' },
    cliHost({ port: 'ssh' }),
    good,
    cliHost({ password: 7 }),
  ];
  const { message, data } = await done<Imported>('POST', '/inventory/cli/import', { hosts });
  expect(message).toBe('Imported 1 of 7 hosts');
  expect(data.map(({ success }) => success)).toEqual([false, false, false, false, false, true, false]);
  expect(data[3]).toMatchObject({ name: 'no-address', row: 3, issues: [{ field: 'host' }] });
  expect(data[4]).toMatchObject({ row: 4, issues: [{ field: 'port' }] });
  expect((await send('GET', `/inventory/cli/${good.name}`)).status).toBe(200);
});

test('a dry run reports what would be done, and stores nothing', async () => {
  const [fresh, bad] = [cliHost(), cliHost({ pasword: SECRET })];
  const hosts = [fresh, bad];
  const { message, data } = await done<Imported>('POST', '/inventory/cli/import', {
    hosts,
    options: { dryRun: true },
  });
  expect(message).toBe('Would import 1 of 2 hosts');
  expect(data).toMatchObject([{ success: true, message: 'Would be created.' }, { success: false }]);
  expect((await send('GET', `/inventory/cli/${fresh.name}`)).status).toBe(404);
});

test('an import over a host keeps the fields of its own that it has', async () => {
  const host = cliHost({ rackUnit: 3 });
  await done('POST', '/inventory/cli', { host });
  const { hosts } = await done<{ hosts: { name: string }[] }>('GET', '/inventory/cli/export');
  const own = hosts.filter(({ name }) => name === host.name);
  const { data } = await done<Imported>('POST', '/inventory/cli/import', {
    hosts: own,
    options: { overwrite: true },
  });
  expect(data).toMatchObject([{ success: true }]);
});

test('a misspelled field of a host or a credential is rejected with the one that is meant', async () => {
  const host = await send('POST', '/inventory/cli', { host: cliHost({ pasword: SECRET }) });
  expect(host).toMatchObject({ status: 400, json: { issues: [{ path: ['host', 'pasword'] }] } });
  const credential = await send('POST', '/credentials', {
    credential: { name: 'typo', username: 'svc', passwrd: SECRET },
  });
  expect(credential).toMatchObject({ status: 400, json: { issues: [{ path: ['credential', 'passwrd'] }] } });
  expect(`${host.text}${credential.text}${logged.join('')}`).not.toContain(SECRET);
});

test.each([
  ['ios', 'cisco_ios'],
  ['cisco-ios', 'cisco_ios'],
  ['cisco.ios.ios', 'cisco_ios'],
  ['nxos_ssh', 'cisco_nxos'],
  ['iosxr', 'cisco_xr'],
  ['eos', 'arista_eos'],
  ['arista.eos.eos', 'arista_eos'],
  ['junipernetworks.junos.junos', 'juniper_junos'],
  ['JunOS', 'juniper_junos'],
])('the kind of device %s of another product is %s', async (given, device_type) => {
  const host = cliHost({ device_type: given });
  await done('POST', '/inventory/cli', { host });
  expect(await done('GET', `/inventory/cli/${host.name}`)).toMatchObject({ device_type });
  await done('POST', '/command_policies', {
    policy: { name: given, device_types: [given], deny: ['reload'] },
  });
  expect(await done('GET', `/command_policies/${given}`)).toMatchObject({ device_types: [device_type] });
  const sent = await send('POST', '/cli/send_command', {
    cliSendCommandParameters: {
      host: host.name,
      commands: ['reload'],
      connection_options: { device_type: given },
    },
  });
  expect(sent).toMatchObject({ status: 403, json: { reason: 'POLICY_DENIED' } });
});

test('an unknown kind of device is rejected with the nearest one', async () => {
  const host = await send('POST', '/inventory/cli', { host: cliHost({ device_type: 'cisco_ioss' }) });
  expect(host.status).toBe(400);
  expect(host.text).toContain('did you mean cisco_ios?');
  const sent = await send('POST', '/cli/send_command', {
    cliSendCommandParameters: {
      host: 'x',
      commands: ['x'],
      connection_options: { device_type: 'arista_eoss' },
    },
  });
  expect(sent.status).toBe(422);
  expect(sent.text).toContain('did you mean arista_eos?');
});

test('a tree accepts the names of other products for its platform, and rejects others with the nearest one', async () => {
  const make = (name: string, deviceType: string) =>
    service('admin', 'POST', '/configuration_manager/configs', { name, deviceType });
  for (const deviceType of ['cisco_ios', 'ios', 'cisco.ios.ios', 'arista_eos', 'junos'])
    expect((await make(`tree ${deviceType}`, deviceType)).status, deviceType).toBe(200);
  const rejected = await make('tree', 'cisco-iso');
  expect(rejected.status).toBe(400);
  expect(rejected.text).toContain('did you mean cisco-ios?');
});
