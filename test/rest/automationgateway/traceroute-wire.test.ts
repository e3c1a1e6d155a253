import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { openTracing } from '../../helpers/devices/tracing.ts';

const { host, traced, failed, authority } = await openTracing();

/** A `TracerouteResponse` with ICMP extension data, as a target in Go sends it: repeated uint32, packed (openconfig/gnoi). */
const PACKED = '2801 6a0b 0801 1001 1a05 81a2f02e07';
/** The same as the wire format also allows it: each number by itself. */
const UNPACKED = '2801 6a0b 0801 1001 1881a2f02e 1807';

const bytesOf = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

/** Starts a target that streams these messages, which no definition of ours describes. */
async function openRawTarget(messages: readonly Buffer[]) {
  const server = new Server();
  const asTheyAre = { serialize: (bytes: Buffer) => bytes, deserialize: (bytes: Buffer) => bytes };
  server.addService(
    {
      Traceroute: {
        path: '/gnoi.system.System/Traceroute',
        requestStream: false,
        responseStream: true,
        requestSerialize: asTheyAre.serialize,
        requestDeserialize: asTheyAre.deserialize,
        responseSerialize: asTheyAre.serialize,
        responseDeserialize: asTheyAre.deserialize,
      },
    },
    {
      Traceroute: (call: ServerWritableStream<Buffer, Buffer>) => {
        for (const message of messages) call.write(message);
        call.end();
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { port, close: () => server.forceShutdown() };
}

test('ICMP extension data are the words that the target sent', async () => {
  const target = await openRawTarget([PACKED, UNPACKED].map(bytesOf));
  try {
    await host('extended', { port: target.port });
    const { responses } = await traced({ host: 'extended' });
    const data = [{ class: 1, type: 1, data: [98_308_353, 7] }];
    expect(responses).toMatchObject([{ icmp_ext_data: data }, { icmp_ext_data: data }]);
  } finally {
    target.close();
  }
});

test('a host with nothing in common for TLS is not said to reject a certificate', async () => {
  const { key, cert } = authority.issue({ names: ['127.0.0.1'] });
  const server = createServer({ key, cert, maxVersion: 'TLSv1.2', ciphers: 'PSK-AES128-CBC-SHA256' });
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    await host('uncommon', { port, tls: { enabled: true, ca: authority.ca } });
    const { reason, message } = await failed({ host: 'uncommon' });
    expect([reason, message]).toEqual([
      'TLS_FAILED',
      'uncommon: the host rejects the handshake: it has no version, cipher or group in common, or requires a client certificate',
    ]);
  } finally {
    server.close();
  }
});

test.each([
  ['127.0.0.1', false],
  ['localhost', 'localhost'],
])('TLS with the host %s sends the server name %s', async (name, expected) => {
  const names: unknown[] = [];
  const { key, cert } = authority.issue({ names: ['127.0.0.1', 'localhost'] });
  const server = createServer({ key, cert, ALPNProtocols: ['h2'] }, (socket) => {
    names.push((socket as TLSSocket & { servername: string | false }).servername);
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    await host(`names-${name}`, { port, host: name, tls: { enabled: true, ca: authority.ca } });
    await failed({ host: `names-${name}` });
    expect(new Set(names)).toEqual(new Set([expected]));
  } finally {
    server.close();
  }
});
