import { request } from 'node:http';
import { sql } from 'drizzle-orm';
import { afterAll, expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { openGateway } from '../../helpers/gateway.ts';
import type { Mood } from '../../lab/devices/moods.ts';
import { SCRIPTS } from '../../lab/devices/scripts.ts';
import { ACCOUNT, type Device, newHostKey, openDevice } from '../../lab/devices/simulator.ts';

const gateway = await openGateway();
const { db, done, send } = gateway;

type Members = Record<string, unknown>;
type Result = { command: string; status: string; output: string; failed_when: string | null; prompt: string };
type Sent = {
  status: string;
  code: number;
  result: Result[];
  session: { reused: boolean; host_key: { fingerprint: string } };
};

const devices: Device[] = [];
afterAll(async () => {
  await gateway.platform.cli.close();
  await Promise.all(devices.map((device) => device.close()));
});

let counter = 0;

/** A simulated device, in the inventory under a name of its own. */
async function device(type: string, mood: Mood = {}, more: Members = {}, hostKeys?: string[]) {
  const script = SCRIPTS.find(({ device_type }) => device_type === type);
  if (!script) throw new Error(`no device ${type}`);
  const simulated = await openDevice(script, { mood, ...(hostKeys && { hostKeys }) });
  devices.push(simulated);
  const name = `${type}-${++counter}`;
  await done('POST', '/inventory/cli', {
    host: {
      name,
      host: '127.0.0.1',
      port: simulated.port,
      device_type: type,
      username: ACCOUNT.username,
      password: ACCOUNT.password,
      enablePassword: ACCOUNT.enable,
      ...more,
    },
  });
  return { name, type, simulated };
}

const asked = (host: string, commands: unknown, options: Members = {}, more: Members = {}) => ({
  cliSendCommandParameters: {
    host,
    commands,
    connection_options: { device_type: 'cisco_ios', ...options },
    ...more,
  },
});
const run = (host: string, commands: unknown, options: Members = {}, more: Members = {}) =>
  send('POST', '/cli/send_command', asked(host, commands, options, more));

test('commands run in one session, which the next call finds warm', async () => {
  const { name, simulated } = await device('cisco_ios');
  const first = await run(name, ['show version', 'show lines']);
  expect(first).toMatchObject({ status: 200, json: { status: 'success', code: 0, key: name, host: name } });
  const { result, session } = first.json as Sent;
  expect(result.map(({ output }) => output.split('\n').length)).toEqual([2, 300]);
  expect(session).toMatchObject({ reused: false, device_type: 'cisco_ios' });
  const second = (await run(name, ['show version'])).json as Sent;
  expect(second.session.reused).toBe(true);
  expect(simulated.sessions).toBe(1);
  expect(await done('GET', `/inventory/cli/${name}`)).toMatchObject({
    hostKey: session.host_key,
    lastSeen: expect.any(String),
  });
});

test('a command that the device refuses has failed, and the others have not', async () => {
  const { name } = await device('cisco_ios');
  const { status, json } = await run(name, ['show version', 'nonsense', 'show version']);
  expect(status).toBe(200);
  expect(json).toMatchObject({ status: 'partial', code: 1 });
  expect((json as Sent).result.map((one) => one.status)).toEqual(['success', 'failed', 'success']);
  expect((json as Sent).result[1]?.failed_when).toMatch(/^% Invalid input/);
});

test('a question that nobody answers ends the session, and what follows is skipped', async () => {
  const { name, simulated } = await device('cisco_ios');
  const { json } = await run(name, ['show version', 'show question', 'show version']);
  expect((json as Sent).result).toMatchObject([
    { status: 'success' },
    { status: 'failed', failed_when: 'INTERACTIVE_PROMPT', prompt: 'Proceed with reload? [confirm]' },
    { status: 'skipped', output: '' },
  ]);
  await run(name, ['show version']);
  expect(simulated.sessions).toBe(2);
});

test('a device that refuses our credential is 502, and never 401', async () => {
  const { name } = await device('cisco_ios', {}, { password: 'wrong-Password-1' });
  const refused = {
    status: 502,
    json: { code: 'BAD_GATEWAY', reason: 'DEVICE_AUTH_FAILED', host: name, retryable: false },
  };
  expect(await run(name, ['show version'])).toMatchObject(refused);
  const inShell = await device('cisco_wlc', {}, { password: 'wrong-Password-1' });
  expect(await run(inShell.name, ['show version'], { device_type: 'cisco_wlc' })).toMatchObject({
    status: 502,
    json: { reason: 'DEVICE_AUTH_FAILED' },
  });
});

test('a command that does not end in time is 504 with what was read', async () => {
  const { name, simulated } = await device('cisco_ios');
  const { status, json } = await run(name, ['show version', 'show hang', 'show version'], {
    read_timeout: 0.3,
  });
  expect(status).toBe(504);
  expect(json).toMatchObject({
    code: 'GATEWAY_TIMEOUT',
    reason: 'COMMAND_TIMEOUT',
    stage: 'command',
    partial: {
      status: 'partial',
      result: [{ status: 'success' }, { status: 'incomplete', output: 'so far\nand no' }],
    },
  });
  expect(simulated.stopped).toBe(1);
});

test('a device that breaks off in the middle is 502 with what was read', async () => {
  const { name } = await device('cisco_ios');
  expect(await run(name, ['show version', 'show drop'])).toMatchObject({
    status: 502,
    json: {
      reason: 'SESSION_LOST',
      partial: { result: [{ status: 'success' }, { status: 'incomplete', output: 'half of it\nand' }] },
    },
  });
});

test('a device without a prompt, and one that is not there, say so', async () => {
  const { name } = await device('cisco_ios', { silent: true }, { options: { timeoutMs: 1500 } });
  expect(await run(name, ['show version'])).toMatchObject({
    status: 502,
    json: { reason: 'PROMPT_NOT_FOUND' },
  });
  const gone = await device('cisco_ios');
  await gone.simulated.close();
  expect(await run(gone.name, ['show version'])).toMatchObject({
    status: 502,
    json: { reason: 'REFUSED', stage: 'connect', retryable: true },
  });
});

test('a key that changed is refused with both fingerprints, until somebody names it', async () => {
  const { name, simulated } = await device('cisco_ios');
  const { session } = (await run(name, ['show version'])).json as Sent;
  const { port } = simulated;
  await simulated.close();
  const [script] = SCRIPTS;
  if (!script) throw new Error('there are scripts');
  devices.push(await openDevice(script, { port, hostKeys: [newHostKey()] }));
  const refused = await run(name, ['show version']);
  expect(refused).toMatchObject({ status: 502, json: { reason: 'HOST_KEY_CHANGED', stage: 'handshake' } });
  const { message, hostKey } = refused.json as {
    message: string;
    hostKey: { expected: string; seen: string };
  };
  expect(hostKey.expected).toBe(session.host_key.fingerprint);
  expect(message).toContain(hostKey.seen);
  expect(message).toContain(hostKey.expected);
  expect(await done('GET', `/inventory/cli/${name}`)).toMatchObject({
    hostKey: { fingerprint: hostKey.expected, seen: { fingerprint: hostKey.seen } },
  });
  expect(await done('POST', `/inventory/cli/${name}/test`)).toMatchObject({
    ok: false,
    reason: 'HOST_KEY_CHANGED',
    hostKey: { fingerprint: hostKey.seen },
  });
  await done('PUT', `/inventory/cli/${name}/hostKey`, { fingerprint: hostKey.seen });
  expect(await run(name, ['show version'])).toMatchObject({ status: 200 });
  expect(await done('POST', `/inventory/cli/${name}/test`)).toMatchObject({ ok: true, prompt: 'edge-r1#' });
});

test('a pinned host shows its key or is refused, and an insecure one is named in the log', async () => {
  const pinned = await device('cisco_ios', {}, { hostKey: { policy: 'pinned' } });
  expect(await run(pinned.name, ['show version'])).toMatchObject({
    status: 502,
    json: { reason: 'HOST_KEY_UNKNOWN' },
  });
  const loose = await device(
    'cisco_ios',
    {},
    { hostKey: { policy: 'insecure', fingerprint: `SHA256:${'x'.repeat(43)}` } },
  );
  expect(await run(loose.name, ['show version'])).toMatchObject({ status: 200 });
  expect(gateway.logged.some((line) => line.includes('insecure') && line.includes(loose.name))).toBe(true);
});

test('what cannot be meant is refused before any connection', async () => {
  const { name, simulated } = await device('cisco_ios');
  for (const commands of [
    ['show version\nreload'],
    ['show\tversion'],
    [' '],
    [],
    ['show ?'],
    ['x'.repeat(5000)],
    ['a\u0000b'],
    Array(101).fill('show version'),
  ])
    expect((await run(name, commands)).status, JSON.stringify(commands).slice(0, 60)).toBe(400);
  expect(await run(name, ['show version'], { port: 0 })).toMatchObject({ status: 400 });
  expect(await run(name, ['show version'], { surprise: true })).toMatchObject({ status: 400 });
  expect(await run(name, ['show version'], { device_type: 'toaster' })).toMatchObject({ status: 422 });
  expect(await run(name, ['show version'], { device_type: 'linux' })).toMatchObject({ status: 409 });
  expect(await run('nobody', ['show version'])).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
  expect(await run('169.254.169.254', ['show version'], { username: 'a', password: 'b' })).toMatchObject({
    status: 400,
  });
  const unknown = { username: 'a', password: 'b', read_timeout: 2 };
  expect(await run('no-such-host.invalid', ['show version'], unknown)).toMatchObject({ status: 404 });
  expect(simulated.sessions).toBe(0);
});

test('an address that is in no inventory is reached with a credential of the call', async () => {
  const { simulated } = await device('cisco_ios');
  const { username, password } = ACCOUNT;
  const options = { username, password, port: simulated.port };
  expect(await run('127.0.0.1', ['show version'], options)).toMatchObject({ status: 200 });
  expect(await run('127.0.0.1', ['show version'], { port: simulated.port })).toMatchObject({ status: 404 });
});

test('the adapter of the gateway says whether addresses beside the inventory may be reached, and whether anything may', async () => {
  const { name, simulated } = await device('cisco_ios');
  const adapter = (method: string, path: string, body?: unknown) =>
    gateway.service('admin', method, `/adapters/gateway${path}`, body);
  const { username, password } = ACCOUNT;
  expect(await adapter('PUT', '/properties', { properties: { allowAdHoc: false } })).toMatchObject({
    status: 200,
  });
  expect(
    await run('127.0.0.1', ['show version'], { username, password, port: simulated.port }),
  ).toMatchObject({ status: 403 });
  expect(await run(name, ['show version'])).toMatchObject({ status: 200 });
  expect(await adapter('PUT', '/properties', { properties: { allowAdHoc: null } })).toMatchObject({
    status: 200,
  });
  expect(await adapter('PUT', '/stop')).toMatchObject({ status: 200 });
  expect(await run(name, ['show version'])).toMatchObject({ status: 409 });
  expect(await adapter('PUT', '/start')).toMatchObject({ status: 200 });
});

test('a call lays its own credential over that of the host, and nothing of it is stored', async () => {
  const { name } = await device('cisco_ios', {}, { password: 'wrong-Password-2' });
  expect(await run(name, ['show version'], { password: ACCOUNT.password, secret: null })).toMatchObject({
    status: 200,
  });
  expect(await run(name, ['show version'])).toMatchObject({ status: 502 });
});

test('a host is reached through another one', async () => {
  const jump = await device('linux');
  jump.simulated.forwards = true;
  const { name, simulated } = await device('cisco_ios');
  expect(await run(name, ['show version'], { jump_host: jump.name })).toMatchObject({ status: 200 });
  expect([simulated.logins, jump.simulated.logins]).toEqual([1, 1]);
  expect(await run(name, ['show version'], { jump_host: 'nobody' })).toMatchObject({ status: 404 });
});

test('who goes away before the answer stops the device', async () => {
  const { name, simulated } = await device('cisco_ios');
  const { token } = await gateway.callerWith('admin');
  const body = JSON.stringify(asked(name, ['show hang']));
  const sent = request({
    port: gateway.port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/automationgateway/cli/send_command',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    },
  });
  sent.on('error', () => undefined);
  sent.end(body);
  await expect.poll(() => simulated.heard).toContain('show hang');
  sent.destroy();
  await expect.poll(() => simulated.stopped).toBe(1);
  await expect
    .poll(
      async () =>
        (await done<{ results: Members[] }>('GET', `/history?equals=${name}&equalsField=host`)).results[0],
    )
    .toMatchObject({
      status: 'canceled',
    });
});

test('the history and the audit trail tell who asked what of whom, without secrets', async () => {
  const { name } = await device('cisco_ios');
  await run(name, ['show version', `username x secret ${ACCOUNT.enable}`]);
  const { results } = await done<{ results: Members[] }>('GET', `/history?equals=${name}&equalsField=host`);
  expect(results[0]).toMatchObject({
    kind: 'cli',
    host: name,
    status: 'partial',
    commands: ['show version', 'username x secret ********'],
  });
  const told = await rows<{ doc: string }>(
    db,
    sql`select doc::text as doc from audit where doc -> 'document' ->> 'id' = ${name}`,
  );
  expect(told.some(({ doc }) => doc.includes('partial in') && doc.includes('show version'))).toBe(true);
  expect(told.some(({ doc }) => doc.includes(ACCOUNT.enable))).toBe(false);
});

test('a template reads records out of an output', async () => {
  const { name } = await device('cisco_ios');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: TextFSM writes its values so
  const template = 'Value VERSION (\\S+)\n\nStart\n  ^Cisco.*Version ${VERSION} -> Record\n';
  const { json } = await run(
    name,
    ['show version', 'nonsense'],
    {},
    {
      parse: [
        { command: 'show version', template },
        { command: 'nonsense', name: 'none' },
      ],
    },
  );
  expect((json as { result: Members[] }).result[0]).toMatchObject({ parsed: [{ VERSION: '15.2(4)E10' }] });
  const none = await run(
    name,
    ['show version'],
    {},
    { parse: [{ command: 'show version', name: 'no such' }] },
  );
  expect(none).toMatchObject({
    status: 200,
    json: { result: [{ parse_error: expect.stringContaining('no such') }] },
  });
});

test('the same commands run on many hosts, each told of as it ends', async () => {
  const known = await Promise.all([
    device('cisco_ios'),
    device('linux'),
    device('huawei'),
    device('cisco_ios', {}, { password: 'no' }),
  ]);
  const hosts = [...known.map(({ name }) => name), 'nobody', known[0]?.name];
  const answer = await send('POST', '/cli/send_commands', {
    hosts,
    commands: ['show version'],
    concurrency: 3,
  });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toContain('application/x-ndjson');
  const lines = answer.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Members);
  expect(lines).toHaveLength(6);
  expect(lines.at(-1)).toMatchObject({ done: true, hosts: 5, ok: 3, failed: 2 });
  expect(lines.find(({ host }) => host === 'nobody')).toMatchObject({
    ok: false,
    error: { code: 'NOT_FOUND' },
  });
  expect(lines.find(({ host }) => host === known[3]?.name)).toMatchObject({
    ok: false,
    error: { reason: 'DEVICE_AUTH_FAILED' },
  });
  expect(lines.find(({ host }) => host === known[2]?.name)).toMatchObject({
    ok: true,
    status: 'success',
    device_type: 'huawei',
  });
});

test('a policy says which commands may be sent to what', async () => {
  const { name, simulated } = await device('cisco_ios');
  await done('POST', '/command_policies', {
    policy: {
      name: 'reads',
      roles: ['admin'],
      device_types: ['cisco_ios'],
      allow: ['show', 'ping'],
      deny: ['show tech'],
    },
  });
  try {
    expect(await run(name, ['sh version'])).toMatchObject({ status: 200 });
    for (const command of ['reload', 'show tech-support', 'show version | redirect flash:x', 's version']) {
      const before = simulated.heard.length;
      expect(await run(name, ['show version', command]), command).toMatchObject({
        status: 403,
        json: { reason: 'POLICY_DENIED' },
      });
      expect(simulated.heard.length).toBe(before);
    }
    const other = await device('linux');
    expect(await run(other.name, ['reload'], { device_type: 'linux' })).toMatchObject({ status: 200 });
  } finally {
    await done('DELETE', '/command_policies/reads');
  }
});

test('no secret was written to any log', () => {
  const text = gateway.logged.join('\n');
  for (const secret of [ACCOUNT.password, ACCOUNT.enable, 'wrong-Password'])
    expect(text.includes(secret)).toBe(false);
});

test('a password in a URL goes to the device, and into neither the history, the audit nor the log', async () => {
  const { name, simulated } = await device('cisco_ios');
  const command = 'copy running-config scp://svc:Lantern-URL-5@192.0.2.9/r1.cfg';
  await gateway.service('admin', 'POST', '/automationgateway/cli/send_command', asked(name, [command]));
  await gateway.service('admin', 'POST', '/mop/RunCommand', { command, device: name, variables: {} });
  await gateway.service('admin', 'POST', '/mop/RunCommandDevices', {
    command,
    devices: [name],
    variables: {},
  });
  expect(simulated.heard.filter((heard) => heard === command)).toHaveLength(3);
  const history = await gateway.service(
    'admin',
    'GET',
    `/automationgateway/history?equals=${name}&equalsField=host`,
  );
  const audit = await gateway.service('admin', 'GET', '/audit?limit=50');
  expect(history.json).toMatchObject({ total: 3 });
  expect(history.text).toContain('scp://svc:********@192.0.2.9/r1.cfg');
  expect(audit.text).toContain('scp://svc:********@192.0.2.9/r1.cfg');
  for (const kept of [history.text, audit.text, gateway.logged.join('')])
    expect(kept).not.toContain('Lantern-URL');
});
