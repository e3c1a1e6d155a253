import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { openCli } from '#server/southbound/cli/cli.ts';
import { at, never } from '../../helpers/devices/cli.ts';
import { openSshServer, runOnServer, type Served } from '../../helpers/devices/ssh-server.ts';
import type { Script } from '../../lab/devices/script.ts';
import { SCRIPTS } from '../../lab/devices/scripts.ts';
import { openDevice } from '../../lab/devices/simulator.ts';

const cli = openCli({ allowPrivateTargets: true, insecure: () => undefined });
afterAll(() => cli.close());
const script = SCRIPTS.find(({ device_type }) => device_type === 'cisco_ios') as Script;

/** Starts a server of TCP that treats each connection as given. */
async function listen(onConnection: (socket: Socket) => void) {
  const server = createServer(onConnection).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

test('devices that close connections as soon as they are open are reported at once, while others sign in', async () => {
  const device = await openDevice(script);
  const full = [
    await listen((socket) => socket.destroy()),
    await listen((socket) => socket.resetAndDestroy()),
  ];
  try {
    const calls = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        cli.run(at(full[index % 3] ?? device, { name: `device-${index}` }), ['show version'], never()),
      ),
    );
    for (const [index, call] of calls.entries())
      expect(call).toMatchObject(
        full[index % 3]
          ? { status: 'rejected', reason: { extra: { reason: 'RESET', retryable: true } } }
          : { status: 'fulfilled' },
      );
  } finally {
    for (const one of full) one.close();
    await device.close();
  }
}, 15_000);

/** Runs commands on such a device. */
const runOn = (served: Served) => runOnServer(cli, served);

test('a device, or a jump host, that has no room for a moment is tried again', async () => {
  const device = await openDevice(script);
  device.forwards = true;
  let left = 3;
  const busy = await listen((socket) => {
    left -= 1;
    if (left >= 0) return void socket.destroy();
    const onward = connect(device.port, '127.0.0.1');
    socket.pipe(onward).pipe(socket);
    for (const one of [socket, onward]) one.on('error', () => undefined);
  });
  try {
    const direct = await cli.run(at(busy, { name: 'edge-1' }), ['show version'], never());
    expect(direct.result[0]?.status).toBe('success');
    left = 2;
    const via = at({ port: busy.port }, { name: 'gate-1', username: 'svc', password: 'Lantern-77-pass' });
    const behind = at(device, { name: 'edge-2', via });
    expect((await cli.run(behind, ['show version'], never())).result[0]?.status).toBe('success');
    expect(left).toBeLessThan(0);
  } finally {
    busy.close();
    await device.close();
  }
});

test('a device that ends its output and keeps the connection open has ended the session', async () => {
  const { result } = await runOn({
    commands: ['show version', 'exit', 'show version'],
    server: { onLine: (line, channel) => void (line === 'exit' && channel.eof()) },
  });
  expect(result.map(({ status }) => status)).toEqual(['success', 'success', 'skipped']);
});

test('a device without a common algorithm is reported with those that it offers', async () => {
  await expect(
    runOn({ name: 'edge-1', server: { algorithms: { compress: ['zlib@openssh.com'] } } }),
  ).rejects.toMatchObject({
    message:
      'edge-1: no algorithm in common: no matching C->S compression; the device offers zlib@openssh.com',
    extra: { reason: 'ALGORITHM_MISMATCH' },
  });
  await expect(
    runOn({
      name: 'edge-1',
      profile: 'modern',
      server: { algorithms: { kex: ['diffie-hellman-group14-sha1'] } },
    }),
  ).rejects.toMatchObject({
    message:
      'edge-1: no algorithm in common: no matching key exchange algorithm; the device offers diffie-hellman-group14-sha1; ssh_profile is modern: leave it out to offer older algorithms as well',
  });
});

test.each(['diffie-hellman-group15-sha512', 'diffie-hellman-group17-sha512'] as const)(
  'a device that knows only %s is reached',
  async (kex) => {
    const { session } = await runOn({ server: { algorithms: { kex: [kex] } } });
    expect(session?.algorithms).toMatchObject({ kex, profile: 'modern' });
  },
);

test('a jump host that forwards nothing is named, and another cause than one that cannot reach the device', async () => {
  const strict = await openSshServer();
  const onward = await openDevice(script);
  onward.forwards = true;
  const via = (device: { port: number }) => ({ ...at(device, { name: 'gate-1' }) });
  const run = (device: { port: number }) =>
    cli.run(at({ port: 1 }, { name: 'edge-1', via: via(device) }), ['show version'], never());
  try {
    await expect(run(strict)).rejects.toMatchObject({
      message: 'edge-1: the jump host gate-1 does not allow connections through it (TCP forwarding)',
      extra: { reason: 'UNREACHABLE', retryable: false },
    });
    await expect(run(onward)).rejects.toMatchObject({
      message: 'edge-1: the jump host gate-1 cannot reach it',
      extra: { reason: 'UNREACHABLE', retryable: true },
    });
  } finally {
    strict.close();
    await onward.close();
  }
});
