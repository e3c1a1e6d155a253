import { expect, test } from 'vitest';
import { queryValue } from '#server/domains/workflow/query/find.ts';
import { compares } from '#server/domains/workflow/task-runs/values/compare.ts';
import { liveDevices } from '../../helpers/live-devices.ts';
import { openService } from '../../helpers/service.ts';
import { done, worldOf } from '../../helpers/task-runs.ts';

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
  expect(compares(statuses, '!contains', 'FAILURE')).toBe(true);
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

test('a host that rejects a line has the status FAILURE, and changes that are not active yet are discarded', async () => {
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
});
