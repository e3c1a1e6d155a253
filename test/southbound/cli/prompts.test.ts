import type { AddressInfo } from 'node:net';
import ssh2 from 'ssh2';
import { afterAll, expect, test } from 'vitest';
import { openCli } from '#server/southbound/cli/cli.ts';
import { isProgress } from '#server/southbound/cli/reading/prompt.ts';
import { at, never } from '../../helpers/devices/cli.ts';
import type { Script } from '../../lab/devices/script.ts';
import { SCRIPTS } from '../../lab/devices/scripts.ts';
import { ACCOUNT, newHostKey, openDevice } from '../../lab/devices/simulator.ts';

const cli = openCli({ allowPrivateTargets: true, insecure: () => undefined });
afterAll(() => cli.close());

const kindOf = (deviceType: string): Script => {
  const script = SCRIPTS.find(({ device_type }) => device_type === deviceType);
  if (!script) throw new Error(`there is no ${deviceType}`);
  return script;
};

test.each([
  ['cisco_ios', '[%t]edge-r1#', '[%t]edge-r1>'],
  ['cisco_ios', '%t edge-r1#', '%t edge-r1>'],
  ['cisco_nxos', '2026-02-03 %t leaf-n1# ', undefined],
  ['arista_eos', 'leaf-a1.%t#', undefined],
  ['linux', '[%t] svc@host-1:~$ ', undefined],
])(
  'a device of type %s whose prompt %j shows the time answers, and keeps its session',
  async (deviceType, prompt, exec) => {
    const device = await openDevice({ ...kindOf(deviceType), prompt, ...(exec && { exec }) });
    const target = at(device, { deviceType });
    const commands = ['show version', 'show utf8'];
    const { result } = await cli.run(target, commands, never());
    expect(result.map(({ status }) => status)).toEqual(['success', 'success']);
    expect(result[1]?.output).toBe('Zürich → 東京 ✓');
    const again = await cli.run(target, commands, never());
    expect(again.session?.reused).toBe(true);
    expect(again.result[1]?.output).toBe('Zürich → 東京 ✓');
    await device.close();
  },
);

test('a line with the time above each prompt is no part of an output', async () => {
  const device = await openDevice({ ...kindOf('frr'), above: '3 Feb 2026 %t' });
  const { result } = await cli.run(
    at(device, { deviceType: 'generic' }),
    ['show utf8', 'show utf8'],
    never(),
  );
  expect(result.map(({ output }) => output)).toEqual(['Zürich → 東京 ✓', 'Zürich → 東京 ✓']);
  await device.close();
});

test('what an IOS device prints before each output, its load and the time, is no part of it', async () => {
  const device = await openDevice({
    ...kindOf('cisco_ios'),
    preamble:
      'Load for five secs: 4%/0%; one minute: 3%; five minutes: 3%\r\nTime source is NTP, 07:58:35.117 UTC Tue Feb 3 2026\r\n\r\n',
  });
  const { result } = await cli.run(at(device), ['show version'], never());
  expect(result[0]?.output).toBe(`${kindOf('cisco_ios').version}\nuptime is 3 weeks`);
  await device.close();
});

test('a device that asks for user name and password together is sent both', async () => {
  const mood = { auth: 'questions', asksToo: { prompt: 'Username: ', answer: ACCOUNT.username } } as const;
  const device = await openDevice(kindOf('frr'), { mood });
  const { result } = await cli.run(at(device, { deviceType: 'frr' }), ['show utf8'], never());
  expect(result[0]?.status).toBe('success');
  await device.close();
});

test('a device that asks for a second secret beside the password is not sent the password in its place', async () => {
  const mood = { auth: 'questions', asksToo: { prompt: 'Token: ', answer: '123456' } } as const;
  const device = await openDevice(kindOf('frr'), { mood });
  await expect(cli.run(at(device, { deviceType: 'frr' }), ['show utf8'], never())).rejects.toMatchObject({
    message: expect.stringContaining('requires another authentication step'),
    extra: { reason: 'DEVICE_AUTH_FAILED' },
  });
  await device.close();
});

test.each(['[More]', 'Next Page <Space>'])(
  'the output behind a pager that is not known, and ends as a prompt does, is read to its end: %s',
  async (text) => {
    const running = Array.from({ length: 30 }, (_, index) => `vlan ${index + 1}`);
    const config = { show: 'show running-config', enter: 'configure', prompt: 'r1(config)#', leave: 'end' };
    const device = await openDevice(
      { ...kindOf('cisco_ios'), pager: { text, wipe: '\r\x1b[K' } },
      { mood: { pages: true, config: { ...config, running } } },
    );
    const target = at(device, { deviceType: 'cisco_ios' });
    const { result } = await cli.run(target, [config.show, 'show utf8'], never(20_000));
    expect(result.map(({ status }) => status)).toEqual(['success', 'success']);
    expect(result[0]?.output.split('\n').map((line) => line.trim())).toEqual(running);
    expect(result[1]?.output).toBe('Zürich → 東京 ✓');
    await device.close();
  },
);

/** A device whose command `copy` shows progress, rests for two seconds, and then ends it. */
async function copyingDevice(progress: string, rest: string) {
  const server = new ssh2.Server({ hostKeys: [newHostKey('rsa')] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (ctx) => ctx.accept());
    connection.on('session', (accept) => {
      const session = accept();
      session.on('pty', (yes) => yes?.());
      session.on('shell', (yes) => {
        const channel = yes();
        channel.on('error', () => undefined);
        channel.write('\r\nleaf1#');
        channel.on('data', (bytes: Buffer) => {
          const command = bytes.toString().trim();
          channel.write(`${command}\r\n`);
          if (command !== 'copy') return void channel.write(command === '' ? 'leaf1#' : 'fine\r\nleaf1#');
          channel.write(progress);
          setTimeout(() => channel.write(`${rest}\r\nCopy complete.\r\nleaf1#`), 2000);
        });
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  return server.address() as AddressInfo;
}

test.each([
  ['[####                ]  20%', '\r[####################] 100%', '[####################] 100%'],
  ['[====>     ]', '\r[==========]', '[==========]'],
  ['Erasing flash: 12%', '\rErasing flash: 99%', 'Erasing flash: 99%'],
  ['Loading ####', '####', 'Loading ########'],
  ['[OK]', '', '[OK]'],
])('a command that shows %j and rests has not ended', async (progress, rest, line) => {
  const device = await copyingDevice(progress, rest);
  const target = at(device, { deviceType: 'cisco_nxos' });
  const { result } = await cli.run(target, ['copy', 'show version'], never(20_000));
  expect(result.map(({ output }) => output)).toEqual([`${line}\nCopy complete.`, 'fine']);
});

test.each([
  '[HUAWEI]',
  '[~PE1-GigabitEthernet0/0/1]',
  '[admin@MikroTik] >',
  'root@mx1%',
  '-> ',
  '=> ',
  'box 7#',
])('%j is no progress', (prompt) => expect(isProgress(prompt)).toBe(false));
