import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createSecureServer } from 'node:tls';
import { expect, test } from 'vitest';
import { openLdap } from '#server/southbound/ldap/ldap.ts';
import type { LdapSearch } from '#server/southbound/ldap/ports.ts';
import { openAuthority } from '../lab/certificates.ts';

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
  const port = await portOf(server);
  try {
    return await openLdap({ allowPrivateTargets: true }).connect(
      { name: 'lab', url: `ldap://127.0.0.1:${port}` },
      (connection) => connection.search(SEARCH),
    );
  } finally {
    server.close();
  }
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
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

test('a directory that sends the shortest messages without end, before TLS, is left at a limit', async () => {
  // A reference without an address, to the request 99.
  const messages = Buffer.concat(Array(20_000).fill(Buffer.from('30050201637300', 'hex')));
  await expect(readFrom((socket) => sendForever(socket, messages))).rejects.toMatchObject(LIMIT);
});

test.each([
  ['a length of five bytes', '308500000000ff'],
  ['a value that is longer than its set', '3013020163640e040161300930070402636e3101047f'],
  ['an attribute that is longer than its entry', '300e0201636409040161300430020402'],
  ['a name of an attribute that is longer than it', '300e020163640904016130043002047f'],
  ['a reference that is longer than its message', '3007020163730204' + '7f'],
  ['a control that is longer than all controls', '30100201636507' + '0a010004000400' + 'a002307f'],
  ['a text behind the result of a bind that is longer than the message', '300e02016361090a010004000400847f'],
  ['a number of five bytes', '30090205010101010173' + '00'],
])('an answer with %s ends the connection at once', async (_, message) => {
  const began = performance.now();
  const sent = Buffer.from(message, 'hex');
  const whole = { extra: { reason: 'BROKEN' } };
  await expect(readFrom((socket) => void socket.write(sent))).rejects.toMatchObject(whole);
  expect(performance.now() - began).toBeLessThan(5000);
});

test('an answer that arrives byte by byte is read as one that arrives at once', async () => {
  // To the first request, whose number is 2: the server is unwilling to begin with TLS.
  const refused = Buffer.from('300c02010278070a013504000400', 'hex');
  const drip = async (socket: Socket) => {
    for (const byte of refused) {
      socket.write(Buffer.of(byte));
      await sleep(2);
    }
  };
  await expect(readFrom((socket) => void drip(socket))).rejects.toMatchObject({
    extra: { reason: 'LDAP_ERROR' },
  });
});

/** The oid of the control for pages. */
const PAGES = Buffer.from('1.2.840.113556.1.4.319').toString('hex');

test('a directory whose search has pages without end is left at a limit', async () => {
  const authority = openAuthority();
  let pages = 0;
  const server = createSecureServer(authority.issue({ names: ['127.0.0.1'] }), (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (request: Buffer) => {
      const id = request.subarray(request.indexOf('0201', 'hex')).toString('hex', 0, 3);
      // A reference, and the end of a page that another one follows. The last bytes say that the client leaves.
      if (request.subarray(-2).toString('hex') === '4200') return;
      pages += 1;
      const reference = `3005${id}7300`;
      const end = `3032${id}65070a010004000400a02430220416${PAGES}04083006020100040161`;
      // With a pause, so that the numbers of the requests stay below 128.
      setTimeout(() => socket.write(Buffer.from(reference + end, 'hex')), 20);
    });
  });
  const url = `ldaps://127.0.0.1:${await portOf(server)}`;
  const ldap = openLdap({ allowPrivateTargets: true, mostMs: 300 });
  const search = ldap.connect({ name: 'lab', url, ca: authority.ca }, (connection) =>
    connection.search(SEARCH),
  );
  await expect(search).rejects.toMatchObject(LIMIT);
  expect(pages).toBeGreaterThan(1);
  server.close();
});
