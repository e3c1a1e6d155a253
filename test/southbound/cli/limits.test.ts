import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterAll, expect, test } from 'vitest';
import { DEVICE_TYPES } from '#server/domains/network/inventory/device-types.ts';
import { DRIVERS } from '#server/platforms/index.ts';
import { readDrivers } from '#server/southbound/cli/added-drivers.ts';
import { openCli } from '#server/southbound/cli/cli.ts';
import { cpuTime } from '../../helpers/cpu-time.ts';
import { at, never } from '../../helpers/devices/cli.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { isLong } from '../../helpers/long.ts';
import { SCRIPTS } from '../../lab/devices/scripts.ts';
import { newHostKey, openDevice } from '../../lab/devices/simulator.ts';

const cli = openCli({ allowPrivateTargets: true, insecure: () => undefined });
afterAll(() => cli.close());
const script = SCRIPTS.find(({ device_type }) => device_type === 'frr') ?? none();
const SESSIONS = isLong ? 200 : 40;
function none(): never {
  throw new Error('there is no such device');
}

test.skipIf(!isLong)(
  `${SESSIONS} sessions with four commands each succeed, and the process stays responsive`,
  async () => {
    const device = await openDevice(script);
    let worst = 0;
    let last = { clock: performance.now(), cpu: cpuTime() };
    const watch = setInterval(() => {
      const now = { clock: performance.now(), cpu: cpuTime() };
      // Time that this process did not have the processor is not of its making.
      worst = Math.max(worst, Math.min(now.clock - last.clock - 10, now.cpu - last.cpu));
      last = now;
    }, 10);
    const commands = ['show version', 'show count 30', 'nonsense', 'show version'];
    try {
      const runs = await Promise.all(
        Array.from({ length: SESSIONS }, (_, index) =>
          cli.run(
            // So many handshakes at once take long on a busy machine.
            at(device, { name: `host-${index}`, deviceType: 'frr', connectMs: 120_000 }),
            commands,
            never(120_000),
          ),
        ),
      );
      for (const { result } of runs) {
        expect(result.map(({ status }) => status)).toEqual(['success', 'success', 'failed', 'success']);
        expect(result[1]?.output.split('\n')).toHaveLength(30);
      }
      expect(device.sessions).toBe(SESSIONS);
      // The simulated devices run in this process too: what they hold up counts here.
      expect(worst).toBeLessThan(500);
    } finally {
      clearInterval(watch);
      await device.close();
    }
  },
);

test.skipIf(!isLong)('the number of sessions with one host and of waiting calls is limited', async () => {
  const device = await openDevice(script, { mood: { delayMs: 60 } });
  const few = openCli({
    allowPrivateTargets: true,
    insecure: () => undefined,
    limits: { perHost: 2, waitPerHost: 3 },
  });
  try {
    const calls = await Promise.allSettled(
      Array.from({ length: 7 }, () => few.run(at(device, { deviceType: 'frr' }), ['show version'], never())),
    );
    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    const rejected = calls.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(rejected).toHaveLength(2);
    expect(rejected[0]).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      extra: { reason: 'BUSY' },
      headers: { 'Retry-After': expect.any(String) },
    });
    expect(device.sessions).toBe(2);
  } finally {
    await few.close();
    await device.close();
  }
});

test('a session on which the device sent unexpected output, or that it closed, is replaced by a new one', async () => {
  const device = await openDevice(script);
  const target = at(device, { deviceType: 'frr' });
  await cli.run(target, ['show version'], never());
  for (const connection of device.open) connection.end();
  await expect.poll(() => device.open.size).toBe(0);
  const { session, result } = await cli.run(target, ['show version'], never());
  expect([session?.reused, result[0]?.status]).toEqual([false, 'success']);
  await device.close();
});

test('a session that was left in another mode is not reused', async () => {
  const bash = SCRIPTS.find(({ device_type }) => device_type === 'cisco_ios') ?? none();
  const device = await openDevice({ ...bash, landing: { prompt: 'edge-r1(config)#', command: 'end' } });
  const target = at(device, { enablePassword: undefined, deviceType: 'cisco_ios' });
  const { result } = await cli.run(target, ['end'], never());
  expect(result[0]?.prompt).toBe('edge-r1>');
  const again = await cli.run(target, ['show version'], never());
  expect(again.session?.reused).toBe(false);
  await device.close();
});

test.skipIf(!isLong)(
  'devices that ask questions instead of a password, or have old algorithms or a second kind of key, are reached',
  async () => {
    const asks = await openDevice(script, { mood: { auth: 'questions' } });
    expect(
      (await cli.run(at(asks, { deviceType: 'frr' }), ['show version'], never())).result[0]?.status,
    ).toBe('success');
    expect(asks.logins).toBe(1);

    const old = await openDevice(script, {
      hostKeys: [newHostKey('rsa')],
      algorithms: {
        kex: ['diffie-hellman-group1-sha1'],
        serverHostKey: ['ssh-rsa'],
        cipher: ['3des-cbc'],
        hmac: ['hmac-md5'],
      },
    });
    const target = at(old, { deviceType: 'frr' });
    const { session } = await cli.run(target, ['show version'], never());
    expect(session?.algorithms).toMatchObject({
      profile: 'legacy',
      kex: 'diffie-hellman-group1-sha1',
      cipher: '3des-cbc',
    });
    await expect(
      cli.run({ ...target, name: 'fixed', profile: 'modern' }, ['show version'], never()),
    ).rejects.toMatchObject({
      code: 'BAD_GATEWAY',
      message: expect.stringContaining('ssh_profile is modern: leave it out'),
      extra: { reason: 'ALGORITHM_MISMATCH' },
    });

    const two = await openDevice(script, { hostKeys: [newHostKey(), newHostKey('rsa')] });
    const first = await cli.run(
      at(two, {
        deviceType: 'frr',
        name: 'rsa',
        hostKey: { policy: 'accept-new', algorithm: 'ssh-rsa', fingerprint: null },
      }),
      ['show version'],
      never(),
    );
    expect(first.session?.host_key.algorithm).toBe('ssh-rsa');
    const fingerprint = first.session?.host_key.fingerprint ?? null;
    const named = at(two, { deviceType: 'frr', hostKey: { policy: 'pinned', algorithm: '', fingerprint } });
    expect((await cli.run(named, ['show version'], never())).session?.host_key.fingerprint).toBe(fingerprint);
    await Promise.all([asks.close(), old.close(), two.close()]);
  },
);

test('a rejected password is sent once, and not again for a while', async () => {
  const device = await openDevice(script, { mood: { login: 'refuses' } });
  const target = at(device, { deviceType: 'frr' });
  const rejected = { extra: { reason: 'DEVICE_AUTH_FAILED' } };
  await expect(cli.run(target, ['show version'], never())).rejects.toMatchObject(rejected);
  await expect(cli.run(target, ['show version'], never())).rejects.toMatchObject(rejected);
  expect(device.logins).toBe(1);
  await device.close();
});

test('a secret that does not raise the privilege level is reported as such', async () => {
  const device = await openDevice(SCRIPTS[0] ?? none());
  await expect(
    cli.run(at(device, { enablePassword: 'wrong' }), ['show version'], never()),
  ).rejects.toMatchObject({
    extra: { reason: 'ENABLE_FAILED', stage: 'login' },
  });
  await device.close();
});

test('a driver is added by a file, and mistakes in one are named', async () => {
  const path = join(await makeFolder(), 'drivers.json');
  const text = JSON.stringify([
    { device_type: 'acme_os', prompts: ['acme\\({host}\\)=='], failures: ['Nope'], prepare: ['page off'] },
  ]);
  writeFileSync(path, text);
  const device = await openDevice({
    device_type: 'acme_os',
    prompt: 'acme(box)== ',
    version: 'Acme 1',
    invalid: 'Nope\r\n',
    off: /^page off$/,
    pager: { text: '--More--', wipe: '\r        \r' },
  });
  const more = openCli({ allowPrivateTargets: true, added: readDrivers(path), insecure: () => undefined });
  const { result } = await more.run(
    at(device, { deviceType: 'acme_os' }),
    ['show version', 'show lines', 'x'],
    never(),
  );
  expect(result.map(({ status }) => status)).toEqual(['success', 'success', 'failed']);
  await more.close();
  await device.close();
  writeFileSync(path, JSON.stringify([{ device_type: 'acme_os', prompts: ['('], surprise: 1 }]));
  expect(() => readDrivers(path)).toThrow(/prompts/);
});

test('every kind of device that the inventory accepts has a driver, and the same parser', () => {
  const built = new Map(cli.drivers.map((driver) => [driver.device_type, driver]));
  for (const { device_type, ostype } of DEVICE_TYPES)
    expect(built.get(device_type)?.ostype, device_type).toBe(ostype);
  expect(new Set(DRIVERS.map(({ device_type }) => device_type)).size).toBe(DRIVERS.length);
});

test.skipIf(!isLong).each([
  { reported: 'that answers no empty line and offers no terminal', empty: '', eol: '\n', pty: false },
  { reported: 'that refuses an empty line', empty: '% Unknown command\r\n', eol: '\r\n', pty: true },
])('a simple device $reported is understood', async ({ empty, eol, pty }) => {
  const server = new ssh2.Server({ hostKeys: [newHostKey()] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (ctx) => (ctx.method === 'password' ? ctx.accept() : ctx.reject()));
    connection.on('session', (accept) => {
      const session = accept();
      if (pty) session.on('pty', (yes) => yes?.());
      session.on('shell', (yes) => {
        const channel = yes();
        channel.write('box-1#');
        channel.on('data', (bytes: Buffer) => {
          for (const line of bytes.toString().split('\n').slice(0, -1)) {
            if (line.trim() !== '')
              channel.write(
                `${line.trim() === 'nonsense' ? '% Unknown command' : `you said ${line}`}${eol}box-1#`,
              );
            else if (empty !== '') channel.write(`${empty}box-1#`);
          }
        });
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { result } = await cli.run(at({ port }), ['show version', 'nonsense', 'show clock'], never());
  expect(result.map(({ status, output }) => [status, output])).toEqual([
    ['success', 'you said show version'],
    ['failed', '% Unknown command'],
    ['success', 'you said show clock'],
  ]);
  server.close();
});

test('a device that never stops sending before its prompt is left at once', async () => {
  let closed = 0;
  const server = new ssh2.Server({ hostKeys: [newHostKey()] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('close', () => (closed += 1));
    connection.on('authentication', (ctx) => (ctx.method === 'password' ? ctx.accept() : ctx.reject()));
    connection.on('session', (accept) => {
      const session = accept();
      session.on('pty', (yes) => yes?.());
      session.on('shell', (yes) => {
        const channel = yes();
        const lines = Buffer.from('box-1#\r\n'.repeat(4000));
        const more = () => {
          while (channel.writable && channel.write(lines));
        };
        channel.on('drain', more);
        more();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await expect(cli.run(at({ port }, { connectMs: 10_000 }), ['show version'], never())).rejects.toMatchObject(
    {
      message: expect.stringContaining('more than 4 MiB before a prompt'),
      extra: { reason: 'PROMPT_NOT_FOUND', stage: 'login' },
    },
  );
  await expect.poll(() => closed).toBe(1);
  server.close();
});

test('the connection of a session that ended is closed, also when the device ignores that and keeps sending', async () => {
  let raw: Socket | undefined;
  let closed = 0;
  const server = new ssh2.Server({ hostKeys: [newHostKey()] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (ctx) => (ctx.method === 'password' ? ctx.accept() : ctx.reject()));
    connection.on('session', (accept) => {
      const session = accept();
      session.on('pty', (yes) => yes?.());
      session.on('shell', (yes) => {
        const channel = yes();
        raw?.removeAllListeners('data').removeAllListeners('end').resume();
        const sending = setInterval(() => channel.write('.'), 20);
        // The library sends nothing to a connection that the other side has ended.
        raw?.on('end', () => setInterval(() => raw?.write('.'), 20).unref());
        raw?.on('close', () => clearInterval(sending));
      });
    });
  });
  const device = createServer({ allowHalfOpen: true }, (socket) => {
    raw = socket;
    socket.on('error', () => undefined);
    socket.on('close', () => (closed += 1));
    server.injectSocket(socket);
  });
  await new Promise<void>((resolve) => device.listen(0, '127.0.0.1', resolve));
  const { port } = device.address() as AddressInfo;
  const call = cli.run(at({ port }, { connectMs: 2000 }), ['show version'], never());
  await expect(call).rejects.toMatchObject({ extra: { reason: 'PROMPT_NOT_FOUND' } });
  await expect.poll(() => closed, { timeout: 5000 }).toBe(1);
  device.close();
});

test('a connection that is lost while the shell opens ends its call, and nothing else', async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);
  process.on('uncaughtException', note);
  const sockets = new Set<Socket>();
  const server = new ssh2.Server({ hostKeys: [newHostKey()] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (ctx) => (ctx.method === 'password' ? ctx.accept() : ctx.reject()));
    connection.on('session', (accept) => {
      accept().on('pty', () => {
        for (const socket of sockets) socket.destroy();
      });
    });
  });
  const device = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    server.injectSocket(socket);
  });
  await new Promise<void>((resolve) => device.listen(0, '127.0.0.1', resolve));
  const { port } = device.address() as AddressInfo;
  const call = cli.run(at({ port }, { connectMs: 5000 }), ['show version'], never());
  await expect(call).rejects.toMatchObject({ extra: { stage: 'login' } });
  process.off('uncaughtException', note);
  expect(uncaught).toEqual([]);
  device.close();
});
