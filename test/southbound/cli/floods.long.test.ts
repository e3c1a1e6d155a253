import { type AddressInfo, createServer, type Socket } from 'node:net';
import ssh2 from 'ssh2';
import { afterAll, expect, test } from 'vitest';
import type { CliTarget } from '#server/southbound/cli/ports.ts';
import { openCliInThread } from '#server/southbound/cli/sessions/cli-in-thread.ts';
import { at, never } from '../../helpers/devices/cli.ts';
import { newHostKey } from '../../lab/devices/simulator.ts';

const servers: ssh2.Server[] = [];
const open = (output?: number) =>
  openCliInThread({
    allowPrivateTargets: true,
    insecure: () => undefined,
    lost: (error) => {
      throw error;
    },
    ...(output && { limits: { output } }),
  });
afterAll(() => {
  for (const server of servers) server.close();
});

/** A device that answers `show flood` with a text without end. */
async function floodingDevice(text: string, algorithms?: ssh2.Algorithms) {
  const piece = Buffer.from(text.repeat(Math.ceil(30_000 / text.length)));
  const options = { hostKeys: [newHostKey('rsa')], ...(algorithms && { algorithms }) };
  const server = new ssh2.Server(options, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (ctx) => ctx.accept());
    connection.on('session', (accept) => {
      const session = accept();
      session.on('pty', (yes) => yes?.());
      session.on('shell', (yes) => {
        const channel = yes();
        const flood = () => {
          let isOpen = true;
          for (let count = 0; isOpen && count < 10; count++)
            isOpen = channel.writable && channel.write(piece);
          if (isOpen) setImmediate(flood);
        };
        channel.on('error', () => undefined);
        channel.write('\r\nbox#');
        channel.on('data', (bytes: Buffer) => {
          const command = bytes.toString().trim();
          channel.write(`${command}\r\n`);
          if (command !== 'show flood') return channel.write(command === '' ? 'box#' : 'fine\r\nbox#');
          channel.on('drain', flood);
          flood();
        });
      });
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server.address() as AddressInfo;
}

test.each([
  { by: 'directly', algorithms: undefined },
  { by: 'by a connection in another thread', algorithms: { kex: ['diffie-hellman-group1-sha1' as const] } },
])(
  'a command whose output never ends fails after 64 MiB, read $by',
  async ({ algorithms }) => {
    const cli = open();
    const device = await floodingDevice(`${'x'.repeat(10_000)}\r\n`, algorithms);
    await expect(cli.run(at(device), ['show clock', 'show flood'], never(60_000))).rejects.toMatchObject({
      code: 'BAD_GATEWAY',
      message: expect.stringContaining('more than 64 MiB'),
      extra: {
        reason: 'OUTPUT_LIMIT',
        retryable: false,
        partial: { result: [{ output: 'fine' }, { status: 'incomplete', truncated: true }] },
      },
    });
    await cli.close();
  },
  60_000,
);

/** Runs commands on a device until a condition is met. @returns the longest time of one, in milliseconds */
async function longestAnswer(cli: ReturnType<typeof open>, target: CliTarget, isOver: () => boolean) {
  let longest = 0;
  do {
    const began = performance.now();
    const { result } = await cli.run(target, ['show clock'], never(20_000));
    expect(result[0]).toMatchObject({ status: 'success', output: 'fine' });
    longest = Math.max(longest, performance.now() - began);
  } while (!isOver());
  return longest;
}

test('devices that flood are ended when all outputs together are too large, and another one answers', async () => {
  const cli = open(16 * 1024 * 1024);
  const devices = await Promise.all(Array.from({ length: 8 }, () => floodingDevice('x\r\n')));
  const target = at(await floodingDevice('x'));
  await cli.run(target, ['show clock'], never());
  const reasons: string[] = [];
  const floods = devices.map((device) =>
    cli.run(at(device), ['show flood'], never(30_000)).catch(({ extra }) => {
      reasons.push(`${extra.reason}, retryable: ${extra.retryable}`);
    }),
  );
  await longestAnswer(cli, target, () => reasons.length > 5);
  expect(new Set(reasons)).toEqual(new Set(['OUTPUT_LIMIT, retryable: true']));
  await cli.close();
  await Promise.all(floods);
}, 60_000);

test('devices that flood do not delay a command on another one', async () => {
  const cli = open(1024 ** 4);
  const devices = await Promise.all(Array.from({ length: 12 }, () => floodingDevice('x\r\n')));
  const target = at(await floodingDevice('x'));
  await cli.run(target, ['show clock'], never());
  let ended = 0;
  const floods = devices.map((device) =>
    cli.run(at(device), ['show flood'], never(5000)).catch(() => {
      ended += 1;
    }),
  );
  expect(await longestAnswer(cli, target, () => ended > 0)).toBeLessThan(1500);
  await cli.close();
  await Promise.all(floods);
}, 60_000);

test('the session with a device that sends requests without end and reads no answer is ended', async () => {
  let isClosed = false;
  const sockets: Socket[] = [];
  const server = new ssh2.Server({ hostKeys: [newHostKey()] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (ctx) => ctx.accept());
    connection.on('session', (accept) => {
      const session = accept();
      session.on('pty', (yes) => yes?.());
      session.on('shell', (yes) => {
        const channel = yes();
        channel.write('\r\nbox#');
        channel.on('error', () => undefined);
        channel.on('data', (bytes: Buffer) => {
          channel.write(`${bytes.toString().trim()}\r\n${bytes.includes('flood') ? '' : 'box#'}`);
          if (!bytes.includes('flood')) return;
          const [socket] = sockets;
          // The library answers requests and offers none.
          const { _protocol: protocol } = connection as unknown as { _protocol: { ping: () => void } };
          socket?.pause();
          const ask = () => {
            for (let count = 0; count < 1000 && !isClosed; count++) protocol.ping();
            if (!isClosed) setImmediate(ask);
          };
          ask();
        });
      });
    });
  });
  const device = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      isClosed = true;
    });
    server.injectSocket(socket);
  });
  await new Promise<void>((resolve) => device.listen(0, '127.0.0.1', resolve));
  const cli = open();
  await expect(
    cli.run(at(device.address() as AddressInfo), ['show flood'], never(60_000)),
  ).rejects.toMatchObject({ extra: { reason: 'SESSION_LOST' } });
  isClosed = true;
  await cli.close();
  device.close();
}, 60_000);
