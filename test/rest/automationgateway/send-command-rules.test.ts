import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import { openSimulatedHosts } from '../../helpers/devices/simulated-hosts.ts';
import { SCRIPTS } from '../../lab/devices/scripts.ts';
import { ACCOUNT, newHostKey, openDevice } from '../../lab/devices/simulator.ts';

const gateway = await openSimulatedHosts();
const { requested, db, device, devices, done, run } = gateway;

type Fields = Record<string, unknown>;
type Result = { command: string; status: string; output: string; failed_when: string | null; prompt: string };
type Sent = {
  status: string;
  code: number;
  result: Result[];
  session: { reused: boolean; host_key: { fingerprint: string } };
};

test('a changed key is rejected with both fingerprints, until the new one is confirmed', async () => {
  const { name, simulated } = await device('cisco_ios');
  const { session } = (await run(name, ['show version'])).json as Sent;
  const { port } = simulated;
  await simulated.close();
  const [script] = SCRIPTS;
  if (!script) throw new Error('there are scripts');
  devices.push(await openDevice(script, { port, hostKeys: [newHostKey()] }));
  const rejected = await run(name, ['show version']);
  expect(rejected).toMatchObject({ status: 502, json: { reason: 'HOST_KEY_CHANGED', stage: 'handshake' } });
  const { message, hostKey } = rejected.json as {
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

test('a pinned host shows its key or is rejected, and an insecure one is named in the log', async () => {
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

test('an invalid request is rejected before any connection', async () => {
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

test('the history and the audit trail record caller, host and command, without secrets', async () => {
  const { name } = await device('cisco_ios');
  await run(name, ['show version', `username x secret ${ACCOUNT.enable}`]);
  const { results } = await done<{ results: Fields[] }>('GET', `/history?equals=${name}&equalsField=host`);
  expect(results[0]).toMatchObject({
    kind: 'cli',
    host: name,
    status: 'partial',
    commands: ['show version', 'username x secret ********'],
  });
  const reported = await rows<{ doc: string }>(
    db,
    sql`select doc::text as doc from audit where doc -> 'document' ->> 'id' = ${name}`,
  );
  expect(reported.some(({ doc }) => doc.includes('partial in') && doc.includes('show version'))).toBe(true);
  expect(reported.some(({ doc }) => doc.includes(ACCOUNT.enable))).toBe(false);
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

test('a password in a URL goes to the device, and into neither the history, the audit nor the log', async () => {
  const { name, simulated } = await device('cisco_ios');
  const command = 'copy running-config scp://svc:Lantern-URL-5@192.0.2.9/r1.cfg';
  await gateway.service('admin', 'POST', '/automationgateway/cli/send_command', requested(name, [command]));
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

test('no secret was written to any log', () => {
  const text = gateway.logged.join('\n');
  for (const secret of [ACCOUNT.password, ACCOUNT.enable, 'wrong-Password'])
    expect(text.includes(secret)).toBe(false);
});
