import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openLdap } from '#server/southbound/ldap/ldap.ts';
import type { LdapSearch } from '#server/southbound/ldap/ports.ts';

const SEARCH: LdapSearch = {
  base: 'dc=example',
  scope: 'sub',
  where: { equals: ['uid', 'x'] },
  attributes: ['cn'],
  most: 10,
};
const LIMIT = { extra: { reason: 'OUTPUT_LIMIT' } };

/** Sends the same bytes again and again, as fast as they are read. */
function sendForever(socket: Socket, bytes: Buffer): void {
  const send = () => {
    while (socket.writable && socket.write(bytes));
  };
  socket.on('drain', send);
  send();
}

/** Tries to read from a directory that answers everything with `answer`. */
async function readFrom(answer: (socket: Socket) => void): Promise<unknown> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await openLdap({ allowPrivateTargets: true }).connect({ name: 'lab', url }, (connection) =>
      connection.search(SEARCH),
    );
  } finally {
    server.close();
  }
}

test('a directory that sends messages without end, which nobody asked for, is left at a limit', async () => {
  // The end of a search, to the request 99.
  const messages = Buffer.concat(Array(5000).fill(Buffer.from('300c02016365070a010004000400', 'hex')));
  await expect(readFrom((socket) => sendForever(socket, messages))).rejects.toMatchObject(LIMIT);
});

test('a directory that sends a message without end is left at a limit', async () => {
  const endless = (socket: Socket) => {
    socket.write(Buffer.from([0x30, 0x84, 0x7f, 0, 0, 0]));
    sendForever(socket, Buffer.alloc(64 * 1024, 'x'));
  };
  await expect(readFrom(endless)).rejects.toMatchObject(LIMIT);
});
