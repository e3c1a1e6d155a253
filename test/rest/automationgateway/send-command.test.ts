import { request } from 'node:http';
import { expect, test } from 'vitest';
import { withCutOn } from '../../helpers/cut-statement.ts';
import { openSimulatedHosts } from '../../helpers/devices/simulated-hosts.ts';
import { isLong } from '../../helpers/long.ts';
import { until } from '../../helpers/processes/processes.ts';
import { ACCOUNT } from '../../lab/devices/simulator.ts';

const gateway = await openSimulatedHosts();
const { requested, device, done, run, send } = gateway;

type Fields = Record<string, unknown>;
type Result = { command: string; status: string; output: string; failed_when: string | null; prompt: string };
type Sent = {
  status: string;
  code: number;
  result: Result[];
  session: { reused: boolean; host_key: { fingerprint: string } };
};

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

test('a command that the device rejects has failed, and the others have not', async () => {
  const { name } = await device('cisco_ios');
  const { status, json } = await run(name, ['show version', 'nonsense', 'show version']);
  expect(status).toBe(200);
  expect(json).toMatchObject({ status: 'partial', code: 1 });
  expect((json as Sent).result.map((one) => one.status)).toEqual(['success', 'failed', 'success']);
  expect((json as Sent).result[1]?.failed_when).toMatch(/^% Invalid input/);
});

test.skipIf(!isLong)(
  'an unanswered question ends the session, and the commands after it are skipped',
  async () => {
    const { name, simulated } = await device('cisco_ios');
    const { json } = await run(name, ['show version', 'show question', 'show version']);
    expect((json as Sent).result).toMatchObject([
      { status: 'success' },
      { status: 'failed', failed_when: 'INTERACTIVE_PROMPT', prompt: 'Proceed with reload? [confirm]' },
      { status: 'skipped', output: '' },
    ]);
    await run(name, ['show version']);
    expect(simulated.sessions).toBe(2);
  },
);

test('a device that rejects our credential is 502, and never 401', async () => {
  const { name } = await device('cisco_ios', {}, { password: 'wrong-Password-1' });
  const rejected = {
    status: 502,
    json: { code: 'BAD_GATEWAY', reason: 'DEVICE_AUTH_FAILED', host: name, retryable: false },
  };
  expect(await run(name, ['show version'])).toMatchObject(rejected);
  const inShell = await device('cisco_wlc', {}, { password: 'wrong-Password-1' });
  expect(await run(inShell.name, ['show version'], { device_type: 'cisco_wlc' })).toMatchObject({
    status: 502,
    json: { reason: 'DEVICE_AUTH_FAILED' },
  });
});

test.skipIf(!isLong)('a command that does not end in time is 504 with what was read', async () => {
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

test.skipIf(!isLong)(
  'a device without a prompt, and one that does not exist, are reported as such',
  async () => {
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
  },
);

test.skipIf(!isLong)('a host is reached through another one', async () => {
  const jump = await device('linux');
  jump.simulated.forwards = true;
  const { name, simulated } = await device('cisco_ios', {}, { options: { allowOverrides: true } });
  expect(await run(name, ['show version'], { jump_host: jump.name })).toMatchObject({ status: 200 });
  expect([simulated.logins, jump.simulated.logins]).toEqual([1, 1]);
  expect(await run(name, ['show version'], { jump_host: 'nobody' })).toMatchObject({ status: 404 });
});

test('a client that disconnects before the answer stops the command on the device', async () => {
  const { name, simulated } = await device('cisco_ios');
  const { token } = await gateway.callerWith('admin');
  const body = JSON.stringify(requested(name, ['show hang']));
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
        (await done<{ results: Fields[] }>('GET', `/history?equals=${name}&equalsField=host`)).results[0],
    )
    .toMatchObject({
      status: 'canceled',
    });
});

test.skipIf(!isLong)('a template reads records out of the outputs of many hosts', async () => {
  const { name } = await device('cisco_ios');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: TextFSM writes its values so
  const template = 'Value VERSION (\\S+)\n\nStart\n  ^Cisco.*Version ${VERSION} -> Record\n';
  const parsedBy = async (parse: object[]) => {
    const body = { hosts: [name], commands: ['show version', 'nonsense'], parse };
    const { text } = await send('POST', '/cli/send_commands', body);
    return (JSON.parse(text.split('\n')[0] ?? '') as { result: Fields[] }).result[0];
  };
  const parse = [
    { command: 'show version', template },
    { command: 'nonsense', name: 'none' },
  ];
  expect(await parsedBy(parse)).toMatchObject({ parsed: [{ VERSION: '15.2(4)E10' }] });
  expect(await parsedBy([{ command: 'show version', name: 'no such' }])).toMatchObject({
    parse_error: expect.stringContaining('no such'),
  });
});

test('the documented request for one device accepts no field beside the documented ones', async () => {
  const answer = await run('nobody', ['show version'], {}, { parse: [] });
  expect(answer).toMatchObject({
    status: 400,
    json: { issues: [{ path: ['cliSendCommandParameters', 'parse'], code: 'unrecognized_keys' }] },
  });
});

test('the same commands run on many hosts, and each is reported as it ends', async () => {
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
  const asText = await gateway.service(
    'admin',
    'POST',
    '/automationgateway/cli/send_commands',
    { hosts: ['nobody'], commands: ['show version'] },
    { headers: { Accept: 'text/plain' } },
  );
  expect(asText.headers['content-type']).toContain('text/plain');
  expect(asText.text.split('\n')[0]).toContain('"host":"nobody"');
  const lines = answer.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Fields);
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

test('no secret was written to any log', () => {
  const text = gateway.logged.join('\n');
  for (const secret of [ACCOUNT.password, ACCOUNT.enable, 'wrong-Password'])
    expect(text.includes(secret)).toBe(false);
});

test.skipIf(!isLong)(
  'of many hosts, one for which the database is lost says so, and what a device has done is reported all the same',
  async () => {
    const lineOf = async (answering: Promise<{ text: string }>) =>
      JSON.parse((await answering).text.split('\n')[0] ?? '') as Fields;
    const { name, simulated } = await device('cisco_ios');
    const sendTo = (commands: string[]) =>
      send('POST', '/cli/send_commands', { hosts: [name], commands, options: { read_timeout: 2 } });
    const before = await withCutOn(gateway.db, 'gateway_hosts', async () => ({
      answering: sendTo(['show version']),
    }));
    expect(await lineOf(before.answering)).toMatchObject({
      ok: false,
      error: {
        code: 'SERVICE_UNAVAILABLE',
        message: 'The database is not available at the moment; retry later',
      },
    });
    const answering = sendTo(['show version', 'show hang']);
    await until('a session', async () => simulated.sessions === 1 || undefined);
    // The key that the device showed is to be recorded afterwards.
    await withCutOn(gateway.db, 'gateway_hosts', async () => undefined);
    expect(await lineOf(answering)).toMatchObject({
      ok: false,
      error: {
        code: 'GATEWAY_TIMEOUT',
        partial: { result: [{ command: 'show version', status: 'success' }, { command: 'show hang' }] },
      },
    });
  },
);
