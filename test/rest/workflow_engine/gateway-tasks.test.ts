import { expect, test } from 'vitest';
import { queryValue } from '#server/domains/workflow/query/find.ts';
import { comparisonHolds } from '#server/domains/workflow/task-runs/values/compare.ts';
import { withCutOn } from '../../helpers/cut-statement.ts';
import { liveDevices } from '../../helpers/devices/live-devices.ts';
import { openWebService } from '../../helpers/devices/web-service.ts';
import { done, worldOf } from '../../helpers/jobs/task-runs.ts';
import { isLong } from '../../helpers/long.ts';
import { openService } from '../../helpers/service.ts';
import { ACCOUNT } from '../../lab/devices/simulator.ts';

type Json = Record<string, unknown>;

const service = await openService();
const { caller } = await service.callerWith('admin');
const world = worldOf(service, caller.id);
const make = async (method: string, path: string, body?: unknown): Promise<Json> => {
  const answer = await service.send('admin', method, path, body);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.json as Json;
};
const device = liveDevices(make, service.platform.cli);
const cli = (incoming: Json) => done('AGManager', 'itential_cli', incoming, world);
const gateway = (name: string, incoming: Json) => done('GatewayManager', name, incoming, world);
const configure = (incoming: Json) => done('AGManager', 'itential_netmiko_set_config', incoming, world);

test('every command runs on every host, and workflows find status and lines where they read them', async () => {
  const [one, other] = [await device(['hostname one']), await device(['hostname other'])];
  const { finish, outgoing } = await cli({
    _hosts: [one.name, other.name],
    _groups: '',
    command: ['show running-config', 'show version'],
  });
  expect(finish).toBe('success');
  const { stdout } = outgoing;
  expect(queryValue('completed[0].response[*].host', stdout)).toEqual([
    one.name,
    one.name,
    other.name,
    other.name,
  ]);
  expect(queryValue('completed[0].response[0].results.stdout_lines', stdout)).toEqual(['hostname one']);
  expect(queryValue('completed[0].response[2].stdout', stdout)).toBe('hostname other');
  const statuses = queryValue('completed[0].response[*].status', stdout);
  expect(statuses).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS', 'SUCCESS']);
  expect(comparisonHolds(statuses, '!contains', 'FAILURE')).toBe(true);
  expect(stdout).toMatchObject({ completed: [{ icode: 'AD.200' }], failed: [] });
});

test('a rejected command and a host that cannot be reached are failures of their own, and the task succeeds', async () => {
  const [good, lost] = [
    await device(['hostname good']),
    await device(['hostname lost'], 'cisco_ios', {}, { password: 'Wrong-Lantern-1' }),
  ];
  const { finish, outgoing } = await cli({
    _hosts: [lost.name, good.name],
    command: ['configure terminal', 'refused line', 'end'],
  });
  expect(finish).toBe('success');
  expect(queryValue('completed[0].response[*].status', outgoing.stdout)).toEqual([
    'FAILURE',
    'FAILURE',
    'FAILURE',
    'SUCCESS',
    'FAILURE',
    'SUCCESS',
  ]);
  expect(queryValue('completed[0].response[0].stdout', outgoing.stdout)).toMatch(/./);
});

test('hosts for which the connection to the database is lost get their commands once it is back, and once', async () => {
  const [one, other] = [await device(['hostname one']), await device(['hostname other'])];
  const { running } = await withCutOn(service.db, 'command_policies', async () => ({
    running: cli({ _hosts: [one.name, other.name], command: ['show running-config'] }),
  }));
  const { finish, outgoing } = await running;
  expect(finish).toBe('success');
  expect(queryValue('completed[0].response[*].stdout', outgoing.stdout)).toEqual([
    'hostname one',
    'hostname other',
  ]);
  for (const { simulated } of [one, other])
    expect(simulated.heard.filter((line) => line === 'show running-config')).toHaveLength(1);
});

test('device groups add their devices, and nothing is sent when a host is not in the inventory', async () => {
  const [one, other] = [await device(['hostname one']), await device(['hostname other'])];
  await make('POST', '/configuration_manager/devicegroup', {
    groupName: 'Lab',
    groupDescription: '',
    deviceNames: [other.name],
  });
  const both = await cli({ _hosts: one.name, _groups: ['Lab'], command: 'show version' });
  expect(queryValue('completed[0].response[*].host', both.outgoing.stdout)).toEqual([one.name, other.name]);
  const before = one.simulated.heard.length;
  const missing = await cli({ _hosts: [one.name, 'nobody'], command: ['show version'] });
  expect(missing).toMatchObject({
    finish: 'error',
    error: { message: 'Not all devices available: nobody', hosts: ['nobody'] },
    outgoing: { stdout: { completed: [], failed: [{ message: 'Not all devices available: nobody' }] } },
  });
  expect(one.simulated.heard.length).toBe(before);
  expect((await cli({ _hosts: '', _groups: '', command: ['show version'] })).error?.message).toBe(
    '_hosts names no host',
  );
  expect((await cli({ _hosts: [one.name], command: [{}] })).error?.message).toBe('command.0 must be text');
  expect((await cli({ _hosts: [one.name], command: [] })).error?.message).toBe('command is missing');
  const group = await cli({ _groups: 'Nowhere', command: ['show version'] });
  expect(group.error).toMatchObject({ code: 'NOT_FOUND' });
});

test('hosts that the account of the job may not see are not available to it', async () => {
  const { name } = await device(['hostname one']);
  const { data: group } = await make('POST', '/authorization/groups', { group: { name: 'Others' } });
  const id = (group as { _id: string })._id;
  await make('PATCH', `/automationgateway/inventory/cli/${name}`, {
    updates: { gbac: { read: [id], write: [id] } },
  });
  const reader = await service.callerWith('apiread');
  const outcome = await done(
    'AGManager',
    'itential_cli',
    { _hosts: [name], command: ['show version'] },
    worldOf(service, reader.caller.id),
  );
  expect(outcome.error?.message).toBe(`Not all devices available: ${name}`);
});

test('lines are sent in the configuration mode, below their parents, and the configuration is saved', async () => {
  const { name, simulated, config } = await device(['hostname one']);
  const { finish, outgoing } = await configure({
    _hosts: [name],
    _groups: '',
    lines: ['ntp server 192.0.2.9', 'mtu 9000'],
    parents: ['interface GigabitEthernet0/1'],
    save_command: 'show version',
    end_command: '',
    enable_mode: true,
    provider: {},
  });
  expect(finish).toBe('success');
  expect(queryValue('completed[0].response[0].status', outgoing.stdout)).toBe('SUCCESS');
  expect(config.running).toEqual([
    'hostname one',
    'interface GigabitEthernet0/1',
    'ntp server 192.0.2.9',
    'mtu 9000',
  ]);
  expect(simulated.heard.slice(-2)).toEqual(['end', 'show version']);
});

test.skipIf(!isLong)(
  'a host that rejects a line has the status FAILURE, and changes that are not active yet are discarded',
  async () => {
    const { name, config } = await device(['set system host-name mx-1'], 'juniper_junos');
    const { finish, outgoing } = await configure({
      _hosts: [name],
      lines: ['set system ntp server 192.0.2.9', 'refused line', 'set system domain-name example.net'],
    });
    expect(finish).toBe('success');
    expect(queryValue('completed[0].response[0].status', outgoing.stdout)).toBe('FAILURE');
    expect(config.running).toEqual(['set system host-name mx-1']);
    expect((await configure({ _hosts: [name], lines: '' })).error?.message).toBe('lines is missing');
    const wrong = await configure({ _hosts: [name], lines: ['a'], provider: { port: 99_999 } });
    expect(wrong.error?.message).toBe('connection_options.port must be 1 to 65535');
  },
);

const web = await openWebService((request, response) => {
  const url = new URL(request.url ?? '/', 'http://web');
  const isMissing = url.pathname.endsWith('/missing');
  response
    .writeHead(isMissing ? 404 : 200, { 'Content-Type': 'application/json' })
    .end(JSON.stringify(isMissing ? { message: 'The requested Pool was not found' } : { name: 'pool-1' }));
});
await make('POST', '/automationgateway/credentials', {
  credential: { name: 'load balancers', username: 'svc', password: 'Lantern-77', scope: ['http'] },
});
await make('POST', '/automationgateway/inventory/http', {
  host: {
    name: 'bigip-1',
    host: '127.0.0.1',
    port: web.port,
    protocol: 'http',
    base_path: '/mgmt',
    credential: 'load balancers',
  },
});
const sendRequest = (incoming: Json) =>
  done('AutomationGateway', 'sendRequest', { host: 'bigip-1', method: 'GET', ...incoming }, world);
const STORED = `Basic ${Buffer.from('svc:Lantern-77').toString('base64')}`;

test('a request reaches a host of the http inventory with the stored account, as exports write it', async () => {
  web.seen.length = 0;
  const { finish, outgoing } = await sendRequest({
    endpoint: '/tm/ltm/pool',
    method: 'POST',
    params: { expand: true },
    data: { name: 'pool-1' },
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    cookies: { a: 'b c' },
    auth: { username: '{{username}}', password: '{{password}}' },
    timeout: '',
    allowRedirects: false,
    proxies: '',
    verify: false,
    adapter_id: 'gateway',
  });
  expect(finish).toBe('success');
  expect(queryValue('response.name', outgoing.result)).toBe('pool-1');
  expect(web.seen[0]).toMatchObject({ method: 'POST', url: '/mgmt/tm/ltm/pool?expand=true' });
  expect(web.seen[0]?.body).toBe('{"name":"pool-1"}');
  expect(web.seen[0]?.headers).toMatchObject({ authorization: STORED, cookie: 'a=b%20c' });
  await sendRequest({ endpoint: '/x', auth: { username: 'bar', password: 'Own-1' } });
  expect(web.seen[1]?.headers.authorization).toBe(`Basic ${Buffer.from('bar:Own-1').toString('base64')}`);
  const history = await make('GET', '/automationgateway/history?limit=100');
  const calls = (history.results as Json[]).filter(({ host }) => host === 'bigip-1');
  expect(calls.at(-1)).toMatchObject({ kind: 'http', user: caller.username, status: 'success' });
  expect(JSON.stringify([outgoing, calls])).not.toContain('Lantern-77');
});

test('an answer of 400 or more is an error in the format of adapters, with the text that workflows search', async () => {
  const { finish, error } = await sendRequest({ endpoint: '/tm/ltm/pool/missing' });
  expect(finish).toBe('error');
  const reported = queryValue('IAPerror.raw_response.response', error);
  expect(comparisonHolds(reported, 'contains', 'was not found')).toBe(true);
  const unknown = await done(
    'AutomationGateway',
    'sendRequest',
    { host: 'nobody', endpoint: '/', method: 'GET' },
    world,
  );
  expect(queryValue('IAPerror.raw_response.response', unknown.error)).toBe('HTTP host nobody does not exist');
});

test.each<[Json, string]>([
  [{ host: 'nobody', endpoint: '/x' }, 'HTTP host nobody does not exist'],
  [{ endpoint: '/../admin' }, 'endpoint must not contain . or .. as a segment'],
  [{ endpoint: 'http://example.net/' }, 'endpoint must be a path that begins with /'],
  [{ endpoint: '/x', proxies: { http: 'http://proxy' } }, 'proxies is not supported'],
  [{ endpoint: '/x', timeout: 601 }, 'timeout must be more than 0 and up to 600 seconds'],
  [{ endpoint: '/x', auth: { username: 'bar' } }, 'auth must have both username and password'],
  [{ endpoint: '/x', headers: { Host: 'a' } }, 'headers.Host is not a header that a request may set'],
])('a request that cannot be sent names what is wrong: %j', async (incoming, message) => {
  web.seen.length = 0;
  const { finish, error } = await sendRequest(incoming);
  expect(finish).toBe('error');
  expect(error?.message).toContain(message);
  expect(web.seen).toEqual([]);
});

test('a host of the http inventory is no device, and its secrets do not follow it to another protocol', async () => {
  const found = await service.send('admin', 'GET', '/configuration_manager/devices/bigip-1');
  expect(found.status).toBe(404);
  const own = { name: 'web-1', host: '192.0.2.5', username: 'a', password: 'Lantern-78' };
  await make('POST', '/automationgateway/inventory/http', { host: own });
  const stored = await make('GET', '/automationgateway/inventory/http/web-1');
  expect(stored).toMatchObject({ protocol: 'https', port: 443, base_path: '', password: '********' });
  const moved = await service.send('admin', 'PATCH', '/automationgateway/inventory/http/web-1', {
    updates: { protocol: 'http' },
  });
  expect(moved).toMatchObject({ status: 400, json: { issues: [{ code: 'secret_needed' }] } });
  const wrong = await service.send('admin', 'POST', '/automationgateway/inventory/http', {
    host: { ...own, name: 'web-2', base_path: '/a/../b', tls: { serverName: 'x' } },
  });
  expect(wrong.status).toBe(400);
  expect((wrong.json as { issues: { path: string[] }[] }).issues.map(({ path }) => path.join('.'))).toEqual([
    'host.base_path',
    'host.tls.serverName',
  ]);
});

test.skipIf(!isLong)(
  'hosts named by inventory and node run commands, and each result says whether it succeeded',
  async () => {
    const [good, lost] = [
      await device(['hostname good']),
      await device(['hostname lost'], 'cisco_ios', {}, { password: 'Wrong-Lantern-1' }),
    ];
    const { finish, outgoing } = await gateway('sendCommand', {
      clusterId: 'any',
      commands: ['show running-config', 'refused line'],
      inventory: [{ inventory: 'lab', nodeNames: [good.name] }, { nodeNames: lost.name }],
    });
    expect(finish).toBe('success');
    expect(queryValue('status', outgoing.result)).toBe('completed');
    expect(queryValue('result.results[*].success', outgoing.result)).toEqual([true, false, false, false]);
    expect(queryValue('result.results[0]', outgoing.result)).toEqual({
      name: good.name,
      command: 'show running-config',
      success: true,
      output: 'hostname good',
    });
    const before = good.simulated.heard.length;
    expect(
      await gateway('sendCommand', { inventory: [good.name, 'nobody'], commands: 'show version' }),
    ).toMatchObject({
      finish: 'error',
      error: { message: 'Not all devices available: nobody', hosts: ['nobody'] },
      outgoing: { result: { status: 'failed', result: { results: [] } } },
    });
    expect(good.simulated.heard.length).toBe(before);
  },
);

test.skipIf(!isLong)(
  'a configuration is sent to hosts as text or lines, and a rejected line makes its host fail',
  async () => {
    const { name, config } = await device(['hostname one']);
    const sent = await gateway('sendConfig', {
      clusterId: 'any',
      config: 'interface GigabitEthernet0/1\n mtu 9000\n',
      inventory: [{ inventory: 'lab', nodeNames: [name] }],
    });
    expect(sent.finish).toBe('success');
    expect(queryValue('result.results[0].success', sent.outgoing.result)).toBe(true);
    expect(config.running.map((line) => line.trim())).toEqual([
      'hostname one',
      'interface GigabitEthernet0/1',
      'mtu 9000',
    ]);
    const rejected = await gateway('sendConfig', { config: ['refused line'], inventory: name });
    expect(rejected.finish).toBe('success');
    expect(queryValue('result.results[*].success', rejected.outgoing.result)).toEqual([false]);
  },
);

test.each<[Json, string]>([
  [{ commands: 'show version', inventory: '' }, 'inventory names no host'],
  [{ commands: 'show version', inventory: [{ inventory: 'lab' }] }, 'inventory.0.nodeNames is missing'],
  [{ commands: 'show version', inventory: [7] }, 'inventory.0 must be a name'],
  [{ commands: [], inventory: ['edge-1'] }, 'commands is missing'],
])('a command for nodes that cannot be sent names what is wrong: %j', async (incoming, message) => {
  const { finish, error } = await gateway('sendCommand', incoming);
  expect(finish).toBe('error');
  expect(error?.message).toBe(message);
});

test.skipIf(!isLong)('a host is added, put into a group and connected to', async () => {
  const { simulated } = await device(['hostname new']);
  const task = (name: string, incoming: Json) => done('AutomationGateway', name, incoming, world);
  const added = await task('createDeviceRaw', {
    name: 'edge-new',
    variables: {
      ansible_host: '127.0.0.1',
      ansible_port: String(simulated.port),
      ansible_network_os: 'cisco.ios.ios',
      ansible_user: ACCOUNT.username,
      ansible_password: ACCOUNT.password,
      ansible_become_password: ACCOUNT.enable,
    },
  });
  expect(added).toMatchObject({
    finish: 'success',
    outgoing: { result: { name: 'edge-new', device_type: 'cisco_ios', password: '********' } },
  });
  const again = await task('createDeviceRaw', { name: 'edge-new', variables: { ansible_host: '192.0.2.1' } });
  expect(again).toMatchObject({ finish: 'error', error: { code: 'CONFLICT' } });
  await make('POST', '/configuration_manager/devicegroup', {
    groupName: 'New ones',
    groupDescription: '',
    deviceNames: [],
  });
  const grouped = await task('addDeviceToDeviceGroup', { name: 'New ones', devices: 'edge-new' });
  expect(grouped).toMatchObject({ finish: 'success', outgoing: { result: { devices: ['edge-new'] } } });
  expect(await task('connectDevice', { name: 'edge-new' })).toMatchObject({
    finish: 'success',
    outgoing: { result: { ok: true } },
  });
  await simulated.close();
  const lost = await task('connectDevice', { name: 'edge-new' });
  expect(lost).toMatchObject({ finish: 'error', outgoing: { result: { ok: false } } });
  expect((await task('createDeviceRaw', { name: 'x', variables: {} })).error?.message).toBe(
    'variables.ansible_host is missing',
  );
});
