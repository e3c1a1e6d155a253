import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { liveDevices } from '../../helpers/devices/live-devices.ts';
import { closedPort, openOrchestrator, orchestratorAdapter } from '../../helpers/devices/orchestrator.ts';
import * as tasks from '../../helpers/jobs/task-runs.ts';
import { isLong } from '../../helpers/long.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const peer = await openOrchestrator();
type Fields = Record<string, unknown>;
const send = (method: string, path: string, body?: unknown) => service.send('admin', method, path, body);
const done = async (method: string, path: string, body?: unknown): Promise<Fields> => {
  const answer = await send(method, path, body);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.json as Fields;
};
const device = liveDevices(done, service.platform.cli);
const PATH = '/configuration_manager/devices';
const push = (name: string, config: string, options?: Fields) =>
  send('POST', `${PATH}/${name}/configuration`, {
    config: { device: name, config },
    ...(options && { options }),
  });
const backupsOf = async (name: string) =>
  (await done('POST', '/configuration_manager/backups', { options: { filter: { name } } })).list as Fields[];

beforeEach(() => peer.behave());

test('the configuration is what the device prints now, without timestamps', async () => {
  const { name, config } = await device([
    '! Last configuration change at 10:00',
    'hostname edge-r1',
    ' mtu 9000',
  ]);
  const read = `${PATH}/${name}/configuration`;
  const text = { device: name, config: 'hostname edge-r1\n mtu 9000\n' };
  expect(await done('GET', read)).toEqual(text);
  config.running.push('ntp server 192.0.2.9');
  expect(await done('GET', `${read}/native`)).toEqual({
    ...text,
    config: `${text.config}ntp server 192.0.2.9\n`,
  });
  expect((await send('GET', `${read}/xml`)).status).toBe(400);
  expect((await service.send('apiread', 'GET', read)).status).toBe(200);
  expect((await send('GET', `${PATH}/nobody/configuration`)).status).toBe(404);
});

test('a device that cannot be read is 502, and one without a command that reads its configuration is 422', async () => {
  const { name } = await device([], 'cisco_ios', {}, { password: 'Wrong-Lantern-1' });
  expect(await send('GET', `${PATH}/${name}/configuration`)).toMatchObject({
    status: 502,
    json: { reason: 'DEVICE_AUTH_FAILED', host: name },
  });
  const empty = await device([]);
  expect(await send('POST', `${PATH}/backups`, { name: empty.name })).toMatchObject({
    status: 502,
    json: { reason: 'EMPTY_CONFIGURATION' },
  });
  expect(await backupsOf(empty.name)).toEqual([]);
  await done('POST', '/automationgateway/inventory/cli', {
    host: {
      name: 'thing',
      host: '192.0.2.7',
      device_type: 'generic',
      username: 'svc',
      password: 'Lantern-1',
    },
  });
  const unknown = await send('GET', `${PATH}/thing/configuration`);
  expect([unknown.status, unknown.text]).toEqual([422, expect.stringContaining('generic')]);
});

test('a backup has the text and the account that read it', async () => {
  const { name } = await device(['hostname edge-r1']);
  const { id, message } = await done('POST', `${PATH}/backups`, {
    name,
    options: { description: 'nightly' },
  });
  expect(message).toBe(`Device ${name} backed up successfully`);
  expect(await done('GET', `/configuration_manager/backups/${id}`)).toMatchObject({
    name,
    provider: 'gateway',
    type: 'native',
    description: 'nightly',
    rawConfig: 'hostname edge-r1\n',
  });
});

test('lines are pushed in their order, after a backup', async () => {
  const { name, simulated, config } = await device(['hostname edge-r1']);
  const { status, json } = await push(name, 'ntp server 192.0.2.9\n\n!\nno hostname edge-r1\nend\n');
  expect(status).toBe(200);
  const { backupId, ...rest } = json as Fields;
  expect(rest).toEqual({
    status: 'success',
    message: `Pushed 2 lines to ${name}`,
    result: [
      { line: 'ntp server 192.0.2.9', status: 'SUCCESS' },
      { line: 'no hostname edge-r1', status: 'SUCCESS' },
    ],
  });
  expect(config.running).toEqual(['ntp server 192.0.2.9']);
  expect(simulated.heard.slice(-5)).toEqual([
    'show running-config',
    'configure terminal',
    'ntp server 192.0.2.9',
    'no hostname edge-r1',
    'end',
  ]);
  expect(await backupsOf(name)).toMatchObject([{ id: backupId, description: 'before a push' }]);
  await push(name, 'mtu 9000', { backup: false });
  expect(await backupsOf(name)).toHaveLength(1);
});

test('a rejected line ends the push: the status of each line is reported, and the device leaves configuration mode', async () => {
  const { name, simulated, config } = await device(['hostname edge-r1']);
  expect(await push(name, 'mtu 9000\nrefused line\nntp server 192.0.2.9')).toMatchObject({
    status: 502,
    json: {
      reason: 'LINE_REFUSED',
      host: name,
      backupId: expect.any(String),
      data: [
        { line: 'mtu 9000', status: 'SUCCESS' },
        { line: 'refused line', status: 'FAILED', message: expect.stringContaining('% Invalid input') },
        { line: 'ntp server 192.0.2.9', status: 'NOT_SENT' },
      ],
    },
  });
  expect(config.running).toEqual(['hostname edge-r1', 'mtu 9000']);
  expect(simulated.heard.at(-1)).toBe('end');
});

test.skipIf(!isLong)(
  'a device with a candidate configuration activates all of the lines or none',
  async () => {
    const { name, simulated, config } = await device(['system host-name mx'], 'juniper_junos');
    expect((await push(name, 'set a 1\nrefused b')).status).toBe(502);
    expect(simulated.heard).toContain('rollback 0');
    expect(await push(name, 'set a 1\nclash')).toMatchObject({
      status: 502,
      json: { reason: 'COMMAND_REFUSED' },
    });
    const tried = await push(name, 'set a 1', { dryRun: true });
    expect(tried).toMatchObject({ status: 200, json: { result: [{ line: 'set a 1', status: 'SUCCESS' }] } });
    expect(simulated.heard).toContain('commit check');
    expect(config.running).toEqual(['system host-name mx']);
    expect((await push(name, 'set a 1')).status).toBe(200);
    expect(config.running).toEqual(['system host-name mx', 'set a 1']);
  },
);

test('a dry run sends nothing to a device that cannot try lines', async () => {
  const { name, simulated } = await device(['hostname edge-r1']);
  expect(await push(name, 'mtu 9000', { dryRun: true })).toMatchObject({
    status: 200,
    json: { message: expect.stringContaining('Nothing was sent'), result: [{ status: 'NOT_SENT' }] },
  });
  expect(simulated.sessions).toBe(0);
});

test.skipIf(!isLong)('a session that drops or hangs in mid-push reports the lines sent so far', async () => {
  const { name } = await device(
    ['hostname edge-r1'],
    'cisco_ios',
    {},
    { options: { commandTimeoutMs: 1000 } },
  );
  expect(await push(name, 'mtu 9000\ndrop\nntp server 192.0.2.9')).toMatchObject({
    status: 502,
    json: {
      reason: 'SESSION_LOST',
      data: [{ status: 'SUCCESS' }, { status: 'INCOMPLETE' }, { status: 'NOT_SENT' }],
      backupId: expect.any(String),
    },
  });
  expect(await push(name, 'mtu 1500\nhang')).toMatchObject({
    status: 504,
    json: { reason: 'COMMAND_TIMEOUT', data: [{ status: 'SUCCESS' }, { status: 'INCOMPLETE' }] },
  });
  expect((await push(name, 'mtu 1400')).status).toBe(200);
});

test.skipIf(!isLong)('one change at a time runs on a device, and a lost one releases it', async () => {
  const { name } = await device(['hostname edge-r1'], 'cisco_ios', { delayMs: 150 });
  const answers = await Promise.all([push(name, 'mtu 9000'), sleep(50).then(() => push(name, 'mtu 1500'))]);
  expect(answers.map(({ status }) => status)).toEqual([200, 409]);
  expect(answers[1]?.text).toContain(`Another change on device ${name} is running`);
  await service.db.execute(
    sql`insert into device_changes values (${name}, 'lost', clock_timestamp() - interval '1 second')`,
  );
  expect((await push(name, 'mtu 1500')).status).toBe(200);
});

test('an invalid text is rejected before the device is contacted', async () => {
  const { name, simulated } = await device(['hostname edge-r1']);
  for (const config of ['', '!\n', 'show ?', 'a\tb', 'banner motd ^C\nhello\n^C']) {
    expect((await push(name, config)).status, config).toBe(400);
  }
  const other = { config: { device: 'other', config: 'mtu 9000' } };
  expect((await send('POST', `${PATH}/${name}/configuration`, other)).status).toBe(400);
  expect(simulated.sessions).toBe(0);
});

test('a text of several lines is rejected in the form of each kind of device, and one of a single line is not', async () => {
  const port = await closedPort();
  for (const [device_type, several, single] of [
    ['huawei_vrp', 'header login information "\nhello\n"', 'header login information "hello"'],
    ['hp_comware', 'header motd %\nhello\n%', 'header motd %hello%'],
    ['arista_eos', 'banner motd\nhello\nEOF', 'event-handler a\n action bash /mnt/flash/a.sh'],
    ['cisco_ios', 'macro name m\nshutdown\n@', 'banner motd ^Chello^C'],
    ['cisco_asa', undefined, 'banner motd Keep out'],
  ] as const) {
    const name = `several-${device_type}`;
    const account = { username: 'svc', password: 'Lantern-1' };
    const host = { name, host: '127.0.0.1', port, device_type, ...account };
    await done('POST', '/automationgateway/inventory/cli', { host });
    if (several !== undefined)
      expect(await push(name, several)).toMatchObject({
        status: 400,
        text: expect.stringContaining('cannot be entered line by line'),
      });
    // Nobody answers there: the text itself was accepted.
    expect(await push(name, single)).toMatchObject({ status: 502, json: { reason: 'REFUSED' } });
  }
});

test('a device that does not answer is a result with the reason, and no error', async () => {
  const { name } = await device(['hostname edge-r1']);
  expect(await done('GET', `${PATH}/${name}/isAlive`)).toMatchObject({
    device: name,
    isAlive: true,
    reason: '',
  });
  await done('PATCH', `/automationgateway/inventory/cli/${name}`, {
    updates: { port: await closedPort(), password: 'Lantern-1', enablePassword: null },
  });
  expect(await done('GET', `${PATH}/${name}/isAlive`)).toMatchObject({ isAlive: false, reason: 'REFUSED' });
});

test('a device shows what its last test found, until it is changed', async () => {
  const { name } = await device(['hostname edge-r1']);
  const shown = async () => {
    const { status } = await done('GET', `${PATH}/${name}`);
    const page = await done('POST', PATH, { options: { filter: { name } } });
    expect(page).toMatchObject({ list: [{ status }] });
    return status;
  };
  expect(await shown()).toBe('UNKNOWN');
  await done('GET', `${PATH}/${name}/isAlive`);
  expect(await shown()).toBe('ONLINE');
  await done('PATCH', `/automationgateway/inventory/cli/${name}`, {
    updates: { port: await closedPort(), password: 'Lantern-1', enablePassword: null },
  });
  expect(await shown()).toBe('UNKNOWN');
  await done('GET', `${PATH}/${name}/isAlive`);
  expect(await shown()).toBe('OFFLINE');
  const host = await done('GET', `/automationgateway/inventory/cli/${name}`);
  expect(host.lastTest).toMatchObject({ isAlive: false });
  // The whole document can be sent back.
  const sentBack = await done('PATCH', `/automationgateway/inventory/cli/${name}`, { updates: host });
  expect(sentBack).toMatchObject({ metadata: { ignored: expect.arrayContaining(['lastTest']) } });
});

test('devices of an orchestrator are read through it, and not changed', async () => {
  await done('POST', '/adapters', { properties: orchestratorAdapter('orch', peer.port) });
  await done('POST', '/adapters/orch/sync', {});
  expect(await done('GET', `${PATH}/ce1/configuration`)).toEqual({
    device: 'ce1',
    config: `${JSON.stringify({ 'tailf-ncs:config': { hostname: 'ce1' } }, null, 2)}\n`,
  });
  expect(await done('GET', `${PATH}/ce1/isAlive`)).toMatchObject({ isAlive: true, sync: 'in-sync' });
  expect((await send('GET', `${PATH}/Pe-East/configuration`)).status).toBe(404);
  expect(await done('GET', `${PATH}/Pe-East/isAlive`)).toMatchObject({ isAlive: false });
  expect((await push('ce1', 'mtu 9000')).status).toBe(422);
});

test('a backup is compared with what its device has now', async () => {
  const { name, config } = await device(['hostname edge-r1']);
  const { id } = await done('POST', `${PATH}/backups`, { name });
  config.running.push('mtu 9000');
  const lookup = {
    id,
    collection: 'backups',
    nextId: name,
    nextCollection: 'devices',
    options: { type: 'line' },
  };
  expect(await done('PUT', '/configuration_manager/lookup_diff', lookup)).toEqual([
    [0, 'hostname edge-r1\n'],
    [1, 'mtu 9000\n'],
  ]);
});

test.skipIf(!isLong)('workflows send commands and take backups, each once', async () => {
  const { name } = await device(['hostname edge-r1']);
  const { caller } = await service.callerWith('admin');
  const world = tasks.worldOf(service, caller.id);
  const run = (app: string, task: string, incoming: Fields) => tasks.done(app, task, incoming, world);
  const sent = await run('AutomationGateway', 'sendCommand', {
    host: name,
    commands: ['show version', 'nonsense'],
  });
  expect(sent).toMatchObject({ finish: 'success', outgoing: { result: { status: 'partial', host: name } } });
  expect(
    await run('AutomationGateway', 'sendCommand', { host: 'nobody', commands: ['show version'] }),
  ).toMatchObject({
    finish: 'error',
    error: { code: 'NOT_FOUND' },
  });
  const select = (selection: object) => run('AutomationGateway', 'selectDevices', { selection });
  expect(await select({ pattern: name })).toMatchObject({
    finish: 'success',
    outgoing: { devices: [name], total: 1 },
  });
  expect(await select({ pattern: 'nobody-*' })).toMatchObject({ finish: 'error' });
  expect(await select({})).toMatchObject({ error: { variable: 'selection' } });
  expect(await select({ tags: 'core' })).toMatchObject({ error: { variable: 'selection.tags' } });
  const wrong = { host: name, commands: ['show version'], connection_options: { colour: 'red' } };
  expect(await run('AutomationGateway', 'sendCommand', wrong)).toMatchObject({
    finish: 'error',
    error: { variable: 'connection_options.colour' },
  });
  const first = await run('ConfigurationManager', 'backUpDevice', { name, options: { notes: 'by a job' } });
  expect(first).toMatchObject({ finish: 'success', outgoing: { backup: { name } } });
  expect(await run('ConfigurationManager', 'backUpDevice', { name })).toEqual(first);
  expect(await backupsOf(name)).toMatchObject([{ notes: 'by a job' }]);
  const trace = { host: 'nobody', destination: '192.0.2.1' };
  expect(await run('AutomationGateway', 'gnoiTraceroute', trace)).toMatchObject({
    error: { code: 'NOT_FOUND' },
  });
});
